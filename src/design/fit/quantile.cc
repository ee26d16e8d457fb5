#include "design/fit/quantile.h"

#include <algorithm>
#include <cmath>

namespace weir::design {

std::size_t quantile_place(std::size_t n, double q) {
  const double place = std::ceil(static_cast<double>(n) * q - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(place), 1, std::max<std::size_t>(n, 1));
}

std::optional<std::size_t> bound_place(std::size_t n, double q, double alpha) {
  // From the top: P(X >= k) = 1 - P(X <= k - 1) must be at most alpha.
  const double count = static_cast<double>(n);
  double above = 0;
  std::optional<std::size_t> best;
  for (std::size_t k = n; k > 0; --k) {
    const double at = static_cast<double>(k);
    above += std::exp(std::lgamma(count + 1) - std::lgamma(at + 1) - std::lgamma(count - at + 1) +
                      at * std::log(q) + (count - at) * std::log1p(-q));
    if (above > alpha) break;
    best = k;
  }
  return best;
}

std::size_t fewest_for_bound(double q, double alpha) {
  return static_cast<std::size_t>(std::ceil(std::log(alpha) / std::log(q) - 1e-9));
}

double nice_number(double value) {
  if (!(value > 0)) return 0;
  double power = std::pow(10, std::floor(std::log10(value)));
  for (;; power *= 10) {
    for (const double digit : {1, 2, 3, 5, 6}) {
      if (digit * power >= value * (1 - 1e-12)) return digit * power;
    }
  }
}

}  // namespace weir::design
