# What our sources include of the standard library is compiled once for all of them: half of what most take. GCC takes it
# for any -O but -O0, and whatever macros of ours are set; Clang is stricter, and compiles as ever. The sanitized
# configurations go without, so that a source that lacks an include is noticed.
set(standard_headers algorithm array atomic chrono cstddef cstdint cstdio cstdlib cstring fstream functional limits map
    memory mutex numeric optional random set span sstream stdexcept string string_view thread tuple type_traits
    unordered_map utility vector)
list(TRANSFORM standard_headers REPLACE "(.+)" "<\\1>")
set(GAPLESS_PRECOMPILED FALSE)
if(NOT GAPLESS_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(GAPLESS_PRECOMPILED TRUE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "int main() {}\n")
  add_library(gapless_precompiled_library OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_compile_options(gapless_precompiled_library PRIVATE -g1)
  target_precompile_headers(gapless_precompiled_library PRIVATE ${standard_headers})
endif()

# gapless_precompiled(TARGET OF): the target takes the headers of gapless_precompiled_OF.
function(gapless_precompiled target of)
  if(GAPLESS_PRECOMPILED)
    set_target_properties(${target} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM gapless_precompiled_${of})
    add_dependencies(${target} gapless_precompiled_${of})
  endif()
endfunction()

# gapless_untimed_objects(NAME SOURCES...): objects of what is never timed, unoptimised, for the templates of what reads
# command lines and writes JSON take twice as long to compile at -O2; and with those headers, compiled once.
function(gapless_untimed_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_compile_options(${name} PRIVATE -O0 -g1)
  target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json CLI11::CLI11)
  if(GAPLESS_PRECOMPILED AND NOT TARGET gapless_precompiled_untimed)
    add_library(gapless_precompiled_untimed OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_compile_options(gapless_precompiled_untimed PRIVATE -O0 -g1)
    target_link_libraries(gapless_precompiled_untimed PRIVATE nlohmann_json::nlohmann_json CLI11::CLI11)
    target_precompile_headers(gapless_precompiled_untimed PRIVATE <CLI/CLI.hpp> <nlohmann/json.hpp> ${standard_headers})
  endif()
  gapless_precompiled(${name} untimed)
endfunction()

# gapless_untimed(TARGET SOURCES...): sources of a program that are never timed, with what else it is compiled with.
function(gapless_untimed target)
  gapless_untimed_objects(${target}_untimed ${ARGN})
  target_include_directories(${target}_untimed PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target}_untimed PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_untimed>)
endfunction()

# gapless_standard_headers(FOLDERS...): the same for the programs in these folders, and for those with GoogleTest's macros.
function(gapless_standard_headers)
  if(NOT GAPLESS_PRECOMPILED OR NOT GAPLESS_TESTS)
    return()
  endif()
  # A program's are not a library's: -fPIE says something else than -fPIC.
  foreach(of program gtest)
    add_executable(gapless_precompiled_${of} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_compile_options(gapless_precompiled_${of} PRIVATE -g1)
  endforeach()
  target_precompile_headers(gapless_precompiled_program PRIVATE ${standard_headers})
  # Not more than that: what is larger takes longer to load.
  target_precompile_headers(gapless_precompiled_gtest PRIVATE <gtest/gtest.h> <algorithm> <string> <vector>)
  target_link_libraries(gapless_precompiled_gtest PRIVATE GTest::gtest)
  foreach(folder ${ARGN})
    if(NOT IS_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
      continue()  # not part of this configuration
    endif()
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      get_target_property(sources ${target} SOURCES)
      get_target_property(libraries ${target} LINK_LIBRARIES)
      get_target_property(options ${target} COMPILE_OPTIONS)
      if("${type}" STREQUAL "EXECUTABLE")
        set(of program)
      elseif(type MATCHES "^(OBJECT|STATIC)_LIBRARY$")
        set(of library)
      else()
        continue()
      endif()
      if(NOT "${sources}" MATCHES "[.]cpp" OR "${options}" MATCHES "-O0|-march|-fno-pie")
        continue()
      elseif("${libraries}" MATCHES "GTest::")
        set(of gtest)
      endif()
      list(FILTER sources INCLUDE REGEX "[.]c$")  # these headers are C++
      foreach(source ${sources})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/${folder})
        set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endforeach()
      gapless_precompiled(${target} ${of})
    endforeach()
  endforeach()
endfunction()
