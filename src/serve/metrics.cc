#include "serve/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "policy/words.h"
#include "serve/metric_family.h"
#include "serve/store_metrics.h"
#include "weir/decision.h"

namespace weir::serve {

namespace {

using policy::OnStoreFailure;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// Cells of one (limit, tier): a reason each for enforced verdicts and for shadow ones, and
// warnings.
constexpr std::size_t kReasons = 7;
constexpr std::size_t kShadow = kReasons;
constexpr std::size_t kWarned = 2 * kReasons;
constexpr std::size_t kKinds = kWarned + 1;

void bump(std::atomic<std::uint64_t>& cell, std::uint64_t by = 1) { net::HttpStats::add(cell, by); }

}  // namespace

void ThreadMetrics::count(const decide::Snapshot& snapshot, const decide::Decision& decision,
                          std::uint64_t took_ns) {
  if (snapshot.policy.get() != counting_) adopt(snapshot);
  const auto bucket = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), took_ns);
  bump(latency[static_cast<std::size_t>(bucket - kLatencyBounds.begin())]);
  bump(latency_sum_ns, took_ns);
  if (decision.skipped) bump(skipped);
  if (decision.degraded) count_degraded(*snapshot.policy, decision);
  if (decision.peek) return;
  const std::size_t tiers = snapshot.policy->tiers.size();
  for (const decide::LimitVerdict& v : decision.limits()) {
    const std::size_t base = (v.limit * tiers + decision.tier) * kKinds;
    const std::size_t shadow = v.mode == policy::Mode::shadow ? kShadow : 0;
    bump(table_->cells[base + shadow + static_cast<std::size_t>(v.outcome.reason)]);
    if (v.warned_ppm > 0 && v.outcome.admit) bump(table_->cells[base + kWarned]);
  }
}

void ThreadMetrics::count_degraded(const policy::Policy& policy, const decide::Decision& decision) {
  bump(degraded);
  for (const decide::LimitVerdict& v : decision.limits()) {
    if (v.applied() == nullptr) continue;  // the tier says `deny`: no store was needed
    bump(by_failure_policy[static_cast<std::size_t>(policy.limits[v.limit].on_store_failure)]);
  }
}

void ThreadMetrics::adopt(const decide::Snapshot& snapshot) {
  const policy::Policy& policy = *snapshot.policy;
  auto fresh = std::make_shared<Table>();
  fresh->policy = snapshot.policy;
  fresh->cells =
      std::vector<std::atomic<std::uint64_t>>(policy.limits.size() * policy.tiers.size() * kKinds);
  const std::lock_guard lock(mutex_);
  if (table_) add_table(*table_, past_decisions_, past_warnings_);
  table_ = std::move(fresh);
  counting_ = &policy;
}

void ThreadMetrics::add_table(const Table& table, SeriesCounts& decisions, SeriesCounts& warnings) {
  const policy::Policy& policy = *table.policy;
  std::size_t cell = 0;
  for (const policy::Limit& limit : policy.limits) {
    for (const policy::Tier& tier : policy.tiers) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const std::uint64_t n = table.cells[cell++].load(std::memory_order_relaxed);
        if (n == 0) continue;
        if (kind == kWarned) {
          warnings[{limit.name, tier.name, "", ""}] += n;
          continue;
        }
        const auto reason = static_cast<Reason>(kind % kReasons);
        const std::string verdict = reason == Reason::admitted ? "admit" : "deny";
        decisions[{limit.name, tier.name, (kind >= kShadow ? "shadow_" : "") + verdict,
                   std::string(weir::name(reason))}] += n;
      }
    }
  }
}

void ThreadMetrics::add_to(SeriesCounts& decisions, SeriesCounts& warnings) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [series, n] : past_decisions_) decisions[series] += n;
  for (const auto& [series, n] : past_warnings_) warnings[series] += n;
  if (table_) add_table(*table_, decisions, warnings);
}

ThreadMetrics& Metrics::add_thread() {
  threads_.push_back(std::make_unique<ThreadMetrics>());
  return *threads_.back();
}

void Metrics::add_listener(const std::string& name, const net::HttpStats& stats) {
  listeners_.emplace_back(name, &stats);
}

void Metrics::count_reload(bool adopted) {
  (adopted ? reloads_ok_ : reloads_failed_).fetch_add(1, std::memory_order_relaxed);
}

void Metrics::collect_decisions(std::vector<MetricFamily>& out) const {
  SeriesCounts decisions, warnings;
  std::uint64_t skipped = 0, degraded = 0;
  for (const auto& thread : threads_) {
    thread->add_to(decisions, warnings);
    skipped += thread->skipped.load(std::memory_order_relaxed);
    degraded += thread->degraded.load(std::memory_order_relaxed);
  }
  MetricFamily all =
      family("weir_decisions_total", "What each limit said of each request; shadow limits apart",
             MetricType::Counter);
  for (const auto& [s, n] : decisions) {
    add(all, as_double(n), {{"limit", s[0]}, {"tier", s[1]}, {"verdict", s[2]}, {"reason", s[3]}});
  }
  MetricFamily warned = family(
      "weir_warnings_total", "Admissions past a warn_at threshold of a limit", MetricType::Counter);
  for (const auto& [s, n] : warnings) add(warned, as_double(n), {{"limit", s[0]}, {"tier", s[1]}});
  MetricFamily exempt = family(
      "weir_requests_skipped_total",
      "Requests no limit was asked for: exempt classes and CORS preflights", MetricType::Counter);
  add(exempt, as_double(skipped));
  MetricFamily failed =
      family("weir_decisions_degraded_total", "Decisions in which a failure policy took part",
             MetricType::Counter);
  add(failed, as_double(degraded));
  for (MetricFamily* f : {&all, &warned, &exempt, &failed}) out.push_back(std::move(*f));
  out.push_back(family("weir_failure_policy_verdicts_total",
                       "What each limit's on_store_failure said in degraded decisions",
                       MetricType::Counter));
  for (const auto word : {OnStoreFailure::open, OnStoreFailure::closed, OnStoreFailure::local}) {
    double n = 0;
    for (const auto& thread : threads_) {
      n += relaxed(thread->by_failure_policy[static_cast<std::size_t>(word)]);
    }
    add(out.back(), n, {{"policy", std::string(policy::name(word))}});
  }
}

