// The parts of the table of keys (table.h), a file each, in the order of the long form.
#pragma once

#include <span>
#include <string_view>

#include "policy/table.h"

namespace weir::policy {

inline constexpr Since kSugar = Since::sugar;
inline constexpr Since kLater = Since::later;

inline constexpr std::string_view kAlgorithms =
    "token_bucket fixed_window sliding_window sliding_log leaky_bucket !concurrency !quota";

std::span<const Row> service_rows();
std::span<const Row> caller_rows();
std::span<const Row> limit_rows();
std::span<const Row> outcome_rows();

}  // namespace weir::policy
