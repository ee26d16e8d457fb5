#include "traffic/alternatives.h"

#include "algo/numbers.h"

namespace weir::traffic {
namespace {

bool is_bucket(Algorithm algorithm) {
  return algorithm == Algorithm::token_bucket || algorithm == Algorithm::leaky_bucket;
}

Result<algo::Numbers> converted(const algo::Numbers& n, Algorithm algorithm) {
  const Duration period{n.period_ns};
  switch (algorithm) {
    case Algorithm::token_bucket:
      return algo::make_token_bucket(n.count, period, is_bucket(n.algorithm) ? n.burst : n.count);
    case Algorithm::leaky_bucket:
      return algo::make_leaky_bucket(n.count, period,
                                     (is_bucket(n.algorithm) ? n.burst : n.count) - 1);
    case Algorithm::fixed_window:
    case Algorithm::sliding_window:
    case Algorithm::sliding_log:
      break;
  }
  return algo::make_window(algorithm, n.count, period);
}

Result<void> convert(policy::LimitNumbers& numbers, Algorithm algorithm) {
  if (numbers.kind != policy::NumbersKind::numbers) return {};
  for (algo::Numbers* n : {&numbers.numbers, &numbers.shared}) {
    if (n->algorithm == algorithm) continue;
    auto made = converted(*n, algorithm);
    if (!made) return made.error();
    *n = *made;
  }
  return {};
}

}  // namespace

Result<void> use_algorithm(policy::Policy& policy, Algorithm algorithm) {
  for (policy::Limit& limit : policy.limits) {
    limit.algorithm = algorithm;
    for (policy::LimitNumbers& numbers : limit.tiers) {
      if (auto done = convert(numbers, algorithm); !done) {
        return Error{done.error().code, done.error().message, limit.name};
      }
    }
    for (policy::Override& o : limit.overrides) {
      if (auto done = convert(o.numbers, algorithm); !done) {
        return Error{done.error().code, done.error().message, limit.name};
      }
    }
  }
  return {};
}

}  // namespace weir::traffic
