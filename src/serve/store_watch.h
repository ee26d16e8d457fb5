// Says once that the store went away, with what it said last, and once that it is back.
//
//   StoreWatch watch(engine.store());
//   watch.look();   // every second or so
//
// A store in memory is always there. Not thread-safe; does not wait for another machine.
#pragma once

#include "store/store.h"

namespace weir::serve {

class StoreWatch {
 public:
  explicit StoreWatch(const store::Store& store) : store_(store) {}

  void look();

 private:
  const store::Store& store_;
  bool there_ = true;  // as said last
};

}  // namespace weir::serve
