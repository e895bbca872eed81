# `cmake --install`: headers, libgapless.so, the layer's fronts with their backends beside them, the archive for static
# MPI libraries, and what pkg-config and find_package(gapless) read. All paths in them are relative to where they lie.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gapless)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/gapless DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS gapless EXPORT gapless_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(packages gapless)

if(GAPLESS_MPI_FOUND)
  set_target_properties(gapless_preload PROPERTIES EXPORT_NAME mpi)
  set_target_properties(gapless_preload_40 PROPERTIES EXPORT_NAME mpi_40)
  set_target_properties(gapless_preload_lc PROPERTIES EXPORT_NAME mpi_lc)
  set_target_properties(gapless_preload_lc41 PROPERTIES EXPORT_NAME mpi_lc41)
  set_target_properties(gapless_static_mpich PROPERTIES EXPORT_NAME mpi_static)
  get_filename_component(options ${GAPLESS_STATIC_OPTIONS} NAME)
  target_link_options(gapless_static_mpich INTERFACE
                      $<INSTALL_INTERFACE:-Wl,@$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/${options}>)
  target_link_libraries(gapless_static_mpich INTERFACE $<INSTALL_INTERFACE:stdc++>)
  install(TARGETS gapless_preload gapless_preload_40 gapless_preload_lc gapless_preload_lc41 gapless_static_mpich EXPORT gapless_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  foreach(abi ${GAPLESS_ABIS})
    install(TARGETS gapless_be_${abi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endforeach()
  install(FILES ${GAPLESS_STATIC_OPTIONS} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(APPEND packages gapless-mpi gapless-mpi-static)
endif()

install(EXPORT gapless_targets NAMESPACE gapless:: DESTINATION ${package_dir} FILE gapless-targets.cmake)
configure_package_config_file(cmake/gapless-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/gapless-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gapless-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gapless-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/gapless-config-version.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
foreach(package ${packages})
  configure_file(cmake/${package}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir})
endforeach()
