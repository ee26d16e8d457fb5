// Making Prometheus families: a name with its help, then a value for each set of labels.
#pragma once

#include <prometheus/metric_family.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::serve {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

prometheus::MetricFamily family(const char* name, const char* help, prometheus::MetricType type);
// A label may hold any bytes: what is no UTF-8 is replaced.
void add(prometheus::MetricFamily& to, double value, const MetricLabels& labels = {});

inline double as_double(std::uint64_t n) { return static_cast<double>(n); }

template <typename T>
double relaxed(const std::atomic<T>& value) {
  return as_double(value.load(std::memory_order_relaxed));
}

}  // namespace weir::serve
