# The layer for programs that are linked with a static MPI library of the MPICH ABI: everything in one archive, which
# stands before the library on the linker's line, and the options by which the linker leads PMPI_X here as well. One
# archive serves all versions of MPI: see interpose/static/static_trampolines.S.
set(table ${CMAKE_SOURCE_DIR}/src/mpi/abi/procedures.def)
set(interpose ${CMAKE_CURRENT_SOURCE_DIR}/interpose)
set(parts "")
foreach(level 30 40 41)
  foreach(part trampolines unwrapped)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/static_${part}_mpi${level}.S)
    file(CONFIGURE OUTPUT ${source}
         CONTENT "#define GAPLESS_LEVEL ${level}\n#include \"preload/interpose/static/static_${part}.S\"\n")
    set_property(SOURCE ${source} PROPERTY OBJECT_DEPENDS
                 "${table};${interpose}/static/static_${part}.S;${interpose}/since.inc")
    list(APPEND parts ${source})
  endforeach()
endforeach()

add_library(gapless_static_mpich STATIC interpose/front.cpp interpose/static/front_static.cpp interpose/imports.cpp
            interpose/${machine}/first_call.S interpose/static/static_unwrapped_completion.S ${parts}
            $<TARGET_OBJECTS:gapless_wrappers_mpich> $<TARGET_OBJECTS:gapless_mpi_mpich>
            $<TARGET_OBJECTS:gapless_ext_alltoall_mpich> $<TARGET_OBJECTS:gapless_alltoall> $<TARGET_OBJECTS:gapless_wire> ${GAPLESS_ENGINE_OBJECTS})
target_include_directories(gapless_static_mpich PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)

# --wrap for each PMPI_X of the table, and for what interpose/static/static_unwrapped_completion.S watches.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
set(GAPLESS_STATIC_OPTIONS ${CMAKE_CURRENT_BINARY_DIR}/libgapless_static_mpich.options)
set(options "--wrap=MPIX_Request_is_complete\n--wrap=PMPIX_Request_is_complete\n")
file(STRINGS ${table} lines REGEX "^GAPLESS_")
foreach(line ${lines})
  string(REGEX MATCH "^GAPLESS_([A-Z]+)\\(([A-Za-z_]+)," name "${line}")
  string(APPEND options "--wrap=PMPI_${CMAKE_MATCH_2}\n")
  if(CMAKE_MATCH_1 STREQUAL COUNTED)
    string(APPEND options "--wrap=PMPI_${CMAKE_MATCH_2}_c\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${GAPLESS_STATIC_OPTIONS} CONTENT "${options}" @ONLY)
set(GAPLESS_STATIC_OPTIONS ${GAPLESS_STATIC_OPTIONS} PARENT_SCOPE)
