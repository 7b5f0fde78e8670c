/* The pseudoinverse methods on matrices, in the table of a GPU (kernels/cuda/pinv.h says what each does). */
#ifndef SARRUS_BACKEND_CUDA_GPU_PINV_H
#define SARRUS_BACKEND_CUDA_GPU_PINV_H

#include "kernels/cuda/pinv.h"

typedef struct sarrus_gpu_pinv {
    int (*run)(const sarrus_cuda_pinv_call *call);
    /* Of the selected device: warps of the variant by threads that it works on at once, and bytes of shared memory that a block may
     * have. */
    int (*resources)(int32_t *n_slots, size_t *n_shared);
} sarrus_gpu_pinv;

#endif
