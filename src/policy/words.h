// The words of the policy's enums, as the file, JSON and messages write them: name(Mode::shadow) is
// "shadow". Static text.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "policy/policy.h"
#include "policy/position.h"
#include "weir/decision.h"

namespace weir::policy {

namespace detail {

template <typename Enum, std::size_t N>
constexpr std::string_view word_of(Enum value, const std::array<std::string_view, N>& words) {
  const auto i = static_cast<std::size_t>(value);
  return i < N ? words[i] : std::string_view("unknown");
}

}  // namespace detail

constexpr std::string_view name(Severity s) {
  return detail::word_of(s, std::array<std::string_view, 3>{"error", "warning", "info"});
}
constexpr std::string_view name(Stage s) {
  return detail::word_of(s, std::array<std::string_view, 2>{"pre_auth", "post_auth"});
}
constexpr std::string_view name(Mode m) {
  return detail::word_of(m, std::array<std::string_view, 3>{"enforce", "shadow", "off"});
}
constexpr std::string_view name(OnMissing m) {
  return detail::word_of(m, std::array<std::string_view, 4>{"address", "deny", "skip", "shared"});
}
constexpr std::string_view name(OnStoreFailure f) {
  return detail::word_of(f, std::array<std::string_view, 3>{"open", "closed", "local"});
}
constexpr std::string_view name(OnFull f) {
  return detail::word_of(f, std::array<std::string_view, 2>{"shared", "deny"});
}
constexpr std::string_view name(StoreType t) {
  return detail::word_of(t, std::array<std::string_view, 2>{"memory", "redis"});
}
constexpr std::string_view name(Show s) {
  return detail::word_of(s, std::array<std::string_view, 3>{"plain", "last4", "hash"});
}
constexpr std::string_view name(Source s) {
  return detail::word_of(
      s, std::array<std::string_view, 6>{"ip", "header", "query", "cookie", "jwt", "attribute"});
}
constexpr std::string_view name(Align a) {
  return detail::word_of(a, std::array<std::string_view, 2>{"epoch", "first"});
}

static_assert(name(Stage::post_auth) == "post_auth");
static_assert(name(Mode::off) == "off");
static_assert(name(OnMissing::shared) == "shared");
static_assert(name(OnStoreFailure::local) == "local");
static_assert(name(OnFull::deny) == "deny");
static_assert(name(StoreType::redis) == "redis");
static_assert(name(Show::hash) == "hash");
static_assert(name(Source::attribute) == "attribute");
static_assert(name(Align::first) == "first");
static_assert(name(Severity::info) == "info");

}  // namespace weir::policy
