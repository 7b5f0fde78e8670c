/* The fused CUDA kernels as functions of the host; they run when they are called. Host memory stands for the device's. */
#ifndef TESTS_BACKEND_GPU_KERNELS_ON_HOST_H
#define TESTS_BACKEND_GPU_KERNELS_ON_HOST_H

#include "kernels/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the kernels work on the first so many lanes of every tile alone: the others of a small batch nobody looks at. */
void lanes_set_on_host(int32_t n_lanes);
int32_t lanes_on_host(void);

/* As sarrus_cuda_expansion (kernels/cuda/expansion.h). */
typedef struct expansion_on_host {
    void (*advance)(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);
    void (*assemble)(const sarrus_cuda_call *call);
    void (*observe)(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out);
    void (*bodies_take)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    void (*bodies_show)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies);
    void (*bodies_settle)(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                          double *out);
} expansion_on_host;

extern const expansion_on_host planar_on_host, spatial_on_host, relative_on_host, relative_spatial_on_host;

#ifdef __cplusplus
}
#endif

#endif
