// P14 and P15: an access log to keyed events in order of time; the replay of one algorithm over
// them, as a fit asks it and as a whole policy of one limit; the least bursts of all keys for 64
// rates.
//
//   log_read FILE      prints a JSON object: lines, and CPU seconds of each part by algorithm
//
// CPU time of all threads, so that it is of one core whatever the machine has.
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "decide/engine.h"
#include "design/fit/burst.h"
#include "design/fit/trial.h"
#include "traffic/reader.h"
#include "traffic/replay.h"

namespace {

double cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

weir::decide::Engine& engine_of(const std::string& limit) {
  const std::string text =
      "version: 1\nclasses:\n  - {name: shop, match: [\"/shop/**\"]}\nlimits:\n  - {name: a, key: "
      "[ip], classes: [shop], " +
      limit + "}\n";
  auto opened = weir::decide::Engine::open_text(text, "policy.yaml");
  if (!opened.engine) {
    std::fprintf(stderr, "%s\n", opened.findings.front().text().c_str());
    std::exit(1);
  }
  return *opened.engine.release();  // as long as the process
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: log_read FILE\n");
    return 2;
  }
  weir::traffic::ReadOptions how;
  how.format = "combined";
  how.keep_query = false;
  double begin = cpu_s();
  const auto logs = weir::traffic::read_logs({argv[1]}, how);
  if (!logs) {
    std::fprintf(stderr, "%s\n", logs.error().text().c_str());
    return 1;
  }
  auto& keyed = engine_of("algorithm: fixed_window, limit: 10, window: 1m");
  const weir::traffic::Keys keys(*keyed.snapshot(), logs->events);
  std::printf("{\"lines\": %llu, \"keys\": %zu, \"read\": %.4f",
              static_cast<unsigned long long>(logs->report.lines), keys.size(), cpu_s() - begin);
  std::vector<std::size_t> admitted_by_policy;
  for (const char* algorithm : {"token_bucket", "fixed_window", "sliding_window", "sliding_log"}) {
    const bool bucket = std::string(algorithm) == "token_bucket";
    auto& engine = engine_of(std::string("algorithm: ") + algorithm +
                             (bucket ? ", rate: 10/min, burst: 10" : ", limit: 10, window: 1m"));
    begin = cpu_s();
    weir::traffic::Replay replay(engine, logs->events);
    std::size_t admitted = 0;
    for (std::size_t i = 0; i < logs->events.size(); ++i)
      admitted += replay.decide(i).admit ? 1 : 0;
    std::printf(", \"policy_%s\": %.4f", algorithm, cpu_s() - begin);
    admitted_by_policy.push_back(admitted);
  }
  std::vector<weir::design::Trace> traces(keys.size());
  for (std::size_t i = 0; i < logs->events.size(); ++i) {
    const auto event = logs->events.at(i);
    traces[keys.of(event.caller)].at_ns.push_back(event.start_ns);
  }
  constexpr auto kWindow = weir::seconds(60);
  const std::array<weir::algo::Numbers, 4> alternatives{
      *weir::algo::make_token_bucket(10, kWindow, 10),
      *weir::algo::make_window(weir::Algorithm::fixed_window, 10, kWindow),
      *weir::algo::make_window(weir::Algorithm::sliding_window, 10, kWindow),
      *weir::algo::make_window(weir::Algorithm::sliding_log, 10, kWindow)};
  for (std::size_t a = 0; a < alternatives.size(); ++a) {
    begin = cpu_s();
    const auto trial = weir::design::try_limit(traces, alternatives[a]);
    const std::string name(weir::name(alternatives[a].algorithm));
    std::printf(", \"%s\": %.4f", name.c_str(), cpu_s() - begin);
    if (trial.requests - trial.rejected != admitted_by_policy[a]) {
      std::fprintf(stderr, "%s: the fit and the policy do not agree\n", name.c_str());
      return 1;
    }
  }
  const auto rates = weir::design::rate_grid(0.001, 1'000);
  constexpr int kRounds = 20;
  double sum = 0;  // used, so that nothing is left out
  begin = cpu_s();
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& trace : traces) sum += weir::design::minimal_bursts(trace, rates)[32];
  }
  std::printf(", \"fit\": %.4f, \"fit_events\": %zu, \"sum\": %.1f}\n", cpu_s() - begin,
              kRounds * logs->events.size(), sum);
  return 0;
}
