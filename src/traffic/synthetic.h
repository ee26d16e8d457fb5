// Synthetic traffic: requests as an access log would have them, from a seed.
//
//   auto shape = traffic::parse_shape("flash-crowd");
//   Events events = traffic::generate({{*shape, 20, 100}}, seconds(600), seed);
//
// The same seed gives the same requests on the same build. For tests of a policy before there is a
// log, and for load.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "traffic/events.h"
#include "weir/clock.h"
#include "weir/result.h"

namespace weir::traffic {

enum class Shape : std::uint8_t {
  poisson,      // many clients, independent of each other
  on_off,       // clients that are busy and idle in turn, for Pareto times: bursts on every scale
  diurnal,      // a day's curve, from night to noon to night, over the whole time
  flash_crowd,  // ten times as much after a third, and new clients; then it decays
  retry_storm,  // nothing works for a tenth of the time (503), and clients try again each second
  scraper,      // every fifth request walks the catalogue, the others are people
  nat_office,   // all clients behind one address, each with a user agent and an API key of its own
  llm_chat,     // chats by API key: turns with pauses to think, tokens, seconds to answer
};

// "poisson", "on-off", "diurnal", ...
Result<Shape> parse_shape(std::string_view name);
std::string_view name(Shape shape);

struct Synthetic {
  Shape shape = Shape::poisson;
  double rate = 20;  // requests a second, all clients together; of retry_storm: without
                     // retries
  std::uint32_t clients = 100;
};

inline constexpr std::int64_t kSyntheticStart_ns = 1'796'083'200'000'000'000;  // 2026-12-01T00:00Z

// All of `parts` at once, in order of time. Each part has clients of its own.
Events generate(std::span<const Synthetic> parts, Duration duration, std::uint64_t seed);

}  // namespace weir::traffic
