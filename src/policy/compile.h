// From the long form's tree to a Policy, a file a section; what does not fit together is reported.
//
// A node that an earlier step marked bad is passed over in silence: its finding is there already.
// Not thread-safe: one Build a load.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/findings.h"
#include "policy/loader.h"
#include "policy/policy.h"
#include "policy/yaml_tree.h"

namespace weir::policy {

// What only the long form shows again: texts before ${env:}, file: and paths are resolved.
struct Typed {
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> allow_from;
  std::string client_address;
  std::string accounts;
  std::string body_template;
  // Of the redis store, as they may be shown; empty: not given.
  struct Store {
    std::string url, username, password, tls_ca, tls_cert, tls_key, prefix, secret;
  } store;
};

struct Build {
  const Node& root;
  Policy& policy;
  Typed& typed;
  Report& report;
  std::string folder;  // relative paths start here

  std::map<std::string, TierId, std::less<>> tiers = {};
  std::map<std::string, ClassId, std::less<>> classes = {};
  std::map<std::string, LimitId, std::less<>> limits = {};
  // A section could not be read: its names are not known to be all.
  bool tiers_bad = false;
  bool classes_bad = false;
  bool limits_bad = false;

  // Interned, reported where there are too many.
  UnitId unit(std::string_view name, Position at);
  // "did you mean `x`?" or what there is; nothing once there are findings enough.
  std::string near_name(std::string_view word, const std::vector<std::string>& words) const;
};

inline constexpr std::size_t kMaxTiers = 64;
inline constexpr std::size_t kMaxClasses = 4096;
inline constexpr std::size_t kMaxUnits = 16;
inline constexpr std::size_t kMaxLimits = 4096;
inline constexpr std::size_t kMaxMatching = 16;  // limits that can match one request
inline constexpr std::size_t kMaxKeyParts = 8;
inline constexpr std::size_t kMaxIdentityKeys = 32;

// The value of a key, or null where it is absent or bad.
const Node* get(const Node& mapping, std::string_view key);
// Its text; empty where it is absent or bad.
std::string text_of(const Node& mapping, std::string_view key);
bool true_of(const Node& mapping, std::string_view key);
std::optional<std::uint64_t> count_of(const Node& mapping, std::string_view key);
std::optional<Duration> duration_of(const Node& mapping, std::string_view key);
bool has_bad(const Node& node);  // itself or anything below it
// Has `${env:NAME}` or is `file:PATH`.
bool from_elsewhere(std::string_view text);
// What such a text stands for; nullopt: reported.
std::optional<std::string> resolved(Build& build, const Node& node);

template <typename Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

void compile_tiers(Build& build);
void compile_identity(Build& build);  // after the tiers
void compile_listeners(Build& build);
void compile_classes(Build& build);    // after the tiers
void compile_limits(Build& build);     // after classes and identity
void compile_overrides(Build& build);  // after the limits
void compile_guarantees(Build& build);
void compile_response(Build& build);
void compile_store(Build& build);
void compile_rest(Build& build);  // name, instances, paths, accounts, observe

// `classes: [a, b]`, `"*"`, `except: [c]` as bits by ClassId; nullopt: reported.
std::optional<std::vector<bool>> compile_covers(Build& build, const Node& item);

// A key tuple's parts; nullopt: reported.
std::optional<std::vector<KeyPart>> compile_key(Build& build, const Node& list);
// The id of an identity key, `client` excepted.
std::optional<KeyId> find_key(const Policy& policy, std::string_view name);

// What is the same for all tiers of a limit, or was given beside `tiers`.
struct Shape {
  Algorithm algorithm = Algorithm::token_bucket;
  Align align = Align::epoch;
  std::optional<std::uint64_t> queue;
  std::optional<Duration> max_wait;
  std::optional<Duration> window;
};
// One tier's numbers: a rate, `deny`, `unlimited`, or a mapping. nullopt: reported.
std::optional<LimitNumbers> compile_numbers(Build& build, const Shape& shape, const Limit& limit,
                                            const Node& node);
// The same for callers counted by a shared address.
Result<algo::Numbers> times(const algo::Numbers& numbers, std::uint64_t multiplier);
// The shape that a limit's own numbers have: what an override leaves out.
Shape shape_of(const Limit& limit);

// Rates as text: "600/min burst 120".
std::string print_numbers(const algo::Numbers& numbers);

// Checks over all limits: duplicates, too many for one class, classes without any, notes.
void check_limits(Build& build);

// The long form as YAML.
std::string print_long_form(const Policy& policy, const Typed& typed);
std::string print_store(const StoreConfig& store, const Typed::Store& typed);
std::string print_identity(const Policy& policy);

}  // namespace weir::policy
