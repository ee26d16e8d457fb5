#include "redis/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <limits>
#include <utility>

namespace weir::redis {

namespace asio = boost::asio;

namespace {

store::Verdict failed_verdict(std::size_t request, Now given) {
  store::Verdict v;
  v.request = request;
  v.admit = false;
  v.failed = true;
  v.now = given;
  return v;
}

}  // namespace

Loop::Loop(const Options& options, ConnectionSettings settings, const base::RedisUrl& url)
    : options_(options),
      settings_(std::move(settings)),
      url_(url),
      inbox_(options.max_waiting),
      work_(context_.get_executor()),
      deadline_timer_(context_),
      moment_timer_(context_),
      fleet_([this](const Address& address) {
        return std::make_shared<Server>(context_, settings_, options_, address, counters_,
                                        static_cast<Server::Owner&>(*this));
      }),
      refunds_(options.max_waiting) {}

Loop::~Loop() {
  if (!thread_.joinable()) return;
  asio::post(context_, [this] { stop(); });
  thread_.join();
}

void Loop::start() {
  asio::post(context_, [this] {
    if (url_.kind != base::RedisUrl::Kind::standalone) return survey();
    fleet_.adopt(Directory::of(url_.servers.front()), [](Waiting&) {});
    on_change();
  });
  thread_ = std::thread([this] { context_.run(); });
}

void Loop::wake() {
  asio::post(context_, [this] { turn(); });
}

Health Loop::health() const {
  Health h = counters_.read();
  h.waiting = inbox_.in_use();
  return h;
}

// ---- a turn: what has arrived goes out

void Loop::turn() {
  inbox_.take(arrived_, refused_);
  refuse(refused_);
  for (Waiting* w : arrived_) accept(*w);
  on_turn();
}

void Loop::refuse(const std::vector<Inbox::Refused>& refused) {
  for (const Inbox::Refused& r : refused) {
    HealthCounters::add(counters_.failed[static_cast<std::size_t>(r.failure)]);
    if (r.sink != nullptr) r.sink->decided(failed_verdict(r.request, r.given));
    if (r.question != nullptr) r.question->answered.set_value(false);
  }
}

void Loop::accept(Waiting& w) {
  if (stopped_) {
    w.stages.one(w.charges, 0);
    return fail(w, Failure::lost);
  }
  if (w.charges.empty()) {
    // Nothing has to have room.
    if (w.sink != nullptr) {
      store::Verdict v;
      v.request = w.request;
      v.now = w.given;
      w.sink->decided(v);
    }
    return finish(w);
  }
  plan(w);
  ages_.push_back(Age(w));
  if (startable(w)) route(w);
}

// The end of every turn: what has been given to servers goes out, and places come back.
void Loop::on_turn() {
  if (flushing_) return;
  flushing_ = true;
  while (std::exchange(unflushed_, false)) fleet_.flush();
  flushing_ = false;
  arm_deadline();
  inbox_.put_back(done_);
}

void Loop::on_change() {
  counters_.connected.store(fleet_.connected(), std::memory_order_relaxed);
  counters_.servers.store(fleet_.keepers(), std::memory_order_relaxed);
  counters_.ready.store(fleet_.ready(), std::memory_order_relaxed);
  counters_.breaker.store(fleet_.breaker(), std::memory_order_relaxed);
}

// ---- how a request ends

void Loop::finish(Waiting& w) {
  w.serial.store(0, std::memory_order_relaxed);
  if (w.own) return refunds_.put_back(w);
  done_.push_back(&w);
}

void Loop::fail(Waiting& w, Failure failure) {
  const bool charge = w.kind == Waiting::Kind::charge;
  if (charge && w.stages.decided()) return told(w);
  if (charge && w.stages.several()) give_back_charges(w);
  HealthCounters::add(counters_.failed[static_cast<std::size_t>(failure)]);
  if (w.own) HealthCounters::add(counters_.refunds_lost, w.charges.size());
  if (w.sink != nullptr) w.sink->decided(failed_verdict(w.request, w.given));
  if (w.question != nullptr) w.question->answered.set_value(false);
  finish(w);
}

// The server's clock ticks in microseconds: what fits a nanosecond after a tick fits at the next.
void Loop::take_outcomes(std::span<const Outcome> outcomes) {
  outcomes_.assign(outcomes.begin(), outcomes.end());
  for (Outcome& o : outcomes_) {
    if (o.wait != Duration::max())
      o.wait = microseconds(o.wait.ns / 1'000 + (o.wait.ns % 1'000 != 0));
  }
}

