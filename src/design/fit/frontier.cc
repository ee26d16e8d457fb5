#include "design/fit/frontier.h"

#include <algorithm>

#include "design/fit/burst.h"

namespace weir::design {
namespace {

double value(const FrontierLine& line, double rate) { return line.units - rate * line.seconds; }

FrontierLine line_at(const Trace& trace, double rate) {
  const Burst burst = minimal_burst(trace, rate);
  FrontierLine line;
  for (std::size_t i = burst.first; i <= burst.last; ++i) line.units += trace.cost(i);
  line.seconds = static_cast<double>(trace.at_ns[burst.last] - trace.at_ns[burst.first]) / 1e9;
  line.first = burst.first;
  line.last = burst.last;
  return line;
}

// Adds the lines between `left` and `right`, without them.
void between(const Trace& trace, const FrontierLine& left, const FrontierLine& right,
             std::vector<FrontierLine>& lines) {
  if (left.seconds <= right.seconds) return;
  const double rate = (left.units - right.units) / (left.seconds - right.seconds);
  const FrontierLine middle = line_at(trace, rate);
  const double known = value(left, rate);
  if (value(middle, rate) <= known + 1e-9 * std::max(1.0, known)) return;
  if (middle.seconds >= left.seconds || middle.seconds <= right.seconds) return;
  between(trace, left, middle, lines);
  lines.push_back(middle);
  between(trace, middle, right, lines);
}

}  // namespace

std::vector<FrontierLine> frontier(const Trace& trace) {
  std::vector<FrontierLine> lines;
  if (trace.size() == 0) return lines;
  const FrontierLine slowest = line_at(trace, 0);
  // So fast that only requests of one instant are together: faster than any two units a nanosecond.
  double all = 0;
  for (std::size_t i = 0; i < trace.size(); ++i) all += trace.cost(i);
  const FrontierLine fastest = line_at(trace, 2e9 * all);
  lines.push_back(slowest);
  between(trace, slowest, fastest, lines);
  if (fastest.seconds < slowest.seconds) lines.push_back(fastest);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    lines[i].from =
        (lines[i - 1].units - lines[i].units) / (lines[i - 1].seconds - lines[i].seconds);
  }
  return lines;
}

HorizonChoice choose_by_horizon(const std::vector<FrontierLine>& lines, double horizon_s) {
  HorizonChoice best;
  bool any = false;
  // A convex function of straight pieces has its least value where two of them meet.
  for (const FrontierLine& line : lines) {
    const double burst = value(line, line.from);
    const double units = burst + line.from * horizon_s;
    if (any && units >= best.most_units) continue;
    best = {line.from, burst, units};
    any = true;
  }
  return best;
}

}  // namespace weir::design
