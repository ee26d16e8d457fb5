// A compiled policy as YAML again: the long form with every key, which loads to the same policy.
//
// Printed from what was compiled, so what is shown is what is enforced. The policy's id is the hash
// of this text.
#include <string>

#include "policy/compile.h"
#include "policy/dialect.h"
#include "policy/quantity.h"

namespace weir::policy {

namespace {

// A double-quoted YAML text; policies have no control characters.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Plain where that is surely the same text.
std::string scalar(std::string_view text) {
  Node node = Node::scalar(std::string(text), {});
  const bool plain =
      !text.empty() && core_type(node) == Core::text &&
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == text.npos &&
      text[0] != '-' && text[0] != '.';
  return plain ? std::string(text) : quote(text);
}

class List {
 public:
  void add(std::string text) { out_ += (out_.empty() ? "" : ", ") + std::move(text); }
  std::string text() const { return "[" + out_ + "]"; }

 private:
  std::string out_;
};

class Map {
 public:
  void add(std::string_view key, std::string value) {
    out_ += (out_.empty() ? "" : ", ") + std::string(key) + ": " + std::move(value);
  }
  std::string text() const { return "{" + out_ + "}"; }

 private:
  std::string out_;
};

std::string word(bool b) { return b ? "true" : "false"; }

std::string_view word(Stage s) { return s == Stage::pre_auth ? "pre_auth" : "post_auth"; }
std::string_view word(Align a) { return a == Align::first ? "first" : "epoch"; }
std::string_view word(Mode m) {
  return m == Mode::enforce ? "enforce" : m == Mode::shadow ? "shadow" : "off";
}
std::string_view word(OnMissing m) {
  switch (m) {
    case OnMissing::address:
      return "address";
    case OnMissing::deny:
      return "deny";
    case OnMissing::skip:
      return "skip";
    case OnMissing::shared:
      return "shared";
  }
  return "address";
}
std::string_view word(OnStoreFailure f) {
  return f == OnStoreFailure::open ? "open" : f == OnStoreFailure::closed ? "closed" : "local";
}
std::string_view word(Show s) {
  return s == Show::plain ? "plain" : s == Show::last4 ? "last4" : "hash";
}
std::string_view word(Priority p) {
  switch (p) {
    case Priority::critical:
      return "critical";
    case Priority::high:
      return "high";
    case Priority::normal:
      return "normal";
    case Priority::batch:
      return "batch";
  }
  return "normal";
}
std::string_view word(Source s) {
  switch (s) {
    case Source::ip:
      return "ip";
    case Source::header:
      return "header";
    case Source::query:
      return "query";
    case Source::cookie:
      return "cookie";
    case Source::jwt:
      return "jwt";
    case Source::attribute:
      return "attribute";
  }
  return "header";
}

class Printer {
 public:
  Printer(const Policy& policy, const Typed& typed) : p_(policy), typed_(typed) {}

