// A user's project: weir::limiter and the C++ library, nothing else.
#include <cstdio>
#include <string>

#include "weir/clock.h"
#include "weir/decision.h"

int main() {
  weir::SystemClock clock;
  const weir::Now now = clock.now();
  if (now.wall() < weir::Instant{1'600'000'000'000'000'000}) {
    std::puts("the clock says that it is before 2020");
    return 1;
  }
  std::printf("%s\n", std::string(weir::name(weir::Algorithm::token_bucket)).c_str());
  return 0;
}
