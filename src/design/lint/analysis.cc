#include "design/lint/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace weir::design::lint {

bool declared(const policy::Policy& policy, std::size_t class_id) {
  return class_id < policy.default_class();
}

bool covers_all_of(const policy::Limit& a, const policy::Limit& b) {
  for (std::size_t c = 0; c < b.covers.size(); ++c) {
    if (b.covers[c] && !a.covers[c]) return false;
  }
  return true;
}

bool covered(const policy::Policy& policy, std::size_t class_id) {
  return std::any_of(policy.limits.begin(), policy.limits.end(), [&](const policy::Limit& limit) {
    return limit.mode != policy::Mode::off && limit.covers[class_id];
  });
}

bool covers_every_limited_class(const policy::Policy& policy, const policy::Limit& limit) {
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (!limit.covers[c] && covered(policy, c)) return false;
  }
  return true;
}

bool by_address_only(const policy::Limit& limit) {
  bool address = false;
  for (const policy::KeyPart& part : limit.key) {
    if (part.is_class) continue;
    for (const policy::KeyId key : part.alternatives) {
      if (key != policy::kIpKey) return false;
      address = true;
    }
  }
  return address;
}

bool knows_callers(const policy::Policy& policy) {
  if (!policy.accounts_file.empty() || policy.identity.api_key_trusted) return true;
  const auto& keys = policy.identity.keys;
  return std::any_of(keys.begin(), keys.end(), [&](const policy::IdentityKey& key) {
    const bool built_in = &key - keys.data() <= policy::kUserKey;
    return !built_in && key.authenticated;
  });
}

int compare_rate(const algo::Numbers& a, const algo::Numbers& b) {
  __extension__ using Wide = unsigned __int128;
  const Wide left = static_cast<Wide>(a.count) * b.period_ns;
  const Wide right = static_cast<Wide>(b.count) * a.period_ns;
  return left < right ? -1 : left > right ? 1 : 0;
}

policy::Position where(const policy::Limit& limit, const policy::LimitNumbers& numbers) {
  return numbers.at.line != 0 ? numbers.at : limit.at;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string quoted(std::string_view name) { return fmt::format("`{}`", name); }

std::string list(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += quoted(names[i]);
  }
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace weir::design::lint
