// One charge as charge.lua reads it (its header has the layout). Appends; no errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "store/store.h"

namespace weir::redis {

void append_u8(std::string& out, std::size_t value);
void append_u16(std::string& out, std::size_t value);
void append_number(std::string& out, double value);

// mode and place: as the script names them; `key` is the place in KEYS, from 1. `charged_us` is the
// instant of the charge that a refund takes back (Unix time), where it is known.
void append_record(std::string& out, const store::Charge& charge, int mode, int place,
                   std::size_t key, std::optional<std::uint64_t> charged_us = {});

}  // namespace weir::redis
