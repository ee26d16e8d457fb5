// P8: a parsed request to its verdict, with the clock read and the key hashed, against the three
// things it cannot do without, all measured in turn in one run: reading the clock, one SipHash of a
// key, one compare-exchange.
//
// Prints a JSON object of medians in nanoseconds. A policy of 20 classes, 10,000 keys that stay
// hot, 1 limit and 4 limits.
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/digest.h"
#include "decide/engine.h"
#include "weir/clock.h"

namespace {

using weir::decide::Decision;
using weir::decide::Engine;

constexpr int kKeys = 10'000;
// Few enough to stay in the nearest cache, as the bytes of a request that was just parsed are.
constexpr int kTargets = 100;
constexpr int kRounds = 7;
constexpr int kPerRound = 200'000;

template <typename T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

double cpu_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Nanoseconds of CPU a call of `work(i)`: a busy machine does not count.
template <typename F>
double measure(F&& work) {
  const double begin = cpu_ns();
  for (int i = 0; i < kPerRound; ++i) work(i);
  return (cpu_ns() - begin) / kPerRound;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

std::string policy(int limits) {
  std::string text = "version: 1\ntiers: {t: {}}\nclasses:\n";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    text.append("  - {name: c").append(n).append(", match: [\"GET /v1/things");
    text.append(n).append("/{id}\"]}\n");
  }
  // Numbers under which every counter stays live and none ever denies.
  const char* rows[] = {
      "  - {name: a, key: [ip], rate: 10/min, burst: 1M}\n",
      "  - {name: b, key: [ip, class], rate: 20/min, burst: 1M}\n",
      "  - {name: c, key: [ip], algorithm: fixed_window, limit: 1G, window: 1h}\n",
      "  - {name: d, key: global, rate: 1k/s, burst: 100M}\n"};
  text += "limits:\n";
  for (int i = 0; i < limits; ++i) text += rows[i];
  return text;
}

class Path {
 public:
  explicit Path(int limits) {
    Engine::Opened opened = Engine::open_text(policy(limits), "bench.yaml");
    for (const auto& f : opened.findings) std::fprintf(stderr, "%s\n", f.text().c_str());
    if (!opened.engine) std::exit(2);
    engine_ = std::move(opened.engine);
    for (int i = 0; i < kTargets; ++i) {
      targets_.push_back("/v1/things" + std::to_string(i % 20) + "/" + std::to_string(1000 + i));
    }
  }

  void decide(int i) {
    const weir::identity::Facts& facts = parsed_[i & 1];
    parse(i + 1);
    engine_->decide(snapshots_->get(), facts, clock_.now(), decision_);
    keep(decision_.admit);
  }
  void start() {
    snapshots_ = std::make_unique<weir::decide::SnapshotCache>(*engine_);
    parse(0);
  }

 private:
  // A request ahead: what a real parser wrote has left the store buffer when it is decided.
  void parse(int i) {
    weir::identity::Facts& facts = parsed_[i & 1];
    const auto k = static_cast<std::size_t>(i) * 7919 % kKeys;
    facts.method = "GET";
    facts.target = targets_[k % kTargets];
    facts.client = address(k);
    facts.headers = headers_;
  }
  // One of 198.18.0.0/15.
  static weir::policy::Address address(std::size_t k) {
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 18, static_cast<std::uint8_t>(k >> 8),
             static_cast<std::uint8_t>(k)}};
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<weir::decide::SnapshotCache> snapshots_;
  weir::SystemClock clock_;
  Decision decision_;
  std::array<weir::identity::Facts, 2> parsed_;
  std::vector<std::string> targets_;
  std::array<weir::Field, 4> headers_{{{"Host", "api.example"},
                                       {"User-Agent", "bench/1"},
                                       {"Accept", "*/*"},
                                       {"X-Request-Id", "0123456789abcdef"}}};
};

}  // namespace

// `decide_path N` runs N limits alone, for a profiler.
int profile(int limits) {
  Path path(limits);
  path.start();
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kPerRound; ++i) path.decide(i);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 1) return profile(static_cast<int>(std::strtol(argv[1], nullptr, 10)));
  Path one(1);
  Path four(4);
  one.start();
  four.start();
  weir::SystemClock clock;
  const weir::base::HashSecret secret{1, 2};
  std::string key(26, 'k');
  std::atomic<std::uint64_t> word{0};
  const char* names[] = {"clock", "siphash", "cas", "decide_1", "decide_4"};
  std::array<std::vector<double>, 5> times;
  for (int round = 0; round < kRounds; ++round) {
    times[0].push_back(measure([&](int) { keep(clock.now().steady.ns); }));
    times[1].push_back(measure([&](int i) {
      key[0] = static_cast<char>(i);
      keep(weir::base::siphash13_128(secret, key).lo);
    }));
    times[2].push_back(measure([&](int) {
      std::uint64_t seen = word.load(std::memory_order_relaxed);
      keep(word.compare_exchange_strong(seen, seen + 1));
    }));
    times[3].push_back(measure([&](int i) { one.decide(i); }));
    times[4].push_back(measure([&](int i) { four.decide(i); }));
  }
  std::printf("{");
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::printf("%s\"%s\": %.1f", i == 0 ? "" : ", ", names[i], median(times[i]));
  }
  std::printf("}\n");
}
