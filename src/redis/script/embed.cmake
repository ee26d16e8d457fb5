# Makes a header of a script: cmake -DSCRIPT=charge.lua -DOUT=charge_text.h -P embed.cmake
file(READ ${SCRIPT} text)
if(text MATCHES "\\)lua\"")
  message(FATAL_ERROR "${SCRIPT} holds the end of the raw string that it becomes")
endif()
file(WRITE ${OUT} "// Made from script/charge.lua.
#pragma once

#include <string_view>

namespace weir::redis {

inline constexpr std::string_view kChargeText = R\"lua(${text})lua\";

}  // namespace weir::redis
")
