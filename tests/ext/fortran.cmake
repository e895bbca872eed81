# The module gapless_mpi, where there is a Fortran compiler. The MPI libraries of PyPI have no part for Fortran: the test
# calls their C functions (fortran_mpi.c).
include(CheckLanguage)
check_language(Fortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "gapless: no Fortran compiler: the module gapless_mpi will not be tested")
  return()
endif()
enable_language(Fortran)
foreach(abi ${GAPLESS_PROGRAM_ABIS})
  set(target ext_fortran_test_${abi})
  add_executable(${target} fortran_test.f90 fortran_mpi.c ${CMAKE_SOURCE_DIR}/src/ext/fortran/gapless_mpi.f90)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE Fortran
                        Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fortran_${abi})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=f2018;-Wall;-Wextra;-Werror>)
  target_link_libraries(${target} PRIVATE gapless_mpi_library_${abi} gapless_program_${abi})
  add_test(NAME ext.fortran.${abi} COMMAND ${start_${abi}} $<TARGET_FILE:${target}>)
  set_tests_properties(ext.fortran.${abi} PROPERTIES LABELS layer TIMEOUT 60 PASS_REGULAR_EXPRESSION "passed"
                       FAIL_REGULAR_EXPRESSION "failed")
endforeach()