void Metrics::collect_latency(std::vector<MetricFamily>& out) const {
  MetricFamily made =
      family("weir_decision_seconds", "Time from a parsed request to its verdict and answer",
             MetricType::Histogram);
  ClientMetric metric;
  std::uint64_t cumulative = 0, sum_ns = 0;
  for (std::size_t i = 0; i <= kLatencyBounds.size(); ++i) {
    for (const auto& thread : threads_) {
      cumulative += thread->latency[i].load(std::memory_order_relaxed);
    }
    const double bound = i < kLatencyBounds.size() ? as_double(kLatencyBounds[i]) / 1e9
                                                   : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({cumulative, bound});
  }
  for (const auto& thread : threads_) {
    sum_ns += thread->latency_sum_ns.load(std::memory_order_relaxed);
  }
  metric.histogram.sample_count = cumulative;
  metric.histogram.sample_sum = as_double(sum_ns) / 1e9;
  made.metric.push_back(std::move(metric));
  out.push_back(std::move(made));
}

void Metrics::collect_http(std::vector<MetricFamily>& out) const {
  std::map<std::pair<std::string, std::size_t>, std::uint64_t> by_status;
  std::map<std::string, std::array<std::uint64_t, 4>> totals;
  for (const auto& [name, stats] : listeners_) {
    for (std::size_t s = 0; s < stats->by_status.size(); ++s) {
      const std::uint64_t n = stats->by_status[s].load(std::memory_order_relaxed);
      if (n > 0) by_status[{name, s}] += n;
    }
    auto& total = totals[name];
    total[0] += stats->open.load(std::memory_order_relaxed);
    total[1] += stats->accepted.load(std::memory_order_relaxed);
    total[2] += stats->refused.load(std::memory_order_relaxed);
    total[3] += stats->timed_out.load(std::memory_order_relaxed);
  }
  MetricFamily requests = family("weir_http_requests_total", "HTTP answers by listener and status",
                                 MetricType::Counter);
  for (const auto& [key, n] : by_status) {
    add(requests, as_double(n), {{"listener", key.first}, {"status", std::to_string(key.second)}});
  }
  out.push_back(std::move(requests));
  MetricFamily mistakes =
      family("weir_gateway_mistakes_total",
             "Requests refused because a gateway's settings are wrong", MetricType::Counter);
  for (std::size_t i = 0; i < kGatewayMistakes; ++i) {
    const auto kind = static_cast<GatewayMistake>(i);
    add(mistakes, as_double(mistakes_.total(kind)), {{"kind", std::string(name(kind))}});
  }
  out.push_back(std::move(mistakes));
  const std::pair<const char*, const char*> names[] = {
      {"weir_http_connections", "Connections that are open"},
      {"weir_http_connections_accepted_total", "Connections accepted"},
      {"weir_http_connections_refused_total", "Connections refused: too many were open"},
      {"weir_http_connections_timed_out_total", "Connections that exceeded a time limit"}};
  for (std::size_t i = 0; i < 4; ++i) {
    out.push_back(
        family(names[i].first, names[i].second, i == 0 ? MetricType::Gauge : MetricType::Counter));
    for (const auto& [name, total] : totals)
      add(out.back(), as_double(total[i]), {{"listener", name}});
  }
}

void Metrics::collect_policy(std::vector<MetricFamily>& out) const {
  out.push_back(family("weir_policy_info", "The policy in force", MetricType::Gauge));
  add(out.back(), 1, {{"id", engine_.snapshot()->policy->id}});
  out.push_back(family("weir_policy_reloads_total", "Reloads by result", MetricType::Counter));
  add(out.back(), relaxed(reloads_ok_), {{"result", "adopted"}});
  add(out.back(), relaxed(reloads_failed_), {{"result", "refused"}});
  if (log_errors_ != nullptr) {
    out.push_back(family("weir_decision_log_errors_total", "Writes to the decision log that failed",
                         MetricType::Counter));
    add(out.back(), relaxed(*log_errors_));
  }
}

std::vector<MetricFamily> Metrics::Collect() const {
  std::vector<MetricFamily> out;
  collect_decisions(out);
  collect_latency(out);
  collect_store(engine_.store(), out);
  collect_http(out);
  collect_policy(out);
  return out;
}

std::string Metrics::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, Collect());
  return std::move(out).str();
}

}  // namespace weir::serve
