/* The kernels of benchmarks in the table of a GPU (kernels/cuda/yardstick.h says what each does). */
#ifndef SARRUS_BACKEND_CUDA_GPU_YARDSTICK_H
#define SARRUS_BACKEND_CUDA_GPU_YARDSTICK_H

#include "kernels/cuda/yardstick.h"

typedef struct sarrus_gpu_yardstick {
    int (*multiply_adds)(double *out, int32_t n_blocks, uint64_t n_rounds, void *stream);
    int (*copy_numbers)(const double *from, double *to, uint64_t count, void *stream);
    int (*weigh_columns)(const sarrus_weigh_call *call);
} sarrus_gpu_yardstick;

#endif
