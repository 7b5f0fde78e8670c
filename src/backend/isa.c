#include "backend/isa.h"

#include <string.h>

const sarrus_kernels *sarrus_isa_find(const char *name) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if ((!name || strcmp(name, "avx512") == 0) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return &sarrus_kernels_avx512;
    }
    if ((!name || strcmp(name, "avx2") == 0) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return &sarrus_kernels_avx2;
    }
#endif
    if (!name || strcmp(name, "baseline") == 0)
        return &sarrus_kernels_baseline;
    return NULL;
}
