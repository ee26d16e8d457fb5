// Quantiles over keys, with a bound that holds whatever their distribution is.
//
// Of n values in order, the k-th is an upper bound of the q-quantile with confidence 1 - alpha when
// P(Bin(n, q) <= k - 1) >= 1 - alpha (David and Nagaraja, "Order Statistics", 7.1).
#pragma once

#include <cstddef>
#include <optional>

namespace weir::design {

// Places count from 1. The k-th of n in order is the q-quantile: ceil(n q), at least 1.
std::size_t quantile_place(std::size_t n, double q);

// Empty: so few values that none of them is such a bound.
std::optional<std::size_t> bound_place(std::size_t n, double q, double alpha = 0.05);

// The fewest values of which one is a bound.
std::size_t fewest_for_bound(double q, double alpha = 0.05);

// 1, 2, 3, 5 or 6 times a power of ten, the least that is not below `value`; 0 for what is not
// above.
double nice_number(double value);

}  // namespace weir::design
