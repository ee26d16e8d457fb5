// A compiled policy as YAML again: the long form with every key, which loads to the same policy.
//
// Printed from what was compiled, so what is shown is what is enforced. The policy's id is the hash
// of this text.
#include <string>

#include "policy/compile.h"
#include "policy/dialect.h"
#include "policy/quantity.h"
#include "policy/words.h"
#include "policy/yaml_text.h"

namespace weir::policy {

namespace {

std::string word(bool b) { return b ? "true" : "false"; }

template <typename Enum>
std::string word(Enum value) {
  return std::string(name(value));
}

class Printer {
 public:
  Printer(const Policy& policy, const Typed& typed) : p_(policy), typed_(typed) {}

  std::string print() {
    line("version: 1");
    if (!p_.name.empty()) line("name: " + quote(p_.name));
    line("instances: " + std::to_string(p_.instances));
    line("store: " + print_store(p_.store, typed_.store));
    line("paths: {case: " + std::string(p_.paths.fold_case ? "fold" : "exact") +
         ", slash: " + (p_.paths.strip_slash ? "strip" : "keep") +
         ", encoded_slash: " + (p_.paths.decode_encoded_slash ? "decode" : "keep") + "}");
    listeners();
    out_ += print_identity(p_);
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

  static std::string texts(const std::vector<std::string>& list) {
    FlowList out;
    for (const std::string& text : list) out.add(quote(text));
    return out.text();
  }

  void listeners() {
    line("listeners:");
    line("  trusted_proxies: " + texts(typed_.trusted_proxies));
    line("  client_address: " + scalar(typed_.client_address));
    line("  allow_from: " + texts(typed_.allow_from));
  }

  void tiers() {
    line("tiers:");
    for (const Tier& tier : p_.tiers) {
      FlowMap map;
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
      FlowList match;
      for (const Pattern& pattern : c.match) {
        match.add(
            quote(pattern.method.empty() ? pattern.path : pattern.method + " " + pattern.path));
      }
      line("    match: " + match.text());
    }
    if (!c.when.empty()) {
      FlowMap when;
      for (const auto& [name, value] : c.when) when.add(quote(name), quote(value));
      line("    when: " + when.text());
    }
    line("    exempt: " + word(c.exempt));
    line("    cost: " + costs(c));
  }

  // Units in which the class says nothing (1 for everyone) are left out.
  std::string costs(const Class& c) const {
    FlowMap map;
    for (std::size_t unit = 0; unit < c.cost.size(); ++unit) {
      bool ones = true;
      bool same = true;
      for (const std::uint64_t cost : c.cost[unit]) {
        ones = ones && cost == 1;
        same = same && cost == c.cost[unit][0];
      }
      if (ones) continue;
      FlowMap tiers_map;
      for (std::size_t t = 0; t < c.cost[unit].size(); ++t) {
        tiers_map.add(quote(p_.tiers[t].name), print_count(c.cost[unit][t]));
      }
      map.add(quote(p_.units[unit]), same ? print_count(c.cost[unit][0]) : tiers_map.text());
    }
    return map.text();
  }

  // "*" where it is all but the exempt ones, else the names.
  std::string covered(const std::vector<bool>& covers) const {
    FlowList names;
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
    FlowMap map;
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
    line("    stage: " + word(limit.stage));
    line("    classes: " + covered(limit.covers));
    FlowList key;
    for (const KeyPart& part : limit.key) key.add(quote(part.text));
    line("    key: " + key.text());
    line("    algorithm: " + std::string(name(limit.algorithm)));
    const Shape shape = shape_of(limit);
    if (limit.algorithm == Algorithm::fixed_window ||
        limit.algorithm == Algorithm::sliding_window) {
      line("    align: " + word(shape.align));
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
    line("    mode: " + word(limit.mode));
    line("    status: " + std::to_string(limit.status));
    line("    on_missing: " + word(limit.on_missing));
    line("    on_store_failure: " + word(limit.on_store_failure));
    FlowList warn_at;
    for (const std::uint32_t ppm : limit.warn_at_ppm) warn_at.add(print_fraction(ppm));
    line("    warn_at: " + warn_at.text());
    line("    prefetch: " + word(limit.prefetch));
  }

  void guarantees() {
    if (p_.guarantees.empty()) {
      line("guarantees: []");
      return;
    }
    line("guarantees:");
    for (const Guarantee& g : p_.guarantees) {
      FlowMap map;
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
    FlowList headers;
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
    FlowMap map;
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
    FlowMap log;
    log.add("denied", print_fraction(p_.observe.log_denied_ppm));
    log.add("allowed", print_fraction(p_.observe.log_allowed_ppm));
    line("observe: {decision_log: " + log.text() + "}");
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
