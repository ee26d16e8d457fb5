// What a timeline may expect, how it is spelt, and what was really answered.
#include "cli/timeline_expect.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "design/text.h"
#include "policy/loader.h"

namespace weir::cli {
namespace {

namespace json = boost::json;
using policy::Node;

enum class Kind { count, duration, durations, flag, text, json };

struct Field {
  std::string_view name;
  Kind kind;
};

constexpr std::array kFields{
    Field{"admit", Kind::count},          Field{"deny", Kind::count},
    Field{"status", Kind::count},         Field{"reason", Kind::text},
    Field{"class", Kind::text},           Field{"tier", Kind::text},
    Field{"account", Kind::text},         Field{"governing", Kind::text},
    Field{"limit", Kind::count},          Field{"remaining", Kind::count},
    Field{"retry_after", Kind::duration}, Field{"delay", Kind::duration},
    Field{"delays", Kind::durations},
};
constexpr std::array kLimitFields{
    Field{"admit", Kind::flag},     Field{"limit", Kind::count},   Field{"remaining", Kind::count},
    Field{"reset", Kind::duration}, Field{"wait", Kind::duration}, Field{"reason", Kind::text},
};

struct Path {
  std::string head;    // "limits"
  std::string middle;  // "plan-minute"
  std::string tail;    // "remaining"
};

// Limit names hold no dots of their own that matter: the last part is the field.
Path split(std::string_view path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return {std::string(path), "", ""};
  Path p{std::string(path.substr(0, dot)), std::string(path.substr(dot + 1)), ""};
  if (p.head != "limits") return p;
  const std::size_t last = p.middle.rfind('.');
  if (last == std::string::npos) return p;
  p.tail = p.middle.substr(last + 1);
  p.middle.resize(last);
  return p;
}

template <std::size_t N>
Result<Kind> kind_in(const std::array<Field, N>& fields, std::string_view name,
                     std::string_view where) {
  std::vector<std::string> words;
  for (const Field& field : fields) {
    if (field.name == name) return field.kind;
    words.emplace_back(field.name);
  }
  if (where == "`expect`") words.insert(words.end(), {"headers", "body", "limits", "denied_by"});
  const std::string_view near = policy::nearest(name, words);
  return Error{ErrorCode::not_found,
               "unknown key `" + std::string(name) + "` in " + std::string(where),
               near.empty() ? "" : "did you mean `" + std::string(near) + "`?"};
}

// `body: 2`, or `body: {"": 2}`.
Error nothing_named(const std::string& head, bool named) {
  if (named) return {ErrorCode::not_found, "an empty name in `" + head + "`", "remove it"};
  return {ErrorCode::invalid_argument, "`" + head + "` must be a mapping of names to values", ""};
}

Result<Kind> kind_of(std::string_view text) {
  const Path path = split(text);
  const bool named = text.find('.') != text.npos;
  if (path.head == "headers" && !path.middle.empty()) return Kind::text;
  if (path.head == "body" && !path.middle.empty()) return Kind::json;
  if (path.head == "denied_by" && !path.middle.empty()) return Kind::count;
  if (path.head == "limits" && !path.middle.empty()) {
    return kind_in(kLimitFields, path.tail, "an expected limit");
  }
  if (path.head == "headers" || path.head == "body" || path.head == "denied_by" ||
      path.head == "limits") {
    return nothing_named(path.head, named);
  }
  return kind_in(kFields, path.head, "`expect`");
}

Result<std::string> canonical_duration(const Node& node) {
  if (node.text == "never") return std::string("never");
  const auto d = policy::parse_duration(node.text);
  if (!d) return d.error();
  return design::duration_text(*d);
}

json::value to_json(const Node& node) {
  if (node.is_sequence()) {
    json::array a;
    for (const Node& item : node.items) a.push_back(to_json(item));
    return a;
  }
  if (node.is_mapping()) {
    json::object o;
    for (const policy::Entry& entry : node.entries) o[entry.key] = to_json(entry.value);
    return o;
  }
  json::error_code ec;
  const bool plain = policy::core_type(node) != policy::Core::text;
  json::value parsed = plain ? json::parse(node.text, ec) : json::value(node.text);
  return ec ? json::value(node.text) : parsed;
}

std::string json_text(const json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : json::serialize(value);
}

// A member of a JSON document by its dotted path; a number is an index.
std::optional<std::string> member(std::string_view document, std::string_view path) {
  json::error_code ec;
  json::value root = json::parse(document, ec);
  if (ec) return std::nullopt;
  const json::value* at = &root;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (const json::object* o = at->if_object()) {
      at = o->if_contains(part);
    } else if (const json::array* a = at->if_array()) {
      const auto index = policy::parse_count(part);
      at = index ? a->if_contains(*index) : nullptr;
    } else {
      at = nullptr;
    }
    if (at == nullptr) return std::nullopt;
  }
  return json_text(*at);
}

using Value = std::optional<std::string>;

Value actual_of_limit(const Answered& a, const Path& path) {
  for (const decide::LimitVerdict& v : a.decision.limits()) {
    if (a.snapshot->policy->limits[v.limit].name != path.middle) continue;
    if (path.tail == "admit") return v.outcome.admit ? "true" : "false";
    if (path.tail == "limit") return std::to_string(v.outcome.limit);
    if (path.tail == "remaining") return std::to_string(v.outcome.remaining);
    if (path.tail == "reset") return design::duration_text(v.outcome.reset);
    if (path.tail == "wait") return design::duration_text(v.outcome.wait);
    if (path.tail == "reason") return std::string(name(v.outcome.reason));
  }
  return std::nullopt;
}

Value actual_of_decision(const Answered& a, std::string_view field) {
  const decide::Decision& d = a.decision;
  const policy::Policy& policy = *a.snapshot->policy;
  const decide::LimitVerdict* g = governing(d);
  if (field == "status") return std::to_string(a.answer.status);
  if (field == "reason") return std::string(name(d.reason));
  if (field == "class") return policy.classes[d.class_id].name;
  if (field == "tier") return policy.tiers[d.tier].name;
  if (field == "account") return d.account.empty() ? Value() : std::string(d.account);
  if (field == "retry_after") return d.admit ? Value() : design::duration_text(d.retry_after);
  if (field == "delay") return design::duration_text(d.delay);
  if (g == nullptr) return std::nullopt;
  if (field == "governing") return policy.limits[g->limit].name;
  if (field == "limit") return std::to_string(g->outcome.limit);
  if (field == "remaining") return std::to_string(g->outcome.remaining);
  return std::nullopt;
}

}  // namespace

