// Who is asking: each value is looked for when a limit or a class first wants it, and then kept.
#include "identity/caller.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "identity/address.h"
#include "identity/claims.h"
#include "identity/fields.h"
#include "policy/unicode.h"

namespace weir::identity {

using policy::IdentityKey;
using policy::KeyId;
using policy::Source;

static_assert(kMaxClaim <= kMaxKeyValue);

void KeyHasher::hashed_part(std::uint8_t type, std::string_view value) {
  constexpr std::size_t kHashed = 0xffff;  // no length: the bytes are a hash
  const KeyHash hash = hash_api_key(value);
  put(type, kHashed, {reinterpret_cast<const char*>(hash.data()), hash.size()});
}

Caller::Caller(const policy::Policy& policy, const Accounts* accounts, const Facts& facts)
    : policy_(policy), accounts_(accounts), facts_(facts) {
  assert(policy.identity.keys.size() <= kMaxKeys);
}

// ---- address, account, tier ---------------------------------------------------------------------

void Caller::resolve_address() {
  address_resolved_ = true;
  std::optional<policy::Address> found;
  if (!facts_.client && facts_.peer) {
    found = client_address(policy_.listeners, *facts_.peer, facts_.headers);
  }
  const std::optional<policy::Address>& whole = facts_.client ? facts_.client : found;
  if (!whole) return;
  const auto& shared = policy_.identity.shared_networks;
  shared_ = !shared.empty() && policy::contains(shared, *whole);
  address_ = whole->masked(policy_.identity.prefix_v4, policy_.identity.prefix_v6);
}

void Caller::resolve_account() {
  account_resolved_ = true;
  api_key_ = raw(policy::kApiKey);
  if (api_key_ && accounts_ != nullptr) account_ = accounts_->find(hash_api_key(*api_key_));
}

policy::TierId Caller::tier() {
  if (tier_) return *tier_;
  tier_ = policy_.identity.default_tier;
  if (policy_.identity.tier_from_accounts && account() != nullptr) {
    tier_ = account_->tier;
  } else if (!policy_.identity.tier_claim.empty()) {
    const auto name = claim(kTierClaim);
    for (std::size_t i = 0; name && i < policy_.tiers.size(); ++i) {
      if (policy_.tiers[i].name == *name) tier_ = static_cast<policy::TierId>(i);
    }
  }
  return *tier_;
}

// ---- values of keys -----------------------------------------------------------------------------

std::optional<std::string_view> Caller::value(KeyId key) {
  const std::uint64_t bit = std::uint64_t{1} << key;
  if ((known_ & bit) == 0) {
    known_ |= bit;
    if (const auto found = resolve(key)) {
      present_ |= bit;
      values_[key] = {found->data(), found->size()};
    }
  }
  if ((present_ & bit) == 0) return std::nullopt;
  return values_[key].text();
}

std::optional<std::string_view> Caller::resolve(KeyId id) {
  if (id == policy::kIpKey) {
    if (!address()) return std::nullopt;
    const std::string_view text = address_->write(room());
    scratch_used_ += text.size();
    return text;
  }
  if (id == policy::kApiKey) {
    if (!account_resolved_) resolve_account();
    const bool believed = account_ != nullptr || policy_.identity.api_key_trusted;
    return believed ? api_key_ : std::nullopt;
  }
  return raw(id);
}

// What was sent for a key, as it is counted but whether or not it is believed.
std::optional<std::string_view> Caller::raw(KeyId id) {
  const auto found = from_source(id);
  if (!found || found->empty() || found->size() > kMaxKeyValue) return std::nullopt;
  return policy_.identity.keys[id].lower ? folded(*found) : found;
}

std::optional<std::string_view> Caller::from_source(KeyId id) {
  const IdentityKey& key = policy_.identity.keys[id];
  for (const Field& attribute : facts_.attributes) {
    if (attribute.name == key.name) return single_attribute(facts_.attributes, key.name);
  }
  switch (key.source) {
    case Source::ip:
      return std::nullopt;  // resolve() has the address
    case Source::header: {
      static constexpr std::string_view kSchemes[] = {"Bearer", "ApiKey"};
      const bool credential = key.is_api_key && key.argument == "authorization";
      return credential ? credentials(facts_.headers, kSchemes)
                        : single_header(facts_.headers, key.argument);
    }
    case Source::query: {
      const auto found = query_parameter(facts_.target, key.argument, room());
      if (found && found->data() == room().data()) scratch_used_ += found->size();
      return found;
    }
    case Source::cookie:
      return cookie(facts_.headers, key.argument);
    case Source::jwt:
      return id == policy::kUserKey ? user() : claim(id);
    case Source::attribute:
      return single_attribute(facts_.attributes, key.argument);
  }
  return std::nullopt;
}

// `normalize: lower`: case and surrounding spaces make no new caller.
std::optional<std::string_view> Caller::folded(std::string_view value) {
  const std::string_view kept = keep(trim(value));
  char* const text = scratch_.data() + (kept.data() - scratch_.data());
  const std::size_t size = policy::fold_case({text, kept.size()});
  if (size == 0) return std::nullopt;
  return std::string_view{text, size};
}

// A subject is one only together with its issuer. "ISSUER SUBJECT", as an issuer has no space; a
// subject alone stands without one, or after a space where it has a space itself.
std::optional<std::string_view> Caller::user() {
  const auto subject = claim(policy::kUserKey);
  if (!subject) return std::nullopt;
  const auto issuer = claim(kIssuer);
  const bool has_space = subject->find(' ') != std::string_view::npos;
  if (!issuer && issuer_seen_) return std::nullopt;  // one that cannot be read is not none
  if (!issuer && !has_space) return subject;
  const std::string_view before = issuer.value_or("");
  if (before.find(' ') != std::string_view::npos ||
      before.size() + 1 + subject->size() > kMaxKeyValue) {
    return std::nullopt;
  }
  const std::size_t start = scratch_used_;
  keep(before);
  keep(" ");
  keep(*subject);
  return std::string_view{scratch_.data() + start, scratch_used_ - start};
}

std::optional<std::string_view> Caller::claim(std::size_t index) {
  if (!claims_resolved_) resolve_claims();
  if ((claims_present_ >> index & 1) == 0) return std::nullopt;
  return claims_[index].text();
}

void Caller::resolve_claims() {
  claims_resolved_ = true;
  if (!policy_.identity.jwt_from_gateway) return;
  static constexpr std::string_view kSchemes[] = {"Bearer"};
  const auto token = credentials(facts_.headers, kSchemes);
  if (!token) return;
  std::array<char, kMaxToken> buffer;
  const auto payload = jwt_payload(*token, buffer);
  if (!payload) return;
  std::array<Claim, kMaxKeys + 2> wanted;
  std::array<std::size_t, kMaxKeys + 2> index;
  std::size_t count = 0;
  const auto want = [&](std::string_view name, std::size_t at) {
    wanted[count].name = name;
    index[count++] = at;
  };
  const std::vector<IdentityKey>& keys = policy_.identity.keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].source == Source::jwt) want(keys[i].argument, i);
  }
  want("iss", kIssuer);
  if (!policy_.identity.tier_claim.empty()) want(policy_.identity.tier_claim, kTierClaim);
  read_claims(*payload, std::span(wanted).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (index[i] == kIssuer) issuer_seen_ = wanted[i].seen;
    const auto found = wanted[i].value();
    if (!found) continue;
    const std::string_view kept = keep(*found);
    claims_[index[i]] = {kept.data(), kept.size()};
    claims_present_ |= std::uint64_t{1} << index[i];
  }
}

