// What weir counts, and its Prometheus text.
//
// Each thread counts in cells of its own (a load and a store, no lock); a scrape adds them up. The
// series depend on the policy (limits x tiers x reasons that occurred), never on clients. Counts
// survive a reload: what a thread counted under an old policy is kept by name.
//
//   ThreadMetrics& mine = metrics.add_thread();
//   mine.count(snapshot, decision);   // on that thread only
//   metrics.write(out);               // any thread
#pragma once

#include <prometheus/collectable.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decide/decision.h"
#include "decide/engine.h"
#include "decide/snapshot.h"
#include "net/http_limits.h"
#include "serve/gateway_mistakes.h"
#include "weir/clock.h"

namespace weir::serve {

// (limit, tier, verdict, reason)
using SeriesName = std::array<std::string, 4>;
using SeriesCounts = std::map<SeriesName, std::uint64_t>;

// Nanoseconds; 20 ms is the default deadline of a store, and what a machine may add to it.
inline constexpr std::array<std::uint64_t, 16> kLatencyBounds{
    500,     1'000,   2'500,     5'000,     10'000,     25'000,     50'000,      100'000,
    250'000, 500'000, 1'000'000, 5'000'000, 10'000'000, 20'000'000, 100'000'000, 1'000'000'000};

class ThreadMetrics {
 public:
  void count(const decide::Snapshot& snapshot, const decide::Decision& decision,
             std::uint64_t took_ns);

  // Any thread: adds this one's counts.
  void add_to(SeriesCounts& decisions, SeriesCounts& warnings) const;

  std::array<std::atomic<std::uint64_t>, kLatencyBounds.size() + 1> latency{};
  std::atomic<std::uint64_t> latency_sum_ns{0};
  std::atomic<std::uint64_t> skipped{0};
  std::atomic<std::uint64_t> degraded{0};
  // What failure policies said in degraded decisions, a limit at a time: by policy::OnStoreFailure.
  std::array<std::atomic<std::uint64_t>, 3> by_failure_policy{};

 private:
  // One policy's cells: [limit][tier][kind], see metrics.cc for the kinds.
  struct Table {
    std::shared_ptr<const policy::Policy> policy;
    std::vector<std::atomic<std::uint64_t>> cells;
  };

  void count_degraded(const policy::Policy& policy, const decide::Decision& decision);
  void adopt(const decide::Snapshot& snapshot);
  static void add_table(const Table& table, SeriesCounts& decisions, SeriesCounts& warnings);

  const policy::Policy* counting_ = nullptr;  // that of table_, without the lock
  std::shared_ptr<Table> table_;              // replaced under the lock
  mutable std::mutex mutex_;
  SeriesCounts past_decisions_;  // under earlier policies
  SeriesCounts past_warnings_;
};

class Metrics final : public prometheus::Collectable {
 public:
  explicit Metrics(decide::Engine& engine) : engine_(engine) {}

  ThreadMetrics& add_thread();
  void add_listener(const std::string& name, const net::HttpStats& stats);
  void count_reload(bool adopted);
  void count_log_errors(const std::atomic<std::uint64_t>* errors) { log_errors_ = errors; }

  GatewayMistakes& mistakes() { return mistakes_; }

  std::vector<prometheus::MetricFamily> Collect() const override;
  // The text exposition format.
  std::string text() const;

 private:
  void collect_decisions(std::vector<prometheus::MetricFamily>& out) const;
  void collect_latency(std::vector<prometheus::MetricFamily>& out) const;
  void collect_http(std::vector<prometheus::MetricFamily>& out) const;
  void collect_policy(std::vector<prometheus::MetricFamily>& out) const;

  decide::Engine& engine_;
  std::vector<std::unique_ptr<ThreadMetrics>> threads_;  // fixed before serving begins
  std::vector<std::pair<std::string, const net::HttpStats*>> listeners_;
  GatewayMistakes mistakes_;
  std::atomic<std::uint64_t> reloads_ok_{0};
  std::atomic<std::uint64_t> reloads_failed_{0};
  const std::atomic<std::uint64_t>* log_errors_ = nullptr;
};

}  // namespace weir::serve
