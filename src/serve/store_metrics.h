// What a store tells about itself, as Prometheus families: of the memory store how full it is, of
// the redis store how it fares.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "store/store.h"

namespace weir::serve {

// Any thread; never waits for another machine.
void collect_store(const store::Store& store, std::vector<prometheus::MetricFamily>& out);

}  // namespace weir::serve
