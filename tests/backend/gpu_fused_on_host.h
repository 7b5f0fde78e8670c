/* The fused kernels in the table of the emulated GPU, and what its errors are called: arguments are held against its memory, then
 * the launch is queued. */
#ifndef TESTS_BACKEND_GPU_FUSED_ON_HOST_H
#define TESTS_BACKEND_GPU_FUSED_ON_HOST_H

#include "kernels/cuda/kernels.h"

const char *gpu_on_host_error_text(int error);
int gpu_on_host_assemble(const sarrus_cuda_call *call);
int gpu_on_host_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
int gpu_on_host_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);
int gpu_on_host_restart_some(const sarrus_cuda_call *call, const sarrus_cuda_restart *what);
int gpu_on_host_bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
int gpu_on_host_bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
int gpu_on_host_bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                              double *out);

#endif
