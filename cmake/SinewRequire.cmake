# sinew_require(<variable> <library> <package>) notes a library as missing unless the variable, such as fmt_FOUND, is
# true; <package> is the one that has it in Debian and Ubuntu. sinew_stop_if_missing() ends the configuration with all of
# them in one message, so that nobody installs them one by one.
function(sinew_require found library package)
  if(NOT ${found})
    set_property(GLOBAL APPEND PROPERTY SINEW_MISSING "${library} (${package})")
  endif()
endfunction()

function(sinew_stop_if_missing)
  get_property(missing GLOBAL PROPERTY SINEW_MISSING)
  if(missing)
    list(JOIN missing ", " names)
    message(FATAL_ERROR "Not found, or older than needed: ${names}. In brackets are the packages of Debian 12 and "
      "Ubuntu 24.04; docs/building.md says more about other systems.")
  endif()
endfunction()
