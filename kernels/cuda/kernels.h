/* The kernels on a CUDA device, as the host calls them. A tile is [n_arrays][SARRUS_CUDA_WIDTH] doubles and one thread is one
 * instance; the fields, their offsets and the arithmetic are those of the CPU kernels. Callable from C. */
#ifndef SARRUS_CUDA_KERNELS_H
#define SARRUS_CUDA_KERNELS_H

#include "kernels/cpu/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SARRUS_CUDA_WIDTH = 32 };

/* Kernels for one plan (specialized.cu, src/backend/cuda_object.h) in the device that was current when they were loaded. */
typedef struct sarrus_cuda_specialized {
    void *library;       /* cudaLibrary_t */
    const void *advance; /* cudaKernel_t */
    int32_t n_threads;   /* of a block */
} sarrus_cuda_specialized;

/* What a launch works on. */
typedef struct sarrus_cuda_call {
    const sarrus_mechanism *mech; /* in host memory, lowered for this width; the tables that it points to lie in device memory */
    double *tiles;                /* device, [n_tiles][mech->layout.n_arrays][SARRUS_CUDA_WIDTH] */
    double *workspace;            /* device, [n_tiles][n_workspace_arrays][SARRUS_CUDA_WIDTH] */
    size_t n_workspace_arrays;    /* workspace_arrays(mech) of any CPU table: the parts are the same */
    int32_t n_tiles;
    void *stream;                               /* cudaStream_t; NULL: the default one */
    const sarrus_cuda_specialized *specialized; /* of this plan; NULL: the generic kernels */
} sarrus_cuda_call;

/* A cubin whose advance kernel has the symbol `kernel` and was compiled for blocks of n_threads. Both return a cudaError_t. */
int sarrus_cuda_specialized_load(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out);
int sarrus_cuda_specialized_unload(sarrus_cuda_specialized *specialized);

/* Both queue one kernel and return its launch error as a cudaError_t (0: queued); they do not wait for it. */

/* n_steps steps from clock->step for every tile. */
int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps);

/* out (device) [n_tiles][want->n_arrays][SARRUS_CUDA_WIDTH] at the tiles' states and time t. */
int sarrus_cuda_observe(const sarrus_cuda_call *call, double t, const sarrus_observe_request *want, double *out);

#ifdef __cplusplus
}
#endif

#endif
