// One look at what is known of a request's counters, under their locks: is it decided here, does it
// wait for tokens, or is the store asked, and for which charges.
//
//   Turn turn(guard, charges, asker, now);
//   const Turn::Deed deed = turn.look(call);
//   turn.carry_out();                        // what the look has begun: questions and returns
//
// Lives for one call, on one thread. No sink and no store is called under a lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/lazy_array.h"
#include "guard/call.h"
#include "guard/guard_store.h"
#include "guard/table.h"
#include "store/store.h"

namespace weir::guard {

// What is said of a charge whose tokens are in hand.
Outcome lease_outcome(const Entry& entry, std::uint64_t cost, Instant now);
// How many tokens to have in hand of a counter now.
std::uint64_t target_of(const Entry& entry, std::uint64_t cost, Instant now);

class Turn {
 public:
  enum class Deed : std::uint8_t {
    admit,   // all tokens were in hand
    deny,    // and the store need not be asked
    send,    // `call` holds what it is to be asked
    wait,    // `call` waits for tokens, and is another's from now on
    refuse,  // too much is under way, or has taken too long
  };

  Turn(GuardStore& guard, std::span<const store::Charge> charges, const Asker& asker, Now now)
      : guard_(guard), charges_(charges), asker_(asker), now_(now) {}

  // `call` holds the charges already, or is null and made where one is needed.
  Deed look(Call*& call);
  void carry_out();

  // Of what was decided here.
  store::Verdict verdict(bool admit) const {
    return {asker_.request, admit, false, at_, {outcomes_.data(), charges_.size()}, 0};
  }

 private:
  enum class Standing : std::uint8_t {
    covered,  // its tokens are in hand
    denied,   // certainly
    known,    // beside one that denies, it can be shown
    awaits,   // tokens that are asked for, or can be
    unknown,
  };

  Standing stand(std::size_t i);
  Standing stand_prefetched(std::size_t i, Entry& entry);
  Standing stand_told(std::size_t i, const Entry& entry, Duration believed);
  Deed deny();
  Deed wait(Call*& call);
  Deed take(Call*& call);
  Deed send(Call*& call);
  bool ask(Entry& entry, const store::Charge& charge);
  void ask_early(Entry& entry, const store::Charge& charge);
  void expire(Entry& entry);
  void speak_for(const Entry& entry);

  GuardStore& guard_;
  std::span<const store::Charge> charges_;
  Asker asker_;
  Now now_;
  Now at_;  // of the store's clock, as far as it is known
  bool spoken_ = false;
  bool rested_ = false;
  std::array<Entry*, store::kMaxCharges> entries_{};
  std::array<Standing, store::kMaxCharges> standing_{};
  base::LazyArray<Outcome, store::kMaxCharges> outcomes_;
  std::array<Ask*, store::kMaxCharges> asks_{};
  std::size_t asks_count_ = 0;
  base::LazyArray<Unspent, store::kMaxCharges> unspent_;
  std::size_t unspent_count_ = 0;
};

}  // namespace weir::guard
