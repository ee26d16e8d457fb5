// A user's project: weir::limiter and the C++ library, nothing else.
#include <weir/weir.h>

#include <chrono>
#include <cstdio>

int main() {
  weir::ManualClock clock;
  weir::Limiter limiter(weir::TokenBucket{.rate = weir::per_second(10), .burst = 20},
                        {.clock = &clock});
  for (int i = 0; i < 20; ++i) {
    if (!limiter.charge("user:42").admit) {
      std::printf("charge %d of 20 was denied\n", i + 1);
      return 1;
    }
  }
  const auto denied = limiter.charge("user:42");
  if (denied.admit || denied.retry_after != std::chrono::milliseconds(100)) {
    std::puts("the 21st was not denied for 100 ms");
    return 1;
  }
  clock.advance(weir::milliseconds(100));
  if (!limiter.charge("user:42").admit || !limiter.charge("user:43").admit) {
    std::puts("denied after the wait, or for another key");
    return 1;
  }
  return 0;
}
