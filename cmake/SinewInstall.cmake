# `make install`: the program, the static library with its public headers, the scenes and tasks, licence and notices, and a
# CMake package, so that find_package(sinew) gives the target sinew::sinew.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

install(TARGETS sinew EXPORT sinew-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET sinew_cli)
  install(TARGETS sinew_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET sinew_mpi)
  install(TARGETS sinew_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# sinew/sinew.hpp and the headers it reaches are public; they are found anew at each installation.
install(CODE "set(sinew_source_dir \"${CMAKE_CURRENT_SOURCE_DIR}/src\")
set(sinew_include_dir \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/InstallHeaders.cmake)
if(EXISTS ${PROJECT_SOURCE_DIR}/scenes)
  install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/scenes)
  # The program looks for scenes in ../share beside itself: the build tree has them there too.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/sinew)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_BINARY_DIR}/share/sinew/scenes SYMBOLIC)
endif()
install(DIRECTORY tasks/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/tasks)
install(DIRECTORY studies/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/studies)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/sinew)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tasks ${PROJECT_BINARY_DIR}/share/sinew/tasks SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/studies ${PROJECT_BINARY_DIR}/share/sinew/studies SYMBOLIC)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/models)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models ${PROJECT_BINARY_DIR}/share/sinew/models SYMBOLIC)

install(FILES LICENSE NOTICE THIRD_PARTY_NOTICES.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT sinew-targets NAMESPACE sinew:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sinew-config.cmake.in sinew-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sinew-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sinew-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sinew-config-version.cmake
  DESTINATION ${package_dir})
