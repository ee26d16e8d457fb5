#include "serve/check_request.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <utility>

#include "policy/loader.h"
#include "weir/decision.h"
#include "wire/http1.h"

namespace weir::serve {

namespace json = boost::json;

namespace {

using Problem = std::optional<CheckProblem>;

constexpr std::size_t kMaxDepth = 4;
constexpr const char* kWholeNumber = "must be a whole number from 0 to 9007199254740992";

CheckProblem problem(std::string field, std::string detail) {
  return {std::move(field), std::move(detail)};
}

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::string dotted(std::string_view outer, std::string_view inner) {
  return std::string(outer) + "." + std::string(inner);
}

// Counts members as they are written: fewer in the tree means that one was repeated.
struct MemberCounter {
  static constexpr std::size_t max_object_size = ~std::size_t{0};
  static constexpr std::size_t max_array_size = ~std::size_t{0};
  static constexpr std::size_t max_key_size = ~std::size_t{0};
  static constexpr std::size_t max_string_size = ~std::size_t{0};
  using Code = boost::system::error_code;
  using Text = json::string_view;

  std::size_t members = 0;

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t n, Code&) {
    members += n;
    return true;
  }
  bool on_string_part(Text, std::size_t, Code&) { return true; }
  bool on_string(Text, std::size_t, Code&) { return true; }
  bool on_key_part(Text, std::size_t, Code&) { return true; }
  bool on_key(Text, std::size_t, Code&) { return true; }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return true; }
  bool on_uint64(std::uint64_t, Text, Code&) { return true; }
  bool on_double(double, Text, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }
};

std::size_t members_written(std::string_view body) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<MemberCounter> parser(options);
  boost::system::error_code ec;
  parser.write_some(false, body.data(), body.size(), ec);
  return parser.handler().members;
}

std::size_t members_kept(const json::value& value) {
  std::size_t count = 0;
  if (const json::object* object = value.if_object()) {
    count = object->size();
    for (const auto& member : *object) count += members_kept(member.value());
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) count += members_kept(element);
  }
  return count;
}

bool breaks_a_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

class Reader {
 public:
  Reader(const policy::Policy& policy, CheckRequest& request) : policy_(policy), out_(request) {}

  Problem read(const json::value& document) {
    const json::object* object = document.if_object();
    if (object == nullptr) return problem("", "The body must be a JSON object.");
    for (const auto& member : *object) {
      if (Problem wrong = read_member({member.key().data(), member.key().size()}, member.value())) {
        return wrong;
      }
    }
    if (!object->contains("method")) return problem("method", "is required");
    if (!object->contains("path")) return problem("path", "is required");
    return std::nullopt;
  }

 private:
  Problem read_member(std::string_view name, const json::value& value) {
    if (name == "method") return read_method(value);
    if (name == "path") return read_path(value);
    if (name == "client_ip") return read_client_ip(value);
    if (name == "headers") return read_headers(value);
    if (name == "attributes") return read_attributes(value);
    if (name == "cost") return read_cost(value);
    if (name == "peek") return read_peek(value);
    if (name == "stage") return read_stage(value);
    static const std::vector<std::string> kNames{"method",     "path", "client_ip", "headers",
                                                 "attributes", "cost", "peek",      "stage"};
    std::string detail = "is no member of a check";
    const std::string_view near = policy::nearest(name, kNames);
    if (!near.empty()) detail += "; did you mean `" + std::string(near) + "`?";
    return problem(std::string(name), std::move(detail));
  }

  Problem read_method(const json::value& value) {
    const json::string* text = value.if_string();
    if (text == nullptr || !wire::is_token(view(*text))) {
      return problem("method", "must be a string that is an HTTP method");
    }
    out_.method = view(*text);
    return std::nullopt;
  }

  // Any text but none: a path that cannot be parsed is in the class `malformed`, as everywhere.
  Problem read_path(const json::value& value) {
    const json::string* text = value.if_string();
    if (text == nullptr || text->empty()) {
      return problem("path", "must be a string that is not empty");
    }
    out_.path = view(*text);
    return std::nullopt;
  }

  Problem read_client_ip(const json::value& value) {
    const json::string* text = value.if_string();
    if (text != nullptr) out_.client_ip = policy::Address::parse(view(*text));
    if (!out_.client_ip) {
      return problem("client_ip",
                     "must be a string that is an IPv4 or IPv6 address, without a port");
    }
    return std::nullopt;
  }

