#include "design/fit/breaks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weir::design {
namespace {

constexpr std::size_t kMostValues = 1'000;

// Sums of values and of squares before each place: a group's sum of squares in constant time.
class Squares {
 public:
  explicit Squares(std::span<const double> values) : sum_(values.size() + 1), square_(sum_) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum_[i + 1] = sum_[i] + values[i];
      square_[i + 1] = square_[i] + values[i] * values[i];
    }
  }
  // Around their mean, of [from, to).
  double within(std::size_t from, std::size_t to) const {
    const double sum = sum_[to] - sum_[from];
    const double spread = square_[to] - square_[from] - sum * sum / static_cast<double>(to - from);
    return std::max(0.0, spread);
  }

 private:
  std::vector<double> sum_, square_;
};

std::size_t different(std::span<const double> ascending) {
  std::size_t count = ascending.empty() ? 0 : 1;
  for (std::size_t i = 1; i < ascending.size(); ++i) count += ascending[i] != ascending[i - 1];
  return count;
}

std::vector<std::size_t> exact_breaks(std::span<const double> values, std::size_t groups) {
  const std::size_t n = values.size();
  const Squares squares(values);
  // least[g][i]: of the first i values in g + 1 groups; cut[g][i]: where the last of them begins.
  std::vector<std::vector<double>> least(groups, std::vector<double>(n + 1));
  std::vector<std::vector<std::size_t>> cut(groups, std::vector<std::size_t>(n + 1));
  for (std::size_t i = 1; i <= n; ++i) least[0][i] = squares.within(0, i);
  for (std::size_t g = 1; g < groups; ++g) {
    for (std::size_t i = g + 1; i <= n; ++i) {
      least[g][i] = std::numeric_limits<double>::max();
      for (std::size_t from = g; from < i; ++from) {
        const double sum = least[g - 1][from] + squares.within(from, i);
        if (sum >= least[g][i]) continue;
        least[g][i] = sum;
        cut[g][i] = from;
      }
    }
  }
  std::vector<std::size_t> breaks(groups - 1);
  for (std::size_t g = groups - 1, end = n; g > 0; --g) {
    end = cut[g][end];
    breaks[g - 1] = end;
  }
  return breaks;
}

}  // namespace

std::vector<std::size_t> natural_breaks(std::span<const double> ascending, std::size_t groups) {
  groups = std::min(groups, different(ascending));
  if (groups < 2) return {};
  if (ascending.size() <= kMostValues) return exact_breaks(ascending, groups);
  std::vector<double> some(kMostValues);
  for (std::size_t i = 0; i < kMostValues; ++i) {
    some[i] = ascending[(2 * i + 1) * ascending.size() / (2 * kMostValues)];
  }
  const std::size_t some_groups = std::min(groups, different(some));
  std::vector<std::size_t> breaks;
  if (some_groups < 2) return breaks;
  for (const std::size_t at : exact_breaks(some, some_groups)) {
    // Between the two that were looked at: where the gap is widest.
    const auto place = [&](double value) {
      return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), value) -
                                      ascending.begin());
    };
    std::size_t widest = place(some[at]);
    for (std::size_t i = place(some[at - 1]) + 1; i < place(some[at]); ++i) {
      if (ascending[i] - ascending[i - 1] > ascending[widest] - ascending[widest - 1]) widest = i;
    }
    breaks.push_back(widest);
  }
  return breaks;
}

double explained(std::span<const double> ascending, std::span<const std::size_t> breaks) {
  if (ascending.empty()) return 1;
  const Squares squares(ascending);
  const double all = squares.within(0, ascending.size());
  if (all <= 0) return 1;
  double within = 0;
  std::size_t from = 0;
  for (const std::size_t to : breaks) {
    within += squares.within(from, to);
    from = to;
  }
  within += squares.within(from, ascending.size());
  return 1 - within / all;
}

std::vector<std::size_t> tier_breaks(std::span<const double> log10_ascending) {
  const double kGap = std::log10(2.0);
  for (std::size_t groups = 2; groups <= 4; ++groups) {
    auto breaks = natural_breaks(log10_ascending, groups);
    if (breaks.size() + 1 < groups) return {};
    const bool parted = std::all_of(breaks.begin(), breaks.end(), [&](std::size_t at) {
      return log10_ascending[at] - log10_ascending[at - 1] >= kGap;
    });
    if (parted && explained(log10_ascending, breaks) >= 0.9) return breaks;
  }
  return {};
}

std::vector<std::uint32_t> class_costs(std::span<const double> medians) {
  if (medians.empty()) return {};
  std::vector<double> sorted(medians.begin(), medians.end());
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[(sorted.size() - 1) / 2];
  constexpr std::array<std::uint32_t, 7> kCosts{1, 2, 5, 10, 20, 50, 100};
  std::vector<std::uint32_t> costs;
  for (const double median : medians) {
    const double weight = std::log(median / middle);
    costs.push_back(
        *std::min_element(kCosts.begin(), kCosts.end(), [&](std::uint32_t a, std::uint32_t b) {
          return std::abs(std::log(a) - weight) < std::abs(std::log(b) - weight);
        }));
  }
  return costs;
}

}  // namespace weir::design
