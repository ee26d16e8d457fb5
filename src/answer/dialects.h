// The RateLimit fields of a policy's dialects, after the table of policy/dialect.h.
#pragma once

#include "answer/fields.h"
#include "answer/signals.h"
#include "answer/view.h"

namespace weir::answer {

// In the order of `response.headers`; a field that two dialects name is sent once, as the first
// has it. A field without a value (no limit applies) is left out.
void write_dialects(Fields& fields, const Signals& signals, const View& view);

}  // namespace weir::answer