const decide::LimitVerdict* governing(const decide::Decision& d) {
  return d.governing == decide::kNoLimit ? nullptr : &d.limits()[d.governing];
}

std::optional<std::string> actual(const Observed& seen, std::string_view text) {
  const Path path = split(text);
  if (path.head == "admit") return std::to_string(seen.admitted);
  if (path.head == "deny") return std::to_string(seen.denied);
  if (path.head == "delays") return seen.delays;
  if (path.head == "denied_by") {
    const auto found = seen.denied_by.find(path.middle);
    return std::to_string(found == seen.denied_by.end() ? 0 : found->second);
  }
  const Answered& a = *seen.last;
  if (path.head == "limits") return actual_of_limit(a, path);
  if (path.head == "body") return member(a.answer.body, path.middle);
  if (path.head == "headers") {
    const answer::Header* header = find_header(a.answer, path.middle);
    return header == nullptr ? Value() : std::string(header->value);
  }
  return actual_of_decision(a, path.head);
}

Result<std::string> canonical(std::string_view path, const policy::Node& node) {
  const auto kind = kind_of(path);
  if (!kind) return kind.error();
  if (*kind == Kind::json) {
    return node.is_scalar() ? Result<std::string>(node.text) : json_text(to_json(node));
  }
  if (*kind == Kind::durations) {
    std::string all;
    for (const Node& item : node.items) {
      auto d = canonical_duration(item);
      if (!d) return d.error();
      all += (all.empty() ? "" : ", ") + *d;
    }
    return all;
  }
  if (!node.is_scalar()) {
    return Error{ErrorCode::invalid_argument, "`" + std::string(path) + "` must be one value", ""};
  }
  if (*kind == Kind::duration) return canonical_duration(node);
  if (*kind == Kind::count) {
    const auto n = policy::parse_count(node.text);
    if (!n) return n.error();
    return std::to_string(*n);
  }
  if (*kind == Kind::flag && node.text != "true" && node.text != "false") {
    return Error{ErrorCode::invalid_argument, "`" + std::string(path) + "` must be true or false",
                 ""};
  }
  return node.text;
}

}  // namespace weir::cli
