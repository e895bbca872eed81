# gapless_precompiled(TARGET HEADERS...): headers that nearly every source of a target includes, compiled once. The
# sanitized configurations go without, so that a source of the engine that lacks an include is noticed.
function(gapless_precompiled target)
  if(NOT GAPLESS_SANITIZE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
