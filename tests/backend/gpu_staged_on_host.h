/* The kernels of the staged path on the emulated GPU. */
#ifndef TESTS_BACKEND_GPU_STAGED_ON_HOST_H
#define TESTS_BACKEND_GPU_STAGED_ON_HOST_H

#include "backend/cuda/gpu_staged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels that evaluate, of one space; they run when they are called. */
typedef struct staged_on_host {
    void (*step)(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage);
    void (*resume)(const sarrus_staged_call *call);
    void (*observe)(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out);
} staged_on_host;

extern const staged_on_host staged_planar_on_host, staged_spatial_on_host;
extern const sarrus_gpu_staged gpu_staged_on_host;

#ifdef __cplusplus
}
#endif

#endif
