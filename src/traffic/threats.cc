#include "traffic/threats.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "traffic/clients.h"
#include "traffic/events.h"
#include "traffic/replay.h"
#include "traffic/synthetic.h"

namespace weir::traffic {
namespace {

constexpr Duration kOrdinaryWork = milliseconds(20);
constexpr ClientModel kAfterFailure{Retry::fixed, milliseconds(100), 100};
constexpr ClientModel kAfterDenial{Retry::retry_after, {}, 10};

constexpr Stream kOthers{60, 60};

// 4 workers; harm comes from the 30th second to the 90th of 120.
constexpr std::array<Threat, 8> kThreats{{
    {.name = "misbehaving-client",
     .what = "one client sends 600 requests a second",
     .others = kOthers,
     .harm = {1, 600, "GET", "/items/", seconds(30), seconds(90)}},
    {.name = "retry-storm",
     .what = "the server is out for 20 s, and 160 clients a second try again until it answers",
     .others = {160, 160},
     .backend = {.out_from = seconds(30), .out_to = seconds(50)},
     .measured_from = seconds(50)},
    {.name = "expensive-endpoint",
     .what = "20 clients search twice a second each; a search takes a second of a worker",
     .others = kOthers,
     .harm = {20, 40, "GET", "/search", seconds(30), seconds(90)},
     .costly_path = "/search",
     .costly_work = seconds(1)},
    {.name = "scraping",
     .what = "40 addresses walk the catalogue, 10 pages a second each",
     .others = kOthers,
     .harm = {40, 400, "GET", "/items/", seconds(30), seconds(90)}},
    {.name = "credential-stuffing",
     .what = "400 addresses try a password a second each; a login takes 100 ms of a worker",
     .others = kOthers,
     .harm = {400, 400, "POST", "/login", seconds(30), seconds(90)},
     .costly_path = "/login",
     .costly_work = milliseconds(100)},
    {.name = "batch-jobs",
     .what = "a nightly job of one's own exports 300 records a second from 4 hosts",
     .others = kOthers,
     .harm = {4, 300, "POST", "/batch/", seconds(30), seconds(90)}},
    {.name = "paid-downstream",
     .what = "10 clients ask for 4 quotes a second each; the vendor sells 600 a minute, and who "
             "asks for more gets none for a minute",
     .others = {60, 4, "GET", "/quote"},
     .harm = {10, 40, "GET", "/quote", seconds(30), seconds(90)},
     .backend = {.max_calls = 600}},
    {.name = "volumetric-flood",
     .what = "4,000 addresses send 20,000 requests a second, and the gate itself handles 10,000",
     .others = kOthers,
     .harm = {4'000, 20'000, "GET", "/items/", seconds(30), seconds(50)},
     .backend = {.front = microseconds(100)},
     .measured_from = seconds(30)},
}};

// Poisson arrivals, each of a client of the network.
void write(Events& events, const Stream& stream, std::string_view network,
           std::mt19937_64& random) {
  if (stream.clients == 0) return;
  std::uniform_real_distribution<double> uniform(0, 1);
  const double end = static_cast<double>(stream.to.ns);
  double at = static_cast<double>(stream.from.ns);
  Record record;
  std::string client, target;
  for (;;) {
    at -= std::log1p(-uniform(random)) / stream.rate * 1e9;
    if (at >= end) return;
    const std::uint64_t who = random() % stream.clients;
    client = fmt::format("{}{}.{}", network, who / 250, 1 + who % 250);
    target = stream.path;
    if (target.ends_with('/')) target += std::to_string(random() % 1'000);
    record.clear();
    record.time_ns = kSyntheticStart_ns + static_cast<std::int64_t>(at);
    record.client = client;
    record.method = stream.method;
    record.target = target;
    record.status = 200;
    events.add(record, target);
  }
}

constexpr std::string_view kOthersNetwork = "10.0.";
constexpr std::string_view kHarmNetwork = "198.18.";

// One run of the requests against the server, behind `replay` or without.
class Run {
 public:
  Run(const Threat& threat, const Events& events, Replay* replay, std::uint64_t seed)
      : threat_(threat),
        events_(events),
        replay_(replay),
        start_{static_cast<std::uint64_t>(kSyntheticStart_ns)},
        backend_(threat.backend, start_),
        random_(seed) {}

  Goodput run() {
    for (std::size_t i = 0; i < events_.size() || !waiting_.empty();) {
      const bool again = !waiting_.empty() && (i == events_.size() || waiting_.top().at <= at(i));
      const Try next = again ? waiting_.top() : Try{at(i), sequence_++, i, 0};
      if (again) {
        waiting_.pop();
      } else {
        ++i;
      }
      send(next);
    }
    return goodput_;
  }

 private:
  struct Try {
    Instant at;
    std::uint64_t sequence = 0;
    std::size_t event = 0;
    unsigned tries = 0;  // before this one

    friend bool operator>(const Try& a, const Try& b) {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  Instant at(std::size_t i) const { return {static_cast<std::uint64_t>(events_.at(i).start_ns)}; }

  void send(const Try& sent) {
    const Event event = events_.at(sent.event);
    const bool harm = events_.caller(event.caller).client.starts_with(kHarmNetwork);
    const bool counts = !harm && at(sent.event) - start_ >= threat_.measured_from;
    if (sent.tries == 0) {
      goodput_.harm_offered += harm ? 1 : 0;
      goodput_.offered += counts ? 1 : 0;
    }
    const bool reached = backend_.reach(sent.at);
    // The replay is told of each request once, in order, also of those that a flooded gate drops.
    const decide::Decision* decision = decide(sent);
    if (!reached) return harm ? void() : retry(sent, sent.at, kAfterFailure, {});
    if (decision != nullptr && !decision->admit) {
      return harm ? void() : retry(sent, sent.at, kAfterDenial, decision->retry_after);
    }
    goodput_.harm_passed += harm ? 1 : 0;
    const bool costly = !threat_.costly_path.empty() &&
                        events_.target(event.request).starts_with(threat_.costly_path);
    const auto served = backend_.serve(sent.at, costly ? threat_.costly_work : kOrdinaryWork);
    if (served.good) {
      goodput_.good += counts ? 1 : 0;
    } else if (!harm) {
      retry(sent, served.end, kAfterFailure, {});
    }
  }

  const decide::Decision* decide(const Try& sent) {
    if (replay_ == nullptr) return nullptr;
    return sent.tries == 0 ? &replay_->decide(sent.event)
                           : &replay_->decide_at(sent.event, sent.at);
  }

  void retry(const Try& sent, Instant known, const ClientModel& model, Duration retry_after) {
    if (sent.tries >= model.tries || retry_after == Duration::max()) return;
    const Duration wait = wait_before(model, sent.tries, retry_after, random_);
    waiting_.push({known + wait, sequence_++, sent.event, sent.tries + 1});
  }

  const Threat& threat_;
  const Events& events_;
  Replay* const replay_;  // none: without a policy
  const Instant start_;
  Backend backend_;
  std::mt19937_64 random_;
  std::priority_queue<Try, std::vector<Try>, std::greater<>> waiting_;
  std::uint64_t sequence_ = 0;
  Goodput goodput_;
};

}  // namespace

std::span<const Threat> all_threats() { return kThreats; }

Result<const Threat*> find_threat(std::string_view name) {
  std::string known;
  for (const Threat& threat : kThreats) {
    if (threat.name == name) return &threat;
    known += (known.empty() ? "" : ", ") + std::string(threat.name);
  }
  return Error{ErrorCode::invalid_argument,
               "'" + std::string(name) + "' is no threat known here: use all, or one of " + known,
               ""};
}

Experiment try_threat(const Threat& threat, decide::Engine& engine, std::uint64_t seed) {
  Events events;
  std::mt19937_64 random(seed);
  write(events, threat.others, kOthersNetwork, random);
  write(events, threat.harm, kHarmNetwork, random);
  events.sort();
  Experiment experiment;
  experiment.without = Run(threat, events, nullptr, seed).run();
  Replay replay(engine, events);
  experiment.with = Run(threat, events, &replay, seed).run();
  return experiment;
}

}  // namespace weir::traffic
