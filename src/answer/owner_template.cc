// The owner's body: the template's text with values where its placeholders stand.
#include "answer/answer.h"
#include "answer/body.h"
#include "answer/sentence.h"
#include "answer/words.h"
#include "base/json_writer.h"
#include "policy/body_template.h"

namespace weir::answer {
namespace {

using policy::Placeholder;

// One value in its place: a JSON value of its own, or a part of the string around it.
class Slot {
 public:
  Slot(std::string& out, bool in_string) : out_(out), json_(out), in_string_(in_string) {}

  void none() {
    if (!in_string_) out_ += "null";
  }
  void number(std::uint64_t n) { base::append_decimal(out_, n); }
  void text(std::string_view t) {
    if (t.empty()) return none();
    with([&] { json_.text(t); });
  }
  template <typename Write>
  void with(const Write& write) {
    if (!in_string_) out_ += '"';
    write();
    if (!in_string_) out_ += '"';
  }
  base::JsonWriter& json() { return json_; }
  std::string& out() { return out_; }

 private:
  std::string& out_;
  base::JsonWriter json_;
  bool in_string_;
};

// The placeholders that need a governing limit with numbers.
void write_number(Slot& slot, Placeholder p, const Signal* s, const View& view) {
  if (s == nullptr) return slot.none();
  switch (p) {
    case Placeholder::unit:
      return slot.text(s->limit->unit);
    case Placeholder::limit:
      return slot.number(s->quota);
    case Placeholder::remaining:
      return slot.number(s->remaining);
    case Placeholder::used:
      return slot.number(s->used());
    case Placeholder::window:
      return slot.with([&] { append_short_window(slot.out(), s->window_s); });
    case Placeholder::window_seconds:
      return slot.number(s->window_s);
    default:
      return slot.with([&] {
        append_rfc3339(slot.out(), unix_seconds_after(view.now, s->limit->outcome.reset));
      });
  }
}

void write_value(Slot& slot, Placeholder p, const Signals& signals, const View& view) {
  switch (p) {
    case Placeholder::status:
      return slot.number(view.status);
    case Placeholder::reason:
      return slot.text(name(view.reason));
    case Placeholder::message:
      return slot.with([&] { write_message(slot.json(), signals, view); });
    case Placeholder::policy:
      return view.governing < view.count ? slot.text(view.verdicts[view.governing].name)
                                         : slot.none();
    case Placeholder::retry_after:
      return signals.retry_after_s > 0 ? slot.number(signals.retry_after_s) : slot.none();
    case Placeholder::tier:
      return slot.text(view.tier_name);
    case Placeholder::docs:
      return slot.text(view.response->docs);
    case Placeholder::upgrade_label:
      return offers_upgrade(view) ? slot.text(view.upgrade_label) : slot.none();
    case Placeholder::upgrade_url:
      return offers_upgrade(view) ? slot.text(view.upgrade_url) : slot.none();
    default:
      return write_number(slot, p, signals.governing, view);
  }
}

// A body is one line of ASCII: layout between values goes, text within strings is escaped.
void append_template_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c >= 0x80) {
      const std::size_t from = at;
      base::detail::next_code_point(text, at);
      base::append_json_text(out, text.substr(from, at - from));
      continue;
    }
    if (c == 0x7F) {
      base::append_json_text(out, text.substr(at, 1));
    } else if (c >= 0x20) {
      out += text[at];
    }
    ++at;
  }
}

}  // namespace

bool write_template(std::string& out, const Signals& signals, const View& view) {
  out.clear();
  policy::TemplateScanner scanner(view.response->body_template);
  while (const auto piece = scanner.next()) {
    if (!piece->is_placeholder) {
      append_template_text(out, piece->text);
      continue;
    }
    const auto known = policy::placeholder(piece->text);
    if (!known) return false;  // check_template refuses it when the policy is loaded
    Slot slot(out, piece->in_string);
    write_value(slot, *known, signals, view);
  }
  return out.size() <= kMaxBody;
}

}  // namespace weir::answer
