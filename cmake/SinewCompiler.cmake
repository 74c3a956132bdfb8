# Flags every target shares, as the usage requirement `sinew_flags`.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

add_library(sinew_flags INTERFACE)
# g++ 12 warns of overlapping and endless copies inside its own std::string (GCC bugs 105329, 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(left_out -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
endif()
# clang includes changes of sign in -Wconversion, g++ does not: this gives both the same meaning.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(left_out -Wno-sign-conversion)
endif()
# -ffp-contract=off: no compiler or instruction set fuses operations that others do not, so that all vector units give
# the same bits.
target_compile_options(sinew_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion ${left_out}
  -ffp-contract=off -fno-math-errno
  $<$<BOOL:${SINEW_WARNINGS_AS_ERRORS}>:-Werror>
  $<$<BOOL:${SINEW_NATIVE}>:-march=native>)
target_compile_definitions(sinew_flags INTERFACE EIGEN_MPL2_ONLY)
