/* The fused kernels in the table of the emulated GPU: arguments are held against its memory, then the launch is queued.
 */
#ifndef TESTS_BACKEND_GPU_FUSED_ON_HOST_H
#define TESTS_BACKEND_GPU_FUSED_ON_HOST_H

#include "kernels/cuda/kernels.h"

int gpu_on_host_assemble(const sarrus_cuda_call *call);
int gpu_on_host_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
int gpu_on_host_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);

#endif
