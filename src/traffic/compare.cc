#include "traffic/compare.h"

#include <algorithm>

namespace weir::traffic {

std::vector<std::uint32_t> Comparison::most_changed(std::size_t most) const {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < by_key_.size(); ++key) {
    if (by_key_[key].newly_denied + by_key_[key].newly_admitted > 0) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Change& x = by_key_[a];
    const Change& y = by_key_[b];
    if (x.newly_denied != y.newly_denied) return x.newly_denied > y.newly_denied;
    if (x.newly_admitted != y.newly_admitted) return x.newly_admitted > y.newly_admitted;
    return keys_.name(a) < keys_.name(b);
  });
  if (keys.size() > most) keys.resize(most);
  return keys;
}

}  // namespace weir::traffic
