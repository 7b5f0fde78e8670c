# kernels/cuda/*.cu: the same kernel bodies compiled by nvcc, and the CUDA runtime behind src/backend/cuda/gpu.h. Without a toolkit the
# library says that there is none.

if(NOT SARRUS_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "SARRUS_CUDA is '${SARRUS_CUDA}'; expected AUTO, ON or OFF")
endif()
if(SARRUS_CUDA STREQUAL "OFF")
    target_sources(sarrus PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cuda/gpu_none.c)
    return()
endif()

file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cuda/*.cu)
# Compiled by the program itself, with a plan (src/jit/nvrtc.c).
list(FILTER cuda_sources EXCLUDE REGEX "/specialized\\.cu$")
if(NOT cuda_sources)
    message(STATUS "CUDA kernels: not built (kernels/cuda holds no source)")
    target_sources(sarrus PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cuda/gpu_none.c)
    return()
endif()

# The toolkit's own folder is seldom on the PATH.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(SARRUS_NVCC nvcc HINTS /usr/local/cuda/bin)
    mark_as_advanced(SARRUS_NVCC)
    if(SARRUS_NVCC)
        set(ENV{CUDACXX} ${SARRUS_NVCC})
    endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(SARRUS_CUDA STREQUAL "ON")
        message(FATAL_ERROR "SARRUS_CUDA=ON, but no CUDA compiler was found; put nvcc on the PATH or set CUDACXX")
    endif()
    message(STATUS "CUDA kernels: not built (no nvcc found)")
    target_sources(sarrus PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cuda/gpu_none.c)
    return()
endif()

set(CMAKE_CUDA_ARCHITECTURES OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
message(STATUS "CUDA kernels: built with ${CMAKE_CUDA_COMPILER} for sm_80 and sm_90")

# Objects rather than an archive, so that the link below takes in every kernel and not only those that something calls. The second
# ones are relocatable code, whose functions keep to the calling convention: ptxas takes a twelfth of the time for it
# (docs/decisions/0032). A device link puts them together.
set(relocatable_sources ${cuda_sources})
list(FILTER relocatable_sources INCLUDE REGEX "/(spatial|spatial_staged|relative|relative_spatial|single|single_spatial)\\.cu$")
list(REMOVE_ITEM cuda_sources ${relocatable_sources})
# The front end runs once for both architectures: what it makes of the bodies does not differ between them, nor do the instructions
# that follow from it. Its PTX goes in too, for GPUs that are newer than either.
set(cuda_code --generate-code=arch=compute_80,code=[compute_80,sm_80,sm_90])
# A quarter of the size. Drivers that run the programs of an earlier release may not know this compression.
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    list(APPEND cuda_code --compress-mode=size)
endif()
add_library(sarrus_cuda OBJECT ${cuda_sources})
add_library(sarrus_cuda_relocatable OBJECT ${relocatable_sources})
target_compile_options(sarrus_cuda_relocatable PRIVATE -rdc=true)
foreach(kernels sarrus_cuda sarrus_cuda_relocatable)
    target_include_directories(${kernels} PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    # -fmad=false keeps the arithmetic that of the source, as -ffp-contract=off does on the CPU.
    target_compile_options(${kernels} PRIVATE -fmad=false ${cuda_code})
    # What follows the front end is nearly all of the time, and runs for both architectures at once.
    target_compile_options(${kernels} PRIVATE "SHELL:--threads 2")
    if(SARRUS_WERROR)
        target_compile_options(${kernels} PRIVATE "SHELL:-Werror all-warnings")
    endif()
    # What ptxas says of registers, local memory and spills is kept beside each object; docs/cuda_kernels.md is made of it.
    target_compile_options(${kernels} PRIVATE -Xptxas=-v)
    set_target_properties(${kernels} PROPERTIES
        RULE_LAUNCH_COMPILE "${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_report.sh <OBJECT>.ptxas")
endforeach()

# Of relocatable kernels the link says what they take.
set(device_link ${PROJECT_BINARY_DIR}/cuda_device_link.o)
add_custom_command(OUTPUT ${device_link}
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_report.sh ${device_link}.ptxas ${CMAKE_CUDA_COMPILER} -dlink ${cuda_code}
        -Xcompiler -fPIC -Xnvlink -v "$<TARGET_OBJECTS:sarrus_cuda_relocatable>" -o ${device_link}
    DEPENDS sarrus_cuda_relocatable $<TARGET_OBJECTS:sarrus_cuda_relocatable> ${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_report.sh
    COMMENT "Linking the relocatable CUDA kernels"
    COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(sarrus_cuda_link DEPENDS ${device_link})
set_source_files_properties(${device_link} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set(cuda_objects $<TARGET_OBJECTS:sarrus_cuda> $<TARGET_OBJECTS:sarrus_cuda_relocatable> ${device_link})
add_custom_target(cuda_kernels_page COMMAND ${PROJECT_SOURCE_DIR}/scripts/cuda_kernels ${PROJECT_BINARY_DIR}
    DEPENDS sarrus_cuda ${device_link})

# The runtime goes in as a whole: the program starts on machines without it. The driver is looked for when a device is asked for.
target_sources(sarrus PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cuda/gpu_cuda.c ${cuda_objects})
target_link_libraries(sarrus PUBLIC $<BUILD_INTERFACE:CUDA::cudart_static>)
set(cuda_pc_libraries "${CUDA_cudart_static_LIBRARY} -lrt")

add_executable(cuda_link_check ${PROJECT_SOURCE_DIR}/cmake/cuda_link_check.c ${cuda_objects})
target_link_libraries(cuda_link_check PRIVATE CUDA::cudart)
