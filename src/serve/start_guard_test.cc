// A stop while a process starts.
#include "serve/start_guard.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace weir::serve {
namespace {

sigset_t blocked() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  return stop;
}

// What never ends by itself: a policy that is read for ever.
[[noreturn]] void start_for_ever(int signal) {
  const StartGuard guard(blocked());
  ::kill(::getpid(), signal);
  for (;;) ::pause();
}

TEST(StartGuardDeathTest, EndsAStartAtASignal) {
  EXPECT_EXIT(start_for_ever(SIGTERM), ::testing::ExitedWithCode(0),
              "stopped before it served.*SIGTERM");
  EXPECT_EXIT(start_for_ever(SIGINT), ::testing::ExitedWithCode(0),
              "stopped before it served.*SIGINT");
}

TEST(StartGuardDeathTest, LeavesASignalToTheCallerOnceReleased) {
  EXPECT_EXIT(
      {
        const sigset_t stop = blocked();
        StartGuard guard(stop);
        guard.release();
        ::kill(::getpid(), SIGTERM);
        int signal = 0;
        ::sigwait(&stop, &signal);
        ::_exit(signal == SIGTERM ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace weir::serve
