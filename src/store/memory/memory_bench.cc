// The memory store's decisions: keys x threads, one limit and four, denied and admitted.
//
//   memory_bench --benchmark_repetitions=5 --benchmark_report_aggregates_only
//
// Digests are made beforehand and `now` is given, so the numbers are the store's own; BM_Floor has
// what a decision cannot go below here: one uncontended mutex and one GCRA step.
#include <benchmark/benchmark.h>

#include <mutex>

#include "algo/step.h"
#include "store/memory/memory_store.h"

namespace weir::store {
namespace {

constexpr Now kNow{{86'400'000'000'000}, 0};

class Ignore final : public Sink {
 public:
  void decided(const Verdict& verdict) override { admitted += verdict.admit ? 1 : 0; }
  std::uint64_t admitted = 0;
};

MemoryStore& store() {
  static const std::unique_ptr<MemoryStore> shared =
      std::move(*MemoryStore::open({.max_keys = 2'000'000, .secret = base::HashSecret{1, 2}}));
  return *shared;
}

const algo::Numbers& roomy() {
  static const algo::Numbers numbers =
      *algo::make_token_bucket(1'000'000'000, seconds(1), 1ull << 40);
  return numbers;
}

const algo::Numbers& spent() {
  static const algo::Numbers numbers = *algo::make_token_bucket(1, days(1), 1);
  return numbers;
}

base::Digest digest(std::uint64_t slot, std::uint64_t key) {
  const std::uint64_t words[] = {slot, key};
  return base::siphash13_128({1, 2}, {reinterpret_cast<const char*>(words), sizeof words});
}

// Keys in random order, made once for each thread.
std::vector<base::Digest> digests(std::uint64_t slot, std::uint64_t keys) {
  std::vector<base::Digest> made(1 << 16);
  std::uint64_t random = 88'172'645'463'325'252;
  for (base::Digest& d : made) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    d = digest(slot, random % keys);
  }
  return made;
}

void run(benchmark::State& state, Slot slot, const algo::Numbers& numbers, std::size_t limits) {
  const auto keys = digests(slot, static_cast<std::uint64_t>(state.range(0)));
  std::vector<Charge> charges(limits);
  for (std::size_t i = 0; i < limits; ++i) {
    charges[i].slot = static_cast<Slot>(slot + i);
    charges[i].numbers = &numbers;
  }
  const Request request{charges, false};
  Ignore sink;
  std::size_t at = 0;
  for (auto _ : state) {
    for (Charge& c : charges) c.key = keys[at++ & 0xffff];
    store().charge({&request, 1}, kNow, sink);
  }
  benchmark::DoNotOptimize(sink.admitted);
  state.SetItemsProcessed(state.iterations());
}

void BM_MemoryCharge(benchmark::State& state) { run(state, 10, roomy(), 1); }
void BM_MemoryDenied(benchmark::State& state) { run(state, 20, spent(), 1); }
void BM_MemoryFourLimits(benchmark::State& state) { run(state, 30, roomy(), 4); }

void BM_Floor(benchmark::State& state) {
  std::mutex mutex;
  algo::State tat;
  for (auto _ : state) {
    const std::lock_guard lock(mutex);
    const algo::Step step = algo::charge(roomy(), tat, 1, kNow);
    if (step.outcome.admit) tat = step.next;
    benchmark::DoNotOptimize(tat);
  }
}

BENCHMARK(BM_MemoryCharge)
    ->ArgName("keys")
    ->Arg(1)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Threads(1)
    ->Threads(2)
    ->UseRealTime();
BENCHMARK(BM_MemoryDenied)
    ->ArgName("keys")
    ->Arg(1)
    ->Arg(10'000)
    ->Threads(1)
    ->Threads(2)
    ->UseRealTime();
BENCHMARK(BM_MemoryFourLimits)->ArgName("keys")->Arg(10'000)->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK(BM_Floor);

}  // namespace
}  // namespace weir::store
