#include "store/testing/lab.h"

namespace weir::store::testing {
namespace {

algo::Numbers checked(const Result<algo::Numbers>& numbers) {
  if (!numbers) ADD_FAILURE() << numbers.error().text();
  return numbers ? *numbers : algo::Numbers{};
}

}  // namespace

algo::Numbers bucket(std::uint64_t count, Duration period, std::uint64_t burst) {
  return checked(algo::make_token_bucket(count, period, burst));
}

algo::Numbers leaky(std::uint64_t count, Duration period, std::uint64_t queue) {
  return checked(algo::make_leaky_bucket(count, period, queue));
}

algo::Numbers window(Algorithm algorithm, std::uint64_t limit, Duration length, Align align) {
  return checked(algo::make_window(algorithm, limit, length, align));
}

algo::Numbers a_day(Algorithm algorithm, std::uint64_t limit) {
  switch (algorithm) {
    case Algorithm::token_bucket:
      return bucket(limit, days(1), limit);
    case Algorithm::leaky_bucket:
      return leaky(limit, days(1), limit - 1);
    default:
      return window(algorithm, limit, days(1));
  }
}

base::Digest Lab::key(Slot slot, std::string_view name) const {
  std::string bytes{static_cast<char>(slot & 0xff), static_cast<char>(slot >> 8)};
  bytes += name;
  return base::siphash13_128(store_->secret(), bytes);
}

Charge Lab::on(Slot slot, std::string_view name, const algo::Numbers& numbers,
               std::uint64_t cost) const {
  Charge c;
  c.slot = slot;
  c.key = key(slot, name);
  c.numbers = &numbers;
  c.cost = cost;
  return c;
}

Charge Lab::shadow(Slot slot, std::string_view name, const algo::Numbers& numbers,
                   std::uint64_t cost) const {
  Charge c = on(slot, name, numbers, cost);
  c.shadow = true;
  return c;
}

Seen Lab::decide(std::span<const Charge> charges, bool peek, Now now) {
  const Request request{charges, peek};
  Recorder recorder;
  store_->charge({&request, 1}, now, recorder);
  if (recorder.seen.size() != 1) {
    ADD_FAILURE() << "one request, " << recorder.seen.size() << " verdicts";
    return {};
  }
  return recorder.seen[0];
}

void Lab::refund(std::initializer_list<Charge> charges) {
  store_->refund({charges.begin(), charges.size()}, now_);
}

}  // namespace weir::store::testing
