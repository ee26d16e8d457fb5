#include "redis/server.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace weir::redis {

namespace asio = boost::asio;
using std::chrono::steady_clock;

Instant steady_now() {
  const auto since = steady_clock::now().time_since_epoch();
  return {static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count())};
}

steady_clock::time_point time_point(Instant t) {
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>((t - Instant{}).to_chrono()));
}

Server::Server(asio::io_context& context, const ConnectionSettings& settings,
               const Options& options, const Address& address, HealthCounters& counters,
               Owner& owner)
    : context_(context),
      settings_(settings),
      options_(options),
      address_(address),
      counters_(counters),
      owner_(owner),
      breaker_timer_(context),
      breaker_(options.breaker),
      random_(std::random_device{}()) {
  for (unsigned i = 0; i < options.connections; ++i) lines_.emplace_back(context_);
}

void Server::start() {
  for (Line& line : lines_) connect(line);
}

void Server::stop() {
  if (stopped_) return;
  stopped_ = true;
  const auto self = shared_from_this();
  breaker_timer_.cancel();
  fail_queue(Failure::lost);
  for (Line& line : lines_) {
    line.pause.cancel();
    if (const std::shared_ptr<Connection> c = line.connection) c->end(Failure::lost, "");
  }
}

// ---- what waits

void Server::push(Waiting& w) {
  w.server = this;
  w.connection = nullptr;
  w.flight = nullptr;
  queue_.push_back(&w);
}

void Server::flush() {
  if (queue_.empty()) return;
  if (!breaker_.allows()) return fail_queue(Failure::breaker_open);
  while (!queue_.empty()) {
    Connection* c = freest();
    if (c == nullptr) break;
    c->send(queue_);
  }
  if (!queue_.empty() && !hopeful()) fail_queue(Failure::unreachable);
}

// What ends first is near the front.
void Server::remove(Waiting& w) {
  const auto found = std::find(queue_.begin(), queue_.end(), &w);
  if (found != queue_.end()) queue_.erase(found);
}

std::deque<Waiting*> Server::take_queue() { return std::exchange(queue_, {}); }

std::optional<Failure> Server::refuses() const {
  if (!breaker_.allows()) return Failure::breaker_open;
  if (stopped_ || !hopeful()) return Failure::unreachable;
  return {};
}

Connection* Server::freest() {
  Connection* best = nullptr;
  for (Line& line : lines_) {
    Connection* c = line.connection.get();
    if (c == nullptr || !c->can_send()) continue;
    if (best == nullptr || c->in_flight() < best->in_flight()) best = c;
  }
  return best;
}

// Something may still come of waiting: a connection is up, or on its way.
bool Server::hopeful() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const Line& line) { return line.connection != nullptr; });
}

std::size_t Server::in_flight() const {
  std::size_t n = 0;
  for (const Line& line : lines_) n += line.connection ? line.connection->in_flight() : 0;
  return n;
}

void Server::fail_queue(Failure failure) {
  while (!queue_.empty()) {
    Waiting& w = *queue_.front();
    queue_.pop_front();
    owner_.on_unsent(w, failure);
  }
}

// ---- what a connection says

void Server::on_answered(Waiting& w, const Batch& batch, std::size_t request) {
  owner_.on_answered(w, batch, request);
}

void Server::on_reset(Waiting& w, bool found) { owner_.on_reset(w, found); }

// The counts come before the verdicts: who was told may look at once.
void Server::on_failed(std::span<Waiting* const> batch, Failure failure, std::string_view text) {
  if (owner_.on_redirect(*this, batch, failure, text)) return;
  // An error reply says that nothing ran; of these nobody knows.
  if (failure == Failure::timeout || failure == Failure::lost || failure == Failure::protocol) {
    HealthCounters::add(counters_.lost, batch.size());
  }
  counters_.set_error(failure, text);
  // The end of a connection is one failure, however many batches it takes along; so is a deadline.
  if (failure != Failure::timeout && reaction(failure).connection == OnConnection::keep) {
    failed_once(failure);
  }
  owner_.on_failed(batch, failure);
}

