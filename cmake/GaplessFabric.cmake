# libfabric and libsodium, for channels between nodes (docs/fabric.md): those of the system. Optional: without them all
# else is built.
set(GAPLESS_FABRIC_FOUND FALSE)
if(CMAKE_CROSSCOMPILING OR GAPLESS_WHEEL)
  return()  # those of this machine are not those of another one
endif()
find_path(GAPLESS_LIBFABRIC_INCLUDE rdma/fabric.h)
find_library(GAPLESS_LIBFABRIC_LIBRARY fabric)
find_path(GAPLESS_SODIUM_INCLUDE sodium.h)
find_library(GAPLESS_SODIUM_LIBRARY sodium)
mark_as_advanced(GAPLESS_LIBFABRIC_INCLUDE GAPLESS_LIBFABRIC_LIBRARY GAPLESS_SODIUM_INCLUDE GAPLESS_SODIUM_LIBRARY)
if(NOT (GAPLESS_LIBFABRIC_INCLUDE AND GAPLESS_LIBFABRIC_LIBRARY AND GAPLESS_SODIUM_INCLUDE AND GAPLESS_SODIUM_LIBRARY))
  message(STATUS "gapless: no channels between nodes (libgapless_fabric): libfabric or libsodium is not installed "
                 "(Debian: apt install libfabric-dev libsodium-dev)")
  add_custom_target(gapless_fabric_library
    COMMAND ${CMAKE_COMMAND} -E echo "gapless: libgapless_fabric needs libfabric and libsodium: apt install libfabric-dev libsodium-dev, then configure again"
    COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()
set(GAPLESS_FABRIC_FOUND TRUE)
foreach(library libfabric sodium)
  string(TOUPPER ${library} name)
  add_library(gapless::${library} UNKNOWN IMPORTED)
  set_target_properties(gapless::${library} PROPERTIES IMPORTED_LOCATION "${GAPLESS_${name}_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${GAPLESS_${name}_INCLUDE}")
endforeach()
