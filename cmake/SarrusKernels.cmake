# kernels/cpu/*.c: the kernel bodies expanded once per instruction set. Sets `kernel_sources`, and what the program hands to the
# system's compiler for the kernels of one plan: `embedded_sources`.

file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cpu/*.c)
# Compiled by the program itself, with a plan (src/jit/specialize.c).
list(FILTER kernel_sources EXCLUDE REGEX "/specialized\\.c$")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(FILTER kernel_sources EXCLUDE REGEX "avx[^/]*\\.c$")
endif()

# The kernels are the slowest to compile with sanitizers, and their bodies are the same source for every instruction set: tests with a
# sanitizer have those for AVX2 instrumented, those for the baseline without, and none for AVX-512. Fuzz targets run pinv_baseline.c
# only; the others are there to be linked.
set(unsanitized_kernels "")
set(unsanitized_options -O1 -fno-sanitize=all)
if(SARRUS_FUZZ OR NOT SARRUS_SANITIZE STREQUAL "none")
    list(FILTER kernel_sources EXCLUDE REGEX "avx512\\.c$")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend/isa.c PROPERTIES COMPILE_DEFINITIONS SARRUS_NO_AVX512)
endif()
if(SARRUS_FUZZ)
    set(unsanitized_options -O0 -fno-sanitize=all)
    set(unsanitized_kernels ${kernel_sources})
    list(FILTER unsanitized_kernels EXCLUDE REGEX "/pinv_baseline\\.c$")
elseif(NOT SARRUS_SANITIZE STREQUAL "none" AND kernel_sources MATCHES "avx2\\.c")
    set(unsanitized_kernels ${kernel_sources})
    list(FILTER unsanitized_kernels INCLUDE REGEX "baseline\\.c$")
endif()

# -fno-math-errno: the vector square root needs it. Nothing here lets the compiler reorder or contract arithmetic.
set(kernel_options -fno-math-errno -ffp-contract=off)
set(kernel_options_baseline)
set(kernel_options_avx2 -mavx2 -mfma)
set(kernel_options_avx512 -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
# Kernel bodies are nearly all accesses to arrays. The address sanitizer checks each of them; that a pointer is null, has run over, or
# points into too small an object it tells as well, and asking for that separately takes as long to compile as everything else.
set(sanitized_kernel_options)
if(SARRUS_SANITIZE STREQUAL "address")
    set(sanitized_kernel_options -fno-sanitize=null,object-size,pointer-overflow)
endif()
# gcc 14 loses sight of the highest order of kernels/step/adams_terms.h and warns of a store behind its arrays that cannot be.
set(mistaken_warnings)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(mistaken_warnings -Wno-stringop-overflow)
endif()
foreach(kernel_source IN LISTS kernel_sources)
    cmake_path(GET kernel_source STEM leaf)
    string(REGEX MATCH "[^_]*$" isa ${leaf})
    set(options ${kernel_options} ${kernel_options_${isa}} ${mistaken_warnings})
    if("${kernel_source}" IN_LIST unsanitized_kernels)
        list(APPEND options ${unsanitized_options})
    elseif(SARRUS_FUZZ)
        list(APPEND options -fno-sanitize=null,object-size,pointer-overflow)
    elseif(SARRUS_SANITIZE STREQUAL "none")
        list(APPEND options $<IF:$<CONFIG:Debug>,-O1,-O3>)
    else()
        list(APPEND options ${sanitized_kernel_options})
    endif()
    set_source_files_properties(${kernel_source} PROPERTIES COMPILE_OPTIONS "${options}")
endforeach()

# The texts that kernels/cpu/specialized.c needs, as one C source. It follows every change of theirs.
file(GLOB embedded_texts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/kernels/lane/*.h
    ${PROJECT_SOURCE_DIR}/kernels/space/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/*.def
    ${PROJECT_SOURCE_DIR}/kernels/body/joint/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/constraint/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/force/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/spatial/*.h
    ${PROJECT_SOURCE_DIR}/kernels/body/relative/*.h
    ${PROJECT_SOURCE_DIR}/kernels/pinv/*.h
    ${PROJECT_SOURCE_DIR}/kernels/formulation/*.h
    ${PROJECT_SOURCE_DIR}/kernels/step/*.h
    ${PROJECT_SOURCE_DIR}/kernels/cpu/*.h
    ${PROJECT_SOURCE_DIR}/include/sarrus/*.def)
list(APPEND embedded_texts kernels/cpu/specialized.c kernels/cuda/specialized.cu kernels/cuda/lane_memory.cuh kernels/cuda/lanes.h
    include/sarrus/status.h include/sarrus/observable.h include/sarrus/method.h include/sarrus/joint.h include/sarrus/force.h include/sarrus/space.h
    include/sarrus/constraint.h)
list(TRANSFORM embedded_texts PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE embedded_paths)
set(embedded_sources ${PROJECT_BINARY_DIR}/embedded_sources.c)
add_custom_command(OUTPUT ${embedded_sources}
    COMMAND ${CMAKE_COMMAND} -D root=${PROJECT_SOURCE_DIR} -D "texts=${embedded_texts}" -D out=${embedded_sources}
        -D "baseline=${kernel_options};${kernel_options_baseline}" -D "avx2=${kernel_options};${kernel_options_avx2}"
        -D "avx512=${kernel_options};${kernel_options_avx512}" -P ${PROJECT_SOURCE_DIR}/cmake/SarrusEmbed.cmake
    DEPENDS ${embedded_paths} ${PROJECT_SOURCE_DIR}/cmake/SarrusEmbed.cmake
    COMMENT "Embedding the kernel sources"
    VERBATIM)