  Problem read_headers(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return problem("headers", "must be an object of strings");
    for (const auto& member : *object) {
      const std::string_view name(member.key().data(), member.key().size());
      if (!wire::is_token(name)) return problem(dotted("headers", name), "is no header field name");
      if (const json::array* values = member.value().if_array()) {
        for (const json::value& one : *values) {
          if (Problem wrong = add_header(name, one)) return wrong;
        }
      } else if (Problem wrong = add_header(name, member.value())) {
        return wrong;
      }
    }
    return std::nullopt;
  }

  Problem add_header(std::string_view name, const json::value& value) {
    const json::string* text = value.if_string();
    if (text == nullptr) {
      return problem(dotted("headers", name), "must be a string, or an array of strings");
    }
    if (breaks_a_line(view(*text))) {
      return problem(dotted("headers", name), "must not hold CR, LF or NUL");
    }
    out_.headers.push_back({name, view(*text)});
    return std::nullopt;
  }

  Problem read_attributes(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return problem("attributes", "must be an object of strings");
    for (const auto& member : *object) {
      const std::string_view name(member.key().data(), member.key().size());
      const json::string* text = member.value().if_string();
      if (text == nullptr) return problem(dotted("attributes", name), "must be a string");
      if (text->size() > kMaxAttributeValue) {
        return problem(dotted("attributes", name), "must be at most 256 bytes long");
      }
      out_.attributes.push_back({name, view(*text)});
    }
    return std::nullopt;
  }

  static std::optional<std::uint64_t> whole_number(const json::value& value) {
    std::uint64_t n = 0;
    if (const std::int64_t* i = value.if_int64(); i != nullptr && *i >= 0) {
      n = static_cast<std::uint64_t>(*i);
    } else if (const std::uint64_t* u = value.if_uint64()) {
      n = *u;
    } else {
      return std::nullopt;
    }
    if (n > kMaxCount) return std::nullopt;
    return n;
  }

  Problem read_cost(const json::value& value) {
    const json::object* by_unit = value.if_object();
    if (by_unit == nullptr) {
      const auto cost = whole_number(value);
      if (!cost)
        return problem("cost", std::string(kWholeNumber) + ", or an object {unit: number}");
      out_.costs.push_back({{}, *cost});
      return std::nullopt;
    }
    for (const auto& member : *by_unit) {
      const std::string_view unit(member.key().data(), member.key().size());
      const auto known = std::find(policy_.units.begin(), policy_.units.end(), unit);
      if (known == policy_.units.end()) return unknown_unit(unit);
      const auto cost = whole_number(member.value());
      if (!cost) return problem(dotted("cost", unit), kWholeNumber);
      out_.costs.push_back({*known, *cost});
    }
    return std::nullopt;
  }

  Problem unknown_unit(std::string_view unit) {
    std::string detail = "is no unit of this policy; its units are";
    for (const std::string& name : policy_.units) {
      detail += (&name == &policy_.units[0] ? " " : ", ") + name;
    }
    return problem(dotted("cost", unit), std::move(detail));
  }

  Problem read_peek(const json::value& value) {
    const bool* peek = value.if_bool();
    if (peek == nullptr) return problem("peek", "must be true or false");
    out_.peek = *peek;
    return std::nullopt;
  }

  Problem read_stage(const json::value& value) {
    const json::string* text = value.if_string();
    const std::string_view stage = text == nullptr ? std::string_view{} : view(*text);
    if (stage == "pre") {
      out_.stage = identity::StageFilter::pre_auth;
    } else if (stage == "post") {
      out_.stage = identity::StageFilter::post_auth;
    } else {
      return problem("stage", "must be \"pre\" or \"post\"");
    }
    return std::nullopt;
  }

  const policy::Policy& policy_;
  CheckRequest& out_;
};

void clear(CheckRequest& request) {
  request.method = request.path = {};
  request.client_ip.reset();
  request.headers.clear();
  request.attributes.clear();
  request.costs.clear();
  request.peek = false;
  request.stage = identity::StageFilter::all;
}

}  // namespace

std::optional<CheckProblem> CheckParser::parse(std::string_view body, const policy::Policy& policy,
                                               CheckRequest& request) {
  clear(request);
  document_.reset();
  resource_.emplace(arena_.data(), arena_.size());
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code ec;
  document_.emplace(json::parse({body.data(), body.size()}, ec, &*resource_, options));
  if (ec) return problem("", "The body is no JSON: " + ec.message() + ".");
  if (members_kept(*document_) != members_written(body)) {
    return problem("", "A member of the body is repeated.");
  }
  return Reader(policy, request).read(*document_);
}

}  // namespace weir::serve
