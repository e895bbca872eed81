# gapless_folder(NAME SOURCES...): one object library per src/ folder, named gapless_NAME.
# All of them are compiled at plain -O2: speed must come from the code, not from a lucky vectoriser.
function(gapless_folder name)
  add_library(gapless_${name} OBJECT ${ARGN})
  target_include_directories(gapless_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
endfunction()
