// What happened, in a sentence: `detail` (names the policy) and `message` (speaks to the caller).
#pragma once

#include "answer/signals.h"
#include "answer/view.h"
#include "base/json_writer.h"

namespace weir::answer {

// Both append to an open text of the writer. `name` is false where it would not fit.
void write_detail(base::JsonWriter& json, const Signals& signals, const View& view, bool name);
void write_message(base::JsonWriter& json, const Signals& signals, const View& view);

}  // namespace weir::answer
