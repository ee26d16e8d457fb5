// Counts every operator new of a test binary (count_allocations.cc replaces it).
#pragma once

#include <cstddef>

namespace weir::base::testing {

std::size_t allocations_so_far();

}  // namespace weir::base::testing
