#include <algorithm>
#include <array>

#include "answer/answer.h"
#include "answer/body.h"
#include "answer/dialects.h"
#include "answer/fields.h"
#include "answer/signals.h"
#include "answer/structured.h"
#include "base/json_writer.h"
#include "base/u128.h"

namespace weir::answer {
namespace {

// `"monthly";used=0.82`: a Decimal in canonical form, rounded down to two digits.
void append_warning(std::string& out, const Signal& s) {
  append_string(out, s.limit->name);
  const std::uint64_t percent = base::mul_div_floor(s.used(), 100, s.quota);
  out += ";used=";
  base::append_decimal(out, percent / 100);
  out += '.';
  out += static_cast<char>('0' + percent / 10 % 10);
  if (percent % 10 != 0) out += static_cast<char>('0' + percent % 10);
}

// Limits near their end that still admit.
void write_warning(Fields& fields, const Signals& signals) {
  bool any = false;
  for (const Signal& s : signals.all()) {
    if (s.limit->warned_ppm == 0 || !s.limit->outcome.admit) continue;
    if (any) {
      fields.text() += ", ";
    } else if (!fields.open("Weir-Warning")) {
      return;
    }
    any = true;
    append_warning(fields.text(), s);
  }
  if (any) fields.close();
}

bool readable_without_cors(std::string_view name) {
  return name == "Content-Type" || name == "Cache-Control";
}

// The names sent so far, sorted, so that a browser's script may read them.
void write_expose(Fields& fields) {
  std::array<std::string_view, 32> names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < fields.count(); ++i) {
    if (!readable_without_cors(fields.name(i))) names[count++] = fields.name(i);
  }
  if (count == 0 || !fields.open("Access-Control-Expose-Headers")) return;
  std::sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) fields.text() += ", ";
    fields.text() += names[i];
  }
  fields.close();
}

// JSON strings with commas between, for a gateway to paste into an array.
void write_violated(Fields& fields, const View& view) {
  if (!fields.open("Weir-Violated")) return;
  bool first = true;
  for (const LimitView& limit : view.limits()) {
    if (!violated(view, limit)) continue;
    if (!first) fields.text() += ',';
    first = false;
    fields.text() += '"';
    base::append_json_text(fields.text(), limit.name);
    fields.text() += '"';
  }
  fields.close();
}

// For the gateway. The tier is sent even when it is empty: a gateway that copies the field would
// otherwise leave a client's own in its place.
void write_verdict(Fields& fields, const View& view) {
  if (fields.open("Weir-Tier")) {
    append_printable(fields.text(), view.tier_name);
    fields.close();
  }
  if (view.admit) return;
  fields.add("Weir-Reason", name(view.reason));
  write_violated(fields, view);
}

void write_denial(Fields& fields, const Signals& signals, std::string_view content_type) {
  fields.add("Content-Type", content_type);
  fields.add("Cache-Control", "no-store");
  if (signals.retry_after_s > 0 && fields.open("Retry-After")) {
    base::append_decimal(fields.text(), signals.retry_after_s);
    fields.close();
  }
}

}  // namespace

void render(Answer& answer, const View& view) {
  Signals signals;
  fill(signals, view);
  answer.status = view.status;
  answer.body.clear();
  answer.content_type = {};
  Fields fields(answer);
  if (!view.admit) {
    answer.content_type = write_body(answer.body, signals, view);
    write_denial(fields, signals, answer.content_type);
  }
  write_dialects(fields, signals, view);
  write_warning(fields, signals);
  if (view.degraded) fields.add("Weir-Degraded", "store");
  if (view.response->cors_expose) write_expose(fields);
  answer.signals = fields.count();
  write_verdict(fields, view);
  fields.finish();
}

}  // namespace weir::answer
