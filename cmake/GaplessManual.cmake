# The man pages of the command, written from its own command tree (python/gapless/cli/manual.py) by a Python that has what
# the command needs: that of .venv, or the one that Python3_EXECUTABLE names. Without one they are left out, and said so.
# Those of the C functions are there if `make docs` wrote them before. Both are `--component manual`.
if(GAPLESS_SANITIZE OR (CMAKE_CROSSCOMPILING AND NOT GAPLESS_WHEEL))
  return()
endif()
include(GNUInstallDirs)
set(manual_dir ${CMAKE_INSTALL_MANDIR})
if(SKBUILD_DATA_DIR)  # `pip install`: below the prefix of the Python
  set(manual_dir ${SKBUILD_DATA_DIR}/share/man)
endif()
install(DIRECTORY build/docs/man/man3 DESTINATION ${manual_dir} COMPONENT manual OPTIONAL)
find_package(Python3 COMPONENTS Interpreter)
set(path "${CMAKE_SOURCE_DIR}/python")
if(NOT "$ENV{PYTHONPATH}" STREQUAL "")  # where pip keeps what it builds with
  string(APPEND path ":$ENV{PYTHONPATH}")
endif()
foreach(python "${CMAKE_SOURCE_DIR}/.venv/bin/python" "${Python3_EXECUTABLE}")
  set(with_command ${CMAKE_COMMAND} -E env "PYTHONPATH=${path}" ${python})
  execute_process(COMMAND ${with_command} -c "import gapless.cli.manual" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    break()
  endif()
endforeach()
if(NOT missing EQUAL 0)
  message(STATUS "gapless: no Python here has typer: the man pages of the command are not installed")
  add_custom_target(gapless_manual)
  return()
endif()

set(pages ${CMAKE_BINARY_DIR}/man/man1)
file(GLOB sources CONFIGURE_DEPENDS python/gapless/cli/*.py)
add_custom_command(OUTPUT ${pages}/gapless.1
  COMMAND ${with_command} -m gapless.cli.manual ${pages}
  DEPENDS ${sources} python/gapless/launch/variables.py
  COMMENT "Writing the man pages" VERBATIM)
add_custom_target(gapless_manual ALL DEPENDS ${pages}/gapless.1)
set(GAPLESS_MANUAL TRUE)
install(DIRECTORY ${pages} DESTINATION ${manual_dir} COMPONENT manual FILES_MATCHING PATTERN "*.1")
