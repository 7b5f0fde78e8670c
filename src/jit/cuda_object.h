/* The CUDA kernels of one plan as a cubin: from the cache, or compiled within the launch bounds that suit them best. */
#ifndef SARRUS_JIT_CUDA_OBJECT_H
#define SARRUS_JIT_CUDA_OBJECT_H

#include "jit/nvrtc.h"
#include "plan/plan.h"

/* The kernel's symbol in the cubin (kernels/cuda/specialized.cu). */
#define SARRUS_CUDA_KERNEL "sarrus_specialized_advance"

/* Whether CUDA kernels for this plan alone are worth making; if not, *why_not says why (a constant text). */
bool sarrus_cuda_plan_fits(const sarrus_plan *plan, const char **why_not);

typedef struct sarrus_cuda_request {
    const sarrus_source_text *sources; /* [n_sources] */
    size_t n_sources;
    const char *plan_text; /* sarrus_plan_text */
    double n_flops;        /* of an evaluation of the plan */
    int32_t architecture;  /* 90: sm_90 */
} sarrus_cuda_request;

typedef struct sarrus_cuda_object {
    sarrus_object_bytes cubin;
    sarrus_cuda_bounds bounds;
    sarrus_cuda_report report;
    int32_t n_compiled; /* 0: from the cache */
    bool lacks_report;  /* the compiler gave none: registers are supposed, bounds were not compared */
} sarrus_cuda_object;

/* From the cache alone; false when it is not there. */
bool sarrus_cuda_object_find(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, const sarrus_object_cache *cache,
                             sarrus_cuda_object *out);

/* cache NULL: none. A cache that cannot be written to is no failure, but a reason. False with a reason. */
bool sarrus_cuda_object_make(const sarrus_nvrtc *nvrtc, const sarrus_cuda_request *request, const sarrus_object_cache *cache,
                             sarrus_cuda_object *out, sarrus_fallback_reason *reason);
void sarrus_cuda_object_free(sarrus_cuda_object *object);

#endif
