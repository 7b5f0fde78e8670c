#include "backend/isa.h"

#include <string.h>

/* What was expanded for one instruction set: the kernels of each space. */
typedef struct expansion {
    const sarrus_kernels *kernels[2];
    const sarrus_kernels *relative[2];
    const sarrus_kernels *single[2];
    const sarrus_pinv_kernels *pinv;
    const sarrus_dense_kernels *dense;
} expansion;

#define EXPANSION(isa)                                                                                                             \
    {                                                                                                                              \
        {&sarrus_kernels_##isa, &sarrus_kernels_spatial_##isa},                                                                    \
            {&sarrus_kernels_relative_##isa, &sarrus_kernels_relative_spatial_##isa},                                              \
            {&sarrus_kernels_single_##isa, &sarrus_kernels_single_spatial_##isa}, &sarrus_pinv_kernels_##isa,                      \
            &sarrus_dense_kernels_##isa                                                                                            \
    }

static expansion expansion_find(const char *name) {
#if defined(__x86_64__)
    __builtin_cpu_init();
#ifndef SARRUS_NO_AVX512 /* a build with a sanitizer (cmake/SarrusKernels.cmake) */
    if ((!name || strcmp(name, "avx512") == 0) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return (expansion)EXPANSION(avx512);
    }
#endif
    if ((!name || strcmp(name, "avx2") == 0) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (expansion)EXPANSION(avx2);
#endif
    if (!name || strcmp(name, "baseline") == 0)
        return (expansion)EXPANSION(baseline);
    return (expansion){{NULL, NULL}, {NULL, NULL}, {NULL, NULL}, NULL, NULL};
}

const sarrus_kernels *sarrus_isa_find(int32_t space, const char *name) {
    return expansion_find(name).kernels[space];
}

const sarrus_kernels *sarrus_isa_find_relative(int32_t space, const char *name) {
    return expansion_find(name).relative[space];
}

const sarrus_kernels *sarrus_isa_find_single(int32_t space, const char *name) {
    return expansion_find(name).single[space];
}

const sarrus_pinv_kernels *sarrus_isa_find_pinv(const char *name) {
    return expansion_find(name).pinv;
}

const sarrus_dense_kernels *sarrus_isa_find_dense(const char *name) {
    return expansion_find(name).dense;
}
