# Writes version.cpp from src/sinew/core/version.cpp.in. The commit is determined at every build, not when configuring;
# the file is rewritten, and so compiled again, only if the commit has changed.
#
# Included by the build, it adds the target `sinew_version`; run with -P, it writes the file.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(SINEW_VERSION_SOURCE ${PROJECT_BINARY_DIR}/generated/sinew/core/version.cpp)
  add_custom_target(sinew_version
    COMMAND ${CMAKE_COMMAND}
      -D SINEW_VERSION=${PROJECT_VERSION} -D SOURCE=${PROJECT_SOURCE_DIR}
      -D OUTPUT=${SINEW_VERSION_SOURCE} -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${SINEW_VERSION_SOURCE}
    COMMENT "Asking for the commit" VERBATIM)
  target_sources(sinew PRIVATE ${SINEW_VERSION_SOURCE})
  add_dependencies(sinew sinew_version)
  return()
endif()

set(SINEW_COMMIT unknown)
# A source archive unpacked inside another repository must not report that repository's commit: it has no .git itself.
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE hash RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} diff-index --quiet HEAD
    WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE dirty OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(SINEW_COMMIT ${hash})
    if(dirty)
      string(APPEND SINEW_COMMIT -dirty)
    endif()
  endif()
endif()
configure_file(${SOURCE}/src/sinew/core/version.cpp.in ${OUTPUT} @ONLY)
