// `weir bench`: a running weir asked with synthetic traffic, at the times at which it would come.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "base/json_writer.h"
#include "cli/decision_text.h"
#include "cli/http_client.h"
#include "cli/progress_line.h"
#include "cli/report.h"
#include "cli/request.h"
#include "cli/session.h"
#include "cli/shapes.h"
#include "cli/table.h"
#include "design/text.h"
#include "traffic/wait_histogram.h"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Asked {
  std::string server;
  ShapesAsked traffic{{}, "10s"};
  std::uint64_t connections = 16;
  std::uint64_t seed = 1;
  std::string format = "text";
};

// What came of the requests; each connection counts for itself.
struct Outcome {
  std::uint64_t admitted = 0;
  std::uint64_t denied = 0;
  std::uint64_t degraded = 0;                      // of both
  std::map<std::string, std::uint64_t> denied_by;  // the governing limit
  std::map<std::string, std::uint64_t> failures;
  traffic::WaitHistogram latency;
  Duration late;  // the most that a request was sent after its time

  std::uint64_t failed() const {
    std::uint64_t sum = 0;
    for (const auto& [why, count] : failures) sum += count;
    return sum;
  }
};

RequestSpec request_of(const traffic::Events& events, std::size_t i) {
  const traffic::Event event = events.at(i);
  const traffic::CallerFacts& who = events.caller(event.caller);
  RequestSpec spec;
  spec.method = events.method(event.request);
  spec.path = events.target(event.request);
  spec.client_ip = who.client;
  for (const Field& header : who.headers) {
    spec.headers.emplace_back(header.name, header.value);
  }
  for (const identity::StatedCost& cost : events.costs(i)) {
    spec.costs.emplace_back(cost.unit, cost.cost);
  }
  return spec;
}

// Latency counts from the time at which a request should have been sent: a server that stalls does
// not look better for holding the next ones back.
class Bench {
 public:
  Bench(Url server, const traffic::Events& events, std::size_t connections)
      : server_(std::move(server)), events_(events), outcomes_(connections) {}

  void run() {
    begin_ = Clock::now();
    std::vector<std::thread> threads;
    for (Outcome& outcome : outcomes_) threads.emplace_back([&] { work(outcome); });
    ProgressLine progress;
    while (done_ < events_.size()) {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, std::chrono::milliseconds(200));
      progress.show(std::to_string(done_) + " of " + std::to_string(events_.size()) + " requests");
    }
    for (std::thread& thread : threads) thread.join();
    took_ = Clock::now() - begin_;
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  double seconds() const { return std::chrono::duration<double>(took_).count(); }

 private:
  void work(Outcome& outcome) {
    HttpConnection connection(server_);
    for (;;) {
      const std::size_t i = next_++;
      if (i >= events_.size()) return;
      const std::int64_t after = events_.at(i).start_ns - traffic::kSyntheticStart_ns;
      const auto due = begin_ + std::chrono::nanoseconds(after);
      const std::string body = check_body(request_of(events_, i));
      std::this_thread::sleep_until(due);
      outcome.late = std::max(outcome.late, since(due));
      count(connection.post("/v1/check", body), outcome);
      outcome.latency.add(since(due));
      if (++done_ == events_.size()) ended_.notify_one();
    }
  }

  static Duration since(Clock::time_point then) {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - then);
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns.count()))};
  }

  static void count(const Result<HttpReply>& reply, Outcome& outcome) {
    if (!reply) {
      ++outcome.failures[reply.error().message];
      return;
    }
    boost::json::error_code ec;
    const boost::json::value parsed = boost::json::parse(reply->body, ec);
    const boost::json::object* verdict = ec ? nullptr : parsed.if_object();
    const boost::json::value* admit = verdict == nullptr ? nullptr : verdict->if_contains("admit");
    if (reply->status != 200 || admit == nullptr || !admit->is_bool()) {
      ++outcome.failures["the server answered " + std::to_string(reply->status)];
      return;
    }
    ++(admit->get_bool() ? outcome.admitted : outcome.denied);
    const boost::json::value* degraded = verdict->if_contains("degraded");
    if (degraded != nullptr && degraded->is_bool() && degraded->get_bool()) ++outcome.degraded;
    if (!admit->get_bool()) ++outcome.denied_by[std::string(text_of(*verdict, "governing"))];
  }

  const Url server_;
  const traffic::Events& events_;
  std::vector<Outcome> outcomes_;  // by connection
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::condition_variable ended_;
  Clock::time_point begin_;
  Clock::duration took_{};
};

Outcome sum_of(const std::vector<Outcome>& outcomes) {
  Outcome sum;
  for (const Outcome& outcome : outcomes) {
    sum.admitted += outcome.admitted;
    sum.denied += outcome.denied;
    sum.degraded += outcome.degraded;
    for (const auto& [name, count] : outcome.denied_by) sum.denied_by[name] += count;
    for (const auto& [why, count] : outcome.failures) sum.failures[why] += count;
    sum.latency.add_all(outcome.latency);
    sum.late = std::max(sum.late, outcome.late);
  }
  return sum;
}

