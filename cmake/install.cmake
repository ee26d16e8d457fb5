# What `cmake --install` lays down: the program, the installed headers, and three libraries that are
# found by find_package(weir) and by pkg-config.
#
#   weir::limiter, weir-limiter.pc   base, algo, store: needs nothing but the C++ library
#   weir::engine,  weir-engine.pc    + policy, identity, decide, answer, engine: OpenSSL,
#                                    libyaml, Boost.JSON
#   weir::redis,   weir-redis.pc     + wire, net, redis, guard, remote: OpenSSL's TLS, threads
#
# Each is one static archive made of the folders' objects, so that a user links one file and the
# folders stay free to change. test/install/ builds a consumer of each.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weir_limiter_folders base algo store)
set(weir_engine_folders policy identity decide answer engine)
set(weir_redis_folders wire net redis guard remote)
set(weir_engine_third_parties OpenSSL::Crypto Boost::json PkgConfig::YAML)
set(weir_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

# weir_archive(limiter folders...): libweir_limiter.a, exported as weir::limiter.
function(weir_archive NAME)
  set(objects "")
  foreach(folder ${ARGN})
    if(TARGET weir_${folder})
      list(APPEND objects $<TARGET_OBJECTS:weir_${folder}>)
    endif()
  endforeach()
  if(NOT objects)
    return()
  endif()
  set(target weir_${NAME}_archive)
  add_library(${target} STATIC ${objects})
  add_library(weir::${NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME weir_${NAME} EXPORT_NAME ${NAME} LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${target} EXPORT weir_${NAME}_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT weir_${NAME}_targets NAMESPACE weir:: FILE weir-${NAME}-targets.cmake
    DESTINATION ${weir_cmake_dir})
  # Relative to the .pc file, so that an installed tree can be moved.
  file(RELATIVE_PATH weir_prefix_from_pc
    ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" weir_prefix_from_pc "${weir_prefix_from_pc}")
  configure_file(${CMAKE_SOURCE_DIR}/cmake/weir-${NAME}.pc.in ${CMAKE_BINARY_DIR}/weir-${NAME}.pc
    @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/weir-${NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

weir_archive(limiter ${weir_limiter_folders})
if(NOT WEIR_LIBRARY_ONLY)
  weir_archive(engine ${weir_engine_folders})
  weir_archive(redis ${weir_redis_folders})
endif()
if(TARGET weir_engine_archive)
  target_link_libraries(weir_engine_archive PUBLIC
    weir_limiter_archive ${weir_engine_third_parties})
endif()
if(TARGET weir_redis_archive)
  target_link_libraries(weir_redis_archive PUBLIC
    weir_engine_archive OpenSSL::SSL Threads::Threads)
endif()

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/weir-config.cmake.in
  ${CMAKE_BINARY_DIR}/weir-config.cmake INSTALL_DESTINATION ${weir_cmake_dir})
# 0.x: a minor version may change the API.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weir-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weir-config.cmake ${CMAKE_BINARY_DIR}/weir-config-version.cmake
  DESTINATION ${weir_cmake_dir})

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
# As they lie in the source, so that the links between them hold.
install(FILES LICENSE THIRD_PARTY.md README.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples integrations DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET weir)
  install(TARGETS weir RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
