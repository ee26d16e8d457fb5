// Lint rules about where counts live and what happens when they cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "design/lint/analysis.h"
#include "design/lint/rules.h"
#include "design/text.h"
#include "policy/guarantee.h"

namespace weir::design::lint {
namespace {

using policy::Limit;
using policy::OnStoreFailure;
using policy::Policy;

bool looks_like_login(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{
      "login", "signin", "sign-in", "sign_in", "password", "passwd", "otp", "2fa", "/oauth/token"};
  const std::string low = lower(text);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

bool is_login(const policy::Class& c) {
  return looks_like_login(c.name) ||
         std::any_of(c.match.begin(), c.match.end(),
                     [](const policy::Pattern& p) { return looks_like_login(p.path); });
}

}  // namespace

void memory_store_on_many_instances(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  if (policy.instances <= 1 || policy.store.type != policy::StoreType::memory) return;
  std::string sums;
  std::size_t shown = 0;
  for (const Limit& limit : policy.limits) {
    const auto numbers = std::find_if(limit.tiers.begin(), limit.tiers.end(), has_numbers);
    if (!enforced(limit) || numbers == limit.tiers.end() || shown == 3) continue;
    const algo::Numbers& n = numbers->numbers;
    sums += fmt::format("{}{}: {} x {} = {}", shown++ == 0 ? "" : "; ", quoted(limit.name),
                        policy.instances, rate_text(n.count, n.period_ns),
                        rate_text(detail::saturating_mul(n.count, policy.instances), n.period_ns));
  }
  report.add(context.keys.at("instances"),
             fmt::format("{} instances with the memory store each count for themselves{}{}",
                         policy.instances, sums.empty() ? "" : "; ", sums));
}

void slow_store(const Context& context, Report& report) {
  const policy::StoreConfig& store = context.policy.store;
  constexpr Duration kTight = milliseconds(50);
  if (store.type == policy::StoreType::memory || store.timeout <= kTight) return;
  report.add(context.keys.at("store.timeout"),
             fmt::format("a decision may wait {} for the store", duration_text(store.timeout)));
}

void store_without_secret(const Context& context, Report& report) {
  const policy::StoreConfig& store = context.policy.store;
  if (store.type == policy::StoreType::memory || store.has_secret) return;
  report.add(context.keys.at("store"),
             "the redis store has no `secret`: callers are hashed with a key that everybody knows");
}

void prefetch_under_a_guarantee(const Context& context, Report& report) {
  for (const policy::Guarantee& guarantee : context.policy.guarantees) {
    const policy::GuaranteeProof proof = policy::prove(context.policy, guarantee);
    if (!proof.proved) continue;
    const Limit& limit = context.policy.limits[*proof.limit];
    if (!limit.prefetch) continue;
    report.add(
        guarantee.at,
        fmt::format("guarantee {} rests on {}, of which tokens are taken ahead: it holds for "
                    "{} and no more",
                    quoted(guarantee.name), quoted(limit.name),
                    context.policy.instances == 1
                        ? "one instance"
                        : fmt::format("{} instances", context.policy.instances)));
  }
}

void local_without_instances(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  if (policy.store.type == policy::StoreType::memory || context.keys.has("instances")) return;
  const auto local = std::find_if(policy.limits.begin(), policy.limits.end(), [](const Limit& l) {
    return enforced(l) && l.on_store_failure == OnStoreFailure::local;
  });
  if (local == policy.limits.end()) return;
  report.add(
      local->at,
      fmt::format("{} counts in each process while the store is away, and `instances` is not "
                  "given: each would admit the whole limit",
                  quoted(local->name)));
}

void prefetch_of_a_small_burst(const Context& context, Report& report) {
  for (const Limit& limit : context.policy.limits) {
    if (!limit.prefetch || limit.algorithm != Algorithm::token_bucket) continue;
    for (const policy::LimitNumbers& tier : limit.tiers) {
      if (!has_numbers(tier)) continue;
      const Duration full = algo::time_to_full(tier.numbers);
      // A rate that no caller needs many tokens of is charged directly.
      const bool slow = tier.numbers.period_ns / tier.numbers.count > milliseconds(20).ns;
      if (slow || full >= milliseconds(100)) continue;
      report.add(tier.at, fmt::format("{} fills within {}, and `prefetch` asks every 20 ms",
                                      quoted(limit.name), duration_text(full)));
      break;
    }
  }
}

void guarantee_fails_open(const Context& context, Report& report) {
  for (const policy::Guarantee& guarantee : context.policy.guarantees) {
    const policy::GuaranteeProof proof = policy::prove(context.policy, guarantee);
    if (!proof.proved) continue;
    const Limit& limit = context.policy.limits[*proof.limit];
    if (limit.on_store_failure != OnStoreFailure::open) continue;
    report.add(guarantee.at,
               fmt::format("guarantee {} rests on {}, which admits everything when the store fails",
                           quoted(guarantee.name), quoted(limit.name)));
  }
}

void login_fails_open(const Context& context, Report& report) {
  const Policy& policy = context.policy;
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (!declared(policy, c) || policy.classes[c].exempt || !is_login(policy.classes[c])) continue;
    bool any = false;
    bool all_open = true;
    for (const Limit& limit : policy.limits) {
      if (!limit.covers[c] || !enforced(limit) || is_global(limit)) continue;
      any = true;
      all_open = all_open && limit.on_store_failure == OnStoreFailure::open;
    }
    if (!any || !all_open) continue;
    report.add(policy.classes[c].at,
               fmt::format("every limit of class {} admits when the store fails: guessing "
                           "passwords is then unlimited",
                           quoted(policy.classes[c].name)));
  }
}

void failure_policy_defaulted(const Context& context, Report& report) {
  if (context.keys.has("defaults.on_store_failure") || !context.keys.has("limits")) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; context.keys.has(fmt::format("limits[{}]", i)); ++i) {
    if (context.keys.has(fmt::format("limits[{}].on_store_failure", i))) return;
  }
  report.add(context.keys.at("limits"),
             "no limit says what happens when the store fails: all of them admit (open)");
}

}  // namespace weir::design::lint
