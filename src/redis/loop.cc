#include "redis/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>

namespace weir::redis {

namespace asio = boost::asio;
using std::chrono::steady_clock;

namespace {

steady_clock::time_point time_point(Instant t) {
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>((t - Instant{}).to_chrono()));
}

store::Verdict failed_verdict(std::size_t request, Now given) {
  store::Verdict v;
  v.request = request;
  v.admit = false;
  v.failed = true;
  v.now = given;
  return v;
}

}  // namespace

Instant steady_now() {
  const auto since = steady_clock::now().time_since_epoch();
  return {static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count())};
}

Loop::Loop(const Options& options, ConnectionSettings settings)
    : options_(options),
      settings_(std::move(settings)),
      inbox_(options.max_waiting),
      work_(context_.get_executor()),
      deadline_timer_(context_),
      breaker_timer_(context_),
      breaker_(options.breaker),
      random_(std::random_device{}()) {
  for (unsigned i = 0; i < options.connections; ++i) lines_.emplace_back(context_);
}

Loop::~Loop() {
  if (!thread_.joinable()) return;
  asio::post(context_, [this] { stop(); });
  thread_.join();
}

void Loop::start() {
  asio::post(context_, [this] {
    for (Line& line : lines_) connect(line);
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
  if (stopped_) {
    fail_queue(Failure::lost);
  } else {
    flush();
    arm_deadline();
  }
  give_back();
}

void Loop::refuse(const std::vector<Inbox::Refused>& refused) {
  for (const Inbox::Refused& r : refused) {
    HealthCounters::add(counters_.failed[static_cast<std::size_t>(r.failure)]);
    if (r.sink != nullptr) r.sink->decided(failed_verdict(r.request, r.given));
    if (r.question != nullptr) r.question->answered.set_value(false);
  }
}

void Loop::accept(Waiting& w) {
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
  queue_.push_back(&w);
  ages_.push_back({&w, w.serial.load(std::memory_order_relaxed), w.deadline});
}

void Loop::flush() {
  if (queue_.empty()) return;
  if (!breaker_.allows()) return fail_queue(Failure::breaker_open);
  while (!queue_.empty()) {
    Connection* c = freest();
    if (c == nullptr) break;
    c->send(queue_);
  }
  if (!queue_.empty() && !hopeful()) fail_queue(Failure::unreachable);
}

Connection* Loop::freest() {
  Connection* best = nullptr;
  for (Line& line : lines_) {
    Connection* c = line.connection.get();
    if (c == nullptr || !c->can_send()) continue;
    if (best == nullptr || c->in_flight() < best->in_flight()) best = c;
  }
  return best;
}

// Something may still come of waiting: a connection is up, or on its way.
bool Loop::hopeful() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.connection != nullptr; });
}

// ---- how a request ends

void Loop::finish(Waiting& w) {
  w.serial.store(0, std::memory_order_relaxed);
  done_.push_back(&w);
}

void Loop::give_back() { inbox_.put_back(done_); }

void Loop::fail(Waiting& w, Failure failure) {
  HealthCounters::add(counters_.failed[static_cast<std::size_t>(failure)]);
  if (w.sink != nullptr) w.sink->decided(failed_verdict(w.request, w.given));
  if (w.question != nullptr) w.question->answered.set_value(false);
  finish(w);
}

