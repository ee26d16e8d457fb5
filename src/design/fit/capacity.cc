#include "design/fit/capacity.h"

#include <algorithm>
#include <vector>

namespace weir::design {
namespace {

struct Sent {
  std::int64_t at_ns;
  std::uint32_t key;
  std::uint32_t cost;
};

}  // namespace

Capacity capacity_under(std::span<const Trace> keys, double rate, double burst,
                        std::int64_t horizon_ns, double capacity) {
  std::vector<Sent> all;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    for (std::size_t i = 0; i < keys[key].size(); ++i) {
      all.push_back({keys[key].at_ns[i], static_cast<std::uint32_t>(key), keys[key].cost(i)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Sent& a, const Sent& b) { return a.at_ns < b.at_ns; });
  Capacity result;
  std::vector<std::uint32_t> within(keys.size());  // requests of the key in the window
  std::uint64_t active = 0;
  std::uint64_t units = 0;
  std::uint64_t most_units = 0;
  std::size_t first = 0;
  for (const Sent& sent : all) {
    active += within[sent.key]++ == 0 ? 1 : 0;
    units += sent.cost;
    for (; sent.at_ns - all[first].at_ns >= horizon_ns; ++first) {
      active -= --within[all[first].key] == 0 ? 1 : 0;
      units -= all[first].cost;
    }
    result.most_active = std::max(result.most_active, active);
    most_units = std::max(most_units, units);
  }
  const double horizon_s = static_cast<double>(horizon_ns) / 1e9;
  result.worst_units_a_second =
      static_cast<double>(result.most_active) * (burst + rate * horizon_s) / horizon_s;
  result.oversubscription = capacity > 0 ? result.worst_units_a_second / capacity : 0;
  result.worst_seen = static_cast<double>(most_units) / horizon_s;
  return result;
}

}  // namespace weir::design
