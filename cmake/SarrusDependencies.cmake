# Libraries that the library links: interface library `sarrus_dependencies`.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# HDF5, serial C library and its high-level part (dimension scales). Debian names the serial build `hdf5-serial`;
# elsewhere it is `hdf5`, or there is no pkg-config file and CMake's own module asks the h5cc wrapper.
pkg_search_module(hdf5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
if(hdf5_FOUND)
    find_library(hdf5_hl_library NAMES hdf5_hl hdf5_serial_hl HINTS ${hdf5_LIBRARY_DIRS} REQUIRED)
    set(hdf5_targets ${hdf5_hl_library} PkgConfig::hdf5)
    set(hdf5_pc_module ${hdf5_MODULE_NAME})
else()
    find_package(HDF5 REQUIRED COMPONENTS C HL)
    add_library(sarrus_hdf5 INTERFACE)
    target_include_directories(sarrus_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
    target_link_libraries(sarrus_hdf5 INTERFACE ${HDF5_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
    set(hdf5_targets sarrus_hdf5)
    set(hdf5_hl_library -lhdf5_hl)
    set(hdf5_pc_module hdf5)
endif()

# The reference LAPACK and BLAS, from their archives (docs/decisions/0019-reference-lapack.md): a shared liblapack.so is whatever library
# the system has chosen to stand for it, and one with threads of its own takes memory when it is loaded. Debian keeps the reference in
# folders of its own, beside the names that stand for the choice.
find_path(lapacke_include lapacke.h REQUIRED)
find_library(lapacke_archive liblapacke.a REQUIRED)
find_library(lapack_archive liblapack.a PATH_SUFFIXES lapack REQUIRED)
find_library(blas_archive libblas.a PATH_SUFFIXES blas REQUIRED)
find_library(gfortran_library NAMES gfortran libgfortran.so.5 REQUIRED)
set(lapack_libraries ${lapacke_archive} ${lapack_archive} ${blas_archive} ${gfortran_library})
string(JOIN " " lapack_pc_libraries ${lapack_libraries})
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(libfyaml REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
# The benchmarks' and the tests' own: reference pseudoinverses with 50 digits. The library does without.
pkg_check_modules(mpfr REQUIRED IMPORTED_TARGET mpfr)

add_library(sarrus_dependencies INTERFACE)
target_include_directories(sarrus_dependencies SYSTEM INTERFACE ${lapacke_include})
target_link_libraries(sarrus_dependencies INTERFACE
    ${hdf5_targets}
    ${lapack_libraries}
    PkgConfig::libdeflate
    PkgConfig::libfyaml
    PkgConfig::muparser
    stdc++
    Threads::Threads
    ${CMAKE_DL_LIBS}
    m)
