# Libraries that the library links: interface library `sarrus::dependencies`. Read when Sarrus is built, and once more by
# sarrusConfig.cmake, where somebody links the static library that was installed: on that machine they may be elsewhere. Names of
# what is not there are left in `sarrus_missing`; then there is no such target.

set(sarrus_missing "")
find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
    list(APPEND sarrus_missing pkg-config)
endif()
find_package(Threads QUIET)
if(NOT Threads_FOUND)
    list(APPEND sarrus_missing threads)
endif()

# HDF5, serial C library and its high-level part (dimension scales). Debian names the serial build `hdf5-serial`;
# elsewhere it is `hdf5`, or there is no pkg-config file and CMake's own module asks the h5cc wrapper.
set(sarrus_hdf5_libraries "")
set(sarrus_hdf5_includes "")
if(PkgConfig_FOUND)
    pkg_search_module(sarrus_hdf5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
endif()
if(sarrus_hdf5_FOUND)
    find_library(sarrus_hdf5_hl NAMES hdf5_hl hdf5_serial_hl HINTS ${sarrus_hdf5_LIBRARY_DIRS})
    set(sarrus_hdf5_libraries ${sarrus_hdf5_hl} PkgConfig::sarrus_hdf5)
else()
    find_package(HDF5 QUIET COMPONENTS C HL)
    set(sarrus_hdf5_libraries ${HDF5_HL_LIBRARIES} ${HDF5_C_LIBRARIES})
    set(sarrus_hdf5_includes ${HDF5_INCLUDE_DIRS})
endif()
if(NOT sarrus_hdf5_libraries OR (sarrus_hdf5_FOUND AND NOT sarrus_hdf5_hl))
    list(APPEND sarrus_missing "hdf5 with its high-level library")
endif()

# The reference LAPACK and BLAS, from their archives (docs/decisions/0019-reference-lapack.md): a shared liblapack.so is whatever library
# the system has chosen to stand for it, and one with threads of its own takes memory when it is loaded. Debian keeps the reference in
# folders of its own, beside the names that stand for the choice.
find_path(sarrus_lapacke_include lapacke.h)
find_library(sarrus_lapacke liblapacke.a)
find_library(sarrus_lapack liblapack.a PATH_SUFFIXES lapack)
find_library(sarrus_blas libblas.a PATH_SUFFIXES blas)
find_library(sarrus_gfortran NAMES gfortran libgfortran.so.5)
mark_as_advanced(sarrus_hdf5_hl sarrus_lapacke_include sarrus_lapacke sarrus_lapack sarrus_blas sarrus_gfortran)
foreach(sarrus_part lapacke_include lapacke lapack blas gfortran)
    if(NOT sarrus_${sarrus_part})
        list(APPEND sarrus_missing ${sarrus_part})
    endif()
endforeach()

set(sarrus_modules "")
foreach(sarrus_part libdeflate libfyaml muparser)
    if(PkgConfig_FOUND)
        pkg_check_modules(sarrus_${sarrus_part} QUIET IMPORTED_TARGET ${sarrus_part})
    endif()
    if(TARGET PkgConfig::sarrus_${sarrus_part})
        list(APPEND sarrus_modules PkgConfig::sarrus_${sarrus_part})
    else()
        list(APPEND sarrus_missing ${sarrus_part})
    endif()
endforeach()

if(NOT sarrus_missing AND NOT TARGET sarrus::dependencies)
    add_library(sarrus::dependencies INTERFACE IMPORTED)
    target_include_directories(sarrus::dependencies SYSTEM INTERFACE ${sarrus_hdf5_includes} ${sarrus_lapacke_include})
    target_link_libraries(sarrus::dependencies INTERFACE
        ${sarrus_hdf5_libraries}
        ${sarrus_lapacke} ${sarrus_lapack} ${sarrus_blas} ${sarrus_gfortran}
        ${sarrus_modules}
        stdc++
        Threads::Threads
        ${CMAKE_DL_LIBS}
        m)
endif()
