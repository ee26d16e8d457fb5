// One request's caller: address, tier, account and the values of identity keys, resolved on demand.
//
//   Caller caller(policy, accounts, facts);
//   KeyHasher key(secret, KeyKind::caller);
//   if (caller.append(key, part, false) != Filled::missing) digest = key.finish();
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
#include "identity/counter_key.h"
#include "identity/facts.h"
#include "policy/policy.h"

namespace weir::identity {

inline constexpr std::size_t kMaxKeys = 32;  // identity keys of one policy

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
  const std::optional<policy::Address>& address() {
    if (!address_resolved_) resolve_address();
    return address_;
  }
  // In a network of `shared_ip`.
  bool shared_address() {
    if (!address_resolved_) resolve_address();
    return shared_;
  }
  // null: no known API key. Without accounts nothing is looked for.
  const Account* account() {
    if (accounts_ != nullptr && !account_resolved_) resolve_account();
    return account_;
  }
  policy::TierId tier();
  // The value of an identity key as it is counted (normalised, believed), or nullopt. For an API
  // key with accounts: only a known one. The view lives as long as the Caller.
  std::optional<std::string_view> value(policy::KeyId key);
  // Does `when: {name: value}` hold? The identity key of that name (`ip` takes an address or a
  // network), else an attribute that was stated.
  bool holds(std::string_view name, std::string_view value);

  // Appends one part, which is not `class`, to the caller's. With `stand_in` the client address
  // fills a missing one.
  Filled append(KeyHasher& key, const policy::KeyPart& part, bool stand_in) {
    return part.is_address() ? append_address(key) : append_chain(key, part, stand_in);
  }

 private:
  // Not cleared for each request: masks say which are set.
  struct View {
    const char* data;
    std::size_t size;
    std::string_view text() const { return {data, size}; }
  };
  static constexpr std::size_t kIssuer = kMaxKeys;  // claims beyond those of the keys
  static constexpr std::size_t kTierClaim = kMaxKeys + 1;
  // Claims, and one decoded or folded value a key: it cannot run out.
  static constexpr std::size_t kScratch = (2 * kMaxKeys + 2) * kMaxKeyValue;

  Filled append_address(KeyHasher& key) {
    if (!address()) return Filled::missing;
    key.address(*address_);
    return Filled::by_address;
  }
  Filled append_chain(KeyHasher& key, const policy::KeyPart& part, bool stand_in);
  std::optional<std::string_view> resolve(policy::KeyId id);
  std::optional<std::string_view> raw(policy::KeyId id);
  std::optional<std::string_view> from_source(policy::KeyId id);
  std::optional<std::string_view> folded(std::string_view value);
  std::optional<std::string_view> user();
  std::optional<std::string_view> claim(std::size_t index);
  bool holds_address(std::string_view value);
  void append_value(KeyHasher& key, policy::KeyId id, std::string_view value) const;
  void resolve_address();
  void resolve_account();
  void resolve_claims();
  std::string_view keep(std::string_view text);
  std::span<char> room() { return {scratch_.data() + scratch_used_, kMaxKeyValue}; }

  const policy::Policy& policy_;
  const Accounts* accounts_;
  const Facts& facts_;
  std::optional<policy::Address> address_;
  const Account* account_ = nullptr;
  std::optional<std::string_view> api_key_;  // as sent; known only if account_ or trusted
  std::optional<policy::TierId> tier_;
  std::uint64_t known_ = 0;           // by KeyId: resolved
  std::uint64_t present_ = 0;         // by KeyId: has a value
  std::uint64_t claims_present_ = 0;  // by index of claims_
  bool issuer_seen_ = false;
  bool claims_resolved_ = false;
  bool address_resolved_ = false;
  bool account_resolved_ = false;
  bool shared_ = false;
  std::size_t scratch_used_ = 0;
  std::array<View, kMaxKeys> values_;
  std::array<View, kMaxKeys + 2> claims_;  // of the keys, by KeyId; the issuer; the tier
  std::array<char, kScratch> scratch_;
};

}  // namespace weir::identity
