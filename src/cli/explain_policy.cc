#include "cli/explain_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "algo/numbers.h"
#include "cli/decision_text.h"
#include "design/text.h"
#include "policy/guarantee.h"
#include "policy/words.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using policy::Limit;
using policy::LimitNumbers;
using policy::NumbersKind;
using policy::Policy;

json::object numbers_json(const Policy& policy, const Limit& limit, const LimitNumbers& n,
                          json::array tiers) {
  json::object o{{"tiers", std::move(tiers)}, {"numbers", design::numbers_text(n)}};
  if (n.kind != NumbersKind::numbers) return o;
  o["limit"] = n.numbers.burst;
  o["window_ms"] = algo::published_window(n.numbers).milliseconds_up();
  o["envelope"] = {{"1s", algo::envelope(n.numbers, seconds(1))},
                   {"1m", algo::envelope(n.numbers, minutes(1))},
                   {"1h", algo::envelope(n.numbers, hours(1))},
                   {"1d", algo::envelope(n.numbers, days(1))}};
  if (const std::uint64_t unspent = policy::most_unspent(policy, limit, n.numbers); unspent > 0) {
    o["unspent"] = unspent;
  }
  return o;
}

// Tiers with the same numbers share a row.
json::array tiers_json(const Policy& policy, const Limit& limit) {
  json::array rows;
  std::vector<bool> done(limit.tiers.size());
  for (std::size_t t = 0; t < limit.tiers.size(); ++t) {
    if (done[t]) continue;
    json::array names;
    for (std::size_t other = t; other < limit.tiers.size(); ++other) {
      if (limit.tiers[other].kind != limit.tiers[t].kind ||
          limit.tiers[other].numbers != limit.tiers[t].numbers) {
        continue;
      }
      done[other] = true;
      names.push_back(json::string(policy.tiers[other].name));
    }
    rows.push_back(numbers_json(policy, limit, limit.tiers[t], std::move(names)));
  }
  return rows;
}

json::array names_of(const Policy& policy, const std::vector<bool>& covers) {
  json::array names;
  for (std::size_t c = 0; c < covers.size(); ++c) {
    if (covers[c]) names.push_back(json::string(policy.classes[c].name));
  }
  return names;
}

json::object limit_json(const Policy& policy, const Limit& limit) {
  json::array warn;
  for (const std::uint32_t ppm : limit.warn_at_ppm) warn.push_back(ppm / 1e6);
  json::object o{{"name", limit.name},
                 {"algorithm", name(limit.algorithm)},
                 {"key", key_text(limit)},
                 {"unit", policy.units[limit.unit]},
                 {"stage", name(limit.stage)},
                 {"mode", name(limit.mode)},
                 {"status", limit.status},
                 {"on_missing", name(limit.on_missing)},
                 {"on_store_failure", name(limit.on_store_failure)},
                 {"warn_at", std::move(warn)},
                 {"prefetch", limit.prefetch},
                 {"classes", names_of(policy, limit.covers)},
                 {"tiers", tiers_json(policy, limit)}};
  return o;
}

json::object cost_json(const Policy& policy, const policy::Class& c) {
  json::object costs;
  for (std::size_t u = 0; u < c.cost.size(); ++u) {
    const std::vector<std::uint64_t>& by_tier = c.cost[u];
    if (std::all_of(by_tier.begin(), by_tier.end(), [](std::uint64_t n) { return n == 1; }))
      continue;
    json::object tiers;
    for (std::size_t t = 0; t < by_tier.size(); ++t) tiers[policy.tiers[t].name] = by_tier[t];
    costs[policy.units[u]] = std::move(tiers);
  }
  return costs;
}

json::object class_json(const Policy& policy, std::size_t id) {
  const policy::Class& c = policy.classes[id];
  json::array patterns;
  for (const policy::Pattern& p : c.match) patterns.push_back(json::string(pattern_text(p)));
  json::object when;
  for (const auto& [attribute, value] : c.when) when[attribute] = value;
  json::array limits;
  for (const Limit& limit : policy.limits) {
    if (limit.covers[id] && limit.mode != policy::Mode::off)
      limits.push_back(json::string(limit.name));
  }
  return {{"name", c.name},     {"match", std::move(patterns)}, {"when", std::move(when)},
          {"exempt", c.exempt}, {"cost", cost_json(policy, c)}, {"limits", std::move(limits)}};
}

