// The report of a replay as one page: plots over the tables of the text report. No script, nothing
// fetched.
#include <fmt/format.h>

#include <algorithm>

#include "cli/replay_outcome.h"
#include "cli/svg.h"
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

}  // namespace

std::string replay_html(const ReplayOutcome& o) {
  const std::string title = svg::escaped("weir replay: " + o.policy.file);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
      "<style>{}</style>\n<h1>{}</h1>\n{}{}<pre>{}</pre>\n</html>\n",
      title, kStyle, title, over_time(o.policy.tally->timeline()), by_key(*o.policy.tally),
      svg::escaped(replay_text(o)));
}

}  // namespace weir::cli
