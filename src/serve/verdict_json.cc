#include "serve/verdict_json.h"

#include "algo/numbers.h"
#include "base/json_writer.h"
#include "policy/words.h"

namespace weir::serve {

namespace {

void optional_text(base::JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void optional_ms(base::JsonWriter& json, std::string_view key, Duration d) {
  json.key(key);
  if (d == Duration::max()) {
    json.null();
  } else {
    json.value(d.milliseconds_up());
  }
}

void append_limit(base::JsonWriter& json, const policy::Policy& policy,
                  const decide::LimitVerdict& v) {
  json.begin_object();
  json.member("name", policy.limits[v.limit].name);
  json.member("limit", v.outcome.limit);
  json.key("remaining");
  if (v.failed) {
    json.null();
  } else {
    json.value(v.outcome.remaining);
  }
  append_limit_end(json, v);
  json.end_object();
}

}  // namespace

void append_limit_end(base::JsonWriter& json, const decide::LimitVerdict& v) {
  json.key("window_ms");
  if (const algo::Numbers* numbers = v.applied()) {
    json.value(algo::published_window(*numbers).milliseconds_up());
  } else {
    json.null();
  }
  optional_ms(json, "reset_ms", v.failed ? Duration::max() : v.outcome.reset);
  json.member("mode", name(v.mode));
}

void append_verdict(std::string& out, const decide::Snapshot& snapshot, const decide::Decision& d,
                    const answer::Answer& answer) {
  const policy::Policy& policy = *snapshot.policy;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("admit", d.admit);
  json.member("status", d.status);
  json.member("reason", weir::name(d.reason));
  json.member("class", policy.classes[d.class_id].name);
  json.member("tier", policy.tiers[d.tier].name);
  optional_text(json, "account", d.account);
  optional_text(json, "governing",
                d.governing == decide::kNoLimit
                    ? std::string_view{}
                    : std::string_view(policy.limits[d.verdicts[d.governing].limit].name));
  optional_ms(json, "retry_after_ms", d.retry_after);
  json.member("delay_ms", d.delay.milliseconds_up());
  json.member("degraded", d.degraded);
  json.key("limits");
  json.begin_array();
  for (const decide::LimitVerdict& v : d.limits()) append_limit(json, policy, v);
  json.end_array();
  json.key("headers");
  json.begin_object();
  for (std::size_t i = 0; i < answer.signals; ++i) {
    json.member(answer.headers[i].name, answer.headers[i].value);
  }
  json.end_object();
  json.key("body");
  if (answer.body.empty()) {
    json.null();
  } else {
    json.raw(answer.body);
  }
  json.end_object();
}

}  // namespace weir::serve
