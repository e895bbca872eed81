# Finds a library for each MPI ABI, under a prefix and without asking its compiler wrapper. For an ABI that is there:
#   gapless_headers_ABI   what the layer's backend is compiled with (it never links an MPI library)
#   gapless_program_ABI   what the lab's and the tests' programs are linked with; of the standard ABI a wheel has none
# and ABI is in GAPLESS_ABIS.
set(GAPLESS_ABIS "")

function(gapless_find_mpi abi root header library)
  string(TOUPPER ${abi} ABI)
  find_path(GAPLESS_${ABI}_INCLUDE ${header} PATHS "${root}/include" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  find_library(GAPLESS_${ABI}_LIBRARY ${library} PATHS "${root}/lib" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(NOT GAPLESS_${ABI}_INCLUDE OR NOT (GAPLESS_${ABI}_LIBRARY OR GAPLESS_WHEEL))
    return()
  endif()
  add_library(gapless_headers_${abi} INTERFACE)
  target_include_directories(gapless_headers_${abi} SYSTEM INTERFACE "${GAPLESS_${ABI}_INCLUDE}")
  target_compile_definitions(gapless_headers_${abi} INTERFACE GAPLESS_ABI_${ABI}=1)
  if(GAPLESS_${ABI}_LIBRARY)
    add_library(gapless_program_${abi} INTERFACE)
    target_link_libraries(gapless_program_${abi} INTERFACE gapless_headers_${abi} "${GAPLESS_${ABI}_LIBRARY}")
  endif()
  set(GAPLESS_ABIS ${GAPLESS_ABIS} ${abi} PARENT_SCOPE)
  message(STATUS "gapless: ${abi} ABI: ${GAPLESS_${ABI}_INCLUDE}/${header}")
endfunction()

gapless_find_mpi(mpich "${GAPLESS_MPI_ROOT}" mpi.h mpi)
# Cross-built for tests, no program of the standard ABI is run: its third of the layer would be compiled for nothing.
if(GAPLESS_WHEEL OR NOT CMAKE_CROSSCOMPILING)
  gapless_find_mpi(standard "${GAPLESS_MPI_ROOT}" mpi_abi.h mpi_abi)
  if(TARGET gapless_headers_standard)
    target_compile_definitions(gapless_headers_standard INTERFACE MPI_ABI)  # MPICH's <mpi.h> is mpi_abi.h then
  endif()
endif()
gapless_find_mpi(openmpi "${GAPLESS_OPENMPI_ROOT}" mpi.h mpi)

# What starts their programs: the build machine's, for another machine (cmake/toolchains).
set(GAPLESS_MPIEXEC "${GAPLESS_MPI_ROOT}/bin/mpiexec" CACHE FILEPATH "Starts programs of GAPLESS_MPI_ROOT")
set(GAPLESS_OPENMPI_MPIEXEC "${GAPLESS_OPENMPI_ROOT}/bin/mpiexec" CACHE FILEPATH "Starts those of GAPLESS_OPENMPI_ROOT")

if(mpich IN_LIST GAPLESS_ABIS)
  set(GAPLESS_MPI_FOUND TRUE)
else()
  set(GAPLESS_MPI_FOUND FALSE)
  message(WARNING "gapless: no mpi.h and libmpi under GAPLESS_MPI_ROOT=${GAPLESS_MPI_ROOT}: "
                  "the layer, the lab, the examples and their tests are skipped (run `make build`, which installs MPICH there)")
endif()
foreach(abi standard openmpi)
  if(NOT abi IN_LIST GAPLESS_ABIS)
    message(STATUS "gapless: no library of the ${abi} ABI found: programs of that ABI run without the layer")
  endif()
endforeach()

# ABIs that our programs are built for; those of the standard ABI run where MPICH's do.
set(GAPLESS_PROGRAM_ABIS ${GAPLESS_ABIS})
list(REMOVE_ITEM GAPLESS_PROGRAM_ABIS standard)
# Those that tests of libgapless_mpi are built for: MPI 5's own as well, whose library MPICH has, too.
set(GAPLESS_TESTED_ABIS ${GAPLESS_PROGRAM_ABIS})
if(TARGET gapless_program_standard)
  list(APPEND GAPLESS_TESTED_ABIS standard)
endif()
# In a wheel without the library of one of them, or without what reads command lines and JSON, the programs are left out.
set(GAPLESS_LAB TRUE)
if(GAPLESS_WHEEL)
  foreach(wanted gapless_program_mpich gapless_program_openmpi nlohmann_json::nlohmann_json CLI11::CLI11)
    if(NOT TARGET ${wanted})
      message(STATUS "gapless: no ${wanted}: the measuring programs are left out")
      set(GAPLESS_LAB FALSE)
    endif()
  endforeach()
endif()
# All that a wheel brings.
add_custom_target(gapless_lab)

# gapless_program(NAME ABI SOURCES... [UNTIMED sources...] LIBRARIES libraries... [SHIPPED]): a program called NAME, in this
# build folder and as the target NAME for MPICH's ABI, in the subfolder ABI and as NAME_ABI for any other. UNTIMED: what
# reads command lines and writes JSON (gapless_untimed). SHIPPED: a wheel has it, in the same folder below gapless/lib,
# where no path in it leads to an MPI library.
function(gapless_program name abi)
  cmake_parse_arguments(PARSE_ARGV 2 program "SHIPPED" "" "LIBRARIES;UNTIMED")
  set(target ${name}_${abi})
  if(abi STREQUAL mpich)
    set(target ${name})
  endif()
  add_executable(${target} ${program_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE gapless_program_${abi} ${program_LIBRARIES})
  if(program_UNTIMED)
    gapless_untimed(${target} ${program_UNTIMED})
  endif()
  # A program of MPICH's ABI also runs on Intel MPI: LD_LIBRARY_PATH must win over the path in the program.
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
  if(NOT abi STREQUAL mpich)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${abi})
  endif()
  if(program_SHIPPED)
    file(RELATIVE_PATH folder ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
    if(NOT abi STREQUAL mpich)
      string(APPEND folder /${abi})
    endif()
    string(REGEX REPLACE "[^/]+" ".." above ${folder})
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${above}")
    install(TARGETS ${target} RUNTIME DESTINATION gapless/lib/${folder} COMPONENT python EXCLUDE_FROM_ALL)
    add_dependencies(gapless_lab ${target})
  endif()
  if(GAPLESS_WHEEL)
    # An older library lacks procedures that nobody calls there, and its own libraries are not those here.
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:-z,lazy LINKER:--allow-shlib-undefined)
  endif()
endfunction()
