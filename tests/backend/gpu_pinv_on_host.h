/* The pseudoinverse kernels of CUDA on the emulated GPU. */
#ifndef TESTS_BACKEND_GPU_PINV_ON_HOST_H
#define TESTS_BACKEND_GPU_PINV_ON_HOST_H

#include "backend/cuda/gpu_pinv.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const sarrus_gpu_pinv gpu_pinv_on_host;

/* The kernels themselves; they run when they are called. */
void pinv_thread_on_host(const sarrus_cuda_pinv_call *call);
void pinv_group_on_host(const sarrus_cuda_pinv_call *call);

#ifdef __cplusplus
}
#endif

#endif
