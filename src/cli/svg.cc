#include "cli/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir::cli::svg {
namespace {

constexpr double kWidth = 860;
constexpr double kHeight = 260;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 34;
constexpr double kBottom = 44;

std::string begin(const std::string& title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
      "<text class=\"title\" x=\"{}\" y=\"18\">{}</text>\n",
      kWidth, kHeight, escaped(title), kLeft, escaped(title));
}

std::string text(double x, double y, std::string_view anchor, std::string_view what) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(what));
}

std::string rule(double x1, double y1, double x2, double y2, std::string_view name) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", name, x1,
      y1, x2, y2);
}

std::string number(double value) {
  if (value >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", value);
}

// 1, 2 or 5 times a power of ten, not below.
double nice_above(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (step * power >= value * (1 - 1e-9)) return step * power;
  }
  return value;
}

// Where a value lies between two powers of ten.
class LogAxis {
 public:
  LogAxis(double from, double to) : to_(to) {
    low_ = 1e300;
    high_ = 0;
    from_ = from;
  }
  void see(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool empty() const { return high_ == 0; }
  // To whole decades, at least one.
  void settle() {
    first_ = std::floor(std::log10(low_) + 1e-9);
    last_ = std::max(first_ + 1, std::ceil(std::log10(high_) - 1e-9));
  }
  double at(double value) const {
    const double share = (std::log10(value) - first_) / (last_ - first_);
    return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
  }
  std::vector<double> decades() const {
    std::vector<double> all;
    const auto count = static_cast<int>(std::lround(last_ - first_));
    for (int i = 0; i <= count; ++i) all.push_back(std::pow(10.0, first_ + i));
    return all;
  }

 private:
  double from_, to_;
  double low_, high_;
  double first_ = 0, last_ = 1;
};

std::string legend(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out;
  double x = kWidth - kRight;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    out += text(x, 18, "end", entry->second);
    x -= 7.0 * static_cast<double>(entry->second.size()) + 6;
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"9\" width=\"10\" height=\"10\"/>\n",
                       entry->first, x - 10);
    x -= 24;
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' && c != '\n' ? '?' : c;
    }
  }
  return out;
}

std::string draw(const Bars& b) {
  double most = 1;
  for (const auto& [lower, upper] : b.bars) most = std::max(most, lower + upper);
  most = nice_above(most);
  const double bottom = kHeight - kBottom;
  const double height = bottom - kTop;
  const double step =
      (kWidth - kLeft - kRight) / static_cast<double>(std::max<std::size_t>(1, b.bars.size()));
  std::string out = begin(b.title);
  out += legend({{"admitted", b.lower_name}, {"denied", b.upper_name}});
  for (const double share : {0.0, 0.5, 1.0}) {
    const double y = bottom - share * height;
    out += rule(kLeft, y, kWidth - kRight, y, "grid");
    out += text(kLeft - 6, y + 4, "end", number(share * most));
  }
  for (std::size_t i = 0; i < b.bars.size(); ++i) {
    const auto& [lower, upper] = b.bars[i];
    const double x = kLeft + static_cast<double>(i) * step;
    const double low = lower / most * height;
    const double high = upper / most * height;
    out += fmt::format("<g><title>{}</title>", escaped(i < b.labels.size() ? b.labels[i] : ""));
    const auto rect = [&](std::string_view name, double y, double h) {
      if (h <= 0) return;
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>", name,
          x, y, std::max(0.5, step * 0.92), h);
    };
    rect("admitted", bottom - low, low);
    rect("denied", bottom - low - high, high);
    out += "</g>\n";
  }
  out += text(kLeft, kHeight - 20, "start", b.first_label);
  out += text(kWidth - kRight, kHeight - 20, "end", b.last_label);
  return out + "</svg>\n";
}

std::string draw(const Lines& plot) {
  LogAxis x(kLeft, kWidth - kRight);
  LogAxis y(kHeight - kBottom, kTop);
  for (const Line& line : plot.lines) {
    for (const auto& [px, py] : line.points) {
      if (px > 0 && py > 0) x.see(px), y.see(py);
    }
  }
  for (const Mark& mark : plot.marks) x.see(mark.x), y.see(mark.y);
  for (const Mark& mark : plot.verticals) x.see(mark.x);
  std::string out = begin(plot.title);
  if (x.empty() || y.empty())
    return out + text(kLeft, kHeight / 2, "start", "nothing to show") + "</svg>\n";
  x.settle();
  y.settle();
  for (const double d : x.decades()) {
    out += rule(x.at(d), kTop, x.at(d), kHeight - kBottom, "grid");
    out += text(x.at(d), kHeight - kBottom + 16, "middle", number(d));
  }
  for (const double d : y.decades()) {
    out += rule(kLeft, y.at(d), kWidth - kRight, y.at(d), "grid");
    out += text(kLeft - 6, y.at(d) + 4, "end", number(d));
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const std::string name = "line" + std::to_string(i % 4);
    std::string points;
    for (const auto& [px, py] : plot.lines[i].points) {
      if (px > 0 && py > 0) points += fmt::format("{:.1f},{:.1f} ", x.at(px), y.at(py));
    }
    out += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", name, points);
    names.emplace_back(name, plot.lines[i].name);
  }
  for (const Mark& mark : plot.verticals) {
    out += rule(x.at(mark.x), kTop, x.at(mark.x), kHeight - kBottom, "vertical");
    out += text(x.at(mark.x) + 4, kTop + 12, "start", mark.name);
  }
  for (const Mark& mark : plot.marks) {
    out += fmt::format("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                       x.at(mark.x), y.at(mark.y));
    out += text(x.at(mark.x) + 9, y.at(mark.y) + 4, "start", mark.name);
  }
  out += text((kLeft + kWidth) / 2, kHeight - 8, "middle", plot.x_name + "  /  up: " + plot.y_name);
  out += legend(names);
  return out + "</svg>\n";
}

}  // namespace weir::cli::svg