std::string_view Caller::keep(std::string_view text) {
  assert(scratch_used_ + text.size() <= scratch_.size());
  char* const at = scratch_.data() + scratch_used_;
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  scratch_used_ += text.size();
  return {at, text.size()};
}

// ---- conditions and tuples ----------------------------------------------------------------------

bool Caller::holds(std::string_view name, std::string_view value) {
  const std::vector<IdentityKey>& keys = policy_.identity.keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].name != name) continue;
    const auto id = static_cast<KeyId>(i);
    return id == policy::kIpKey ? holds_address(value) : this->value(id) == value;
  }
  return single_attribute(facts_.attributes, name) == value;
}

// An address or a network, compared over the bits that the caller's own prefix leaves.
bool Caller::holds_address(std::string_view value) {
  const auto network = policy::Cidr::parse(value);
  if (!network || !address() || network->base.is_v4() != address_->is_v4()) return false;
  const unsigned kept =
      address_->is_v4() ? 96 + policy_.identity.prefix_v4 : policy_.identity.prefix_v6;
  const policy::Cidr cut{
      network->base.masked(policy_.identity.prefix_v4, policy_.identity.prefix_v6),
      std::min(network->prefix, kept)};
  return cut.contains(*address_);
}

void Caller::append_value(KeyHasher& key, KeyId id, std::string_view value) const {
  if (id <= policy::kUserKey) {
    key.part(id, value);
    return;
  }
  key.part(kNamePart, policy_.identity.keys[id].name);
  key.part(kOwnPart, value);
}

Filled Caller::append_chain(KeyHasher& key, const policy::KeyPart& part, bool stand_in) {
  for (const KeyId id : part.alternatives) {
    if (id == policy::kIpKey) {
      if (address()) return append_address(key);
    } else if (const auto found = value(id)) {
      append_value(key, id, *found);
      return Filled::identity;
    }
  }
  return stand_in ? append_address(key) : Filled::missing;
}

}  // namespace weir::identity