constexpr std::uint64_t kHalf = 500'000, kMost = 990'000, kNearlyAll = 999'000;

std::string milliseconds_text(Duration d) {
  return std::to_string(d.ns / 1'000'000) + "." + std::to_string(d.ns / 100'000 % 10) + " ms";
}

std::string bench_text(const Outcome& sum, std::uint64_t requests, double seconds) {
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(requests) / seconds);
  std::string text =
      design::count_text(requests) + " requests in " + fmt::format("{:.1f}", seconds) + " s (" +
      design::count_text(rate) + " a second): admitted " + design::count_text(sum.admitted) +
      ", denied " + design::count_text(sum.denied) + ", degraded " +
      design::count_text(sum.degraded) + ", failed " + design::count_text(sum.failed()) + "\n";
  text += "answered from its time on: half within " +
          milliseconds_text(sum.latency.quantile(kHalf)) + ", 99 % " +
          milliseconds_text(sum.latency.quantile(kMost)) + ", 99.9 % " +
          milliseconds_text(sum.latency.quantile(kNearlyAll)) + ", the longest " +
          milliseconds_text(sum.latency.max()) + "; sent " + milliseconds_text(sum.late) +
          " late at most\n";
  if (!sum.denied_by.empty()) {
    Table table({"denied by", "requests"});
    for (const auto& [name, count] : sum.denied_by) {
      table.add({name.empty() ? "-" : name, design::count_text(count)});
    }
    text += "\n" + table.text();
  }
  for (const auto& [why, count] : sum.failures) {
    text += "\nfailed: " + design::count_text(count) + "  " + why;
  }
  return text + (sum.failures.empty() ? "" : "\n");
}

std::string bench_json(const Outcome& sum, std::uint64_t requests, double seconds) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("requests", requests);
  json.member("duration_ms", static_cast<std::uint64_t>(seconds * 1e3));
  json.member("admitted", sum.admitted);
  json.member("denied", sum.denied);
  json.member("degraded", sum.degraded);
  json.member("failed", sum.failed());
  json.key("latency_us");
  json.begin_object();
  json.member("p50", sum.latency.quantile(kHalf).ns / 1'000);
  json.member("p99", sum.latency.quantile(kMost).ns / 1'000);
  json.member("p999", sum.latency.quantile(kNearlyAll).ns / 1'000);
  json.member("max", sum.latency.max().ns / 1'000);
  json.end_object();
  json.member("late_us", sum.late.ns / 1'000);
  for (const bool failures : {false, true}) {
    json.key(failures ? "failures" : "denied_by");
    json.begin_object();
    for (const auto& [name, count] : failures ? sum.failures : sum.denied_by) {
      json.member(name, count);
    }
    json.end_object();
  }
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace

int run_bench(const Arguments& args) {
  Options options("bench",
                  "Ask a running weir with synthetic traffic, each request at its own time: it is "
                  "charged. What it answers, and how fast.",
                  {"weir bench http://127.0.0.1:8080 --shape flash-crowd:200:50 --duration 5s"});
  Asked asked;
  options.add("SERVER", asked.server, "where a weir decides, e.g. http://127.0.0.1:8080")
      .required();
  add_shape_options(options, asked.traffic);
  options.add("--connections", asked.connections, "requests under way at once, at most")
      .shows_default()
      .between(1, 1'000);
  options.add("--seed", asked.seed, "of the traffic").shows_default().type("N");
  options.add("--format", asked.format, "text or json").shows_default().one_of({"text", "json"});
  if (const auto exit = options.parse(args)) return *exit;
  auto server = Url::parse(asked.server);
  if (!server) return options.usage_error(server.error().text());
  const auto shapes = parse_shapes(asked.traffic);
  if (!shapes) return options.usage_error(shapes.error().text());
  const traffic::Events events = traffic::generate(shapes->parts, shapes->duration, asked.seed);
  if (events.empty()) {
    return options.usage_error("no request came: use a higher rate or a longer --duration");
  }
  // One request first, which charges nothing: a server that is not there is told at once.
  RequestSpec probe = request_of(events, 0);
  probe.peek = true;
  if (const auto answer = post(*server, "/v1/check", check_body(probe)); !answer) {
    return options.usage_error(answer.error().text());
  }
  Bench bench(*server, events, std::min<std::size_t>(asked.connections, events.size()));
  bench.run();
  const Outcome sum = sum_of(bench.outcomes());
  std::cout << (asked.format == "json" ? bench_json(sum, events.size(), bench.seconds())
                                       : bench_text(sum, events.size(), bench.seconds()));
  return sum.failures.empty() ? kDone : kNo;
}

}  // namespace weir::cli
