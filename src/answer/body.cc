#include "answer/body.h"

#include <algorithm>

#include "answer/answer.h"
#include "answer/sentence.h"
#include "answer/words.h"
#include "base/json_writer.h"

namespace weir::answer {
namespace {

constexpr std::string_view kProblemMedia = "application/problem+json";
constexpr std::string_view kJsonMedia = "application/json";

// How much is left out so that the body fits.
enum class Trim : std::uint8_t { nothing, upgrade, docs, names, all_names };

struct Body {
  base::JsonWriter& json;
  const Signals& signals;
  const View& view;
  Trim trim;
};

void write_violated(const Body& b) {
  b.json.key("violated-policies");
  b.json.begin_array();
  for (std::size_t i = 0; i < b.view.count; ++i) {
    const LimitView& limit = b.view.verdicts[i];
    if (!violated(b.view, limit) || b.trim == Trim::all_names) continue;
    if (b.trim == Trim::names && i != b.view.governing) continue;
    b.json.value(limit.name);
  }
  b.json.end_array();
}

void write_problem(const Body& b) {
  const bool reduced = b.view.status == 503;
  b.json.member("type", reduced ? "https://iana.org/assignments/http-problem-types"
                                  "#temporary-reduced-capacity"
                                : "https://iana.org/assignments/http-problem-types#quota-exceeded");
  b.json.member("title", reduced ? "Temporary Reduced Capacity" : "Quota Exceeded");
  b.json.member("status", b.view.status);
  b.json.key("detail");
  b.json.begin_text();
  write_detail(b.json, b.signals, b.view, b.trim != Trim::all_names);
  b.json.end_text();
  write_violated(b);
}

void write_usage(const Body& b, const Signal& s) {
  b.json.key("currentUsage");
  b.json.begin_object();
  b.json.member("used", s.used());
  b.json.member("limit", s.quota);
  b.json.key("window");
  b.json.begin_text();
  append_long_window(b.json.out(), s.window_s);
  b.json.end_text();
  b.json.key("resetsAt");
  b.json.begin_text();
  append_rfc3339(b.json.out(), unix_seconds_after(b.view.now, s.limit->outcome.reset));
  b.json.end_text();
  b.json.end_object();
}

void write_upgrade(const Body& b) {
  b.json.key("upgrade");
  b.json.begin_object();
  b.json.key("message");
  b.json.begin_text();
  b.json.text("Upgrade to ");
  b.json.text(b.view.upgrade_label);
  b.json.text(" for higher limits.");
  b.json.end_text();
  b.json.member("url", b.view.upgrade_url);
  b.json.end_object();
}

void write_error(const Body& b) {
  b.json.key("error");
  b.json.begin_object();
  b.json.member("code", b.view.status == 503 ? "SERVICE_OVERLOADED" : "RATE_LIMIT_EXCEEDED");
  b.json.key("message");
  b.json.begin_text();
  write_message(b.json, b.signals, b.view);
  b.json.end_text();
  if (b.signals.retry_after_s > 0) b.json.member("retryAfter", b.signals.retry_after_s);
  const Signal* s = b.signals.governing;
  if (s != nullptr) {
    b.json.member("limit", s->quota);
    b.json.key("window");
    b.json.begin_text();
    append_short_window(b.json.out(), s->window_s);
    b.json.end_text();
  }
  const std::string& docs = b.view.response->docs;
  if (!docs.empty() && b.trim < Trim::docs) b.json.member("documentation", docs);
  if (s != nullptr) write_usage(b, *s);
  if (b.trim < Trim::upgrade && offers_upgrade(b.view)) write_upgrade(b);
  b.json.end_object();
}

void write_trimmed(std::string& out, const Signals& signals, const View& view,
                   policy::BodyKind kind, Trim trim) {
  out.clear();
  base::JsonWriter json(out);
  const Body body{json, signals, view, trim};
  json.begin_object();
  if (kind != policy::BodyKind::error) write_problem(body);
  if (kind != policy::BodyKind::problem) write_error(body);
  json.end_object();
}

}  // namespace

std::string_view write_body(std::string& out, const Signals& signals, const View& view) {
  policy::BodyKind kind = view.response->body;
  if (kind == policy::BodyKind::owner_template) {
    if (write_template(out, signals, view)) return kJsonMedia;
    kind = policy::BodyKind::both;
  }
  for (const Trim trim : {Trim::nothing, Trim::upgrade, Trim::docs, Trim::names, Trim::all_names}) {
    write_trimmed(out, signals, view, kind, trim);
    if (out.size() <= kMaxBody) break;
  }
  return kind == policy::BodyKind::error ? kJsonMedia : kProblemMedia;
}

}  // namespace weir::answer
