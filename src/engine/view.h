// A Decision as the answer's View: ids become names and numbers.
#pragma once

#include "answer/view.h"
#include "decide/decision.h"
#include "decide/snapshot.h"

namespace weir::engine {

// `view` is reused; its views are those of `snapshot` and `decision`. No allocation.
void fill_view(answer::View& view, const decide::Snapshot& snapshot,
               const decide::Decision& decision);

}  // namespace weir::engine
