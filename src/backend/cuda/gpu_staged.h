/* The kernels of the staged path in the table of a GPU (kernels/cuda/staged.h says what each does). */
#ifndef SARRUS_BACKEND_CUDA_GPU_STAGED_H
#define SARRUS_BACKEND_CUDA_GPU_STAGED_H

#include "kernels/cuda/staged.h"

typedef struct sarrus_gpu_staged {
    int (*step)(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage);
    int (*resume)(const sarrus_staged_call *call);
    int (*observe)(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out);
    int (*weigh)(const sarrus_staged_call *call);
    int (*deliver)(const sarrus_staged_call *call);
} sarrus_gpu_staged;

#endif
