// What a limit guarantees, and what it publishes.
#include "algo/numbers.h"
#include "base/u128.h"

namespace weir::algo {
namespace {

std::uint64_t ceil_div(std::uint64_t n, std::uint64_t d) { return n / d + (n % d != 0); }

}  // namespace

// Each is the largest whole number that the bound allows: costs are whole.
std::uint64_t envelope(const Numbers& n, Duration tau) {
  using detail::saturating_add;
  using detail::saturating_mul;
  switch (n.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::leaky_bucket: {
      // A unit of the grid is under 2 ns, and a charge may be that much early.
      const Duration with_grid = tau + nanoseconds(2);
      return saturating_add(n.burst, base::mul_div_floor(with_grid.ns, n.count, n.period_ns));
    }
    case Algorithm::fixed_window:
      // A closed interval of tau touches at most this many half-open windows.
      return saturating_mul(n.count, saturating_add(ceil_div(tau.ns, n.period_ns), 1));
    case Algorithm::sliding_window:
      return saturating_add(n.count, base::mul_div_ceil(n.count, tau.ns, n.period_ns));
    case Algorithm::sliding_log:
      return saturating_mul(n.count, saturating_add(tau.ns / n.period_ns, 1));
  }
  return base::kMaxU64;
}

Duration published_window(const Numbers& n) {
  if (n.algorithm != Algorithm::token_bucket && n.algorithm != Algorithm::leaky_bucket) {
    return {n.period_ns};
  }
  return seconds(Duration{base::mul_div_ceil(n.burst, n.period_ns, n.count)}.seconds_up());
}

}  // namespace weir::algo
