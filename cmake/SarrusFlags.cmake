# Compiler flags shared by every target of ours: interface library `sarrus_flags`.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

# A program looks for its libraries in ../lib, before anywhere else, and names no folder of the machine that built it: a copy of it
# with a folder of libraries beside it runs anywhere (scripts/bundle). RPATH rather than RUNPATH, which would not hold for the
# libraries of libraries and would give way to LD_LIBRARY_PATH.
set(CMAKE_BUILD_RPATH "$ORIGIN/../lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
add_link_options(-Wl,--disable-new-dtags)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Asserts stay on in a release: they are outside the kernels and cost nothing there.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g3")

add_library(sarrus_flags INTERFACE)
target_compile_definitions(sarrus_flags INTERFACE _GNU_SOURCE)

# Results are the same bits on every build: no contraction that the source does not write, and no fast-math.
target_compile_options(sarrus_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>
    $<$<COMPILE_LANGUAGE:C>:-Wall>
    $<$<COMPILE_LANGUAGE:C>:-Wextra>
    $<$<COMPILE_LANGUAGE:C>:-Wpedantic>
    $<$<COMPILE_LANGUAGE:C>:-Wshadow>
    $<$<COMPILE_LANGUAGE:C>:-Wconversion>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
target_compile_options(sarrus_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
if(SARRUS_WERROR)
    target_compile_options(sarrus_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()

if(SARRUS_SANITIZE STREQUAL "address")
    set(sanitizers address,undefined)
elseif(SARRUS_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
elseif(NOT SARRUS_SANITIZE STREQUAL "none")
    message(FATAL_ERROR "SARRUS_SANITIZE is '${SARRUS_SANITIZE}'; expected none, address or thread")
endif()
if(SARRUS_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "SARRUS_FUZZ needs clang; configure with -DCMAKE_C_COMPILER=clang or the preset `fuzz`")
    endif()
    set(sanitizers fuzzer-no-link,address,undefined)
endif()
if(sanitizers)
    set(sanitizer_flags -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(sarrus_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-O1> $<$<COMPILE_LANGUAGE:C>:${sanitizer_flags}>)
    target_link_options(sarrus_flags INTERFACE ${sanitizer_flags})
endif()
