// The JSON answers of /v1/check and /v1/usage. Appends; allocates only while the string grows.
#pragma once

#include <string>

#include "answer/answer.h"
#include "base/json_writer.h"
#include "decide/decision.h"
#include "decide/snapshot.h"

namespace weir::serve {

// {admit, status, reason, class, tier, account, governing, retry_after_ms, delay_ms, degraded,
// limits, headers, body}: a handler copies `status`, `headers` and `body` and computes nothing.
// `retry_after_ms` is null for never, `body` null on an admission.
void append_verdict(std::string& out, const decide::Snapshot& snapshot,
                    const decide::Decision& decision, const answer::Answer& answer);

// What the JSON of a limit ends with: window_ms, reset_ms (null: never) and mode.
void append_limit_end(base::JsonWriter& json, const decide::LimitVerdict& verdict);

}  // namespace weir::serve
