// The requests of one command: which of those that wait go together, and its bytes.
#include <algorithm>

#include "redis/connection.h"
#include "redis/key_name.h"
#include "redis/script.h"

namespace weir::redis {
namespace {

std::optional<std::uint64_t> given_us(const Waiting& w, bool given_time) {
  if (!given_time) return {};
  return w.given.wall().ns / 1'000;
}

}  // namespace

Flight& Connection::new_flight() {
  if (!free_.empty()) {
    Flight& flight = flights_[free_.back()];
    free_.pop_back();
    return flight;
  }
  Flight& flight = flights_.emplace_back();
  flight.ticket = static_cast<Session::Ticket>(flights_.size() - 1);
  return flight;
}

void Connection::free_flight(Flight& flight) {
  flight.batch.clear();
  flight.waiting.clear();
  flight.reset = flight.asking = false;
  free_.push_back(flight.ticket);
}

// The front of the queue, and what can go with it. What has to go elsewhere is passed over; the
// others of its own slot keep their order.
void Connection::fill(Flight& flight, std::deque<Waiting*>& queue) {
  const Waiting& first = *queue.front();
  flight.reset = first.kind == Waiting::Kind::reset;
  flight.asking = first.asking;
  const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(queue.size(), kLookAhead));
  auto kept = queue.begin();
  auto at = queue.begin();
  for (; at != end; ++at) {
    if ((*at)->stages.slot() != first.stages.slot()) {
      *kept++ = *at;
    } else if (fits(**at, first, flight)) {
      seat(flight, **at);
    } else {
      break;
    }
  }
  kept = std::move_backward(queue.begin(), kept, at);
  queue.erase(queue.begin(), kept);
}

bool Connection::fits(const Waiting& w, const Waiting& first, const Flight& flight) const {
  if (flight.waiting.empty()) return true;
  return !flight.reset && w.kind != Waiting::Kind::reset && !first.alone && !w.alone &&
         w.asking == first.asking && w.deadline <= first.deadline + kSpread &&
         first.deadline <= w.deadline + kSpread && flight.waiting.size() < Batch::kMostRequests &&
         given_us(w, settings_.given_time) == given_us(first, settings_.given_time);
}

void Connection::seat(Flight& flight, Waiting& w) {
  w.connection = this;
  w.flight = &flight;
  flight.waiting.push_back(&w);
  const std::span<const store::Charge> charges = w.stages.charges();
  if (w.kind == Waiting::Kind::refund) {
    flight.batch.add_refund(charges, w.charged_us);
  } else if (w.kind == Waiting::Kind::charge && w.stages.may_return()) {
    flight.batch.add_stage(charges);
  } else if (w.kind != Waiting::Kind::reset) {
    flight.batch.add(charges, w.kind != Waiting::Kind::charge);
  }
}

void Connection::append(Flight& flight) {
  flight.write = write_;
  if (flight.asking) session_.asking(out_);
  if (flight.reset) return append_reset(*flight.waiting.front());
  flight.batch.append_eval(out_, charge_script(), settings_.prefix, true,
                           given_us(*flight.waiting.front(), settings_.given_time));
}

// The counter's name holds its algorithm, which who resets it need not know.
void Connection::append_reset(const Waiting& w) {
  constexpr Algorithm kAll[] = {Algorithm::token_bucket, Algorithm::fixed_window,
                                Algorithm::sliding_window, Algorithm::sliding_log,
                                Algorithm::leaky_bucket};
  wire::append_command_size(out_, 1 + std::size(kAll));
  wire::append_word(out_, "DEL");
  for (const Algorithm algorithm : kAll) {
    std::string key;
    append_key(key, settings_.prefix, w.charges.front(), algorithm);
    wire::append_word(out_, key);
  }
}

}  // namespace weir::redis
