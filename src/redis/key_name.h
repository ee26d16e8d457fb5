// The name of a counter in Redis: `<prefix>:2:{<tag>}<algorithm><digest>`, and where a cluster
// keeps it.
//
//   append_key(name, "weir", charge);   // weir:2:{Zx0_}1 and 22 more letters
//   if (slot_of(a) == slot_of(b)) ...   // one script can charge both
//
// The tag is 24 bits of a keyed hash of who is counted (`store::Charge::tag`), so all limits of one
// identity lie in one of a cluster's slots; a limit without an identity has one of its own. Tag and
// digest are written in the 64 letters of URLs, lowest bits first. Pure; O(length).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"
#include "weir/decision.h"

namespace weir::redis {

inline constexpr std::uint16_t kClusterSlots = 16'384;

// CRC-16/XMODEM, as the Redis Cluster specification has it.
std::uint16_t crc16(std::string_view bytes);
// Of any key: of what stands between the first { and the next }, where that is something.
std::uint16_t key_slot(std::string_view key);

void append_key(std::string& out, std::string_view prefix, const store::Charge& charge);
// Under another algorithm than the charge's own numbers say.
void append_key(std::string& out, std::string_view prefix, const store::Charge& charge,
                Algorithm algorithm);
// key_slot of that name.
std::uint16_t slot_of(const store::Charge& charge);

}  // namespace weir::redis
