// `limits`: one at a time; what only shows when all are there is in check_limits.cc.
#include <algorithm>

#include "policy/compile.h"
#include "policy/quantity.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

Algorithm parse_algorithm(std::string_view word) {
  for (const Algorithm a : {Algorithm::fixed_window, Algorithm::sliding_window,
                            Algorithm::sliding_log, Algorithm::leaky_bucket}) {
    if (word == name(a)) return a;
  }
  return Algorithm::token_bucket;
}

Mode parse_mode(std::string_view word) {
  if (word == "shadow") return Mode::shadow;
  return word == "off" ? Mode::off : Mode::enforce;
}

OnMissing parse_on_missing(std::string_view word) {
  if (word == "deny") return OnMissing::deny;
  if (word == "skip") return OnMissing::skip;
  return word == "shared" ? OnMissing::shared : OnMissing::address;
}

OnStoreFailure parse_failure(std::string_view word) {
  if (word == "closed") return OnStoreFailure::closed;
  return word == "local" ? OnStoreFailure::local : OnStoreFailure::open;
}

class LimitCompiler {
 public:
  LimitCompiler(Build& build, const Node& item) : build_(build), item_(item) {}

  void compile() {
    limit_.at = item_.at;
    limit_.name = text_of(item_, "name");
    words();
    unit();
    key();
    const auto covers = compile_covers(build_, item_);
    if (covers) limit_.covers = *covers;
    good_ = good_ && covers.has_value();
    shape();
    numbers();
    warn_at();
    prefetch();
    if (good_ && !limit_.name.empty()) {
      build_.limits.emplace(limit_.name, static_cast<LimitId>(build_.policy.limits.size()));
      build_.policy.limits.push_back(std::move(limit_));
    } else {
      build_.limits_bad = true;
    }
  }

 private:
  void error(Position at, std::string message, std::string help = {}, std::string code = {}) {
    build_.report.error(at, std::move(message), std::move(help), std::move(code));
    good_ = false;
  }

  // The word for a key: the limit's own, else that of `defaults`.
  std::string word(std::string_view key) {
    if (item_.find(key) != nullptr) {
      if (get(item_, key) == nullptr) good_ = false;
      return text_of(item_, key);
    }
    const Node* defaults = get(build_.root, "defaults");
    if (defaults == nullptr || get(*defaults, key) == nullptr) good_ = false;
    return defaults == nullptr ? std::string() : text_of(*defaults, key);
  }

  void words() {
    limit_.algorithm = parse_algorithm(word("algorithm"));
    limit_.mode = parse_mode(word("mode"));
    limit_.on_store_failure = parse_failure(word("on_store_failure"));
    limit_.stage = text_of(item_, "stage") == "pre_auth" ? Stage::pre_auth : Stage::post_auth;
    limit_.on_missing = parse_on_missing(text_of(item_, "on_missing"));
    if (const Node* status = get(item_, "status")) {
      limit_.status = status->text == "503" ? 503 : 429;
      if (status->text != "429" && status->text != "503") {
        error(status->at, "a denial with status " + printable(status->text),
              "write 429 (the client's quota) or 503 (the server's load)");
      }
    }
  }

  // The limit's own unit, or that of the first rate that names one, or that of `defaults`.
  void unit() {
    Position at = item_.at;
    std::string name;
    if (const Node* own = get(item_, "unit")) {
      name = own->text;
      at = own->at;
    } else {
      name = unit_of_rates(at);
      if (name.empty()) name = word("unit");
    }
    if (!name.empty()) limit_.unit = build_.unit(name, at);
  }

  std::string unit_of_rates(Position& at) const {
    std::vector<const Node*> rates{get(item_, "rate")};
    if (const Node* tiers = get(item_, "tiers")) {
      for (const Entry& tier : tiers->entries) {
        rates.push_back(tier.value.is_scalar() ? &tier.value : get(tier.value, "rate"));
      }
    }
    for (const Node* node : rates) {
      if (node == nullptr || node->bad) continue;
      const Result<Rate> rate = parse_rate(node->text);
      if (!rate || rate->unit.empty()) continue;
      at = node->at;
      return rate->unit;
    }
    return {};
  }

