# kernels/cpu/*.c: the kernel bodies expanded once per instruction set. Sets `kernel_sources`.

file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cpu/*.c)
# Compiled by the program itself, with a plan (src/backend/specialize.c).
list(FILTER kernel_sources EXCLUDE REGEX "/specialized\\.c$")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(FILTER kernel_sources EXCLUDE REGEX "avx[^/]*\\.c$")
endif()

# -fno-math-errno: the vector square root needs it. Nothing here lets the compiler reorder or contract arithmetic.
foreach(kernel_source IN LISTS kernel_sources)
    cmake_path(GET kernel_source STEM leaf)
    set(kernel_options -fno-math-errno -ffp-contract=off)
    if(leaf MATCHES "avx512$")
        list(APPEND kernel_options -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
    elseif(leaf MATCHES "avx2$")
        list(APPEND kernel_options -mavx2 -mfma)
    endif()
    if(SARRUS_SANITIZE STREQUAL "none" AND NOT SARRUS_FUZZ)
        list(APPEND kernel_options $<IF:$<CONFIG:Debug>,-O1,-O3>)
    endif()
    set_source_files_properties(${kernel_source} PROPERTIES COMPILE_OPTIONS "${kernel_options}")
endforeach()
