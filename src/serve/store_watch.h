// Says that the store is there, that it went away and why, once again when the reason is another,
// and that it is back.
//
//   StoreWatch watch(engine.store());
//   watch.look();   // every second or so
//
// A store in memory is always there. Not thread-safe; does not wait for another machine.
#pragma once

#include "redis/error.h"
#include "store/store.h"

namespace weir::serve {

class StoreWatch {
 public:
  explicit StoreWatch(const store::Store& store) : store_(store) {}

  void look();

 private:
  const store::Store& store_;
  // As said last.
  bool told_ = false;
  bool there_ = false;
  redis::Failure failure_ = redis::Failure::other_error;
};

}  // namespace weir::serve
