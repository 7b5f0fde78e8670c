# The shared library, and what is installed of all: components program, shared, static, development (headers and what finds the
# libraries) and documentation.

# Before 1.0 the API may change with the second number, after it with the first.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(interface_version 0.${PROJECT_VERSION_MINOR})
    set(compatible_versions SameMinorVersion)
else()
    set(interface_version ${PROJECT_VERSION_MAJOR})
    set(compatible_versions SameMajorVersion)
endif()

# From the very objects of the static library. What the public headers declare is seen from outside, and nothing else.
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sarrus/*.h)
set(exports ${PROJECT_BINARY_DIR}/sarrus_exports.map)
add_custom_command(OUTPUT ${exports}
    COMMAND ${CMAKE_COMMAND} -D "headers=${public_headers}" -D node=SARRUS_${interface_version} -D out=${exports}
        -P ${PROJECT_SOURCE_DIR}/cmake/SarrusExports.cmake
    DEPENDS ${public_headers} ${PROJECT_SOURCE_DIR}/cmake/SarrusExports.cmake
    COMMENT "Listing what the shared library exports"
    VERBATIM)
add_library(sarrus_shared SHARED ${PROJECT_SOURCE_DIR}/cmake/whole_library.c ${exports})
set_target_properties(sarrus_shared PROPERTIES OUTPUT_NAME sarrus EXPORT_NAME sarrus LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${interface_version} LINK_DEPENDS ${exports})
target_include_directories(sarrus_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(sarrus_shared PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,sarrus> sarrus_flags sarrus::dependencies)
target_link_options(sarrus_shared PRIVATE LINKER:--version-script=${exports})
if(SARRUS_SANITIZE STREQUAL "none")
    # Nothing is left for programs to bring. (A sanitizer's run-time library is in the program.)
    target_link_options(sarrus_shared PRIVATE LINKER:-z,defs)
endif()
set_target_properties(sarrus PROPERTIES EXPORT_NAME sarrus_static)
# The same names for a project that takes Sarrus in as a folder.
add_library(sarrus::sarrus ALIAS sarrus_shared)
add_library(sarrus::sarrus_static ALIAS sarrus)

if(TARGET sarrus_cli)
    install(TARGETS sarrus_cli RUNTIME COMPONENT program)
    install(FILES docs/sarrus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
endif()
install(TARGETS sarrus_shared EXPORT sarrus_shared LIBRARY COMPONENT shared)
install(TARGETS sarrus EXPORT sarrus_static ARCHIVE COMPONENT static)
install(DIRECTORY include/sarrus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# find_package(sarrus).
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sarrus)
if(TARGET sarrus_cuda)
    set(sarrus_has_cuda TRUE)
else()
    set(sarrus_has_cuda FALSE)
endif()
configure_file(cmake/sarrusConfig.cmake.in sarrusConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sarrusConfigVersion.cmake COMPATIBILITY ${compatible_versions})
install(FILES ${PROJECT_BINARY_DIR}/sarrusConfig.cmake ${PROJECT_BINARY_DIR}/sarrusConfigVersion.cmake
    cmake/SarrusDependencies.cmake DESTINATION ${config_folder} COMPONENT development)
foreach(kind shared static)
    install(EXPORT sarrus_${kind} NAMESPACE sarrus:: FILE sarrus-${kind}.cmake DESTINATION ${config_folder} COMPONENT ${kind})
endforeach()

# pkg-config: sarrus, with the parts of libsarrus.a for `--static`, and sarrus-static, which takes libsarrus.a by name. The former
# names no other modules, not even as private ones: pkg-config would want them to be there for the shared library too. Paths within
# the prefix are relative, so that `cmake --install --prefix` may still decide where.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(hdf5_module "")
if(sarrus_hdf5_FOUND)
    set(hdf5_module ${sarrus_hdf5_MODULE_NAME})
    cmake_path(GET sarrus_hdf5_hl STEM hdf5_hl)
    string(REGEX REPLACE "^lib" "-l" hdf5_hl ${hdf5_hl})
else()
    string(JOIN " " hdf5_hl ${sarrus_hdf5_libraries})
endif()
string(JOIN " " pc_modules ${hdf5_module} libdeflate libfyaml muparser)
string(JOIN " " pc_modules_libraries ${sarrus_hdf5_LDFLAGS} ${sarrus_libdeflate_LDFLAGS} ${sarrus_libfyaml_LDFLAGS}
    ${sarrus_muparser_LDFLAGS})
string(JOIN " " pc_parts ${sarrus_lapacke} ${sarrus_lapack} ${sarrus_blas} ${sarrus_gfortran} -lstdc++ -lpthread
    ${cuda_pc_libraries} -ldl -lm)
function(sarrus_pc_install pc_name pc_which pc_libraries pc_more component)
    configure_file(cmake/sarrus.pc.in ${pc_name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()
sarrus_pc_install(sarrus "" -lsarrus "Libs.private: ${hdf5_hl} ${pc_modules_libraries} ${pc_parts}" development)
sarrus_pc_install(sarrus-static ", its static library" "-l:libsarrus.a ${hdf5_hl} ${pc_parts}" "Requires: ${pc_modules}" static)

# Documents keep their places to one another, so that links between them hold.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
    FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/sarrus COMPONENT documentation FILES_MATCHING PATTERN "*.yaml")
