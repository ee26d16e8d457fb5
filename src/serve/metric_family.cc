#include "serve/metric_family.h"

#include <string_view>

namespace weir::serve {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

// A label as any scraper takes it: what is no UTF-8 becomes U+FFFD. Quotes, backslashes and line
// ends are the serializer's to escape.
std::string utf8(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    bool good = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    }
    if (good) {
      out += text.substr(i, length);
    } else {
      out += "\xEF\xBF\xBD";
    }
    i += good ? length : 1;
  }
  return out;
}

}  // namespace

MetricFamily family(const char* name, const char* help, MetricType type) {
  MetricFamily made;
  made.name = name;
  made.help = help;
  made.type = type;
  return made;
}

void add(MetricFamily& to, double value, const MetricLabels& labels) {
  ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, utf8(text)});
  if (to.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  to.metric.push_back(std::move(metric));
}

}  // namespace weir::serve
