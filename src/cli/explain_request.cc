#include "cli/explain_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "algo/numbers.h"
#include "answer/words.h"
#include "cli/decision_text.h"
#include "cli/explain_policy.h"
#include "design/text.h"
#include "identity/caller.h"
#include "identity/show.h"
#include "policy/route.h"
#include "policy/segments.h"
#include "policy/words.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using policy::Policy;

// A value of an identity key as its `show` allows. An address is what the operator typed.
std::string shown(const policy::IdentityKey& key, std::string_view value) {
  return identity::show_value(key.source == policy::Source::ip ? policy::Show::plain : key.show,
                              value);
}

// "api_key sha256:12ab...", or how the part was filled where no alternative was present.
std::string part_text(const Policy& policy, const policy::Limit& limit, const policy::KeyPart& part,
                      identity::Caller& caller, std::string_view class_name) {
  if (part.is_class) return "class " + std::string(class_name);
  for (const policy::KeyId id : part.alternatives) {
    const policy::IdentityKey& key = policy.identity.keys[id];
    if (id == policy::kIpKey && caller.address()) return "ip " + caller.address()->text();
    if (const auto value = caller.value(id)) return key.name + " " + shown(key, *value);
  }
  std::string missing = part.text + " is missing: ";
  switch (limit.on_missing) {
    case policy::OnMissing::address:
      return missing + (caller.address() ? "ip " + caller.address()->text() : "counted together");
    case policy::OnMissing::deny:
      return missing + "denied";
    case policy::OnMissing::skip:
      return missing + "not limited";
    case policy::OnMissing::shared:
      return missing + "counted together";
  }
  return missing;
}

// The pattern that led to the class; empty for default, malformed and classes by attribute.
std::string matched_pattern(const Policy& policy, policy::ClassId class_id,
                            const identity::Facts& facts) {
  policy::Segments path;
  if (!policy.routes.cut(facts.target, path)) return "";
  std::vector<const policy::Pattern*> patterns;
  for (const policy::Class& c : policy.classes) {
    for (const policy::Pattern& p : c.match) patterns.push_back(&p);
  }
  std::uint32_t from = 0;
  while (const auto match = policy.routes.match(facts.method, path, from)) {
    if (match->class_id == class_id && match->order < patterns.size()) {
      return pattern_text(*patterns[match->order]);
    }
    from = match->order + 1;
  }
  return "";
}

json::object limit_json(const Policy& policy, const decide::LimitVerdict& v,
                        identity::Caller& caller, std::string_view class_name) {
  const policy::Limit& limit = policy.limits[v.limit];
  json::array key;
  for (const policy::KeyPart& part : limit.key) {
    key.push_back(json::string(part_text(policy, limit, part, caller, class_name)));
  }
  json::object o{{"name", limit.name},
                 {"mode", name(v.mode)},
                 {"key", std::move(key)},
                 {"cost", v.cost},
                 {"unit", policy.units[limit.unit]},
                 {"admit", v.outcome.admit},
                 {"reason", name(v.outcome.reason)}};
  const algo::Numbers* n = v.applied();
  if (n == nullptr) {
    o["numbers"] = "deny";
    return o;
  }
  o["numbers"] = design::numbers_text(*n);
  if (v.from_override) o["override"] = true;
  if (v.shared) o["shared_address"] = true;
  o["limit"] = v.outcome.limit;
  o["remaining"] = v.outcome.remaining;
  o["wait"] = design::duration_text(v.outcome.wait);
  o["reset"] = design::duration_text(v.outcome.reset);
  o["envelope"] = {{"1s", algo::envelope(*n, seconds(1))},
                   {"1m", algo::envelope(*n, minutes(1))},
                   {"1h", algo::envelope(*n, hours(1))},
                   {"1d", algo::envelope(*n, days(1))}};
  return o;
}

std::string why(const decide::Decision& d, const Policy& policy) {
  if (d.skipped) {
    return policy.classes[d.class_id].exempt ? "the class is exempt: no limit was asked"
                                             : "a CORS preflight: no limit was asked";
  }
  if (d.governing == decide::kNoLimit) {
    return d.admit ? "no enforced limit covers it: it is unlimited" : std::string(name(d.reason));
  }
  const decide::LimitVerdict& g = d.limits()[d.governing];
  const std::string limit = policy.limits[g.limit].name;
  if (!d.admit) {
    return fmt::format("{} denies{}: {}", limit,
                       d.retry_after == Duration::max()
                           ? " for ever"
                           : ", and has the longest wait of those that do, " +
                                 design::duration_text(g.outcome.wait),
                       name(g.outcome.reason));
  }
  const std::uint64_t cost = std::max<std::uint64_t>(g.cost, 1);
  const std::uint64_t more = g.outcome.remaining / cost;
  return fmt::format("{} is closest to exhaustion: {} more such {} ({} left, cost {})", limit, more,
                     more == 1 ? "request fits" : "requests fit", g.outcome.remaining, cost);
}

