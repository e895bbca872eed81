# `cmake --install`: headers, libgapless shared and static, the layer's fronts with their backends beside them, the
# archive for static MPI libraries, man pages, and what pkg-config and find_package(gapless) read. All paths in them are
# relative to where they lie.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

foreach(folder LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    message(FATAL_ERROR "gapless: CMAKE_INSTALL_${folder}=${CMAKE_INSTALL_${folder}} is absolute, and what is installed "
                        "finds itself by relative paths: give it relative to the prefix")
  endif()
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gapless)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# gapless_install(COMPONENT EXPORT_FILE TARGETS...): targets, and the CMake file that imports them.
function(gapless_install component file)
  install(TARGETS ${ARGN} EXPORT ${component}_targets COMPONENT ${component}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${component}_targets NAMESPACE gapless:: DESTINATION ${package_dir} FILE ${file} COMPONENT ${component})
endfunction()

# gapless_pkg_config(COMPONENT NAMES...)
file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
function(gapless_pkg_config component)
  foreach(package ${ARGN})
    configure_file(cmake/${package}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_dir} COMPONENT ${component})
  endforeach()
endfunction()

# `cmake --install BUILD --component engine`: what a program needs that uses the engine.
install(DIRECTORY include/gapless DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT engine
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT engine)
configure_file(packaging/modulefile/gapless.in ${CMAKE_CURRENT_BINARY_DIR}/modulefile @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/gapless
        RENAME ${PROJECT_VERSION} COMPONENT engine)
gapless_install(engine gapless-targets.cmake gapless gapless_static)
gapless_pkg_config(engine gapless gapless-static)
configure_package_config_file(cmake/gapless-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/gapless-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# As the ABI: within a major version, what was built for an older one works with a newer one.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gapless-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gapless-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/gapless-config-version.cmake DESTINATION ${package_dir} COMPONENT engine)

# `--component layer`: what goes under an MPI program.
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
  gapless_install(layer gapless-layer-targets.cmake gapless_preload gapless_preload_40 gapless_preload_lc
                  gapless_preload_lc41 gapless_static_mpich)
  foreach(abi ${GAPLESS_ABIS})
    install(TARGETS gapless_be_${abi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT layer)
  endforeach()
  install(FILES ${GAPLESS_STATIC_OPTIONS} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT layer)
  gapless_pkg_config(layer gapless-mpi gapless-mpi-static)
  # What programs link that call gapless_mpi.h: a CMake file and a package of pkg-config for each ABI. The layer opens it,
  # too, and finds it beside itself.
  install(FILES src/ext/fortran/gapless_mpi.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gapless COMPONENT layer)
  foreach(abi ${GAPLESS_ABIS})
    set_target_properties(gapless_mpi_library_${abi} PROPERTIES EXPORT_NAME mpi-${abi})
    install(TARGETS gapless_mpi_library_${abi} EXPORT mpi_${abi}_targets
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT layer NAMELINK_COMPONENT layer
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT mpi_${abi}_targets NAMESPACE gapless:: DESTINATION ${package_dir}
            FILE gapless-mpi-${abi}-targets.cmake COMPONENT layer)
    configure_file(cmake/gapless-mpi-abi.pc.in ${CMAKE_CURRENT_BINARY_DIR}/gapless-mpi-${abi}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gapless-mpi-${abi}.pc DESTINATION ${pkgconfig_dir} COMPONENT layer)
  endforeach()
endif()

# `--component fabric`: channels between nodes.
if(GAPLESS_FABRIC_FOUND)
  gapless_install(fabric gapless-fabric-targets.cmake gapless_fabric_library)
  gapless_pkg_config(fabric gapless-fabric)
endif()

include(GaplessManual)
