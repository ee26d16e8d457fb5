// One scalar against its row: what is wrong with it, and what to write.
#include "policy/check_scalar.h"

#include <optional>
#include <string>
#include <utility>

#include "base/redis_url.h"
#include "policy/cidr.h"
#include "policy/loader.h"
#include "policy/quantity.h"
#include "policy/route.h"
#include "policy/utf8.h"

namespace weir::policy {

namespace {

std::string quoted(std::string_view text) { return "`" + printable(text) + "`"; }

using Verdict = std::optional<Complaint>;  // none: the value is fine

// How to say that nothing is admitted, or nothing counted: there are words for tiers alone.
std::string_view words_for(const Spec& spec) {
  const std::string_view path = spec.row->path;
  if (path.starts_with("tiers.") || path.starts_with("limits[].tiers.")) {
    return "write `deny` or `unlimited` for the tier";
  }
  if (path.starts_with("limits[]")) {
    return "in place of the numbers write `tiers: {\"*\": deny}` or `tiers: {\"*\": unlimited}`";
  }
  return "`deny` and `unlimited` are for tiers; write a rate, or remove it";
}

std::string not_a_limit(const Spec& spec) {
  return "0 is not a limit: " + std::string(words_for(spec));
}

Complaint word_of_tiers(const Spec& spec, std::string_view name, const Node& node) {
  return {quoted(name) + " is " + quoted(node.text), std::string(words_for(spec))};
}

// A guarantee is a promise about limits: it has neither word.
bool of_guarantee(const Spec& spec) { return spec.row->path.starts_with("guarantees"); }

Verdict check_number(const Spec& spec, std::string_view name, std::uint64_t value,
                     std::string_view text) {
  const Row& row = *spec.row;
  if (value == 0 && row.least > 0) {
    return Complaint{quoted(name) + " is 0", row.types & kCount && row.least == 1 &&
                                                     row.most == Row{}.most && !of_guarantee(spec)
                                                 ? not_a_limit(spec)
                                                 : "the least is " + std::to_string(row.least)};
  }
  if (value < row.least || value > row.most) {
    return Complaint{quoted(name) + " is " + printable(text),
                     row.least == row.most ? "this version knows " + std::to_string(row.least)
                                           : "it may be " + std::to_string(row.least) + " to " +
                                                 std::to_string(row.most)};
  }
  return std::nullopt;
}

Verdict check_count(const Spec& spec, std::string_view name, const Node& node) {
  if (spec.row->path.starts_with("limits[]") && (node.text == "deny" || node.text == "unlimited")) {
    return word_of_tiers(spec, name, node);
  }
  const bool digits = node.text.find_first_not_of("0123456789") == std::string::npos;
  if (node.quoted && digits) {
    return Complaint{quoted(name) + " is a number in quotes", "write it without"};
  }
  const Result<std::uint64_t> count = parse_count(node.text);
  if (!count) return Complaint{count.error().message, {}};
  return check_number(spec, name, *count, node.text);
}

Verdict check_integer(const Spec& spec, std::string_view name, const Node& node) {
  if (node.text.find_first_not_of("0123456789") != std::string::npos || node.text.empty()) {
    return Complaint{quoted(name) + " is " + quoted(node.text), "write a whole number"};
  }
  return check_count(spec, name, node);
}

Verdict check_rate(const Spec& spec, std::string_view name, const Node& node) {
  if (node.text == "deny" || node.text == "unlimited") {
    return word_of_tiers(spec, name, node);
  }
  const Result<Rate> rate = parse_rate(node.text);
  if (!rate) {
    if (rate.error().code == ErrorCode::out_of_range) return Complaint{rate.error().message, {}};
    return Complaint{"`" + std::string(name) + "`: " + rate.error().message, {}};
  }
  if (rate->count == 0) {
    return Complaint{"a rate of 0", not_a_limit(spec)};
  }
  if (rate->period.ns == 0) {
    return Complaint{"a period of 0", not_a_limit(spec)};
  }
  return std::nullopt;
}

Verdict check_duration(const Spec& spec, std::string_view name, const Node& node) {
  const Result<Duration> duration = parse_duration(node.text);
  if (!duration) return Complaint{"`" + std::string(name) + "`: " + duration.error().message, {}};
  if (duration->ns == 0) {
    return Complaint{quoted(name) + " is 0", of_guarantee(spec) ? "write a time like `1s`"
                                             : name == "window" ? not_a_limit(spec)
                                                                : "write a time, or leave it out"};
  }
  return std::nullopt;
}

Verdict check_word(const Spec& spec, std::string_view name, const Node& node) {
  const std::vector<std::string> words = spec.words();
  for (const std::string& word : words) {
    if (node.text == word) return std::nullopt;
  }
  if (spec.refuses_word(node.text)) {
    return Complaint{
        "`" + std::string(name) + ": " + node.text + "` is not enforced in this version",
        "write " + describe(spec)};
  }
  return Complaint{"unknown word " + quoted(node.text) + " for `" + std::string(name) + "`",
                   did_you_mean(node.text, words)};
}

// A type by name, or a Redis URL; one with references is judged when they are resolved.
Verdict check_store(const Node& node) {
  if (node.text == "memory" || node.text.find("${env:") != node.text.npos) return std::nullopt;
  if (node.text.starts_with("redis")) {
    const Result<base::RedisUrl> url = base::parse_redis_url(node.text);
    return url ? Verdict{}
               : Verdict{Complaint{"`store` " + url.error().message, url.error().where}};
  }
  constexpr std::string_view kHelp = "write `store: memory` or `store: \"redis://host:6379/0\"`";
  if (node.text.starts_with("file")) {
    return Complaint{"store `file` is not enforced in this version", std::string(kHelp)};
  }
  return Complaint{"unknown store", std::string(kHelp)};
}

enum class Echo : bool { no, yes };

Verdict check_text(std::string_view name, const Node& node, Echo echo = Echo::yes) {
  if (core_type(node) != Core::text) {
    return Complaint{quoted(name) + (echo == Echo::yes ? " is " + quoted(node.text) + "," : " is") +
                         " not a text",
                     "put it in quotes"};
  }
  if (node.text.empty()) return Complaint{quoted(name) + " is empty", "remove it"};
  for (const char c : node.text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Complaint{quoted(name) + " has a control character", "remove it"};
    }
  }
  return std::nullopt;
}

Verdict check_name(std::string_view name, const Node& node) {
  if (Verdict wrong = check_text(name, node)) return wrong;
  if (is_name(node.text)) return std::nullopt;
  return Complaint{quoted(node.text) + " is no name",
                   "names have letters, digits, `_`, `.`, `:`, `/`, `-`, at most 64"};
}

Verdict check_network(const Node& node) {
  if (Cidr::parse(node.text)) return std::nullopt;
  return Complaint{quoted(node.text) + " is no network", "write `10.0.0.0/8` or `2001:db8::/32`"};
}

Verdict check_boolean(std::string_view name, const Node& node) {
  if (!node.quoted && (node.text == "true" || node.text == "false")) return std::nullopt;
  return Complaint{quoted(name) + " is " + quoted(node.text), "write `true` or `false`"};
}

bool reads_elsewhere(const Node& node) {
  return node.text.starts_with("file:") || node.text.find("${env:") != std::string::npos;
}

// Where `${env:NAME}` would be taken as it stands, say so instead.
Verdict refuse_environment(const Node& node) {
  if (node.text.find("${env:") == std::string::npos) return std::nullopt;
  return Complaint{"`${env:...}` is not read here",
                   "it is in strings of `store`, `identity.jwt` and `listeners`"};
}

Verdict check_fraction(std::string_view name, const Node& node) {
  if (node.quoted) return Complaint{quoted(name) + " is a number in quotes", "write it without"};
  const Result<std::uint32_t> ppm = parse_fraction(node.text);
  if (ppm) return std::nullopt;
  return Complaint{"`" + std::string(name) + "`: " + ppm.error().message, {}};
}

Verdict check_as(Type type, const Spec& spec, std::string_view name, const Node& node) {
  switch (type) {
    case kText:
      return check_text(name, node);
    case kWord:
      return check_word(spec, name, node);
    case kName:
      return check_name(name, node);
    case kCount:
      return check_count(spec, name, node);
    case kInteger:
      return check_integer(spec, name, node);
    case kBool:
      return check_boolean(name, node);
    case kFraction:
      return check_fraction(name, node);
    case kRate:
      return check_rate(spec, name, node);
    case kDuration:
      return check_duration(spec, name, node);
    case kDate: {
      const Result<Instant> until = parse_until(node.text);
      return until ? Verdict{} : Verdict{Complaint{until.error().message, {}}};
    }
    case kNetwork:
      return check_network(node);
    case kPattern: {
      const Result<Pattern> pattern = Pattern::parse(node.text);
      return pattern ? Verdict{} : Verdict{Complaint{pattern.error().message, {}}};
    }
    case kSecret:
      return check_text(name, node, Echo::no);
    case kStore:
      return check_store(node);
    default:
      return Complaint{"not a scalar", {}};
  }
}

constexpr std::uint32_t kScalars = kText | kWord | kName | kCount | kInteger | kBool | kFraction |
                                   kRate | kDuration | kDate | kNetwork | kPattern | kSecret |
                                   kStore;

// Which of several types a scalar was meant to be, for the best message.
Type meant(const Spec& spec, const Node& node) {
  const std::uint32_t types = spec.row->types;
  if ((types & kSecret) && (reads_elsewhere(node) || !(types & kNetwork))) return kSecret;
  if ((types & kRate) && (types & kWord)) {
    const bool word = node.text.find_first_of("/0123456789") == std::string::npos;
    return word && !node.text.empty() ? kWord : kRate;
  }
  if ((types & kCount) && (types & kWord)) {
    return node.text.find_first_of("0123456789") == std::string::npos ? kWord : kCount;
  }
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    if (types & kScalars & bit) return static_cast<Type>(bit);
  }
  return kMap;
}

}  // namespace

bool takes_scalars(const Spec& spec) { return (spec.row->types & kScalars) != 0; }

std::optional<Complaint> check_scalar(const Spec& spec, std::string_view name, const Node& node) {
  if (core_type(node) == Core::null) {
    return Complaint{quoted(name) + " is empty", "write " + describe(spec) + ", or remove it"};
  }
  Verdict wrong = check_as(meant(spec, node), spec, name, node);
  if (!wrong && !spec.allows(kSecret) && !spec.allows(kStore)) wrong = refuse_environment(node);
  return wrong;
}

}  // namespace weir::policy