void Server::on_trouble(Failure failure, std::string_view text) {
  counters_.set_error(failure, text);
  failed_once(failure);
}

void Server::on_read() { owner_.on_turn(); }

// ---- connections

void Server::connect(Line& line) {
  if (stopped_) return;
  line.connection = std::make_shared<Connection>(context_, settings_, address_,
                                                 static_cast<Connection::Owner&>(*this));
  line.connection->start();
}

void Server::connect_later(Line& line) {
  line.pause.expires_after(line.backoff.next(random_()).to_chrono());
  line.pause.async_wait([self = shared_from_this(), &line](const ErrorCode& cancelled) {
    if (!cancelled) self->connect(line);
  });
}

unsigned Server::connected() const {
  return static_cast<unsigned>(std::count_if(lines_.begin(), lines_.end(), [](const Line& line) {
    return line.connection != nullptr && line.connection->ready();
  }));
}

void Server::on_ready(Connection& c) {
  for (Line& line : lines_) {
    if (line.connection.get() == &c) line.backoff.reset();
  }
  HealthCounters::add(counters_.connects);
  passed();  // its greeting was as good as a probe
  owner_.on_change();
  flush();
  owner_.on_turn();
}

void Server::on_free(Connection&) {
  if (stopped_) return;
  if (breaker_.wants_probe(steady_now())) try_probe();
  flush();
  owner_.on_turn();
}

void Server::on_ended(Connection& c, Failure failure, std::string_view text) {
  const auto line = std::find_if(lines_.begin(), lines_.end(),
                                 [&c](const Line& l) { return l.connection.get() == &c; });
  // It may have been the last to hold this server.
  const auto self = shared_from_this();
  if (line != lines_.end()) line->connection.reset();
  if (stopped_) return;
  counters_.set_error(failure, text);
  HealthCounters::add(counters_.failed_connections[static_cast<std::size_t>(failure)]);
  failed_once(failure);
  if (line != lines_.end()) connect_later(*line);
  if (!queue_.empty() && !hopeful()) fail_queue(Failure::unreachable);
  owner_.on_change();
  owner_.on_ended(failure);
  owner_.on_turn();
}

// ---- the breaker

void Server::failed_once(Failure failure) {
  if (!reaction(failure).counts || !breaker_.failed(steady_now())) return;
  HealthCounters::add(counters_.opened);
  arm_breaker();
}

void Server::passed() {
  breaker_.succeeded();
  counters_.clear_error();
  owner_.on_change();
  breaker_timer_.cancel();
}

void Server::arm_breaker() {
  owner_.on_change();
  breaker_timer_.expires_at(time_point(breaker_.retry_at()));
  breaker_timer_.async_wait([self = shared_from_this()](const ErrorCode& cancelled) {
    if (!cancelled && !self->stopped_) self->try_probe();
  });
}

// Without a connection that takes one, the next that becomes free or ready decides.
void Server::try_probe() {
  if (!breaker_.wants_probe(steady_now())) return;
  Connection* best = nullptr;
  for (Line& line : lines_) {
    Connection* c = line.connection.get();
    if (c == nullptr || !c->can_probe()) continue;
    if (best == nullptr || (best->stalled() && !c->stalled())) best = c;
  }
  if (best == nullptr) return;
  breaker_.probing();
  owner_.on_change();
  best->probe();
  breaker_timer_.expires_after(options_.timeout.to_chrono());
  breaker_timer_.async_wait([self = shared_from_this()](const ErrorCode& cancelled) {
    if (!cancelled && !self->stopped_) self->on_probe(false, Failure::timeout);
  });
}

void Server::on_probe(bool passed_it, Failure failure) {
  if (breaker_.state() != Breaker::State::half_open) return;  // it came too late
  if (passed_it) return passed();
  failed_once(failure);
}

}  // namespace weir::redis
