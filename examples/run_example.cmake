# Runs PROGRAM; fails unless it exits with 0 and its output has PHRASE. A test's own PASS_REGULAR_EXPRESSION would ignore
# the exit code.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
if(NOT output MATCHES "${PHRASE}")
  message(FATAL_ERROR "the output does not have \"${PHRASE}\"")
endif()
