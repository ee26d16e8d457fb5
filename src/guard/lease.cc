#include "guard/lease.h"

namespace weir::guard {

std::optional<Lease::Reserved> Lease::reserve(std::uint64_t cost) {
  if (in_hand() < cost) return std::nullopt;
  Reserved r{cost, {~std::uint64_t{0}}, {~std::uint64_t{0}}, drops_};
  for (Grant* grant : {&older_, &newer_}) {
    const std::uint64_t taken = std::min(grant->tokens, cost);
    if (taken == 0) continue;
    grant->tokens -= taken;
    cost -= taken;
    r.ends = std::min(r.ends, grant->ends);
    r.window = std::min(r.window, grant->window);
  }
  reserved_ += r.tokens;
  return r;
}

void Lease::give_back(const Reserved& r) {
  reserved_ -= r.tokens;
  if (r.of == drops_) put(older_, {r.tokens, r.ends, r.window});
}

void Lease::put(Grant& to, const Grant& more) {
  if (to.tokens == 0) {
    to = more;
    return;
  }
  to.tokens += more.tokens;
  to.ends = std::min(to.ends, more.ends);
  to.window = std::min(to.window, more.window);
}

std::uint64_t Lease::wants(std::uint64_t target, std::uint64_t cost, Instant now) const {
  if (asking_ || now < rests_until_ || target < cost) return 0;
  if (in_hand() >= cost && in_hand() > target / 4) return 0;
  const std::uint64_t held = in_hand() + reserved_ + returning(now);
  return detail::saturating_sub(target, held);
}

void Lease::asked(Instant now) {
  asking_ = true;
  asked_at_ = now;
}

void Lease::got(std::uint64_t wanted, std::uint64_t got, Instant ends, Instant now) {
  asking_ = false;
  if (got < wanted) rests_until_ = asked_at_ + kCadence;
  if (got == 0) return;
  if (newer_.tokens > 0) put(older_, newer_);
  newer_ = {got, std::min(now + kLife, ends), ends};
}

std::uint64_t Lease::end(Grant& grant, Instant now) {
  if (grant.tokens == 0 || now < grant.ends) return 0;
  const std::uint64_t over = grant.tokens;
  grant.tokens = 0;
  return now + kReturn < grant.window ? over : 0;
}

std::uint64_t Lease::expire(Instant now) {
  const std::uint64_t over = end(older_, now) + end(newer_, now);
  if (over == 0) return 0;
  returning_ = returning(now) + over;
  returned_at_ = now + kReturn;
  return over;
}

std::uint64_t Lease::surrender(Instant now) {
  older_.ends = std::min(older_.ends, now);
  newer_.ends = std::min(newer_.ends, now);
  return expire(now);
}

void Lease::drop() {
  older_ = newer_ = {};
  ++drops_;
  rests_until_ = {};
}

}  // namespace weir::guard