json::object guarantee_json(const Policy& policy, const policy::Guarantee& g) {
  const policy::GuaranteeProof proof = policy::prove(policy, g);
  return {{"name", g.name},
          {"max", g.max},
          {"unit", policy.units[g.unit]},
          {"window_ms", g.window.milliseconds_up()},
          {"classes", names_of(policy, g.covers)},
          {"proved", proof.proved},
          {"arithmetic", proof.text}};
}

json::object override_json(const Policy& policy, const Limit& limit, const policy::Override& o) {
  return {{"limit", limit.name},
          {"key", o.account.empty() ? policy.identity.keys[o.key].name : "account"},
          {"value", o.account.empty() ? o.value : o.account},
          {"numbers", design::numbers_text(o.numbers)},
          {"until", design::instant_text(o.until)},
          {"reason", o.reason}};
}

// ---- text ---------------------------------------------------------------------------------------

std::string joined(const json::value& array, std::string_view none = "none") {
  std::string text;
  for (const json::value& v : array.as_array()) {
    text += (text.empty() ? "" : ", ") + std::string(v.as_string());
  }
  return text.empty() ? std::string(none) : text;
}

std::string counted(const json::object& o, std::string_view member) {
  return design::count_text(o.at(member).to_number<std::uint64_t>());
}

std::string limit_text(const json::object& limit, std::size_t all_tiers) {
  std::string text =
      fmt::format("\n{}  {}, key {}, {}{}\n", text_of(limit, "name"), text_of(limit, "algorithm"),
                  text_of(limit, "key"), text_of(limit, "unit"),
                  text_of(limit, "mode") == "enforce" ? "" : ", mode " + text_of(limit, "mode"));
  text += "  covers " + joined(limit.at("classes")) + "\n";
  text += fmt::format(
      "  {}; when the store fails: {}; when a key part is missing: {}; denies with {}\n",
      text_of(limit, "stage"), text_of(limit, "on_store_failure"), text_of(limit, "on_missing"),
      text_of(limit, "status"));
  std::vector<std::vector<std::string>> rows{
      {"tier", "numbers", "published", "at most in 1s", "1m", "1h", "1d"}};
  const bool prefetch = limit.at("prefetch").as_bool();
  if (prefetch) rows.front().push_back("and unspent prefetch");
  for (const json::value& value : limit.at("tiers").as_array()) {
    const json::object& n = value.as_object();
    const bool everyone = n.at("tiers").as_array().size() == all_tiers && all_tiers > 1;
    std::vector<std::string> row{everyone ? "every tier" : joined(n.at("tiers")),
                                 text_of(n, "numbers")};
    if (const json::value* envelope = n.if_contains("envelope")) {
      const json::object& e = envelope->as_object();
      row.push_back(fmt::format(
          "{} in {}", counted(n, "limit"),
          design::duration_text(milliseconds(n.at("window_ms").to_number<std::uint64_t>()))));
      for (const char* tau : {"1s", "1m", "1h", "1d"}) row.push_back(counted(e, tau));
      if (prefetch) row.push_back("+ " + counted(n, "unspent"));
    }
    rows.push_back(std::move(row));
  }
  return text + columns(rows, "  ");
}

std::string class_text(const json::object& c) {
  std::string text = "  " + text_of(c, "name");
  if (!c.at("match").as_array().empty()) text += "  " + joined(c.at("match"));
  for (const auto& [attribute, value] : c.at("when").as_object()) {
    text += fmt::format("  when {} is {}", std::string_view(attribute),
                        std::string_view(value.as_string()));
  }
  if (c.at("exempt").as_bool()) return text + "  exempt: no limit\n";
  text += "\n";
  for (const auto& [unit, tiers] : c.at("cost").as_object()) {
    text += fmt::format("      costs {}:", std::string_view(unit));
    for (const auto& [tier, cost] : tiers.as_object()) {
      text += fmt::format(" {} {}", std::string_view(tier), json::serialize(cost));
    }
    text += "\n";
  }
  return text + "      limits: " + joined(c.at("limits"), "none: unlimited") + "\n";
}

}  // namespace

