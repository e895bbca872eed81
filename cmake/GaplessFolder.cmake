# gapless_folder(NAME SOURCES...): one object library per src/ folder, named gapless_NAME.
# All of them are compiled at plain -O2: speed must come from the code, not from a lucky vectoriser.
function(gapless_folder name)
  add_library(gapless_${name} OBJECT ${ARGN})
  target_include_directories(gapless_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  gapless_precompiled(gapless_${name} library)
endfunction()

# gapless_units(ABI TARGETS...): sources are compiled by the dozen, for most of what a source takes is its headers; those
# of the first ABI by fours, so that a developer, and a planted fault, compile few. Two sources of a dozen cannot have the
# same name in their anonymous namespaces.
function(gapless_units abi)
  if(GAPLESS_SANITIZE)
    return()
  endif()
  set(size 12)
  if(abi STREQUAL mpich)
    set(size 4)
  endif()
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()
