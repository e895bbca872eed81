# Finds a static MPI library of the MPICH ABI, for the tests of the layer's archive: Debian's libmpich-dev has one. What
# it needs besides is in its pkg-config file.
#   GAPLESS_STATIC_MPI         why there is none, or empty
#   gapless_program_static     what a program is linked with (the layer's archive must come before it)
#   GAPLESS_STATIC_INCLUDE, GAPLESS_STATIC_LIBRARIES   the same as a folder and a list
#   GAPLESS_STATIC_MPIEXEC
set(GAPLESS_STATIC_MPI "no static MPI of the MPICH ABI is installed (Debian: apt install libmpich-dev mpich)")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(GAPLESS_STATIC_MPICH QUIET mpich)
endif()
find_library(GAPLESS_STATIC_LIBRARY libmpich.a HINTS ${GAPLESS_STATIC_MPICH_LIBDIR})
find_program(GAPLESS_STATIC_MPIEXEC mpiexec.mpich HINTS ${GAPLESS_STATIC_MPICH_PREFIX}/bin)
if(GAPLESS_STATIC_MPICH_FOUND AND GAPLESS_STATIC_LIBRARY AND GAPLESS_STATIC_MPIEXEC)
  set(GAPLESS_STATIC_MPI "")
  set(GAPLESS_STATIC_INCLUDE ${GAPLESS_STATIC_MPICH_INCLUDEDIR})
  set(GAPLESS_STATIC_LIBRARIES ${GAPLESS_STATIC_LIBRARY})
  foreach(name ${GAPLESS_STATIC_MPICH_LIBRARIES} m)
    if(NOT name STREQUAL mpich)
      list(APPEND GAPLESS_STATIC_LIBRARIES -l${name})
    endif()
  endforeach()
  add_library(gapless_program_static INTERFACE)
  target_include_directories(gapless_program_static SYSTEM INTERFACE ${GAPLESS_STATIC_INCLUDE})
  target_link_libraries(gapless_program_static INTERFACE ${GAPLESS_STATIC_LIBRARIES})
endif()
