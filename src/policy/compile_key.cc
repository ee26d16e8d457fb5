// `key`: a tuple of parts, each a chain of identity keys, or the word `class`.
#include <algorithm>

#include "policy/compile.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string> known_keys(const Policy& policy) {
  std::vector<std::string> names{"client", "class", "global"};
  for (const IdentityKey& key : policy.identity.keys) names.push_back(key.name);
  return names;
}

class Part {
 public:
  Part(Build& build, const Node& node) : build_(build), node_(node) {}

  std::optional<KeyPart> compile() {
    std::string_view rest = node_.text;
    for (;;) {
      const std::size_t bar = rest.find('|');
      const std::string_view word = trim(rest.substr(0, bar));
      if (!alternative(word, bar != rest.npos || !part_.text.empty())) return std::nullopt;
      part_.text += (part_.text.empty() ? "" : " | ") + std::string(word);
      if (bar == rest.npos) return std::move(part_);
      rest.remove_prefix(bar + 1);
    }
  }

 private:
  bool error(std::string message, std::string help) {
    build_.report.error(node_.at, std::move(message), std::move(help));
    return false;
  }

  bool alternative(std::string_view word, bool in_chain) {
    if (word == "class" || word == "global") {
      if (in_chain) return error("`" + std::string(word) + "` in a chain", "make it a part alone");
      if (word == "global") return error("`global` as a part", "write `key: global`");
      part_.is_class = true;
      return true;
    }
    if (word == "client") {
      return add(kApiKey, word) && add(kUserKey, word) && add(kIpKey, word);
    }
    const auto key = find_key(build_.policy, word);
    if (!key) {
      const Node* identity = build_.root.find("identity");
      if (identity != nullptr && has_bad(*identity)) return false;  // it may be one of those
      return error(word.empty() ? "an empty key" : "unknown key " + quoted(word),
                   build_.near_name(word, known_keys(build_.policy)));
    }
    if (!believed(*key, word)) return false;
    return add(*key, word);
  }

  // A key that nothing could ever make present is a mistake.
  bool believed(KeyId key, std::string_view word) {
    if (key == kApiKey && build_.root.find("accounts") == nullptr &&
        !build_.policy.identity.api_key_trusted) {
      build_.report.warning(node_.at, "no API key is ever believed: there are no accounts",
                            "write `accounts: keys.csv`, or `identity: {api_key: {trusted: "
                            "gateway}}` where the gateway refuses unknown keys");
    }
    if (key != kUserKey || build_.policy.identity.jwt_from_gateway) return true;
    const Node* identity = get(build_.root, "identity");
    if (identity != nullptr && identity->find("jwt") != nullptr) return true;  // reported there
    return error("nothing says who verifies the token that " + quoted(word) + " reads",
                 "write `identity: {jwt: {verify: gateway}}` if only verified tokens reach weir");
  }

  bool add(KeyId key, std::string_view word) {
    if (std::find(part_.alternatives.begin(), part_.alternatives.end(), key) !=
        part_.alternatives.end()) {
      return error(quoted(word) + " is in the chain twice", "remove one");
    }
    part_.alternatives.push_back(key);
    return true;
  }

  Build& build_;
  const Node& node_;
  KeyPart part_;
};

}  // namespace

std::optional<KeyId> find_key(const Policy& policy, std::string_view name) {
  for (std::size_t i = 0; i < policy.identity.keys.size(); ++i) {
    if (policy.identity.keys[i].name == name) return static_cast<KeyId>(i);
  }
  return std::nullopt;
}

std::optional<std::vector<KeyPart>> compile_key(Build& build, const Node& list) {
  std::vector<KeyPart> parts;
  if (list.items.size() > kMaxKeyParts) {
    build.report.error(list.at, "a key of " + std::to_string(list.items.size()) + " parts",
                       "at most " + std::to_string(kMaxKeyParts));
    return std::nullopt;
  }
  bool good = true;
  for (const Node& item : list.items) {
    auto part = item.bad ? std::nullopt : Part(build, item).compile();
    if (!part) {
      good = false;
      continue;
    }
    for (const KeyPart& earlier : parts) {
      if (earlier.is_class == part->is_class && earlier.alternatives == part->alternatives) {
        build.report.error(item.at, quoted(part->text) + " is in the key twice", "remove one");
        good = false;
      }
    }
    parts.push_back(std::move(*part));
  }
  if (!good) return std::nullopt;
  return parts;
}

}  // namespace weir::policy