  void key() {
    const Node* list = get(item_, "key");
    auto parts = list == nullptr ? std::nullopt : compile_key(build_, *list);
    if (!parts) {
      good_ = false;
      return;
    }
    limit_.key = std::move(*parts);
    if (limit_.key.empty() && limit_.on_missing != OnMissing::address) {
      error(get(item_, "on_missing")->at, "`on_missing` of a limit whose key has no part",
            "remove it: nothing can be absent");
    }
    if (limit_.stage != Stage::pre_auth) return;
    for (const KeyPart& part : limit_.key) {
      for (const KeyId id : part.alternatives) {
        if (!build_.policy.identity.keys[id].authenticated) continue;
        error(
            list->at,
            quoted(part.text) + " is only known after authentication, and the limit is `pre_auth`",
            "use `ip`, or `stage: post_auth`", "WR179");
        break;
      }
    }
  }

  void only_for(std::string_view key, bool allowed, std::string_view of) {
    const Entry* entry = item_.find_entry(key);
    if (entry == nullptr || allowed) return;
    error(entry->at, quoted(key) + " of a " + std::string(name(limit_.algorithm)),
          "it belongs to " + std::string(of) + "; remove it");
  }

  void shape() {
    const bool leaky = limit_.algorithm == Algorithm::leaky_bucket;
    const bool aligned = limit_.algorithm == Algorithm::fixed_window ||
                         limit_.algorithm == Algorithm::sliding_window;
    if (good_words()) {
      only_for("align", aligned, "fixed_window and sliding_window");
      only_for("max_wait", leaky, "leaky_bucket");
      only_for("hold", leaky, "leaky_bucket");
    }
    shape_.algorithm = limit_.algorithm;
    if (aligned && word("align") == "first") shape_.align = Align::first;
    shape_.max_wait = duration_of(item_, "max_wait");
    limit_.hold = duration_of(item_, "hold").value_or(Duration{});
    const Node* hold = get(item_, "hold");
    if (hold != nullptr && leaky && limit_.hold > seconds(60)) {
      error(hold->at, "an answer held for " + printable(hold->text),
            "at most 60s, and shorter than the gateway's timeout");
    }
  }

  bool good_words() const {
    const Node* own = item_.find("algorithm");
    return own == nullptr || !own->bad;
  }

  void numbers() {
    const Node* tiers = item_.find("tiers");
    const std::size_t count = build_.policy.tiers.size();
    limit_.tiers.assign(count, {});
    if (!good_words() || (tiers != nullptr && tiers->bad)) {
      good_ = false;
      return;
    }
    if (tiers == nullptr) {
      const auto same = compile_numbers(build_, shape_, limit_, item_);
      good_ = good_ && same.has_value();
      if (same) limit_.tiers.assign(count, *same);
      shared();
      return;
    }
    beside_tiers();
    numbers_by_tier(*tiers);
    shared();
  }

  // With `tiers`, only what holds for each of them may stand beside.
  void beside_tiers() {
    for (const std::string_view key : {"rate", "burst", "limit"}) {
      const Entry* entry = item_.find_entry(key);
      if (entry == nullptr) continue;
      error(entry->at, quoted(key) + " beside `tiers`",
            "write it in `tiers`, as `\"*\"` for those that are not named");
    }
    const auto beside = [&](std::string_view key, bool allowed) {
      if (!allowed) only_for(key, false, key == "queue" ? "leaky_bucket" : "window algorithms");
    };
    const bool bucket =
        limit_.algorithm == Algorithm::token_bucket || limit_.algorithm == Algorithm::leaky_bucket;
    beside("queue", limit_.algorithm == Algorithm::leaky_bucket);
    beside("window", !bucket);
    shape_.queue = count_of(item_, "queue");
    shape_.window = duration_of(item_, "window");
  }

