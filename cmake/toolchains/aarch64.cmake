# Debian's cross compiler for AArch64, and qemu to run what it builds: on PATH, or where tools/aarch64_tools.sh unpacked
# them, and the MPI libraries. GoogleTest must be built from source, and its find module would look at the build
# machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

# Read again for every try_compile: nothing but the environment and this file's place may decide.
set(gapless_tools "$ENV{GAPLESS_AARCH64_TOOLS}")
if(NOT gapless_tools)
  get_filename_component(gapless_tools "${CMAKE_CURRENT_LIST_DIR}/../../.venv/aarch64" ABSOLUTE)
endif()
set(gapless_root "")
if(EXISTS "${gapless_tools}/bin/aarch64-linux-gnu-g++")
  set(gapless_root "${gapless_tools}")
endif()
foreach(language_tool C=gcc CXX=g++)
  string(REPLACE "=" ";" pair ${language_tool})
  list(GET pair 0 language)
  list(GET pair 1 tool)
  find_program(GAPLESS_AARCH64_${language} aarch64-linux-gnu-${tool} HINTS "${gapless_root}/bin" REQUIRED)
  set(CMAKE_${language}_COMPILER "${GAPLESS_AARCH64_${language}}")
endforeach()
find_program(GAPLESS_AARCH64_QEMU NAMES qemu-aarch64 qemu-aarch64-static HINTS "${gapless_root}/bin" REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR "${GAPLESS_AARCH64_QEMU};-L;${gapless_root}/usr/aarch64-linux-gnu")

# An emulated mpiexec could start no program: the build machine's of the same version does, and each rank is emulated.
foreach(name_library MPI=mpich OPENMPI=openmpi)
  string(REPLACE "=" ";" pair ${name_library})
  list(GET pair 0 name)
  list(GET pair 1 library)
  set(GAPLESS_${name}_ROOT "${gapless_tools}/${library}" CACHE PATH "Prefix of an MPI library for AArch64")
endforeach()
get_filename_component(gapless_venv "${CMAKE_CURRENT_LIST_DIR}/../../.venv" ABSOLUTE)
set(GAPLESS_MPIEXEC "${gapless_venv}/bin/mpiexec" CACHE FILEPATH "Starts programs of GAPLESS_MPI_ROOT")
set(GAPLESS_OPENMPI_MPIEXEC "${gapless_venv}/rivals/openmpi/bin/mpiexec" CACHE FILEPATH
    "Starts programs of GAPLESS_OPENMPI_ROOT")

set(CMAKE_FIND_ROOT_PATH "${gapless_root}/usr/aarch64-linux-gnu")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Headers alone are the same everywhere: nlohmann_json and CLI11 are taken from the build machine.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_DISABLE_FIND_PACKAGE_GTest ON)
foreach(sources "${gapless_root}/usr/src/googletest" /usr/src/googletest)
  if(NOT FETCHCONTENT_SOURCE_DIR_GTEST AND EXISTS "${sources}/CMakeLists.txt")
    set(FETCHCONTENT_SOURCE_DIR_GTEST "${sources}" CACHE PATH "GoogleTest's sources")
  endif()
endforeach()
