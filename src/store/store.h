// The seam behind which limits keep their state: operations are data, a request stands or falls as
// a whole.
//
// A Request is a span of Charges. It is admitted only if every enforced charge has room; then all
// are charged, and otherwise none. A shadow charge never decides: it is charged iff the request is
// admitted and it has room itself. A peek changes nothing. Outcomes come back through the Sink, one
// call a request, in the order of its charges, before `charge` returns (memory, file) or later on
// the store's own thread (redis). The store clamps `now` to the largest instant it has decided at,
// and the Sink gets the instant that was used.
//
// Thread-safe. No errors: a store that cannot answer says so in Verdict::failed, and the caller
// applies each limit's failure policy. Memory and file allocate nothing in `charge` except the
// entries of a sliding_log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "algo/numbers.h"
#include "base/digest.h"
#include "weir/clock.h"
#include "weir/decision.h"

namespace weir::store {

// At most this many limits decide one request (I7); more is a load error.
inline constexpr std::size_t kMaxCharges = 16;

// What a limit's states are filed under: name, algorithm, window, alignment and unit (registry.h).
using Slot = std::uint16_t;

struct Charge {
  Slot slot = 0;
  // Of whom the key is first: a store in pieces keeps counters of one tag in one piece. 24 bits of
  // a keyed hash; 0: nobody (a global limit), or the store has no use for it.
  std::uint32_t tag = 0;
  base::Digest key;                        // keyed hash of (slot, key tuple)
  const algo::Numbers* numbers = nullptr;  // applied when the state is read; outlives the call
  std::uint64_t cost = 1;
  Duration max_delay = Duration::max();  // leaky_bucket: the longest delay this surface waits out
  bool shadow = false;
  bool prefetch = false;  // tokens of this counter may be taken ahead (guard/guard_store.h)
};

struct Request {
  std::span<const Charge> charges;  // most key parts first, global last; at most kMaxCharges
  bool peek = false;
  Duration taken{};  // of the time that one decision has, where there is such: gone already
};

struct Verdict {
  std::size_t request = 0;  // index into the span given to `charge`
  bool admit = true;        // every enforced charge had room
  bool failed = false;      // the store did not decide; `outcomes` is empty
  Now now;                  // the instant that was used
  std::span<const Outcome> outcomes;
  // Bit i: charge i was not looked at, and its outcome says nothing. Where the store is in pieces,
  // a denial in one ends the request before the next.
  std::uint32_t unasked = 0;
};

class Sink {
 public:
  virtual void decided(const Verdict& verdict) = 0;

 protected:
  ~Sink() = default;
};

// One counter as an operator sees it.
struct Inspection {
  bool live = false;  // false: no state, equal to full
  Outcome now;        // the verdict for cost 0
  Duration ttl;       // until the state may be forgotten
};

struct Stats {
  std::uint64_t keys = 0;       // entries held, dead ones not yet reused included
  std::uint64_t capacity = 0;   // max_keys
  std::uint64_t reclaimed = 0;  // dead entries that were freed or reused
  std::uint64_t full = 0;       // charges that found the table full
};

class Store {
 public:
  virtual ~Store() = default;

  // Whether `charge` calls the sink before it returns. Otherwise the store copies what `requests`
  // spans, and the numbers they point to and the sink outlive the calls of `decided`, which come
  // before it returns or on the store's own thread.
  virtual bool immediate() const { return true; }
  virtual void charge(std::span<const Request> requests, Now now, Sink& sink) = 0;
  // Gives each charge's cost back, capped at what its counter owes. May be done later; the numbers
  // need not live until then.
  virtual void refund(std::span<const Charge> charges, Now now) = 0;
  virtual Inspection inspect(const Charge& charge, Now now) = 0;
  // Forgets one counter: it starts full. True if there was one.
  virtual bool reset(Slot slot, const base::Digest& key) = 0;
  // The same of the counter of a charge; a store in pieces needs its tag.
  virtual bool reset(const Charge& charge) { return reset(charge.slot, charge.key); }
  virtual Stats stats() const = 0;
  // Keys the digests: without it nobody can look for keys that collide.
  virtual const base::HashSecret& secret() const = 0;
};

}  // namespace weir::store
