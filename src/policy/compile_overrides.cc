// `overrides`: other numbers for one account or one value of a key, with an end and a reason.
#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/unicode.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

class OverrideCompiler {
 public:
  OverrideCompiler(Build& build, const Node& item) : build_(build), item_(item) {}

  void compile() {
    out_.at = item_.at;
    end();
    whose();
    const std::optional<LimitId> id = limit();
    if (!id) return;
    Limit& limit = build_.policy.limits[*id];
    if (limit.key.empty()) {
      error(get(item_, "limit")->at, quoted(limit.name) + " has one counter for all callers",
            "its numbers cannot depend on the caller; change the limit itself");
      return;
    }
    if (get(item_, "rate") == nullptr) return;
    const auto numbers = compile_numbers(build_, shape_of(limit), limit, only_numbers());
    if (!numbers || !good_) return;
    out_.numbers = *numbers;
    if (!shared()) return;
    if (has_same(limit)) return;
    limit.overrides.push_back(std::move(out_));
  }

 private:
  void error(Position at, std::string message, std::string help = {}, std::string code = {}) {
    build_.report.error(at, std::move(message), std::move(help), std::move(code));
    good_ = false;
  }

  // `limit` is a name here, not a number.
  Node only_numbers() const {
    Node numbers = Node::mapping(item_.at);
    for (const Entry& entry : item_.entries) {
      if (entry.key == "rate" || entry.key == "burst") numbers.entries.push_back(entry);
    }
    return numbers;
  }

  std::optional<LimitId> limit() {
    const Node* name = get(item_, "limit");
    if (name == nullptr) return std::nullopt;
    const auto found = build_.limits.find(name->text);
    if (found != build_.limits.end()) return found->second;
    if (!build_.limits_bad) {
      error(name->at, "unknown limit " + quoted(name->text),
            build_.near_name(name->text, names_of(build_.limits)));
    }
    return std::nullopt;
  }

  void end() {
    const Node* until = get(item_, "until");
    const Node* reason = get(item_, "reason");
    const Node* contract = get(item_, "contract");
    const bool given = item_.find("until") != nullptr || item_.find("reason") != nullptr;
    if (item_.find("contract") != nullptr) {
      if (given)
        error(item_.at, "`contract` beside `until` or `reason`", "remove one or the other");
      if (contract != nullptr) out_.reason = contract->text;
      out_.contract = true;
      return;
    }
    if (item_.find("until") == nullptr || item_.find("reason") == nullptr) {
      error(item_.at, "an override without `until` and `reason`",
            "say when it ends and why, or name a `contract`", "WR171");
    }
    if (reason != nullptr) out_.reason = reason->text;
    if (until == nullptr) return;
    if (const Result<Instant> instant = parse_until(until->text)) out_.until = *instant;
  }

  void whose() {
    const Node* key = get(item_, "key");
    if (key == nullptr) return;
    if (key->entries.size() != 1) {
      error(key->at, "an override of " + std::to_string(key->entries.size()) + " keys",
            "write one: `{account: NAME}` or `{KEY: value}`");
      return;
    }
    const Entry& entry = key->entries[0];
    if (entry.value.bad) {
      good_ = false;
      return;
    }
    out_.value = entry.value.text;
    if (entry.key == "account") {
      out_.account = std::move(out_.value);
      out_.value.clear();
      if (build_.root.find("accounts") == nullptr) {
        error(entry.at, "an override for an account, and there are no accounts",
              "write `accounts: keys.csv`");
      }
      return;
    }
    const auto id = find_key(build_.policy, entry.key);
    if (!id) {
      std::vector<std::string> words{"account"};
      for (const IdentityKey& k : build_.policy.identity.keys) words.push_back(k.name);
      error(entry.at, "unknown key " + quoted(entry.key), build_.near_name(entry.key, words));
      return;
    }
    out_.key = *id;
    if (*id == kApiKey) {
      error(entry.at, "an override for an API key, which is a secret",
            "name its account: `{account: NAME}`");
    }
    if (*id == kIpKey) address(entry.value);
    if (build_.policy.identity.keys[*id].lower) fold(out_.value);
  }

  // An address is one as it is counted: cut to its prefix.
  void address(const Node& value) {
    const auto parsed = Address::parse(value.text);
    if (!parsed) {
      error(value.at, quoted(value.text) + " is no address", "write `203.0.113.7`");
      return;
    }
    const Identity& identity = build_.policy.identity;
    out_.value = parsed->masked(identity.prefix_v4, identity.prefix_v6).text();
  }

  // As the callers' values are folded: case and surrounding spaces make no other value.
  static void fold(std::string& text) {
    const auto first = text.find_first_not_of(" \t");
    text = first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
    text.resize(fold_case(text));
  }

  bool shared() {
    LimitNumbers& n = out_.numbers;
    n.shared = n.numbers;
    const std::uint64_t multiplier = build_.policy.identity.shared_multiplier;
    if (n.kind != NumbersKind::numbers || multiplier == 1) return true;
    const Result<algo::Numbers> more = times(n.numbers, multiplier);
    if (more) {
      n.shared = *more;
      return true;
    }
    error(n.at, n.text + " times identity.shared_ip.multiplier: " + more.error().message,
          "lower either");
    return false;
  }

  bool has_same(const Limit& limit) {
    for (const Override& other : limit.overrides) {
      if (other.account != out_.account || other.value != out_.value || other.key != out_.key) {
        continue;
      }
      error(out_.at, "two overrides of " + quoted(limit.name) + " for the same caller",
            "the first is in line " + std::to_string(other.at.line));
      return true;
    }
    return false;
  }

  Build& build_;
  const Node& item_;
  Override out_;
  bool good_ = true;
};

}  // namespace

void compile_overrides(Build& build) {
  const Node* list = get(build.root, "overrides");
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    if (!item.bad && item.is_mapping()) OverrideCompiler(build, item).compile();
  }
}

}  // namespace weir::policy
