# The helpers every folder uses. Each folder of src/ is one target, weir_<folder>, that names the
# folders it may include; an include from any other folder fails the build (include_check.cmake).

add_library(weir_flags INTERFACE)
target_include_directories(weir_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>)
target_compile_options(weir_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(WEIR_WERROR)
  target_compile_options(weir_flags INTERFACE -Werror)
endif()
if(WEIR_SANITIZE)
  target_compile_options(weir_flags INTERFACE
    -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(weir_flags INTERFACE -fsanitize=${WEIR_SANITIZE})
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  # ccache's own terms for precompiled headers; weir uses neither __DATE__ nor __TIME__.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros ${WEIR_CCACHE})
endif()
if(WEIR_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
include(cmake/precompile.cmake)

# weir_include_check(folder "dep;dep" files...): fails the build on `#include "other/..."`.
function(weir_include_check TARGET FOLDER DEPS)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.includes)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFOLDER=${FOLDER} "-DALLOWED=${DEPS}"
            -DSTAMP=${stamp} -P ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
    COMMENT "includes of src/${FOLDER}" VERBATIM)
  add_custom_target(${TARGET}_includes DEPENDS ${stamp})
  add_dependencies(${TARGET} ${TARGET}_includes)
endfunction()

# weir_library(NAME folder SRCS files DEPS folders LINK third-party targets [HOT])
# HOT: on the path of every decision. Not SLP-vectorised: two words that were just written and are
# read as one of 16 bytes keep a processor waiting until both are in its cache.
# Elsewhere too, position-independent code would call its own functions as if another library could
# replace them, and so inline none of them; nothing ever is.
function(weir_library)
  cmake_parse_arguments(L "HOT" "NAME" "SRCS;DEPS;LINK" ${ARGN})
  add_library(weir_${L_NAME} STATIC ${L_SRCS})
  target_link_libraries(weir_${L_NAME} PUBLIC $<BUILD_INTERFACE:weir_flags>)
  foreach(dep ${L_DEPS})
    target_link_libraries(weir_${L_NAME} PUBLIC weir_${dep})
  endforeach()
  target_link_libraries(weir_${L_NAME} PUBLIC ${L_LINK})
  target_compile_options(weir_${L_NAME} PRIVATE -fno-semantic-interposition)
  weir_precompile(weir_${L_NAME} library)
  if(L_HOT)
    target_compile_options(weir_${L_NAME} PRIVATE
      "$<$<CONFIG:RelWithDebInfo>:-O3;-fno-tree-slp-vectorize>")
  endif()
  weir_include_check(weir_${L_NAME} ${L_NAME} "${L_DEPS}")
endfunction()

# weir_test(NAME x_test SRCS files DEPS folders LINK targets LABEL unit|store|e2e|web TIMEOUT s)
function(weir_test)
  cmake_parse_arguments(T "" "NAME;LABEL;TIMEOUT" "SRCS;DEPS;LINK" ${ARGN})
  if(NOT WEIR_TESTS)
    return()
  endif()
  if(NOT T_LABEL)
    set(T_LABEL unit)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${T_NAME} ${T_SRCS})
  foreach(dep ${T_DEPS})
    target_link_libraries(${T_NAME} PRIVATE weir_${dep})
  endforeach()
  target_link_libraries(${T_NAME} PRIVATE weir_flags ${T_LINK} GTest::gmock GTest::gtest_main)
  weir_precompile(${T_NAME} test)
  foreach(source ${T_SRCS})
    if(source MATCHES "\\.c$")
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  set_target_properties(${T_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(T_LABEL MATCHES "^(unit|store)$")
    add_dependencies(weir_unit_tests ${T_NAME})
  endif()
  gtest_discover_tests(${T_NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    PROPERTIES LABELS ${T_LABEL} TIMEOUT ${T_TIMEOUT})
endfunction()

# weir_fuzz(NAME unit DEPS folders): fuzz/<unit>_fuzz.cc. Always built; replays fuzz/corpus/<unit>
# in ctest with a plain main, or runs under libFuzzer in the `fuzz` preset.
function(weir_fuzz)
  cmake_parse_arguments(F "" "NAME" "DEPS;LINK" ${ARGN})
  add_executable(${F_NAME}_fuzz ${CMAKE_SOURCE_DIR}/fuzz/${F_NAME}_fuzz.cc)
  foreach(dep ${F_DEPS})
    target_link_libraries(${F_NAME}_fuzz PRIVATE weir_${dep})
  endforeach()
  target_link_libraries(${F_NAME}_fuzz PRIVATE weir_flags ${F_LINK})
  set_target_properties(${F_NAME}_fuzz PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  if(WEIR_LIBFUZZER)
    target_link_options(${F_NAME}_fuzz PRIVATE -fsanitize=fuzzer)
    add_dependencies(weir_fuzz_targets ${F_NAME}_fuzz)
  else()
    target_sources(${F_NAME}_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/fuzz/replay_main.cc)
    if(WEIR_TESTS)
      add_test(NAME fuzz_corpus_${F_NAME}
        COMMAND ${F_NAME}_fuzz ${CMAKE_SOURCE_DIR}/fuzz/corpus/${F_NAME})
      set_tests_properties(fuzz_corpus_${F_NAME} PROPERTIES LABELS unit TIMEOUT 60)
      add_dependencies(weir_unit_tests ${F_NAME}_fuzz)
    endif()
  endif()
endfunction()

# What the sanitizer presets build: the binaries of the tests labelled unit and store.
add_custom_target(weir_unit_tests)
# What scripts/fuzz builds.
add_custom_target(weir_fuzz_targets)

if(WEIR_TESTS)
  enable_testing()
endif()
