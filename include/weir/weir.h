// weir: start here.
//
//   #include <weir/weir.h>
//   weir::Limiter limiter(weir::TokenBucket{.rate = weir::per_second(10), .burst = 20});
//   if (auto d = limiter.charge("user:42"); !d.admit) std::this_thread::sleep_for(d.retry_after);
//
// limits.h     the algorithms and their numbers
// limiter.h    one limit, any number of keys
// limit_set.h  several limits that a request passes together or not at all
// decision.h   the words all of weir shares      clock.h  time      result.h  errors
// weir_c.h     the same for C and what can call C
// engine.h     a whole policy file in this process (not included here: link weir::engine)
// redis.h      the same with its counts in a Redis (not included here: link weir::redis)
#pragma once

#include "weir/clock.h"
#include "weir/decision.h"
#include "weir/limit_set.h"
#include "weir/limiter.h"
#include "weir/limits.h"
#include "weir/result.h"
