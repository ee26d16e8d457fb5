#include "answer/dialects.h"

#include <algorithm>

#include "answer/structured.h"
#include "policy/dialect.h"

namespace weir::answer {
namespace {

using policy::FieldKind;

void separate(std::string& out, bool& first) {
  if (!first) out += ", ";
  first = false;
}

// Units beyond `requests` are sent where the draft's registry has them: a client could not know
// another one.
void append_unit(std::string& out, std::string_view unit) {
  if (unit == "content-bytes") out += ";qu=\"content-bytes\"";
}

void append_policy_items(std::string& out, const Signals& signals) {
  bool first = true;
  for (const Signal& s : signals.all()) {
    separate(out, first);
    append_string(out, s.limit->name);
    append_parameter(out, "q", s.quota);
    append_unit(out, s.limit->unit);
    append_parameter(out, "w", s.window_s);
  }
}

void append_limit_items(std::string& out, const Signals& signals) {
  bool first = true;
  for (const Signal& s : signals.all()) {
    separate(out, first);
    append_string(out, s.limit->name);
    append_parameter(out, "r", s.remaining);
    if (!s.never) append_parameter(out, "t", s.reset_s);
  }
}

void append_quota(std::string& out, const Signal& s, bool named) {
  base::append_decimal(out, s.quota);
  append_parameter(out, "w", s.window_s);
  if (!named) return;
  out += ";name=";
  append_string(out, s.limit->name);
}

// Two policies of one quota are ambiguous in the drafts 04 to 07: the shorter window stays, and of
// equal windows the first.
bool is_told_by_another(const Signal& s, const Signals& signals) {
  const auto all = signals.all();
  return std::any_of(all.begin(), all.end(), [&](const Signal& other) {
    if (&other == &s || other.quota != s.quota) return false;
    if (other.window_s != s.window_s) return other.window_s < s.window_s;
    return &other < &s;
  });
}

void append_policy_quotas(std::string& out, const Signals& signals) {
  bool first = true;
  for (const Signal& s : signals.all()) {
    if (is_told_by_another(s, signals)) continue;
    separate(out, first);
    append_quota(out, s, false);
  }
}

void append_limit_and(std::string& out, const Signal& shown, const Signals& signals, bool named) {
  base::append_decimal(out, shown.quota);
  for (const Signal& s : signals.all()) {
    out += ", ";
    append_quota(out, s, named);
  }
}

void append_dictionary(std::string& out, const Signal& shown) {
  out += "limit=";
  base::append_decimal(out, shown.quota);
  out += ", remaining=";
  base::append_decimal(out, shown.remaining);
  out += ", reset=";
  base::append_decimal(out, shown.reset_s);
}

void append_reset(std::string& out, const Signal& shown, const View& view, bool epoch) {
  base::append_decimal(out, epoch ? unix_seconds_after(view.now, shown.span) : shown.reset_s);
}

bool needs_one(FieldKind kind) {
  return kind != FieldKind::policy_items && kind != FieldKind::limit_items &&
         kind != FieldKind::policy_quotas && kind != FieldKind::denied_flag;
}

bool has_value(FieldKind kind, const Signal* shown, const Signals& signals, const View& view) {
  if (kind == FieldKind::denied_flag) return !view.admit;
  return needs_one(kind) ? shown != nullptr : signals.count > 0;
}

void append_value(std::string& out, FieldKind kind, const Signal* shown, const Signals& signals,
                  const View& view) {
  switch (kind) {
    case FieldKind::policy_items:
      return append_policy_items(out, signals);
    case FieldKind::limit_items:
      return append_limit_items(out, signals);
    case FieldKind::policy_quotas:
      return append_policy_quotas(out, signals);
    case FieldKind::limit_and_quotas:
      return append_limit_and(out, *shown, signals, false);
    case FieldKind::limit_and_named:
      return append_limit_and(out, *shown, signals, true);
    case FieldKind::limit_dictionary:
      return append_dictionary(out, *shown);
    case FieldKind::limit:
      return base::append_decimal(out, shown->quota);
    case FieldKind::remaining:
      return base::append_decimal(out, shown->remaining);
    case FieldKind::used:
      return base::append_decimal(out, shown->used());
    case FieldKind::reset_delta:
      return append_reset(out, *shown, view, false);
    case FieldKind::reset_epoch:
      return append_reset(out, *shown, view, true);
    case FieldKind::reset_chosen:
      return append_reset(out, *shown, view, view.response->reset_epoch);
    case FieldKind::name:
      return append_printable(out, shown->limit->name);
    case FieldKind::denied_flag:
      out += "true";
      return;
  }
}

}  // namespace

void write_dialects(Fields& fields, const Signals& signals, const View& view) {
  for (const policy::Dialect dialect : view.response->headers) {
    const policy::DialectRow& row = policy::row_of(dialect);
    const Signal* shown = row.shown == policy::Shown::lowest ? signals.lowest : signals.governing;
    for (const policy::DialectField& field : row.fields()) {
      if (!has_value(field.kind, shown, signals, view) || !fields.open(field.name)) continue;
      append_value(fields.text(), field.kind, shown, signals, view);
      fields.close();
    }
  }
}

}  // namespace weir::answer