  std::string print() {
    line("version: 1");
    if (!p_.name.empty()) line("name: " + quote(p_.name));
    line("instances: " + std::to_string(p_.instances));
    store();
    line("paths: {case: " + std::string(p_.paths.fold_case ? "fold" : "exact") +
         ", slash: " + (p_.paths.strip_slash ? "strip" : "keep") +
         ", encoded_slash: " + (p_.paths.decode_encoded_slash ? "decode" : "keep") + "}");
    listeners();
    identity();
    if (!typed_.accounts.empty()) line("accounts: " + quote(typed_.accounts));
    tiers();
    classes();
    limits();
    guarantees();
    response();
    overrides();
    observe();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  void store() {
    Map map;
    map.add("type", "memory");
    map.add("max_keys", print_count(p_.store.max_keys));
    map.add("on_full", p_.store.on_full == OnFull::deny ? "deny" : "shared");
    line("store: " + map.text());
  }

  static std::string texts(const std::vector<std::string>& list) {
    List out;
    for (const std::string& text : list) out.add(quote(text));
    return out.text();
  }

  void listeners() {
    line("listeners:");
    line("  trusted_proxies: " + texts(typed_.trusted_proxies));
    line("  client_address: " + scalar(typed_.client_address));
    line("  allow_from: " + texts(typed_.allow_from));
  }

  static std::string source(const IdentityKey& key) {
    return quote(std::string(word(key.source)) + ":" + key.argument);
  }

  void identity() {
    const Identity& id = p_.identity;
    line("identity:");
    line("  ip_prefix: {v4: " + std::to_string(id.prefix_v4) +
         ", v6: " + std::to_string(id.prefix_v6) + "}");
    List networks;
    for (const Cidr& network : id.shared_networks) networks.add(quote(network.text()));
    line("  shared_ip: {networks: " + networks.text() +
         ", multiplier: " + print_count(id.shared_multiplier) + "}");
    if (id.jwt_from_gateway) line("  jwt: {verify: gateway}");
    Map api_key;
    api_key.add("from", source(id.keys[kApiKey]));
    if (id.api_key_trusted) api_key.add("trusted", "gateway");
    api_key.add("show", std::string(word(id.keys[kApiKey].show)));
    line("  api_key: " + api_key.text());
    if (id.keys.size() <= kUserKey + 1u) {
      line("  keys: {}");
    } else {
      line("  keys:");
    }
    for (std::size_t i = kUserKey + 1u; i < id.keys.size(); ++i) own_key(id.keys[i]);
    List from;
    if (id.tier_from_accounts) from.add("accounts");
    if (!id.tier_claim.empty()) from.add(quote("jwt:" + id.tier_claim));
    line("  tier: {from: " + from.text() + ", default: " + scalar(p_.tiers[id.default_tier].name) +
         "}");
  }

  void own_key(const IdentityKey& key) {
    Map map;
    map.add("from", source(key));
    map.add("authenticated", word(key.authenticated));
    if (key.lower) map.add("normalize", "lower");
    map.add("show", std::string(word(key.show)));
    line("    " + quote(key.name) + ": " + map.text());
  }

  void tiers() {
    line("tiers:");
    for (const Tier& tier : p_.tiers) {
      Map map;
      map.add("label", quote(tier.label));
      map.add("public", word(tier.is_public));
      map.add("custom", word(tier.custom));
      if (!tier.upgrade_url.empty()) map.add("upgrade_url", quote(tier.upgrade_url));
      line("  " + quote(tier.name) + ": " + map.text());
    }
  }

  void classes() {
    if (p_.default_class() == 0) {
      line("classes: []");
      return;
    }
    line("classes:");
    for (ClassId c = 0; c < p_.default_class(); ++c) one_class(p_.classes[c]);
  }

  void one_class(const Class& c) {
    line("  - name: " + quote(c.name));
    if (!c.match.empty()) {
      List match;
      for (const Pattern& pattern : c.match) {
        match.add(
            quote(pattern.method.empty() ? pattern.path : pattern.method + " " + pattern.path));
      }
      line("    match: " + match.text());
    }
    if (!c.when.empty()) {
      Map when;
      for (const auto& [name, value] : c.when) when.add(quote(name), quote(value));
      line("    when: " + when.text());
    }
    line("    exempt: " + word(c.exempt));
    line("    priority: " + std::string(word(c.priority)));
    line("    cost: " + costs(c));
  }

  // Units in which the class says nothing (1 for everyone) are left out.
  std::string costs(const Class& c) const {
    Map map;
    for (std::size_t unit = 0; unit < c.cost.size(); ++unit) {
      bool ones = true;
      bool same = true;
      for (const std::uint64_t cost : c.cost[unit]) {
        ones = ones && cost == 1;
        same = same && cost == c.cost[unit][0];
      }
      if (ones) continue;
      Map tiers_map;
      for (std::size_t t = 0; t < c.cost[unit].size(); ++t) {
        tiers_map.add(quote(p_.tiers[t].name), print_count(c.cost[unit][t]));
      }
      map.add(quote(p_.units[unit]), same ? print_count(c.cost[unit][0]) : tiers_map.text());
    }
    return map.text();
  }

  // "*" where it is all but the exempt ones, else the names.
  std::string covered(const std::vector<bool>& covers) const {
    List names;
    bool all = true;
    for (std::size_t c = 0; c < covers.size(); ++c) {
      all = all && covers[c] != p_.classes[c].exempt;
      if (covers[c]) names.add(quote(p_.classes[c].name));
    }
    return all ? "\"*\"" : names.text();
  }

  static std::string numbers(const LimitNumbers& n) {
    if (n.kind != NumbersKind::numbers) return n.text;
    const algo::Numbers& a = n.numbers;
    const Duration period{a.period_ns};
    Map map;
    switch (a.algorithm) {
      case Algorithm::token_bucket:
        map.add("rate", print_rate(a.count, period));
        map.add("burst", print_count(a.burst));
        break;
      case Algorithm::leaky_bucket:
        map.add("rate", print_rate(a.count, period));
        map.add("queue", print_count(a.burst - 1));
        break;
      default:
        map.add("limit", print_count(a.count));
        map.add("window", print_duration(period));
        break;
    }
    return map.text();
  }

  void limits() {
    if (p_.limits.empty()) {
      line("limits: []");
      return;
    }
    line("limits:");
    for (const Limit& limit : p_.limits) one_limit(limit);
  }

  void one_limit(const Limit& limit) {
    line("  - name: " + quote(limit.name));
    line("    stage: " + std::string(word(limit.stage)));
    line("    classes: " + covered(limit.covers));
    List key;
    for (const KeyPart& part : limit.key) key.add(quote(part.text));
    line("    key: " + key.text());
    line("    algorithm: " + std::string(name(limit.algorithm)));
    const Shape shape = shape_of(limit);
    if (limit.algorithm == Algorithm::fixed_window ||
        limit.algorithm == Algorithm::sliding_window) {
      line("    align: " + std::string(word(shape.align)));
    }
    if (limit.algorithm == Algorithm::leaky_bucket) {
      if (shape.max_wait && *shape.max_wait != Duration::max()) {
        line("    max_wait: " + print_duration(*shape.max_wait));
      }
      if (limit.hold.ns > 0) line("    hold: " + print_duration(limit.hold));
    }
    line("    unit: " + quote(p_.units[limit.unit]));
    line("    tiers:");
    for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
      line("      " + quote(p_.tiers[t].name) + ": " + numbers(limit.tiers[t]));
    }
    line("    mode: " + std::string(word(limit.mode)));
    line("    status: " + std::to_string(limit.status));
    line("    on_missing: " + std::string(word(limit.on_missing)));
    line("    on_store_failure: " + std::string(word(limit.on_store_failure)));
    List warn_at;
    for (const std::uint32_t ppm : limit.warn_at_ppm) warn_at.add(print_fraction(ppm));
    line("    warn_at: " + warn_at.text());
  }

