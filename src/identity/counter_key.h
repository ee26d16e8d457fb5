// The key of a counter: 128 bits, of three parts that are hashed apart and joined by exclusive or.
//
//   key = limit_key(secret, id) ^ class_key(secret, "read") ^ hasher.finish()
//
// What a limit and a class add is worked out when a policy is loaded, and what a caller adds is the
// same for all limits that count by the same parts: one hash a request instead of one a limit. A
// limit whose key has no `class` leaves that part out, one that counts everybody the caller's.
//
// Why that is as good as one hash of everything: each part is SipHash-1-3 under the store's secret
// of an injective encoding that begins with what kind of part it is. So the parts of all limits,
// classes and callers are values that nobody without the secret can tell from independent random
// ones. Two different counters differ in at least one part, which the exclusive or of their keys
// then holds: they are the same with probability 2^-128. A caller chooses one part alone, whole, so
// there is nothing to combine to a key that is wanted.
//
// Values; nothing is allocated but for a part over 256 bytes, by OpenSSL if at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/digest.h"
#include "base/little_endian.h"
#include "base/siphash.h"
#include "policy/cidr.h"
#include "policy/policy.h"

namespace weir::identity {

inline constexpr std::size_t kMaxKeyValue = 256;

// What is hashed: never two kinds alike.
enum class KeyKind : std::uint64_t { limit = 1, route_class, caller, tag };

// Types of the values in a part. The built-in keys have their KeyId; a key of the file's own is
// two, its name and its value, so that a reload which moves its KeyId keeps its counters.
inline constexpr std::uint8_t kNamePart = 0xfc;
inline constexpr std::uint8_t kOwnPart = 0xfd;
inline constexpr std::uint8_t kClassPart = 0xfe;
inline constexpr std::uint8_t kMissingPart = 0xff;  // `on_missing: shared`

// Hashes one part, by an injective encoding in words of 8 bytes: its kind, then each value as its
// type and length, and its bytes, zeros after the last (or those of its SHA-256 where it is longer
// than kMaxKeyValue, as a class name can be). Typed and with lengths, so ("a","bc") and ("ab","c"),
// or an address and a header that spells it, are different callers (I8).
class KeyHasher {
 public:
  KeyHasher(const base::HashSecret& secret, KeyKind kind) : hasher_(secret) {
    word(static_cast<std::uint64_t>(kind));
  }
  void word(std::uint64_t word) { hasher_.add_word(word); }
  // `type` tells kinds of values apart: kIpKey, kApiKey, kUserKey, or one of the above.
  void part(std::uint8_t type, std::string_view value) {
    if (value.size() > kMaxKeyValue) return hashed_part(type, value);
    put(type, value.size(), value);
  }
  void address(const policy::Address& address) {
    put(policy::kIpKey, address.bytes.size(),
        {reinterpret_cast<const char*>(address.bytes.data()), address.bytes.size()});
  }
  base::Digest finish() { return hasher_.finish(); }

 private:
  void put(std::uint8_t type, std::size_t length, std::string_view bytes) {
    word(type | std::uint64_t{length} << 8);
    const char* p = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, p += 8) word(base::little_endian_64(p));
    if (left != 0) word(base::little_endian(p, left));
  }
  void hashed_part(std::uint8_t type, std::string_view value);

  base::SipHasher<1, 3> hasher_;
};

// `id`: store::limit_id.
inline base::Digest limit_key(const base::HashSecret& secret, std::uint64_t id) {
  KeyHasher hasher(secret, KeyKind::limit);
  hasher.word(id);
  return hasher.finish();
}

inline base::Digest class_key(const base::HashSecret& secret, std::string_view name) {
  KeyHasher hasher(secret, KeyKind::route_class);
  hasher.part(kClassPart, name);
  return hasher.finish();
}

}  // namespace weir::identity