void Loop::on_answered(Waiting& w, const Batch& batch, std::size_t request) {
  if (w.stages.several()) {
    if (w.stages.take(batch, request) == Stages::Next::done) return told(w);
    return route(w);
  }
  HealthCounters::add(counters_.answered);
  if (w.sink != nullptr) {
    take_outcomes(batch.outcomes(request));
    w.sink->decided({w.request, batch.admit(request), false, batch.now(), outcomes_});
  }
  if (w.question != nullptr) {
    w.question->inspection = batch.inspection(request);
    w.question->answered.set_value(true);
  }
  finish(w);
}

// The verdict on a request of several stages.
void Loop::told(Waiting& w) {
  const bool admit = w.stages.admit();
  if (!admit && w.kind == Waiting::Kind::charge) give_back_charges(w);
  HealthCounters::add(counters_.answered);
  take_outcomes(w.stages.outcomes());
  w.sink->decided({w.request, admit, false, w.stages.now(), outcomes_, w.stages.unasked()});
  finish(w);
}

// Before the verdict: then the numbers are still there to be copied.
void Loop::give_back_charges(Waiting& w) {
  w.stages.for_each_charged(
      [&](std::uint16_t slot, std::span<const store::Charge> charges, std::uint64_t charged_us) {
        HealthCounters::add(counters_.refunded, charges.size());
        Waiting* refund =
            refunds_.make(slot, charges, charged_us, w.given, steady_now() + options_.timeout);
        if (refund == nullptr) return HealthCounters::add(counters_.refunds_lost, charges.size());
        refund_ages_.push_back(Age(*refund));
        route(*refund);
      });
}

void Loop::on_reset(Waiting& w, bool found) {
  HealthCounters::add(counters_.answered);
  w.question->found = found;
  w.question->answered.set_value(true);
  finish(w);
}

void Loop::on_failed(std::span<Waiting* const> batch, Failure failure) {
  for (Waiting* w : batch) fail(*w, failure);
}

// ---- deadlines

void Loop::arm_deadline() {
  constexpr Instant kNever{std::numeric_limits<std::uint64_t>::max()};
  Instant next = kNever;
  for (std::deque<Age>* ages : {&ages_, &refund_ages_}) {
    while (!ages->empty() && !ages->front().lives()) ages->pop_front();
    if (!ages->empty()) next = std::min(next, ages->front().deadline);
  }
  if (next == kNever || (deadline_armed_ && armed_for_ <= next)) return;
  deadline_armed_ = true;
  armed_for_ = next;
  deadline_timer_.expires_at(time_point(next));
  deadline_timer_.async_wait([this](const ErrorCode& cancelled) {
    if (cancelled) return;  // armed anew, or the end
    deadline_armed_ = false;
    if (stopped_) return;
    expire(ages_);
    expire(refund_ages_);
    on_turn();
  });
}

void Loop::expire(std::deque<Age>& ages) {
  const Instant now = steady_now();
  std::vector<Server*> late;
  while (!ages.empty() && ages.front().deadline <= now) {
    Waiting& w = *ages.front().waiting;
    const bool lives = ages.front().lives();
    ages.pop_front();
    if (!lives) continue;
    Server* const server = w.server;
    if (server != nullptr && std::find(late.begin(), late.end(), server) == late.end()) {
      late.push_back(server);
    }
    if (w.flight != nullptr) {
      w.connection->give_up(*w.flight);
      continue;
    }
    if (server != nullptr) server->remove(w);
    fail(w, w.why);
  }
  for (Server* server : late) server->count_failure(Failure::timeout);
}

void Loop::stop() {
  stopped_ = true;
  turn();
  for (const Age& age : std::exchange(moments_, {})) {
    if (age.lives()) fail(*age.waiting, Failure::lost);
  }
  if (survey_ != nullptr) survey_->stop();
  fleet_.stop();
  on_turn();
  work_.reset();
  context_.stop();
}

}  // namespace weir::redis
