// Lint rules about what a client is told.
#include <fmt/format.h>

#include <algorithm>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"

namespace weir::design::lint {
namespace {

using policy::Dialect;

enum class Reset { none, delta, epoch };

// What a dialect's reset header counts in. draft_11 has none: its `t` is a parameter.
Reset reset_of(Dialect dialect, bool epoch_asked) {
  switch (dialect) {
    case Dialect::draft_11:
      return Reset::none;
    case Dialect::draft_03:
    case Dialect::draft_06:
    case Dialect::draft_07:
    case Dialect::envoy:
      return Reset::delta;
    case Dialect::fields:
    case Dialect::x_ratelimit:
      return epoch_asked ? Reset::epoch : Reset::delta;
    case Dialect::github:
    case Dialect::twitter:
      return Reset::epoch;
  }
  return Reset::none;
}

}  // namespace

void no_headers(const Context& context, Report& report) {
  if (!context.policy.response.headers.empty()) return;
  report.add(context.keys.at("response.headers"),
             "no header tells clients their limit or what is left of it");
}

void resets_disagree(const Context& context, Report& report) {
  const policy::Response& response = context.policy.response;
  bool delta = false;
  bool epoch = false;
  for (const Dialect dialect : response.headers) {
    const Reset reset = reset_of(dialect, response.reset_epoch);
    delta = delta || reset == Reset::delta;
    epoch = epoch || reset == Reset::epoch;
  }
  if (!delta || !epoch) return;
  report.add(context.keys.at("response.headers"),
             "one answer carries a reset in seconds from now and one as a Unix time");
}

void no_jitter(const Context& context, Report& report) {
  if (context.policy.response.jitter_ppm != 0) return;
  for (const policy::Limit& limit : context.policy.limits) {
    if (limit.algorithm != Algorithm::fixed_window || !enforced(limit) || is_global(limit))
      continue;
    const auto n = std::find_if(limit.tiers.begin(), limit.tiers.end(), has_numbers);
    if (n == limit.tiers.end() || n->numbers.align != Align::epoch) continue;
    if (Duration{n->numbers.period_ns} < minutes(1)) continue;
    report.add(limit.at,
               fmt::format("every caller that {} denies is told to come back at the same instant, "
                           "the end of the {} window",
                           quoted(limit.name), duration_text({n->numbers.period_ns})));
    return;
  }
}

void no_docs(const Context& context, Report& report) {
  if (!context.policy.response.docs.empty()) return;
  report.add(context.keys.at("response"), "denials do not say where the limits are documented");
}

void no_headers_and_no_warning(const Context& context, Report& report) {
  const policy::Policy& policy = context.policy;
  if (!policy.response.headers.empty()) return;
  if (std::any_of(policy.limits.begin(), policy.limits.end(),
                  [](const policy::Limit& limit) { return !limit.warn_at_ppm.empty(); })) {
    return;
  }
  report.add(context.keys.at("response.headers"),
             "a client learns of its limit by being denied: no headers, and no `warn_at`");
}

}  // namespace weir::design::lint
