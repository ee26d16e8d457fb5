// Plots as SVG inside a page: bars over time, and lines on logarithmic axes. No script.
//
//   svg::Bars bars{.title = "Requests a minute", ...};
//   page += svg::draw(bars);
//
// Every text is escaped. Colours are classes (`admitted`, `denied`, `line0`...), which the page's
// style gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::cli::svg {

std::string escaped(std::string_view text);

// Two stacked series, lower and upper.
struct Bars {
  std::string title;
  std::string lower_name, upper_name;
  std::vector<std::pair<double, double>> bars;  // lower, upper
  std::vector<std::string> labels;              // of each bar, for its tooltip
  std::string first_label, last_label;          // of the axis
};
std::string draw(const Bars& bars);

struct Line {
  std::string name;
  std::vector<std::pair<double, double>> points;  // x ascending
};
struct Mark {
  std::string name;
  double x = 0;
  double y = 0;
};
// Both axes logarithmic; points that are not above 0 are left out.
struct Lines {
  std::string title;
  std::string x_name, y_name;
  std::vector<Line> lines;
  std::vector<Mark> marks;      // points of their own
  std::vector<Mark> verticals;  // lines at x
};
std::string draw(const Lines& lines);

}  // namespace weir::cli::svg
