#include "serve/store_metrics.h"

#include <array>
#include <string>
#include <utility>

#include "guard/guard_store.h"
#include "redis/redis_store.h"
#include "remote/open_store.h"
#include "serve/metric_family.h"

namespace weir::serve {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using BreakerState = redis::Breaker::State;

class Collector {
 public:
  explicit Collector(std::vector<MetricFamily>& out) : out_(out) {}

  void one(const char* name, const char* help, MetricType type, std::uint64_t value) {
    out_.push_back(family(name, help, type));
    add(out_.back(), as_double(value));
  }
  void gauge(const char* name, const char* help, std::uint64_t value) {
    one(name, help, MetricType::Gauge, value);
  }
  void counter(const char* name, const char* help, std::uint64_t value) {
    one(name, help, MetricType::Counter, value);
  }
  void by_kind(const char* name, const char* help,
               const std::array<std::uint64_t, redis::kFailures>& counts) {
    out_.push_back(family(name, help, MetricType::Counter));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::string kind(redis::name(static_cast<redis::Failure>(i)));
      add(out_.back(), as_double(counts[i]), {{"kind", kind}});
    }
  }
  void breaker(BreakerState state) {
    static constexpr std::array<std::pair<BreakerState, const char*>, 3> kStates{
        {{BreakerState::closed, "closed"},
         {BreakerState::open, "open"},
         {BreakerState::half_open, "half_open"}}};
    out_.push_back(family("weir_store_breaker", "The breaker's state: 1 for the one it is in",
                          MetricType::Gauge));
    for (const auto& [value, word] : kStates) {
      add(out_.back(), value == state ? 1 : 0, {{"state", word}});
    }
  }

 private:
  std::vector<MetricFamily>& out_;
};

void collect_memory(const store::Stats& stats, Collector to) {
  to.gauge("weir_store_keys", "Counters held, those that are full again included", stats.keys);
  to.gauge("weir_store_capacity_keys", "The most counters the store holds (max_keys)",
           stats.capacity);
  to.counter("weir_store_reclaimed_total", "Counters that were full again and gave up their place",
             stats.reclaimed);
  to.counter("weir_store_full_total", "Charges that found no place in the table", stats.full);
}

void collect_redis(const redis::Health& health, Collector to) {
  to.by_kind("weir_store_errors_total",
             "Requests that the store gave no verdict for, by what failed", health.failed);
  to.by_kind("weir_store_connection_errors_total",
             "Connections to the store that failed or ended, by why", health.failed_connections);
  to.breaker(health.breaker);
  to.counter("weir_store_breaker_opened_total", "How often the breaker opened", health.opened);
  to.gauge("weir_store_connections", "Connections to the store that are ready", health.connected);
  to.counter("weir_store_connects_total", "Connections that became ready", health.connects);
  to.gauge("weir_store_in_flight", "Requests that wait for the store", health.waiting);
  to.counter("weir_store_answered_total", "Requests with a verdict of the store", health.answered);
  to.counter("weir_store_batches_total", "Script calls sent; each may decide many requests",
             health.batches);
  to.counter("weir_store_resent_total", "Script calls sent again because the script was unknown",
             health.resent);
  to.gauge("weir_store_servers", "Servers that keep counters, as far as it is known which do",
           health.servers);
  to.gauge("weir_store_servers_ready", "Of those, the ones with a connection that is ready",
           health.ready);
  to.counter("weir_store_redirected_total",
             "Requests that a cluster sent to another node, or asked for a moment",
             health.redirected);
  to.counter("weir_store_refunded_total",
             "Charges given back because the request was denied or failed on another node",
             health.refunded);
  to.counter("weir_store_refunds_lost_total",
             "Of those, the ones whose counter perhaps never heard of it", health.refunds_lost);
  to.counter("weir_store_late_replies_total", "Replies that nobody waited for any more",
             health.late);
}

void collect_guard(const guard::Counts& counts, Collector to) {
  to.counter("weir_store_denied_again_total",
             "Denials that the store was not asked for: it had said until when",
             counts.denied_again);
  to.counter("weir_prefetch_admitted_total", "Requests admitted from tokens taken ahead",
             counts.prefetched);
  to.counter("weir_prefetch_denied_total",
             "Requests denied because the store had no more tokens to take a moment ago",
             counts.rested);
  to.counter("weir_prefetch_asked_total", "Questions for tokens ahead", counts.asked);
  to.counter("weir_prefetch_tokens_total", "Tokens taken ahead", counts.taken);
  to.counter("weir_prefetch_returned_total", "Tokens given back unused", counts.returned);
  to.counter("weir_prefetch_returns_total", "Commands that gave tokens back", counts.returns);
  to.gauge("weir_prefetch_leases", "Counters with tokens in hand", counts.leases);
}

}  // namespace

void collect_store(const store::Store& store, std::vector<MetricFamily>& out) {
  if (const redis::RedisStore* redis = remote::redis_of(store)) {
    collect_redis(redis->health(), Collector(out));
    if (const auto* guard = dynamic_cast<const guard::GuardStore*>(&store)) {
      collect_guard(guard->counts(), Collector(out));
    }
  } else {
    collect_memory(store.stats(), Collector(out));
  }
}

}  // namespace weir::serve
