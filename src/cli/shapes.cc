#include "cli/shapes.h"

#include <algorithm>
#include <charconv>

#include "policy/loader.h"

namespace weir::cli {
namespace {

constexpr double kMostRate = 1e6;
constexpr std::uint64_t kMostClients = 10'000;
constexpr std::size_t kMostShapes = 16;
constexpr double kMostRequests = 20e6;

Error wrong(std::string what) { return {ErrorCode::invalid_argument, std::move(what), ""}; }

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// "flash-crowd:50:200": a shape, requests a second, clients.
Result<traffic::Synthetic> parse_part(const std::string& text) {
  traffic::Synthetic part;
  const std::size_t first = std::min(text.find(':'), text.size());
  const std::size_t second = std::min(text.find(':', first + 1), text.size());
  const auto shape = traffic::parse_shape(text.substr(0, first));
  if (!shape) return shape.error();
  part.shape = *shape;
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::invalid_argument,
                 "'" + text + "': " + what +
                     "; write it as flash-crowd:50:200 (requests a second, "
                     "clients)",
                 "--shape"};
  };
  if (first < text.size()) {
    const std::string rate = text.substr(first + 1, second - first - 1);
    if (!read_number(rate, part.rate) || !(part.rate > 0) || part.rate > kMostRate) {
      return wrong("'" + rate + "' is no rate from above 0 to 1000000");
    }
  }
  if (second < text.size()) {
    const std::string clients = text.substr(second + 1);
    if (!read_number(clients, part.clients) || part.clients == 0 || part.clients > kMostClients) {
      return wrong("'" + clients + "' is no number of clients from 1 to 10000");
    }
  }
  return part;
}

}  // namespace

void add_shape_options(Options& options, ShapesAsked& asked) {
  options
      .add("--shape", asked.shapes,
           "poisson, on-off, diurnal, flash-crowd, retry-storm, scraper, nat-office or llm-chat, "
           "with requests a second and clients; may be repeated (default: poisson:20:100)")
      .one_value_each()
      .type("SHAPE[:RATE[:CLIENTS]]");
  options.add("--duration", asked.duration, "how much time of traffic")
      .shows_default()
      .type("TIME");
}

Result<Shapes> parse_shapes(const ShapesAsked& asked) {
  Shapes shapes;
  const auto duration = policy::parse_duration(asked.duration);
  if (!duration || duration->ns == 0) {
    return wrong("--duration: '" + asked.duration +
                 "' is no duration: write it as 90s, 10m or 1h30m");
  }
  shapes.duration = *duration;
  if (asked.shapes.size() > kMostShapes) return wrong("more than 16 --shape");
  if (asked.shapes.empty()) shapes.parts.emplace_back();
  double requests = 0;
  for (const std::string& text : asked.shapes) {
    const auto part = parse_part(text);
    if (!part) return part.error();
    shapes.parts.push_back(*part);
    requests += part->rate * static_cast<double>(shapes.duration.ns) / 1e9;
  }
  if (requests > kMostRequests) {
    return wrong(
        "that are more than 20,000,000 requests: use a lower rate or a shorter "
        "--duration");
  }
  return shapes;
}

}  // namespace weir::cli
