// E1 and E8: the same requests under each algorithm, and two clocks that disagree.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "algo/testing/counter.h"

namespace weir::algo::testing {
namespace {

struct Boundary {
  const char* name;
  Numbers numbers;
  std::uint64_t first;   // admitted of 100 at 00:50
  std::uint64_t second;  // admitted of 100 at 01:10
  Duration next;         // after those, from 01:10
};

// E1: 100 a minute, 100 requests at 00:50 and 100 at 01:10.
TEST(Examples, E1TheWindowBoundary) {
  const Boundary rows[] = {
      {"fixed_window, align: epoch", fixed_window(100, minutes(1)), 100, 100, seconds(50)},
      {"fixed_window, align: first", fixed_window(100, minutes(1), Align::first), 100, 0,
       seconds(40)},
      {"sliding_log", sliding_log(100, minutes(1)), 100, 0, seconds(40)},
      {"sliding_window", sliding_window(100, minutes(1)), 100, 17, milliseconds(200)},
      {"token_bucket", token_bucket(100, minutes(1), 100), 100, 33, milliseconds(400)},
  };
  for (const Boundary& row : rows) {
    SCOPED_TRACE(row.name);
    Counter c(row.numbers);
    EXPECT_EQ(c.hammer(100, at(seconds(50))), row.first);
    EXPECT_EQ(c.hammer(100, at(seconds(70))), row.second);
    EXPECT_EQ(c.peek(1, at(seconds(70))).wait, row.next);
  }
}

// E8: two instances 50 ms apart, 5/s, burst 10, hammered for a second. The store decides at the
// largest instant that it has seen.
TEST(Examples, E8SkewMintsNothing) {
  Counter c(token_bucket(5, seconds(1), 10));
  std::uint64_t admitted = 0;
  Instant largest;
  for (std::uint64_t ms = 0; ms <= 1000; ++ms) {
    for (const std::uint64_t skew : {50u, 0u}) {
      largest = std::max(largest, at(milliseconds(10'000 + ms + skew)).steady);
      admitted += c.charge(1, {largest, 0}).admit;
    }
  }
  EXPECT_EQ(admitted, 15u);
}

}  // namespace
}  // namespace weir::algo::testing
