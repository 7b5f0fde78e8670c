/* The fused CUDA kernels as functions of the host; they run when they are called. Host memory stands for the device's. */
#ifndef TESTS_BACKEND_GPU_KERNELS_ON_HOST_H
#define TESTS_BACKEND_GPU_KERNELS_ON_HOST_H

#include "kernels/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the kernels work on the first so many lanes of every tile alone: the others of a small batch nobody looks at. */
void lanes_on_host(int32_t n_lanes);

void assemble_on_host(const sarrus_cuda_call *call);
void advance_on_host(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
void observe_on_host(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);

#ifdef __cplusplus
}
#endif

#endif
