# sinew_module(<name> [TARGET <target>] DEPENDS <modules…>) declares one layer of src/sinew: its sources, the
# library they are part of (sinew, unless told otherwise), and the only layers its files may include
# (transitively closed). scripts/check_layers.py reads these same lines.
function(sinew_module name)
  cmake_parse_arguments(ARG "" "TARGET" "DEPENDS" ${ARGN})
  if(NOT ARG_TARGET)
    set(ARG_TARGET sinew)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sinew/${name}/*.cpp)
  target_sources(${ARG_TARGET} PRIVATE ${sources})
  sinew_unity(${ARG_TARGET} ${name} ${sources})
endfunction()
