# The standard library and GoogleTest are parsed once a build, not once a file: two thirds of what
# the compiler reads in a file of ours is theirs.
#
# Nothing of ours is ever in here, and no file may lean on it: where WEIR_PCH is off (the sanitizer
# presets and `make lint`) every file compiles with its own includes alone. g++ only: clang-tidy and
# clangd cannot read what g++ precompiles.
cmake_dependent_option(WEIR_PCH "Precompile the standard library" ON
  "CMAKE_CXX_COMPILER_ID STREQUAL GNU;NOT WEIR_SANITIZE" OFF)

set(weir_precompiled
  <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstring> <fstream> <functional>
  <iostream> <limits> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream> <string>
  <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>)

# weir_precompiled_headers(NAME pic-option headers... LINK targets): what weir_precompile reuses. g++
# takes what was precompiled with -fPIC for libraries only and -fPIE for programs only.
function(weir_precompiled_headers NAME PIC)
  cmake_parse_arguments(P "" "" "LINK" ${ARGN})
  set(nothing ${CMAKE_BINARY_DIR}/precompiled/nothing.cc)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${NAME} OBJECT ${nothing})
  set_target_properties(${NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${NAME} PRIVATE ${PIC})
  target_link_libraries(${NAME} PRIVATE weir_flags ${P_LINK})
  target_precompile_headers(${NAME} PRIVATE ${P_UNPARSED_ARGUMENTS})
endfunction()

if(WEIR_PCH)
  weir_precompiled_headers(weir_precompiled_library -fPIC ${weir_precompiled})
  if(WEIR_TESTS)
    weir_precompiled_headers(weir_precompiled_test -fPIE ${weir_precompiled} <gmock/gmock.h>
      <gtest/gtest.h> LINK GTest::gmock)
  endif()
endif()

# weir_precompile(TARGET library|test)
function(weir_precompile TARGET KIND)
  if(NOT WEIR_PCH)
    return()
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM weir_precompiled_${KIND})
  # The first is for ccache to see what was precompiled. <string> switches the others off for itself
  # by pragmas, which g++ forgets when it precompiles.
  target_compile_options(${TARGET} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
endfunction()
