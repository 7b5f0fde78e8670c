/* The kernels of benchmarks on the emulated GPU. */
#ifndef TESTS_BACKEND_GPU_YARDSTICK_ON_HOST_H
#define TESTS_BACKEND_GPU_YARDSTICK_ON_HOST_H

#include "backend/cuda/gpu_yardstick.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const sarrus_gpu_yardstick gpu_yardstick_on_host;

#ifdef __cplusplus
}
#endif

#endif
