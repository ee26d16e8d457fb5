// One charge as charge.lua reads it (its header has the layout). Appends; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "store/store.h"

namespace weir::redis {

void append_u8(std::string& out, std::size_t value);
void append_u16(std::string& out, std::size_t value);
void append_number(std::string& out, double value);

// mode and place: as the script names them; `key` is the place in KEYS, from 1.
void append_record(std::string& out, const store::Charge& charge, int mode, int place,
                   std::size_t key);

}  // namespace weir::redis
