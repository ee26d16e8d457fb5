// The body of a denial: an RFC 9457 problem, the member `error`, both, or the owner's template.
#pragma once

#include <string>
#include <string_view>

#include "answer/signals.h"
#include "answer/view.h"

namespace weir::answer {

// Replaces `out` by at most kMaxBody bytes of JSON on one line, ASCII only, and returns its media
// type. What does not fit is left out, in this order: upgrade, documentation, the names of violated
// policies beyond the first.
std::string_view write_body(std::string& out, const Signals& signals, const View& view);

// The owner's template with its values; false (and `out` unfinished) where it exceeds kMaxBody.
bool write_template(std::string& out, const Signals& signals, const View& view);

// Whether a limit had a part in the denial.
inline bool violated(const View& view, const LimitView& limit) {
  return !view.admit && !limit.outcome.admit;
}

// Whether the next public tier helps: it does not where the service itself is short of capacity.
inline bool offers_upgrade(const View& view) {
  return view.status != 503 && !view.upgrade_label.empty() && !view.upgrade_url.empty();
}

}  // namespace weir::answer
