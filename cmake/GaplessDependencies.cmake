# C++ dependencies, in this order: what the system has; Debian's package, unpacked without root into
# .venv/deps by tools/debian_packages.sh (run by `make`); a source archive pinned by hash. Where pip builds: what the sdist
# brings, which in a checkout is gathered first (tools/third_party.sh), or nothing, and then the lab is left out.
include(FetchContent)
list(APPEND CMAKE_PREFIX_PATH "${CMAKE_SOURCE_DIR}/.venv/deps/usr")

macro(gapless_dependency package target url sha256)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "gapless: ${package} is not installed; fetching ${url}")
    FetchContent_Declare(${package} URL ${url} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP FALSE)
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

if(GAPLESS_TESTS)
  set(INSTALL_GTEST OFF)
  gapless_dependency(GTest GTest::gtest_main
    https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
endif()
# The engine needs none of these; the lab and the tests do.
if(GAPLESS_WHEEL)
  if(NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/third_party AND EXISTS ${CMAKE_SOURCE_DIR}/tools/third_party.sh)
    cmake_path(GET CMAKE_COMMAND PARENT_PATH bin)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env "PATH=${bin}:$ENV{PATH}" ${CMAKE_SOURCE_DIR}/tools/third_party.sh)
  endif()
  foreach(package nlohmann_json CLI11)
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/third_party/${package})
      add_library(${package}::${package} INTERFACE IMPORTED GLOBAL)
      target_include_directories(${package}::${package} INTERFACE ${CMAKE_SOURCE_DIR}/third_party/${package})
      # Their licences ask to go with them.
      install(FILES ${CMAKE_SOURCE_DIR}/third_party/${package}/LICENSE DESTINATION gapless/lib/licences/${package}
              COMPONENT python EXCLUDE_FROM_ALL OPTIONAL)
    endif()
  endforeach()
else()
  set(JSON_Install OFF)
  gapless_dependency(nlohmann_json nlohmann_json::nlohmann_json
    https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
  gapless_dependency(CLI11 CLI11::CLI11
    https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
    f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
endif()
