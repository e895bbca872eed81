# Finds an MPICH-ABI library under GAPLESS_MPI_ROOT without asking its compiler wrapper: the layer's backend
# needs only mpi.h (it never links an MPI library), the lab and the examples link libmpi.
find_path(GAPLESS_MPI_INCLUDE mpi.h PATHS "${GAPLESS_MPI_ROOT}/include" NO_DEFAULT_PATH)
find_library(GAPLESS_MPI_LIBRARY mpi PATHS "${GAPLESS_MPI_ROOT}/lib" NO_DEFAULT_PATH)
if(GAPLESS_MPI_INCLUDE AND GAPLESS_MPI_LIBRARY)
  set(GAPLESS_MPI_FOUND TRUE)
  add_library(gapless_mpi_headers INTERFACE)
  target_include_directories(gapless_mpi_headers SYSTEM INTERFACE "${GAPLESS_MPI_INCLUDE}")
  add_library(gapless_mpi_program INTERFACE)
  target_link_libraries(gapless_mpi_program INTERFACE gapless_mpi_headers "${GAPLESS_MPI_LIBRARY}")
  message(STATUS "gapless: MPI headers in ${GAPLESS_MPI_INCLUDE}")
else()
  set(GAPLESS_MPI_FOUND FALSE)
  message(WARNING "gapless: no mpi.h and libmpi under GAPLESS_MPI_ROOT=${GAPLESS_MPI_ROOT}: "
                  "the layer, the lab, the examples and their tests are skipped (run `make build`, which installs MPICH there)")
endif()
