// What one key sent: the input of every fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::design {

struct Trace {
  std::vector<std::int64_t> at_ns;   // ascending
  std::vector<std::uint32_t> costs;  // of each; empty: one each

  std::size_t size() const { return at_ns.size(); }
  std::uint32_t cost(std::size_t i) const { return costs.empty() ? 1 : costs[i]; }
};

}  // namespace weir::design