void Loop::fail_queue(Failure failure) {
  while (!queue_.empty()) {
    Waiting& w = *queue_.front();
    queue_.pop_front();
    fail(w, failure);
  }
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

void Loop::on_reset(Waiting& w, bool found) {
  HealthCounters::add(counters_.answered);
  w.question->found = found;
  w.question->answered.set_value(true);
  finish(w);
}

// The counts come before the verdicts: who was told may look at once.
void Loop::on_failed(std::span<Waiting* const> batch, Failure failure, std::string_view text) {
  // An error reply says that nothing ran; of these nobody knows.
  if (failure == Failure::timeout || failure == Failure::lost || failure == Failure::protocol) {
    HealthCounters::add(counters_.lost, batch.size());
  }
  if (!text.empty()) counters_.set_error(failure, text);
  // The end of a connection is one failure, however many batches it takes along; so is a deadline.
  if (failure != Failure::timeout && reaction(failure).connection == OnConnection::keep) {
    failed_once(failure);
  }
  for (Waiting* w : batch) fail(*w, failure);
}

void Loop::on_trouble(Failure failure, std::string_view text) {
  counters_.set_error(failure, text);
  failed_once(failure);
}

// ---- deadlines

void Loop::arm_deadline() {
  while (!ages_.empty() && !ages_.front().lives()) ages_.pop_front();
  if (deadline_armed_ || ages_.empty()) return;
  deadline_armed_ = true;
  deadline_timer_.expires_at(time_point(ages_.front().deadline));
  deadline_timer_.async_wait([this](const ErrorCode& cancelled) {
    deadline_armed_ = false;
    if (cancelled || stopped_) return;
    expire();
    arm_deadline();
    give_back();
  });
}

void Loop::expire() {
  const Instant now = steady_now();
  bool late = false;
  while (!ages_.empty() && ages_.front().deadline <= now) {
    const Age age = ages_.front();
    ages_.pop_front();
    if (!age.lives()) continue;
    late = true;
    if (age.waiting->flight != nullptr) {
      age.waiting->connection->give_up(*age.waiting->flight);
      continue;
    }
    // The queue is in the order of age too.
    queue_.pop_front();
    fail(*age.waiting, Failure::timeout);
  }
  if (late) failed_once(Failure::timeout);
}

// ---- connections

void Loop::connect(Line& line) {
  if (stopped_) return;
  line.connection =
      std::make_shared<Connection>(context_, settings_, static_cast<Connection::Owner&>(*this));
  line.connection->start();
}

void Loop::connect_later(Line& line) {
  line.pause.expires_after(line.backoff.next(random_()).to_chrono());
  line.pause.async_wait([this, &line](const ErrorCode& cancelled) {
    if (!cancelled) connect(line);
  });
}

void Loop::count_connected() {
  const auto n = std::count_if(lines_.begin(), lines_.end(), [](const Line& line) {
    return line.connection != nullptr && line.connection->ready();
  });
  counters_.connected.store(static_cast<std::uint64_t>(n), std::memory_order_relaxed);
}

void Loop::on_ready(Connection& c) {
  for (Line& line : lines_) {
    if (line.connection.get() == &c) line.backoff.reset();
  }
  HealthCounters::add(counters_.connects);
  count_connected();
  passed();  // its greeting was as good as a probe
  flush();
  give_back();
}

void Loop::on_free(Connection&) {
  if (stopped_) return;
  if (breaker_.wants_probe(steady_now())) try_probe();
  flush();
  give_back();
}

void Loop::on_ended(Connection& c, Failure failure, std::string_view text) {
  counters_.set_error(failure, text);
  HealthCounters::add(counters_.failed_connections[static_cast<std::size_t>(failure)]);
  const auto line = std::find_if(lines_.begin(), lines_.end(),
                                 [&c](const Line& l) { return l.connection.get() == &c; });
  if (line != lines_.end()) line->connection.reset();
  count_connected();
  if (stopped_) return;
  failed_once(failure);
  if (line != lines_.end()) connect_later(*line);
  if (!queue_.empty() && !hopeful()) fail_queue(Failure::unreachable);
  give_back();
}

// ---- the breaker

void Loop::failed_once(Failure failure) {
  if (!reaction(failure).counts || !breaker_.failed(steady_now())) return;
  HealthCounters::add(counters_.opened);
  arm_breaker();
}

void Loop::passed() {
  breaker_.succeeded();
  counters_.breaker.store(breaker_.state(), std::memory_order_relaxed);
  breaker_timer_.cancel();
}

void Loop::arm_breaker() {
  counters_.breaker.store(breaker_.state(), std::memory_order_relaxed);
  breaker_timer_.expires_at(time_point(breaker_.retry_at()));
  breaker_timer_.async_wait([this](const ErrorCode& cancelled) {
    if (!cancelled && !stopped_) try_probe();
  });
}

// Without a connection that takes one, the next that becomes free or ready decides.
void Loop::try_probe() {
  if (!breaker_.wants_probe(steady_now())) return;
  Connection* best = nullptr;
  for (Line& line : lines_) {
    Connection* c = line.connection.get();
    if (c == nullptr || !c->can_probe()) continue;
    if (best == nullptr || (best->stalled() && !c->stalled())) best = c;
  }
  if (best == nullptr) return;
  breaker_.probing();
  counters_.breaker.store(breaker_.state(), std::memory_order_relaxed);
  best->probe();
  breaker_timer_.expires_after(options_.timeout.to_chrono());
  breaker_timer_.async_wait([this](const ErrorCode& cancelled) {
    if (!cancelled && !stopped_) on_probe(false, Failure::timeout);
  });
}

void Loop::on_probe(bool passed_it, Failure failure) {
  if (breaker_.state() != Breaker::State::half_open) return;  // it came too late
  if (passed_it) return passed();
  failed_once(failure);
}

void Loop::stop() {
  stopped_ = true;
  turn();
  for (Line& line : lines_) {
    line.pause.cancel();
    if (const std::shared_ptr<Connection> c = line.connection) c->end(Failure::lost, "");
  }
  give_back();
  work_.reset();
  context_.stop();
}

}  // namespace weir::redis
