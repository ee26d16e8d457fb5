// What a gateway's configuration gets wrong, counted by kind and noted in the log.
//
//   mistakes.note(GatewayMistake::missing_field, {"auth", "X-Forwarded-Uri", peer}, clock.now());
//
// Each request of a wrong gateway is wrong, so of each kind there is at most one line a second; it
// says how many it stands for. Thread-safe; without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/cidr.h"
#include "weir/clock.h"

namespace weir::serve {

enum class GatewayMistake : std::uint8_t {
  not_allowed,     // the peer is not in listeners.allow_from
  missing_field,   // a header that the endpoint reads is absent or empty
  repeated_field,  // or stands there twice
  wrong_method,    // the original method is no method
  wrong_stage,     // ?stage= is neither pre nor post
};
inline constexpr std::size_t kGatewayMistakes = 5;

constexpr std::string_view name(GatewayMistake kind) {
  constexpr std::array<std::string_view, kGatewayMistakes> kNames{
      "not_allowed", "missing_field", "repeated_field", "wrong_method", "wrong_stage"};
  return kNames[static_cast<std::size_t>(kind)];
}

class GatewayMistakes {
 public:
  struct Where {
    std::string_view endpoint;
    std::string_view field;  // empty: none
    policy::Address peer;
  };

  // Counts it, and logs it unless a line of its kind was written less than a second ago.
  void note(GatewayMistake kind, const Where& where, const Now& now);
  // The part of `note` without the log: how many the line to be written now leaves out before it;
  // nullopt: no line now.
  std::optional<std::uint64_t> count(GatewayMistake kind, const Now& now);

  std::uint64_t total(GatewayMistake kind) const {
    return kinds_[static_cast<std::size_t>(kind)].total.load(std::memory_order_relaxed);
  }

 private:
  struct Kind {
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::uint64_t> left_out{0};
    std::atomic<std::uint64_t> quiet_until_ns{0};
  };
  std::array<Kind, kGatewayMistakes> kinds_;
};

}  // namespace weir::serve
