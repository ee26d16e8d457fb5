#include "traffic/format/field_map.h"

#include <algorithm>
#include <array>
#include <optional>

#include "policy/loader.h"

namespace weir::traffic {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

struct Word {
  std::string_view word;
  FieldKind kind;
  std::string_view name{};
  std::int64_t unit_ns = kSecond_ns;
  bool time_is_end = false;
};

constexpr std::array kWords{
    Word{"time", FieldKind::time_any},
    Word{"time_s", FieldKind::time_number},
    Word{"time_ms", FieldKind::time_number, "", 1'000'000},
    Word{"time_us", FieldKind::time_number, "", 1'000},
    Word{"time_ns", FieldKind::time_number, "", 1},
    Word{"end_time", FieldKind::time_any, "", kSecond_ns, true},
    Word{"end_time_s", FieldKind::time_number, "", kSecond_ns, true},
    Word{"end_time_ms", FieldKind::time_number, "", 1'000'000, true},
    Word{"end_time_us", FieldKind::time_number, "", 1'000, true},
    Word{"end_time_ns", FieldKind::time_number, "", 1, true},
    Word{"duration_s", FieldKind::duration},
    Word{"duration_ms", FieldKind::duration, "", 1'000'000},
    Word{"duration_us", FieldKind::duration, "", 1'000},
    Word{"duration_ns", FieldKind::duration, "", 1},
    Word{"client", FieldKind::client},
    Word{"key", FieldKind::client},
    Word{"request", FieldKind::request},
    Word{"method", FieldKind::method},
    Word{"target", FieldKind::target},
    Word{"path", FieldKind::path},
    Word{"query", FieldKind::args},
    Word{"status", FieldKind::status},
    Word{"bytes", FieldKind::bytes},
    Word{"user_agent", FieldKind::user_agent},
    Word{"user", FieldKind::attribute, "user"},
    Word{"cost", FieldKind::cost, "requests"},
};

// Fields that say which one they are after a dot.
struct Prefix {
  std::string_view prefix;
  FieldKind kind;
};

constexpr std::array kPrefixes{
    Prefix{"header.", FieldKind::header},
    Prefix{"attribute.", FieldKind::attribute},
    Prefix{"cost.", FieldKind::cost},
};

Error wrong(std::string what) { return {ErrorCode::invalid_argument, std::move(what), "--fields"}; }

std::string lower_case(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::optional<FieldSpec> spec_of(std::string_view field) {
  for (const Word& word : kWords) {
    if (word.word == field) {
      return FieldSpec{word.kind, std::string(word.name), word.unit_ns, word.time_is_end};
    }
  }
  for (const Prefix& prefix : kPrefixes) {
    if (!field.starts_with(prefix.prefix) || field.size() == prefix.prefix.size()) continue;
    const std::string_view rest = field.substr(prefix.prefix.size());
    std::string name = prefix.kind == FieldKind::header ? lower_case(rest) : std::string(rest);
    if (name == "user-agent" && prefix.kind == FieldKind::header) {
      return FieldSpec{FieldKind::user_agent};
    }
    return FieldSpec{prefix.kind, std::move(name)};
  }
  return std::nullopt;
}

Error unknown(std::string_view field) {
  std::vector<std::string> words;
  std::string list;
  for (const Word& word : kWords) {
    words.emplace_back(word.word);
    list += std::string(word.word) + ", ";
  }
  const std::string_view near = policy::nearest(field, words);
  return wrong("there is no field '" + std::string(field) + "'" +
               (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?") +
               " (fields: " + list + "header.NAME, attribute.NAME, cost.UNIT)");
}

// Fields of which a request has one.
bool same_field(const FieldSpec& a, const FieldSpec& b) {
  const auto is_time = [](FieldKind kind) {
    return kind >= FieldKind::time_common && kind <= FieldKind::time_any;
  };
  if (a.kind == FieldKind::cost || a.kind == FieldKind::limited) return false;
  if (is_time(a.kind) && is_time(b.kind)) return true;
  return a.kind == b.kind && a.name == b.name;
}

bool is_time(const NamedField& field) {
  return field.spec.kind == FieldKind::time_any || field.spec.kind == FieldKind::time_number;
}

}  // namespace

Result<std::vector<NamedField>> parse_field_map(std::string_view text) {
  std::vector<NamedField> fields;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals + 1 == item.size()) {
      return wrong("'" + std::string(item) +
                   "' does not say which name it is: write FIELD=NAME,..., such as "
                   "time=ts,client=ip,status=code");
    }
    auto spec = spec_of(item.substr(0, equals));
    if (!spec) return unknown(item.substr(0, equals));
    fields.push_back({std::string(item.substr(equals + 1)), std::move(*spec)});
  }
  if (std::none_of(fields.begin(), fields.end(), is_time)) {
    return wrong("it names no time: add time=NAME, where NAME is what the log calls it");
  }
  return fields;
}

std::string_view usual_field_map() {
  return "time=time,time=timestamp,time=@timestamp,time=ts,time=datetime,time=http.request.time,"
         "client=client_ip,client=clientip,client=remote_ip,client=ip,client=client.address,"
         "client=client,client=key,"
         "method=method,method=verb,method=http.request.method,"
         "target=url.path,target=target,target=uri,target=url,target=path,request=request,"
         "status=status,status=status_code,status=http.response.status_code,status=code,"
         "bytes=bytes,bytes=size,duration_ms=duration_ms,duration_ms=latency_ms,"
         "user_agent=user_agent,user_agent=user_agent.original,user_agent=agent,user=user,"
         "header.x-api-key=api_key,cost=cost,cost.tokens=tokens,"
         "cost.tokens=gen_ai.usage.input_tokens,cost.tokens=gen_ai.usage.output_tokens";
}

NamedFields::NamedFields(const std::vector<NamedField>& fields) {
  for (const NamedField& field : fields) {
    std::size_t group = specs_.size();
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (same_field(specs_[i], field.spec)) group = std::min(group, group_[i]);
    }
    specs_.push_back(field.spec);
    group_.push_back(group);
  }
}

}  // namespace weir::traffic
