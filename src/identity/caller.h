// One request's caller: address, tier, account and the values of identity keys, resolved on demand.
//
//   Caller caller(policy, accounts, facts);
//   KeyWriter key(bytes);
//   if (caller.append(key, part, class_name)) digest = siphash13_128(secret, key.bytes());
//
// Lives on the stack for one decision and allocates nothing (a JWT payload is parsed in a buffer of
// its own; a token over 8 KiB is a missing one). What a client sent is never an error: a repeated,
// bad or over-long (256 bytes) key part is a missing one. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "identity/accounts.h"
#include "identity/facts.h"
#include "policy/policy.h"

namespace weir::identity {

inline constexpr std::size_t kMaxKeyValue = 256;
inline constexpr std::size_t kMaxKeys = 32;  // identity keys of one policy

// Types of key parts: an identity key's part has its KeyId; these lie above all of them.
inline constexpr std::uint8_t kClassPart = 0xfe;
inline constexpr std::uint8_t kMissingPart = 0xff;  // `on_missing: shared`

// The injective encoding of a key tuple: each part is its key's id, a length, and its bytes.
// Typed and length-prefixed, so ("a","bc") and ("ab","c"), or an address and a header that spells
// it, are different keys (I8).
class KeyWriter {
 public:
  static constexpr std::size_t kCapacity = 8 * 1024;

  void start(std::uint16_t slot) {
    size_ = 0;
    byte(static_cast<std::uint8_t>(slot & 0xff));
    byte(static_cast<std::uint8_t>(slot >> 8));
  }
  // `type` tells kinds of parts apart: a KeyId, kClassPart or kMissingPart.
  void part(std::uint8_t type, std::string_view value);
  std::string_view bytes() const { return {buffer_.data(), size_}; }

 private:
  void byte(std::uint8_t b) { buffer_[size_++] = static_cast<char>(b); }

  std::array<char, kCapacity> buffer_;
  std::size_t size_ = 0;
};

// How a part of a key tuple was filled.
enum class Filled : std::uint8_t {
  missing,     // no alternative was present
  identity,    // by one of its alternatives
  by_address,  // by the client address, as an alternative or standing in
};

class Caller {
 public:
  Caller(const policy::Policy& policy, const Accounts* accounts, const Facts& facts);

  // The client address cut to the policy's prefix; nullopt where the surface knows none.
  const std::optional<policy::Address>& address();
  // In a network of `shared_ip`.
  bool shared_address();
  const Account* account();  // null: no known API key
  policy::TierId tier();
  // The value of an identity key as it is counted (normalised, believed), or nullopt. For an API
  // key with accounts: only a known one. The view lives as long as the Caller.
  std::optional<std::string_view> value(policy::KeyId key);
  // Does `when: {name: value}` hold? An attribute of that name if the caller stated one, else the
  // identity key.
  bool holds(std::string_view name, std::string_view value);

  // Appends one part to the tuple. With `stand_in` the client address fills a missing part.
  Filled append(KeyWriter& key, const policy::KeyPart& part, std::string_view class_name,
                bool stand_in);

 private:
  struct Slot {
    enum class Have : std::uint8_t { unknown, absent, present } have = Have::unknown;
    std::string_view value;
  };

  std::optional<std::string_view> resolve(const policy::IdentityKey& key);
  void resolve_address();
  void resolve_account();
  std::optional<std::string_view> claim(std::string_view name);

  const policy::Policy& policy_;
  const Accounts* accounts_;
  const Facts& facts_;
  std::array<Slot, kMaxKeys> values_{};
  std::optional<policy::Address> address_;
  bool address_resolved_ = false;
  bool shared_ = false;
  const Account* account_ = nullptr;
  bool account_resolved_ = false;
  std::optional<policy::TierId> tier_;
  std::size_t scratch_used_ = 0;
  std::array<char, 4096> scratch_;  // decoded query values, lower-cased values, claims
};

}  // namespace weir::identity