std::string key_text(const Limit& limit) {
  if (limit.key.empty()) return "global";
  std::string text;
  for (const policy::KeyPart& part : limit.key) text += (text.empty() ? "" : ", ") + part.text;
  return "[" + text + "]";
}

std::string pattern_text(const policy::Pattern& pattern) {
  return pattern.method.empty() ? pattern.path : pattern.method + " " + pattern.path;
}

json::object explain_policy(const decide::Snapshot& snapshot) {
  const Policy& policy = *snapshot.policy;
  json::array tiers;
  for (const policy::Tier& t : policy.tiers) {
    tiers.push_back(
        {{"name", t.name}, {"label", t.label}, {"public", t.is_public}, {"custom", t.custom}});
  }
  json::array classes;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) classes.push_back(class_json(policy, c));
  json::array limits;
  json::array overrides;
  for (const Limit& limit : policy.limits) {
    limits.push_back(limit_json(policy, limit));
    for (const policy::Override& o : limit.overrides) {
      overrides.push_back(override_json(policy, limit, o));
    }
  }
  json::array guarantees;
  for (const policy::Guarantee& g : policy.guarantees) {
    guarantees.push_back(guarantee_json(policy, g));
  }
  const json::object head{{"name", policy.name},
                          {"id", policy.id},
                          {"file", policy.file},
                          {"accounts", snapshot.accounts ? snapshot.accounts->size() : 0}};
  return {{"policy", head},
          {"tiers", std::move(tiers)},
          {"limits", std::move(limits)},
          {"classes", std::move(classes)},
          {"guarantees", std::move(guarantees)},
          {"overrides", std::move(overrides)}};
}

std::string policy_text(const json::object& explained) {
  const json::object& head = explained.at("policy").as_object();
  const std::string keys = text_of(head, "accounts");
  std::string text = fmt::format("{}  policy {}{}, {} known {}\n", text_of(head, "file"),
                                 text_of(head, "name").empty() ? "" : text_of(head, "name") + " ",
                                 text_of(head, "id"), keys, keys == "1" ? "key" : "keys");
  const json::array& tiers = explained.at("tiers").as_array();
  text += "tiers, lowest first:";
  for (const json::value& t : tiers) {
    text += " " + text_of(t.as_object(), "name");
    if (t.as_object().at("custom").as_bool()) text += " (an account may have its own numbers)";
  }
  text += "\n";
  for (const json::value& limit : explained.at("limits").as_array()) {
    text += limit_text(limit.as_object(), tiers.size());
  }
  text += "\nclasses, the first match wins; a CORS preflight is in no limit\n";
  for (const json::value& c : explained.at("classes").as_array()) text += class_text(c.as_object());
  for (const json::value& value : explained.at("guarantees").as_array()) {
    const json::object& g = value.as_object();
    text += fmt::format(
        "\nguarantee {}: at most {} {} in {} of {}\n  {}: {}\n", text_of(g, "name"),
        counted(g, "max"), text_of(g, "unit"),
        design::duration_text(milliseconds(g.at("window_ms").to_number<std::uint64_t>())),
        joined(g.at("classes")), g.at("proved").as_bool() ? "proved" : "REFUTED",
        text_of(g, "arithmetic"));
  }
  for (const json::value& value : explained.at("overrides").as_array()) {
    const json::object& o = value.as_object();
    text += fmt::format("\noverride of {} for {} {}: {} until {} ({})\n", text_of(o, "limit"),
                        text_of(o, "key"), text_of(o, "value"), text_of(o, "numbers"),
                        text_of(o, "until"), text_of(o, "reason"));
  }
  return text;
}

}  // namespace weir::cli
