#include "backend/isa.h"

#include <string.h>

/* What was expanded for one instruction set: the kernels of each space. */
typedef struct expansion {
    const sarrus_kernels *kernels[2];
    const sarrus_kernels *relative[2];
    const sarrus_pinv_kernels *pinv;
} expansion;

static expansion expansion_find(const char *name) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if ((!name || strcmp(name, "avx512") == 0) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return (expansion){{&sarrus_kernels_avx512, &sarrus_kernels_spatial_avx512},
                           {&sarrus_kernels_relative_avx512, &sarrus_kernels_relative_spatial_avx512},
                           &sarrus_pinv_kernels_avx512};
    }
    if ((!name || strcmp(name, "avx2") == 0) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (expansion){{&sarrus_kernels_avx2, &sarrus_kernels_spatial_avx2},
                           {&sarrus_kernels_relative_avx2, &sarrus_kernels_relative_spatial_avx2},
                           &sarrus_pinv_kernels_avx2};
#endif
    if (!name || strcmp(name, "baseline") == 0)
        return (expansion){{&sarrus_kernels_baseline, &sarrus_kernels_spatial_baseline},
                           {&sarrus_kernels_relative_baseline, &sarrus_kernels_relative_spatial_baseline},
                           &sarrus_pinv_kernels_baseline};
    return (expansion){{NULL, NULL}, {NULL, NULL}, NULL};
}

const sarrus_kernels *sarrus_isa_find(int32_t space, const char *name) {
    return expansion_find(name).kernels[space];
}

const sarrus_kernels *sarrus_isa_find_relative(int32_t space, const char *name) {
    return expansion_find(name).relative[space];
}

const sarrus_pinv_kernels *sarrus_isa_find_pinv(const char *name) {
    return expansion_find(name).pinv;
}
