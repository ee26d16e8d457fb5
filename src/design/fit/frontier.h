// The whole trade between rate and burst for a trace: b*(r), which is convex, falls, and is made of
// straight lines N - r T, one for each interval of requests that forces the burst at some rate.
#pragma once

#include <cstddef>
#include <vector>

#include "design/fit/trace.h"

namespace weir::design {

// b*(r) = units - r x seconds for rates from `from` up to the next one's.
struct FrontierLine {
  double from = 0;  // units a second
  double units = 0;
  double seconds = 0;
  std::size_t first = 0;  // the requests that force it
  std::size_t last = 0;
};

// From the rate 0 on; the last line is that of the largest cost alone (or of requests at one
// instant), which no rate makes smaller. By chords: where two lines meet, either one of them is the
// answer or a third lies above.
std::vector<FrontierLine> frontier(const Trace& trace);

// The rate at which b*(r) + r x horizon is least, and that sum: what a client can do in `horizon_s`
// at the most with a limit that rejects nothing seen. It is the concave hull of the envelope there.
struct HorizonChoice {
  double rate = 0;
  double burst = 0;
  double most_units = 0;
};
HorizonChoice choose_by_horizon(const std::vector<FrontierLine>& lines, double horizon_s);

}  // namespace weir::design