  void guarantees() {
    if (p_.guarantees.empty()) {
      line("guarantees: []");
      return;
    }
    line("guarantees:");
    for (const Guarantee& g : p_.guarantees) {
      Map map;
      map.add("name", quote(g.name));
      map.add("classes", covered(g.covers));
      map.add("unit", quote(p_.units[g.unit]));
      map.add("max", print_count(g.max));
      map.add("window", print_duration(g.window));
      line("  - " + map.text());
    }
  }

  void response() {
    const Response& r = p_.response;
    line("response:");
    List headers;
    for (const Dialect dialect : r.headers) headers.add(std::string(row_of(dialect).word));
    line("  headers: " + headers.text());
    line(std::string("  reset: ") + (r.reset_epoch ? "epoch" : "delta"));
    if (r.body == BodyKind::owner_template) {
      line("  body: {template: " + quote(typed_.body_template) + "}");
    } else {
      line(std::string("  body: ") + (r.body == BodyKind::both      ? "both"
                                      : r.body == BodyKind::problem ? "problem"
                                                                    : "error"));
    }
    line("  retry_after: {jitter: " + print_fraction(r.jitter_ppm) + "}");
    line("  cors_expose: " + word(r.cors_expose));
    if (!r.docs.empty()) line("  docs: " + quote(r.docs));
  }

  std::string one_override(const Limit& limit, const Override& o) const {
    const algo::Numbers& a = o.numbers.numbers;
    Map map;
    map.add("limit", quote(limit.name));
    map.add("key", o.account.empty()
                       ? "{" + quote(p_.identity.keys[o.key].name) + ": " + quote(o.value) + "}"
                       : "{account: " + quote(o.account) + "}");
    map.add("rate", print_rate(a.count, Duration{a.period_ns}));
    if (a.algorithm == Algorithm::token_bucket) map.add("burst", print_count(a.burst));
    if (o.contract) {
      map.add("contract", quote(o.reason));
    } else {
      map.add("until", print_until(o.until));
      map.add("reason", quote(o.reason));
    }
    return map.text();
  }

  void overrides() {
    std::string lines;
    for (const Limit& limit : p_.limits) {
      for (const Override& o : limit.overrides) lines += "  - " + one_override(limit, o) + "\n";
    }
    line(lines.empty() ? "overrides: []" : "overrides:");
    out_ += lines;
  }

  void observe() {
    Map log;
    log.add("denied", print_fraction(p_.observe.log_denied_ppm));
    log.add("allowed", print_fraction(p_.observe.log_allowed_ppm));
    line("observe: {top_keys: " + std::to_string(p_.observe.top_keys) +
         ", decision_log: " + log.text() + "}");
  }

  const Policy& p_;
  const Typed& typed_;
  std::string out_;
};

}  // namespace

std::string print_long_form(const Policy& policy, const Typed& typed) {
  return Printer(policy, typed).print();
}

std::string expanded(const Policy& policy) { return policy.long_form; }

}  // namespace weir::policy
