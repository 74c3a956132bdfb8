# sinew_module(<name> DEPENDS <modules…>) declares one layer of src/sinew: its sources, and the only
# layers its files may include (transitively closed). scripts/check_layers.py reads these same lines.
function(sinew_module name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sinew/${name}/*.cpp)
  target_sources(sinew PRIVATE ${sources})
  sinew_unity(sinew ${name} ${sources})
endfunction()
