// The claims of a JWT that the gateway has verified: reading its payload, nothing else.
//
// Verification is not done here; caller.cc asks only where the policy says `verify: gateway`.
// Reading is a single pass with bounded memory: no DOM, no allocation, no exception. Only members
// of the top level are claims. Strings, whole numbers and booleans have a value (their text); a
// claim that occurs twice, is empty, longer than kMaxKeyValue or of another type has none.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace weir::identity {

inline constexpr std::size_t kMaxToken = 8 * 1024;
inline constexpr std::size_t kMaxClaim = 256;

struct Claim {
  std::string_view name;  // wanted
  bool seen = false;
  bool usable = false;
  std::size_t size = 0;
  std::array<char, kMaxClaim> text;

  std::optional<std::string_view> value() const {
    if (!usable || size == 0) return std::nullopt;
    return std::string_view{text.data(), size};
  }
};

// The payload of a compact JWS (`header.payload.signature`, base64url without padding), decoded
// into `out`. nullopt: not of that form, or longer than kMaxToken.
std::optional<std::string_view> jwt_payload(std::string_view token, std::span<char> out);

// Fills the claims from a payload. False, and no claim has a value, where it is not a JSON object.
bool read_claims(std::string_view payload, std::span<Claim> claims);

}  // namespace weir::identity
