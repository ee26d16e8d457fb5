// Tokens of one counter that the store has charged already and nobody has used yet.
//
// A lease asks for what its process will use in kAhead, gets as many as there are, and hands them
// out at memory speed. Where it got fewer than it asked for, it rests: no more questions until
// kCadence after the last, so that a limit that is used up costs few of them. Tokens live for kLife
// from when they came and never beyond their window; what is unspent then goes back, never more
// than was taken.
//
//   if (!lease.take(1, now)) {
//     if (const std::uint64_t n = lease.wants(target, 1, now)) ask the store, lease.asked(now)
//   }
//
// A value; pure: instants are given. Invariant: in hand + reserved + being returned is never more
// than the largest `target` that `wants` was given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "weir/clock.h"

namespace weir::guard {

class Lease {
 public:
  static constexpr Duration kAhead = milliseconds(25);
  static constexpr Duration kCadence = milliseconds(20);
  static constexpr Duration kLife = milliseconds(40);
  // What goes back arrives within this: the store's timeout as it usually is. In a window's last
  // moments nothing goes back, or it might be taken for part of the next one.
  static constexpr Duration kReturn = milliseconds(15);

  std::uint64_t in_hand() const { return older_.tokens + newer_.tokens; }
  std::uint64_t reserved() const { return reserved_; }
  bool asking() const { return asking_; }
  bool idle() const { return in_hand() == 0 && reserved_ == 0 && !asking_; }
  // The store had less than was wanted, and is not asked again before `rests_until`.
  bool resting(Instant now) const { return !asking_ && now < rests_until_; }
  Instant rests_until() const { return rests_until_; }

  // Tokens that a request holds until it is decided.
  struct Reserved {
    std::uint64_t tokens = 0;
    Instant ends;
    Instant window;
    std::uint32_t of = 0;  // the lease's life before `drop`, or after
  };

  // Takes `cost` for a request, or nothing where there are not enough. `expire` comes first.
  std::optional<Reserved> reserve(std::uint64_t cost);
  // The request was admitted.
  void spend(const Reserved& r) { reserved_ -= r.tokens; }
  // It was not: they are in hand again, and end when they would have.
  void give_back(const Reserved& r);

  // How many to ask the store for; 0: not now. `target` is the most to have in hand.
  std::uint64_t wants(std::uint64_t target, std::uint64_t cost, Instant now) const;
  void asked(Instant now);
  // The store has charged `got` of `wanted`; `ends` is the end of their window, on this clock.
  void got(std::uint64_t wanted, std::uint64_t got, Instant ends, Instant now);
  // The store did not answer: it may be asked at once.
  void unanswered() { asking_ = false; }

  // Tokens that are over at `now`: how many the store is to be given back.
  std::uint64_t expire(Instant now);
  // All tokens are over now, as `expire` says: the process ends.
  std::uint64_t surrender(Instant now);
  // The counter was forgotten, and with it that these tokens were charged.
  void drop();
  void rest_no_more() { rests_until_ = {}; }

 private:
  struct Grant {
    std::uint64_t tokens = 0;
    Instant ends;    // of life or window, whichever is first
    Instant window;  // the end of the window
  };
  static void put(Grant& to, const Grant& more);
  static std::uint64_t end(Grant& grant, Instant now);
  std::uint64_t returning(Instant now) const { return now < returned_at_ ? returning_ : 0; }

  Grant older_, newer_;
  std::uint64_t reserved_ = 0;
  std::uint64_t returning_ = 0;  // on its way to the store, until returned_at_
  Instant returned_at_;
  Instant asked_at_, rests_until_;
  std::uint32_t drops_ = 0;
  bool asking_ = false;
};

}  // namespace weir::guard
