/* The pseudoinverse kernels of CUDA on the emulated GPU. */
#ifndef TESTS_BACKEND_GPU_PINV_ON_HOST_H
#define TESTS_BACKEND_GPU_PINV_ON_HOST_H

#include "backend/cuda/gpu_pinv.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const sarrus_gpu_pinv gpu_pinv_on_host;

/* The kernels as a device is asked for them (kernels/cuda/pinv.cu), in host memory; they run when they are called. */
int pinv_launch_on_host(const sarrus_cuda_pinv_call *call);

/* In which order the threads of a warp take their turns within a phase. */
enum { WARP_ASCENDING, WARP_DESCENDING, WARP_PERMUTED };
extern int warp_order_on_host;

#ifdef __cplusplus
}
#endif

#endif
