# Each header alone. One whose own x.cc (or x_test.cc) includes it first is proved by that file; any
# other gets a translation unit that includes it, twice, and nothing else. So does each installed
# header, without src on the include path, as a user's compiler sees it.
#
# Only where WEIR_PCH is off, for a precompiled header would stand before them all: `make lint` and
# the asan preset (scripts/check) build `weir_headers`.

# The include check of include/weir; those of src/ are added by weir_library.
file(GLOB weir_installed_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/weir/*.h)
set(weir_installed_stamp ${CMAKE_BINARY_DIR}/include_weir.includes)
add_custom_command(OUTPUT ${weir_installed_stamp}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFOLDER=include/weir
          -DSTAMP=${weir_installed_stamp} -P ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
  DEPENDS ${weir_installed_headers} ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
  COMMENT "includes of include/weir" VERBATIM)
add_custom_target(weir_installed_includes ALL DEPENDS ${weir_installed_stamp})

if(WEIR_LIBRARY_ONLY OR WEIR_PCH OR NOT WEIR_TESTS)
  return()
endif()

# weir_headers_alone(TARGET root headers...): an object library of one unit a header.
function(weir_headers_alone TARGET ROOT)
  set(units "")
  foreach(header ${ARGN})
    file(RELATIVE_PATH name ${ROOT} ${header})
    set(unit ${CMAKE_BINARY_DIR}/headers/${name}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${name}\"\n#include \"${name}\"\n")
    list(APPEND units ${unit})
  endforeach()
  if(units)
    add_library(${TARGET} OBJECT EXCLUDE_FROM_ALL ${units})
    target_compile_options(${TARGET} PRIVATE -O0 -g0)
    add_dependencies(weir_headers ${TARGET})
  endif()
endfunction()

# weir_header_is_proved(OUT header): does a file of its name include it before anything else?
function(weir_header_is_proved OUT HEADER)
  set(${OUT} FALSE PARENT_SCOPE)
  cmake_path(REMOVE_EXTENSION HEADER OUTPUT_VARIABLE stem)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${HEADER})
  foreach(source ${stem}.cc ${stem}_test.cc)
    if(EXISTS ${source})
      file(STRINGS ${source} first REGEX "^[ \t]*#[ \t]*include" LIMIT_COUNT 1)
      if(first STREQUAL "#include \"${name}\"")
        set(${OUT} TRUE PARENT_SCOPE)
      endif()
    endif()
  endforeach()
endfunction()

add_custom_target(weir_headers)
weir_headers_alone(weir_headers_installed ${CMAKE_SOURCE_DIR}/include ${weir_installed_headers})
target_include_directories(weir_headers_installed PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_compile_options(weir_headers_installed PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)

file(GLOB_RECURSE weir_src_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.h)
set(weir_unproved_headers "")
foreach(header ${weir_src_headers})
  weir_header_is_proved(proved ${header})
  if(NOT proved)
    list(APPEND weir_unproved_headers ${header})
  endif()
endforeach()
weir_headers_alone(weir_headers_src ${CMAKE_SOURCE_DIR}/src ${weir_unproved_headers})
if(TARGET weir_headers_src)
  # Every folder's target, for the include paths of the third parties that its headers use.
  foreach(folder ${weir_folders})
    if(TARGET weir_${folder})
      target_link_libraries(weir_headers_src PRIVATE weir_${folder})
    endif()
  endforeach()
  target_link_libraries(weir_headers_src PRIVATE weir_flags)
endif()
