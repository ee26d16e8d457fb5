// The JSON answers of /v1/check and /v1/usage. Appends; allocates only while the string grows.
#pragma once

#include <string>

#include "answer/answer.h"
#include "decide/decision.h"
#include "decide/snapshot.h"

namespace weir::serve {

// {admit, status, reason, class, tier, account, governing, retry_after_ms, delay_ms, degraded,
// limits, headers, body}: a handler copies `status`, `headers` and `body` and computes nothing.
// `retry_after_ms` is null for never, `body` null on an admission.
void append_verdict(std::string& out, const decide::Snapshot& snapshot,
                    const decide::Decision& decision, const answer::Answer& answer);

// "enforce", "shadow", "off".
std::string_view mode_name(policy::Mode mode);

}  // namespace weir::serve
