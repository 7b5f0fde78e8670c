/* The kernels of the staged path on the emulated GPU. */
#ifndef TESTS_BACKEND_GPU_STAGED_ON_HOST_H
#define TESTS_BACKEND_GPU_STAGED_ON_HOST_H

#include "backend/cuda/gpu_staged.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const sarrus_gpu_staged gpu_staged_on_host;

#ifdef __cplusplus
}
#endif

#endif
