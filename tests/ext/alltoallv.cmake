# Irregular all-to-all, on communicators of many sizes within one launch.
function(alltoallv_program name abi)
  set(target ext_${name}_${abi})
  add_executable(${target} ${name}.cpp ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE gapless_mpi_library_${abi} gapless_program_${abi} ${CMAKE_DL_LIBS})
  # A program of MPICH's ABI also runs on Intel MPI: LD_LIBRARY_PATH must win over the path in the program.
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
endfunction()

# More processes than processors: they sleep where they wait (MPICH 5; others take no notice, and Open MPI yields).
set(alltoallv_sleep -genv MPIR_CVAR_CH4_PROGRESS_THROTTLE 1 -genv MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT 1)
set(alltoallv_mpiexec_mpich ${GAPLESS_MPIEXEC} ${alltoallv_sleep})
set(alltoallv_mpiexec_openmpi ${GAPLESS_OPENMPI_MPIEXEC} --allow-run-as-root --oversubscribe --bind-to none)
set(intel_root ${CMAKE_SOURCE_DIR}/.venv/rivals/impi)
set(alltoallv_mpiexec_intel ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${intel_root}/lib I_MPI_FABRICS=shm I_MPI_PIN=off
    ${intel_root}/bin/mpiexec.hydra)

set(alltoallv_mpiexec_standard ${alltoallv_mpiexec_mpich})

# alltoallv_test(NAME LIBRARY RANKS LABELS PROGRAM argument...)
function(alltoallv_test name library ranks labels program)
  set(abi ${library})
  if(library STREQUAL "intel")
    set(abi mpich)
  endif()
  if(NOT abi IN_LIST GAPLESS_TESTED_ABIS OR (library STREQUAL "intel" AND NOT EXISTS ${intel_root}/bin/mpiexec.hydra))
    return()
  endif()
  add_test(NAME ext.${name}.${library}
           COMMAND ${alltoallv_mpiexec_${library}} -n ${ranks} $<TARGET_FILE:ext_${program}_${abi}> ${ARGN})
  set_tests_properties(ext.${name}.${library} PROPERTIES LABELS "${labels}" TIMEOUT 600 PROCESSORS 2)
endfunction()

foreach(abi ${GAPLESS_TESTED_ABIS})
  alltoallv_program(alltoallv ${abi} alltoallv_case.cpp ../conformance/coll_types.cpp ../preload/random_mpi_type.cpp)
  alltoallv_program(alltoallv_errors ${abi})
endforeach()

# Cases of each algorithm, sizes of communicators.
alltoallv_test(alltoallv mpich 17 layer alltoallv 1 1 2 3 4 5 6 7 8 9 13 16 17)
foreach(library openmpi intel standard)
  alltoallv_test(alltoallv ${library} 8 layer alltoallv 1 1 2 3 5 8)
endforeach()
set(all_sizes "")
foreach(size RANGE 1 33)
  list(APPEND all_sizes ${size})
endforeach()
foreach(library mpich openmpi intel)
  alltoallv_test(alltoallv.long ${library} 33 "layer;long" alltoallv 3 ${all_sizes})
  alltoallv_test(alltoallv_errors ${library} 4 layer alltoallv_errors)
endforeach()

# A file of numbers that is wrong is named, and the call goes on.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/wrong.numbers
     "gapless-alltoall 1\nlibrary *\nnear latency fast bandwidth 1e9 pack 1e9\nend\n")
add_test(NAME ext.alltoallv_file.mpich
         COMMAND ${alltoallv_mpiexec_mpich} -genv GAPLESS_ALLTOALL_FILE ${CMAKE_CURRENT_BINARY_DIR}/wrong.numbers -n 4
                 $<TARGET_FILE:ext_alltoallv_errors_mpich>)
set_tests_properties(ext.alltoallv_file.mpich PROPERTIES LABELS layer TIMEOUT 60 PROCESSORS 2 PASS_REGULAR_EXPRESSION
  "default numbers of the all-to-all model are in force: [^\n]*/wrong.numbers: line 3: 'fast' is no latency.*all right")
