// What a weir::Verdict holds: a decision, and the snapshot that its views point into.
#pragma once

#include <memory>

#include "decide/decision.h"
#include "decide/snapshot.h"
#include "weir/engine.h"

namespace weir {

struct Verdict::Impl {
  std::shared_ptr<const decide::Snapshot> snapshot;
  decide::Decision decision;
};

}  // namespace weir
