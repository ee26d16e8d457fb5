# Each header alone: one translation unit a header that includes it first, twice, and nothing else.
# Installed headers are compiled without src on the include path, as a user's compiler sees them.
#
# `weir_headers` is part of `all` in the release build only: the other presets would learn nothing.

# The include check of include/weir; those of src/ are added by weir_library.
file(GLOB weir_installed_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/weir/*.h)
set(weir_installed_stamp ${CMAKE_BINARY_DIR}/include_weir.includes)
add_custom_command(OUTPUT ${weir_installed_stamp}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFOLDER=include/weir
          -DSTAMP=${weir_installed_stamp} -P ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
  DEPENDS ${weir_installed_headers} ${CMAKE_SOURCE_DIR}/cmake/include_check.cmake
  COMMENT "includes of include/weir" VERBATIM)
add_custom_target(weir_installed_includes ALL DEPENDS ${weir_installed_stamp})

if(WEIR_LIBRARY_ONLY OR WEIR_SANITIZE)
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
    add_library(${TARGET} OBJECT ${units})
    target_compile_options(${TARGET} PRIVATE -O0 -g0)
    add_dependencies(weir_headers ${TARGET})
  endif()
endfunction()

add_custom_target(weir_headers ALL)
weir_headers_alone(weir_headers_installed ${CMAKE_SOURCE_DIR}/include ${weir_installed_headers})
target_include_directories(weir_headers_installed PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_compile_options(weir_headers_installed PRIVATE -Wall -Wextra -Wconversion -Wshadow -Werror)

file(GLOB_RECURSE weir_src_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.h)
weir_headers_alone(weir_headers_src ${CMAKE_SOURCE_DIR}/src ${weir_src_headers})
if(TARGET weir_headers_src)
  # Every folder's target, for the include paths of the third parties that its headers use.
  foreach(folder ${weir_folders})
    if(TARGET weir_${folder})
      target_link_libraries(weir_headers_src PRIVATE weir_${folder})
    endif()
  endforeach()
  target_link_libraries(weir_headers_src PRIVATE weir_flags)
endif()
