// The way from any thread to the store's own: requests are copied in under a lock, and taken out
// all at once. Bounded: what does not fit is handed over as refused.
//
//   if (inbox.charge(requests, now, sink, deadline)) wake_the_reader();   // any thread
//   inbox.take(waiting, refused);                                         // the reader
//   inbox.put_back(done);
//
// Allocates only while it grows: places are used again with the memory they have. Two short
// critical sections a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "redis/waiting.h"
#include "store/store.h"

namespace weir::redis {

class Inbox {
 public:
  // A request that found no room: it is only told so.
  struct Refused {
    store::Sink* sink = nullptr;
    Question* question = nullptr;
    std::size_t request = 0;
    Now given;
    Failure failure = Failure::queue_full;
  };

  explicit Inbox(std::size_t most) : most_(most) {}

  // True: nobody has woken the reader since its last `take`.
  bool charge(std::span<const store::Request> requests, Now given, store::Sink& sink,
              Instant deadline);
  bool add(Waiting::Kind kind, std::span<const store::Charge> charges, Now given, Instant deadline,
           Question* question);

  void take(std::vector<Waiting*>& waiting, std::vector<Refused>& refused);
  void put_back(std::vector<Waiting*>& done);  // and empties it
  std::size_t in_use() const;

 private:
  Waiting* place();
  bool woken();
  void put(Waiting& w, Waiting::Kind kind, std::span<const store::Charge> charges, Now given,
           Instant deadline);

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::deque<Waiting> places_;
  std::vector<Waiting*> free_;
  std::vector<Waiting*> arrived_;
  std::vector<Refused> refused_;
  std::uint64_t serial_ = 0;
  bool woken_ = false;
};

}  // namespace weir::redis
