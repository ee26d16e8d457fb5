# A dependency provider that lets a project find weir and nothing else.
macro(refuse_dependency METHOD NAME)
  if(NOT "${NAME}" STREQUAL "weir")
    message(FATAL_ERROR "a third party is looked up: ${NAME}")
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER refuse_dependency SUPPORTED_METHODS FIND_PACKAGE)
