# Programs that are linked with the layer, and with a shared or a static MPI library behind it.

# linked_program(NAME SOURCE LIBRARY...): the libraries in this order, each kept whether it is needed or not.
function(linked_program name source)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_options(${name} PRIVATE LINKER:--no-as-needed)
  target_link_libraries(${name} PRIVATE ${ARGN} ${CMAKE_DL_LIBS})
endfunction()

# linked_test(NAME PRELOAD LAUNCHER... -- PROGRAM ARGUMENT...)
function(linked_test name)
  # Packed whether the rules say that it gains or not.
  add_test(NAME layer.${name} COMMAND ${CMAKE_COMMAND} -E env GAPLESS_STATS=1 GAPLESS_SMALLEST_BYTES=0 ${ARGN})
  set_tests_properties(layer.${name} PROPERTIES LABELS layer TIMEOUT 60 PROCESSORS 2)
endfunction()

set(run_mpich ${mpiexec} -n 2)
set(run_standard ${run_mpich})
set(run_openmpi ${mpiexec_openmpi} -x GAPLESS_STATS -x GAPLESS_SMALLEST_BYTES -n 2)
foreach(abi ${GAPLESS_ABIS})
  foreach(front gapless_preload gapless_preload_lc41)
    set(name ${front}_linked_${abi})
    linked_program(${name} linked_test.c ${front} gapless_program_${abi})
    string(REPLACE gapless_preload front test ${name})
    linked_test(${test} ${run_${abi}} ${emulator} $<TARGET_FILE:${name}> layer)
  endforeach()
endforeach()

# Linked and preloaded at once, the same front and the other one: each call is converted and counted once.
linked_test(front_linked_and_preloaded ${mpiexec} -genv LD_PRELOAD $<TARGET_FILE:gapless_preload> -n 2
            ${emulator} $<TARGET_FILE:gapless_preload_linked_mpich> layer)
linked_test(front_linked_other_preloaded ${mpiexec} -genv LD_PRELOAD $<TARGET_FILE:gapless_preload_lc> -n 2
            ${emulator} $<TARGET_FILE:gapless_preload_linked_mpich> layer)

# A tool behind the linked front, before it, and between two fronts.
linked_program(chain_front_tool chain_test.cpp gapless_preload counting_tool gapless_program_mpich)
linked_program(chain_tool_front chain_test.cpp counting_tool gapless_preload gapless_program_mpich)
linked_test(front_linked_before_tool ${run_mpich} ${emulator} $<TARGET_FILE:chain_front_tool>)
linked_test(front_linked_behind_tool ${run_mpich} ${emulator} $<TARGET_FILE:chain_tool_front>)
foreach(program chain_front_tool chain_tool_front)
  linked_test(${program}_other_preloaded ${mpiexec} -genv LD_PRELOAD $<TARGET_FILE:gapless_preload_lc> -n 2
              ${emulator} $<TARGET_FILE:${program}>)
endforeach()

# A linker that drops what seems not to be needed. It keeps the MPI library for any procedure that is not wrapped.
linked_program(linked_as_needed linked_test.c gapless_preload gapless_program_mpich)
set_target_properties(linked_as_needed PROPERTIES LINK_OPTIONS LINKER:--as-needed)
linked_test(front_linked_as_needed ${run_mpich} ${emulator} $<TARGET_FILE:linked_as_needed> layer)
linked_program(all_wrapped all_wrapped_test.c gapless_preload gapless_program_mpich)
linked_test(front_linked_all_wrapped ${run_mpich} ${emulator} $<TARGET_FILE:all_wrapped>)
linked_program(all_wrapped_dropped all_wrapped_test.c gapless_preload gapless_program_mpich)
set_target_properties(all_wrapped_dropped PROPERTIES LINK_OPTIONS LINKER:--as-needed)
linked_test(front_linked_library_dropped ${emulator} $<TARGET_FILE:all_wrapped_dropped>)
set_tests_properties(layer.front_linked_library_dropped PROPERTIES
  PASS_REGULAR_EXPRESSION "no MPI library is loaded.*--no-as-needed")

# A static MPI library.
if(GAPLESS_STATIC_MPI)
  add_test(NAME layer.static COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${GAPLESS_STATIC_MPI}")
  set_tests_properties(layer.static PROPERTIES LABELS layer SKIP_REGULAR_EXPRESSION "^skipped: ")
  return()
endif()
set(run_static ${GAPLESS_STATIC_MPIEXEC} -n 2)
set(wrapped "-Wl,@${GAPLESS_STATIC_OPTIONS}")

linked_program(linked_static_plain linked_test.c gapless_program_static)
linked_test(static_without_layer ${run_static} $<TARGET_FILE:linked_static_plain> plain)
linked_program(linked_static linked_test.c gapless_static_mpich gapless_program_static)
target_link_options(linked_static PRIVATE ${wrapped})
linked_test(static ${run_static} $<TARGET_FILE:linked_static> layer)
linked_program(linked_static_unwrapped linked_test.c gapless_static_mpich gapless_program_static)
linked_test(static_unwrapped ${run_static} $<TARGET_FILE:linked_static_unwrapped> native)

# The layer's own tests, which look for it at run time, hence the exports (not among them: equivalence_test and
# lifecycle_test, in which Debian's MPICH 4.0.2 itself crashes, with the layer off and shared as well); and a tool that
# has its own MPI_Send.
function(static_test name)
  linked_program(${name}_static ${name}.cpp static_test_types gapless_static_mpich gapless_program_static)
  set_target_properties(${name}_static PROPERTIES ENABLE_EXPORTS TRUE)
  target_link_options(${name}_static PRIVATE ${wrapped})
  linked_test(static_${name} ${run_static} $<TARGET_FILE:${name}_static>)
endfunction()
add_library(static_test_types OBJECT random_mpi_type.cpp)
target_link_libraries(static_test_types PUBLIC gapless_program_static)
foreach(test errors_test handle_reuse_test probe_test threads_test chain_test)
  static_test(${test})
endforeach()
target_sources(chain_test_static PRIVATE counting_tool.c)
set_target_properties(chain_test_static PROPERTIES C_VISIBILITY_PRESET default)