json::object answer_json(const answer::Answer& answer) {
  json::object headers;
  for (const answer::Header& h : answer.headers) headers[h.name] = h.value;
  json::object o{{"status", answer.status}, {"headers", std::move(headers)}};
  json::error_code ec;
  json::value body = json::parse(answer.body, ec);
  o["body"] = answer.body.empty() ? json::value() : ec ? json::value(answer.body) : std::move(body);
  return o;
}

// "1 request", "10 points": what this request costs here.
std::string quantity_text(const json::object& limit) {
  const std::string cost = text_of(limit, "cost");
  const std::string unit = text_of(limit, "unit");
  return cost + " " + std::string(answer::counted(unit, cost == "1" ? 1 : 2));
}

std::string limits_text(const json::array& limits) {
  std::vector<std::vector<std::string>> rows{
      {"limit", "numbers", "cost", "verdict", "left", "wait", "at most in 1s", "1m", "1h", "key"}};
  for (const json::value& value : limits) {
    const json::object& l = value.as_object();
    std::string key;
    for (const json::value& part : l.at("key").as_array()) {
      key += (key.empty() ? "" : ", ") + std::string(part.as_string());
    }
    std::string numbers = text_of(l, "numbers");
    if (l.contains("override")) numbers += " (its own)";
    if (l.contains("shared_address")) numbers += " (shared address)";
    std::string verdict = l.at("admit").as_bool() ? "admit" : "deny: " + text_of(l, "reason");
    if (text_of(l, "mode") == "shadow") verdict += " (shadow)";
    std::vector<std::string> row{text_of(l, "name"), numbers, quantity_text(l), verdict};
    if (const json::value* envelope = l.if_contains("envelope")) {
      row.push_back(text_of(l, "remaining") + " of " + text_of(l, "limit"));
      row.push_back(text_of(l, "wait"));
      for (const char* tau : {"1s", "1m", "1h"}) {
        row.push_back(design::count_text(envelope->at(tau).to_number<std::uint64_t>()));
      }
    } else {
      row.insert(row.end(), 5, "");
    }
    row.push_back(key.empty() ? "global" : key);
    rows.push_back(std::move(row));
  }
  return columns(rows, "  ");
}

}  // namespace

json::object explain_request(const Answered& answered, const identity::Facts& facts) {
  const Policy& policy = *answered.snapshot->policy;
  const decide::Decision& d = answered.decision;
  identity::Caller caller(policy, answered.snapshot->accounts.get(), facts);
  const policy::Class& c = policy.classes[d.class_id];
  json::array limits;
  for (const decide::LimitVerdict& v : d.limits()) {
    limits.push_back(limit_json(policy, v, caller, c.name));
  }
  json::object who{{"tier", policy.tiers[d.tier].name}, {"label", policy.tiers[d.tier].label}};
  if (!d.account.empty()) who["account"] = d.account;
  if (caller.address()) who["address"] = caller.address()->text();
  json::object when;
  for (const auto& [attribute, value] : c.when) when[attribute] = value;
  json::object o{{"request", {{"method", facts.method}, {"path", facts.target}}},
                 {"class", c.name},
                 {"pattern", matched_pattern(policy, d.class_id, facts)},
                 {"when", std::move(when)},
                 {"caller", std::move(who)},
                 {"limits", std::move(limits)},
                 {"admit", d.admit}};
  o["governing"] = d.governing == decide::kNoLimit
                       ? json::value()
                       : json::value(policy.limits[d.limits()[d.governing].limit].name);
  o["why"] = why(d, policy);
  o["answer"] = answer_json(answered.answer);
  return o;
}

std::string request_text(const json::object& explained) {
  const json::object& request = explained.at("request").as_object();
  const json::object& who = explained.at("caller").as_object();
  std::string text = fmt::format("request    {} {}\nclass      {}", text_of(request, "method"),
                                 text_of(request, "path"), text_of(explained, "class"));
  if (const std::string p = text_of(explained, "pattern"); !p.empty()) text += ", by pattern " + p;
  for (const auto& [attribute, value] : explained.at("when").as_object()) {
    text += fmt::format(", when {} is {}", std::string_view(attribute),
                        std::string_view(value.as_string()));
  }
  text += "\ncaller     tier " + text_of(who, "tier");
  if (const std::string a = text_of(who, "account"); !a.empty()) text += ", account " + a;
  if (const std::string a = text_of(who, "address"); !a.empty()) text += ", address " + a;
  text += "\nverdict    " + std::string(explained.at("admit").as_bool() ? "admitted" : "denied") +
          "\ngoverning  " +
          (explained.at("governing").is_null() ? "none" : text_of(explained, "governing")) +
          "\n           " + text_of(explained, "why") + "\n";
  const json::array& limits = explained.at("limits").as_array();
  if (!limits.empty()) text += "\n" + limits_text(limits);
  const json::object& answer = explained.at("answer").as_object();
  text += "\nHTTP/1.1 " + text_of(answer, "status") + "\n";
  for (const auto& [name, value] : answer.at("headers").as_object()) {
    text += fmt::format("{}: {}\n", std::string_view(name), std::string_view(value.as_string()));
  }
  if (!answer.at("body").is_null()) text += "\n" + text_of(answer, "body") + "\n";
  return text;
}

}  // namespace weir::cli