  void numbers_by_tier(const Node& tiers) {
    if (const Node* others = tiers.find("*")) {
      const auto n = compile_numbers(build_, shape_, limit_, *others);
      good_ = good_ && n.has_value();
      limit_.tiers.assign(limit_.tiers.size(), n.value_or(LimitNumbers{}));
    }
    for (const Entry& entry : tiers.entries) {
      if (entry.key == "*") continue;
      const auto n = compile_numbers(build_, shape_, limit_, entry.value);
      good_ = good_ && n.has_value();
      const auto found = build_.tiers.find(entry.key);
      if (found != build_.tiers.end()) {
        limit_.tiers[found->second] = n.value_or(LimitNumbers{});
      } else if (build_.tiers_bad) {
        good_ = false;
      } else {
        error(entry.at, "unknown tier " + quoted(entry.key),
              build_.near_name(entry.key, names_of(build_.tiers)));
      }
    }
    if (tiers.find("*") != nullptr || build_.tiers_bad) return;
    std::string missing;
    for (const Tier& tier : build_.policy.tiers) {
      if (tiers.find(tier.name) == nullptr)
        missing += (missing.empty() ? "`" : ", `") + tier.name + "`";
    }
    if (missing.empty()) return;
    error(tiers.at, "no numbers for tier " + missing,
          "add it, or `\"*\"` for the tiers that are not named", "WR133");
  }

  // Callers counted by an address that many share have a multiple of the numbers.
  void shared() {
    const std::uint64_t multiplier = build_.policy.identity.shared_multiplier;
    for (LimitNumbers& tier : limit_.tiers) {
      tier.shared = tier.numbers;
      if (tier.kind != NumbersKind::numbers || multiplier == 1 || limit_.key.empty()) continue;
      const Result<algo::Numbers> more = times(tier.numbers, multiplier);
      if (more) {
        tier.shared = *more;
      } else {
        error(tier.at,
              tier.text + " times identity.shared_ip.multiplier (" + std::to_string(multiplier) +
                  "): " + more.error().message,
              "lower either");
        return;
      }
    }
  }

  void warn_at() {
    const Node* list = get(item_, "warn_at");
    if (list == nullptr) return;
    for (const Node& item : list->items) {
      if (item.bad) continue;
      const Result<std::uint32_t> ppm = parse_fraction(item.text);
      if (!ppm) continue;
      if (*ppm == 0 || *ppm == 1'000'000) {
        error(item.at, "a warning at " + printable(item.text), "write a share between 0 and 1");
      }
      limit_.warn_at_ppm.push_back(*ppm);
    }
    std::sort(limit_.warn_at_ppm.begin(), limit_.warn_at_ppm.end());
    const auto twice = std::unique(limit_.warn_at_ppm.begin(), limit_.warn_at_ppm.end());
    if (twice != limit_.warn_at_ppm.end())
      error(list->at, "a share twice in `warn_at`", "remove one");
    if (limit_.warn_at_ppm.size() > 8)
      error(list->at, "more than 8 shares in `warn_at`", "use fewer");
  }

  void prefetch() {
    const Node* node = get(item_, "prefetch");
    limit_.prefetch = node != nullptr && node->text == "true";
    if (!limit_.prefetch) return;
    const Node* store = get(build_.root, "store");
    if (store != nullptr && text_of(*store, "type") == "memory") {
      error(node->at, "`prefetch` with `store: memory`",
            "remove it: every decision is made in the process already");
    }
    if (limit_.algorithm == Algorithm::leaky_bucket) {
      error(node->at, "`prefetch` of a leaky_bucket",
            "remove it: what is taken ahead would leave the queue at once");
    }
  }

  Build& build_;
  const Node& item_;
  Limit limit_;
  Shape shape_;
  bool good_ = true;
};

}  // namespace

void compile_limits(Build& build) {
  const Node* limits = get(build.root, "limits");
  build.limits_bad = limits == nullptr;  // the default is an empty list
  if (limits == nullptr) return;
  if (limits->items.size() > kMaxLimits) {
    build.report.error(limits->at, std::to_string(limits->items.size()) + " limits",
                       "at most " + std::to_string(kMaxLimits));
    build.limits_bad = true;
    return;
  }
  std::map<std::string, Position, std::less<>> names;
  for (const Node& item : limits->items) {
    if (item.bad || !item.is_mapping()) {
      build.limits_bad = true;
      continue;
    }
    const Node* given = get(item, "name");
    if (given != nullptr) {
      const auto [first, fresh] = names.emplace(given->text, given->at);
      if (!fresh) {
        build.report.error(given->at, "duplicate limit `" + given->text + "`",
                           "the first is in line " + std::to_string(first->second.line));
        build.limits_bad = true;
        continue;
      }
    }
    LimitCompiler(build, item).compile();
  }
}

}  // namespace weir::policy
