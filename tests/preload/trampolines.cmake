# The trampolines alone: a program whose first call has arguments in every register and on the stack. With the backend,
# which finds that this is no MPI library, and without.
add_library(trampolines_library SHARED trampolines_library.c)
target_compile_options(trampolines_library PRIVATE -fvisibility=default)
add_executable(trampolines_test trampolines_test.c)
target_link_options(trampolines_test PRIVATE LINKER:--no-as-needed)
target_link_libraries(trampolines_test PRIVATE trampolines_library Threads::Threads ${CMAKE_DL_LIBS})
add_dependencies(trampolines_test gapless_layer)
foreach(how linked opened missing threads)
  foreach(state "" _disabled)
    if(how STREQUAL opened AND state)
      continue()  # then dlsym answers with the truth
    endif()
    set(name layer.trampolines_${how}${state})
    add_test(NAME ${name}
             COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=${front} GAPLESS_DISABLE=$<BOOL:${state}> ${emulator}
                     $<TARGET_FILE:trampolines_test> ${how} $<TARGET_FILE:trampolines_library>)
    set_tests_properties(${name} PROPERTIES LABELS layer TIMEOUT 60)
  endforeach()
endforeach()
