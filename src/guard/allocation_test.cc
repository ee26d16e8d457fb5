// What is decided here allocates nothing: admissions from tokens in hand, denials that the store
// has announced, denials while a lease rests. And a question to the store, once its place is there.
#include <gtest/gtest.h>

#include "base/testing/count_allocations.h"
#include "guard/testing/process.h"
#include "store/testing/lab.h"

namespace weir::guard {
namespace {

using base::testing::allocations_so_far;
using store::testing::a_day;
using testing::Network;
using testing::Process;
using testing::Server;

class Last final : public store::Sink {
 public:
  void decided(const store::Verdict& v) override {
    ++times;
    admit = v.admit;
  }
  int times = 0;
  bool admit = false;
};

class Allocation : public ::testing::Test {
 protected:
  // One request; what it allocated.
  std::size_t ask(const store::Charge& charge) {
    const store::Request request{{&charge, 1}, false};
    const std::size_t before = allocations_so_far();
    process_.guard().charge({&request, 1}, {network_.now(), 0}, last_);
    return allocations_so_far() - before;
  }
  void admit(const store::Charge& charge, int n) {
    while (n > 0) {
      n -= process_.told({charge}).admit ? 1 : 0;
      network_.run_until(network_.now() + microseconds(500));
    }
  }

  Network network_;
  Server server_;
  Process process_{network_, server_};
  Last last_;
};

TEST_F(Allocation, ThereIsNoneWhereTokensAreInHand) {
  const algo::Numbers numbers = a_day(Algorithm::token_bucket, 16'000);
  const store::Charge charge = process_.ahead("k", numbers);
  admit(charge, 300);
  const std::uint64_t asked = process_.guard().counts().asked;
  // Until the next question, which the far store of this test allocates for.
  int decided = 0;
  for (std::size_t allocated = 0; decided < 1'000; ++decided) {
    allocated = ask(charge);
    if (process_.guard().counts().asked > asked) break;
    EXPECT_EQ(allocated, 0u);
    EXPECT_TRUE(last_.admit);
  }
  EXPECT_GT(decided, 3);
}

TEST_F(Allocation, ThereIsNoneForADenialThatIsKnown) {
  for (const bool prefetch : {false, true}) {
    const algo::Numbers numbers = a_day(Algorithm::fixed_window, 100);
    store::Charge charge = process_.on(prefetch ? "ahead" : "k", numbers);
    charge.prefetch = prefetch;
    admit(charge, 100);
    EXPECT_FALSE(process_.told({charge}).admit);
    EXPECT_FALSE(process_.told({charge}).admit);
    const std::uint64_t calls = process_.calls();
    for (int i = 0; i < 100; ++i) {
      last_ = Last{};
      EXPECT_EQ(ask(charge), 0u);
      EXPECT_EQ(last_.times, 1);
      EXPECT_FALSE(last_.admit);
    }
    EXPECT_EQ(process_.calls(), calls);
  }
}

}  // namespace
}  // namespace weir::guard
