# The CMakeLists.txt of the mutants' project: the engine and the programs that must notice, nothing else.
cmake_minimum_required(VERSION 3.25)
project(gapless_mutants LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS "-O1")
include(cmake/GaplessFolder.cmake)
# The other tests are configured but never built.
add_subdirectory(src EXCLUDE_FROM_ALL)
add_library(GTest::gtest_main INTERFACE IMPORTED)
add_subdirectory(tests/support EXCLUDE_FROM_ALL)
add_subdirectory(tests/property EXCLUDE_FROM_ALL)
