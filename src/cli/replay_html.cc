// The report of a replay as one page: plots over the tables of the text report. No script, nothing
// fetched.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/replay_outcome.h"
#include "cli/svg.h"
#include "design/fit/burst.h"
#include "design/fit/quantile.h"
#include "design/text.h"

namespace weir::cli {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       color: #1c2733; background: #fff; }
svg { width: 100%; height: auto; margin: 1rem 0; }
svg text { font: 11px system-ui, sans-serif; fill: #4a5866; }
svg text.title { font-size: 13px; font-weight: 600; fill: #1c2733; }
pre { overflow-x: auto; font-size: 13px; background: #f4f6f8; padding: 1rem; border-radius: 6px; }
.admitted { fill: #3b7ea1; } .denied { fill: #c8553d; }
.grid { stroke: #e1e6ea; } .vertical { stroke: #8b98a5; }
polyline { fill: none; stroke-width: 2; }
polyline.line0 { stroke: #3b7ea1; } polyline.line1 { stroke: #c8553d; }
polyline.line2 { stroke: #6d8f3a; } rect.line2 { fill: #6d8f3a; }
rect.line0 { fill: #3b7ea1; } rect.line1 { fill: #c8553d; }
.mark { fill: #1c2733; }
)";

std::string instant_text(std::int64_t ns) {
  const std::uint64_t second = 1'000'000'000;
  return design::instant_text({static_cast<std::uint64_t>(ns) / second * second});
}

std::string over_time(const traffic::Timeline& timeline) {
  svg::Bars bars;
  const Duration step{static_cast<std::uint64_t>(timeline.step_ns)};
  bars.title = "Requests, each bar " + design::duration_text(step);
  bars.lower_name = "admitted";
  bars.upper_name = "denied";
  for (std::size_t i = 0; i < timeline.steps.size(); ++i) {
    const traffic::Count& c = timeline.steps[i];
    const std::int64_t at = timeline.begin_ns + static_cast<std::int64_t>(i) * timeline.step_ns;
    bars.bars.emplace_back(static_cast<double>(c.admitted()), static_cast<double>(c.denied));
    bars.labels.push_back(instant_text(at) + ": " + design::count_text(c.admitted()) +
                          " admitted, " + design::count_text(c.denied) + " denied");
  }
  if (!timeline.steps.empty()) {
    const auto last = static_cast<std::int64_t>(timeline.steps.size() - 1);
    bars.first_label = instant_text(timeline.begin_ns);
    bars.last_label = instant_text(timeline.begin_ns + last * timeline.step_ns);
  }
  return svg::draw(bars);
}

// The n-th largest of each, at n; of many keys some only, closer where n is small.
svg::Line ranked(std::string name, std::vector<std::uint64_t> values) {
  std::sort(values.begin(), values.end(), std::greater<>());
  svg::Line line{std::move(name), {}};
  for (std::size_t n = 1; n <= values.size(); n += std::max<std::size_t>(1, n / 50)) {
    line.points.emplace_back(static_cast<double>(n), static_cast<double>(values[n - 1]));
  }
  return line;
}

std::string by_key(const traffic::Tally& tally) {
  std::vector<std::uint64_t> requests;
  std::vector<std::uint64_t> denied;
  for (const traffic::KeyTally& key : tally.keys()) {
    requests.push_back(key.count.requests);
    denied.push_back(key.count.denied);
  }
  svg::Lines lines;
  lines.title = "Keys, from the busiest";
  lines.x_name = "rank of the key";
  lines.y_name = "requests";
  lines.lines = {ranked("requests", std::move(requests)), ranked("denied", std::move(denied))};
  return svg::draw(lines);
}

std::vector<design::Trace> traces_of(const ReplayOutcome& o) {
  std::vector<design::Trace> traces(o.policy.keys->size());
  for (std::size_t i = 0; i < o.logs.events.size(); ++i) {
    const traffic::Event event = o.logs.events.at(i);
    traces[o.policy.keys->of(event.caller)].at_ns.push_back(event.start_ns);
  }
  std::erase_if(traces, [](const design::Trace& trace) { return trace.size() == 0; });
  return traces;
}

// Of one class only its own requests count, which the lines do not tell apart.
bool covers_all(const policy::Policy& policy, const policy::Limit& limit) {
  for (std::size_t c = 0; c < policy.classes.size(); ++c) {
    if (!limit.covers[c] && !policy.classes[c].exempt) return false;
  }
  return true;
}

// The token buckets that count all requests of a caller, as points of the plot.
std::vector<svg::Mark> buckets_of(const policy::Policy& policy) {
  std::vector<svg::Mark> marks;
  for (const policy::Limit& limit : policy.limits) {
    if (limit.algorithm != Algorithm::token_bucket || limit.key.empty() || limit.unit != 0 ||
        !covers_all(policy, limit))
      continue;
    for (std::size_t tier = 0; tier < limit.tiers.size(); ++tier) {
      const policy::LimitNumbers& numbers = limit.tiers[tier];
      if (numbers.kind != policy::NumbersKind::numbers) continue;
      const algo::Numbers& n = numbers.numbers;
      const double rate = static_cast<double>(n.count) * 1e9 / static_cast<double>(n.period_ns);
      const bool alone = limit.tiers.size() == 1;
      marks.push_back({limit.name + (alone ? "" : " " + policy.tiers[tier].name), rate,
                       static_cast<double>(n.burst)});
    }
  }
  return marks;
}

// For each rate the burst with which a token bucket would have rejected nothing: of the most
// demanding key, of all but one in a hundred, of half. A limit above a line hurts none of those.
std::string needs(const ReplayOutcome& o) {
  const std::vector<design::Trace> traces = traces_of(o);
  const std::vector<svg::Mark> marks = buckets_of(*o.policy.snapshot->policy);
  double lowest = 0.001;
  double highest = 100;
  for (const svg::Mark& mark : marks) {
    lowest = std::min(lowest, mark.x);
    highest = std::max(highest, mark.x);
  }
  const design::RateGrid rates = design::rate_grid(lowest, highest);
  std::vector<std::vector<float>> bursts(design::kRates);
  for (const design::Trace& trace : traces) {
    const design::RateGrid of_key = design::minimal_bursts(trace, rates);
    for (std::size_t i = 0; i < design::kRates; ++i) bursts[i].push_back(of_key[i]);
  }
  svg::Lines plot;
  plot.title = "Least burst that rejects no request, by rate";
  plot.x_name = "requests a second of one key";
  plot.y_name = "burst";
  plot.lines = {{"the most demanding key", {}}, {"99 % of the keys", {}}, {"half of the keys", {}}};
  constexpr std::array kQuantiles{1.0, 0.99, 0.5};
  for (std::size_t i = 0; i < design::kRates; ++i) {
    std::sort(bursts[i].begin(), bursts[i].end());
    for (std::size_t q = 0; q < kQuantiles.size() && !bursts[i].empty(); ++q) {
      const std::size_t place = design::quantile_place(bursts[i].size(), kQuantiles[q]);
      plot.lines[q].points.emplace_back(rates[i], bursts[i][place - 1]);
    }
  }
  plot.marks = marks;
  return svg::draw(plot);
}

}  // namespace

std::string replay_html(const ReplayOutcome& o) {
  const std::string title = svg::escaped("weir replay: " + o.policy.file);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>{}</style>\n<h1>{}</h1>\n{}{}{}<pre>{}</pre>\n</html>\n",
      title, kStyle, title, over_time(o.policy.tally->timeline()), by_key(*o.policy.tally),
      needs(o), svg::escaped(replay_text(o)));
}

}  // namespace weir::cli
