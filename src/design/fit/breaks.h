// Natural breaks: where values in order fall into groups, for tiers that no label names and for
// costs of classes.
//
// Fisher's exact method ("On grouping for maximum homogeneity", JASA 1958), which Jenks made known:
// the cuts with the least sum of squares within the groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::design {

// Where each group but the first begins, for `groups` of ascending values; fewer where fewer values
// differ. For more than 1,000 values some of them stand for all, evenly by their rank.
std::vector<std::size_t> natural_breaks(std::span<const double> ascending, std::size_t groups);

// The share of the variance that these groups explain: 1 when each holds one value.
double explained(std::span<const double> ascending, std::span<const std::size_t> breaks);

// 2 to 4 groups: the fewest that explain 90 % of the variance and that a gap as wide as a factor of
// two parts; none where the values are too much alike. `log10_ascending` are logarithms.
std::vector<std::size_t> tier_breaks(std::span<const double> log10_ascending);

// What a class costs beside the others, from what its requests take (time, bytes, tokens; above 0):
// its median over the median of all classes, as the nearest of 1, 2, 5, 10, 20, 50, 100.
std::vector<std::uint32_t> class_costs(std::span<const double> medians);

}  // namespace weir::design
