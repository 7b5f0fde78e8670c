/* An emulated CUDA runtime: beneath the host code of the backend that only nvcc compiles otherwise (kernels/cuda/launch.cu and the
 * others, src/backend/cuda/gpu_cuda.c). All is done when it is called. It keeps the last error of a thread as CUDA's does, holds
 * launches against a device's limits, and takes the stacks of a device's threads out of its memory at the first launch. */
#ifndef TESTS_BACKEND_CUDA_RUNTIME_ON_HOST_H
#define TESTS_BACKEND_CUDA_RUNTIME_ON_HOST_H

#include "tests/backend/gpu_kernels_on_host.h"
#include "tests/backend/runtime_on_host/cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sarrus_gpu;

typedef struct cuda_runtime_settings {
    int n_devices;
    size_t n_bytes;       /* of each device; 0: without end */
    size_t n_local_bytes; /* local memory of a thread: each of 2 multiprocessors has 2,048 threads' */
    int no_cubin;         /* 1: cubins do not load; 2: they have no kernel; 3: their kernel does not launch */
    int no_shared_optin;  /* 1: a block has 48 KiB of shared memory and no more */
} cuda_runtime_settings;

void cuda_runtime_reset(const cuda_runtime_settings *settings);

/* The backend's own table over this runtime (gpu_cuda.c). */
const struct sarrus_gpu *cuda_runtime_table(void);

typedef struct cuda_runtime_tally {
    int n_launches, n_library_launches;
    unsigned n_blocks;  /* of the last launch */
    size_t n_allocated; /* of all devices, now, and pinned */
    int n_objects;      /* streams, events, libraries, now */
} cuda_runtime_tally;
cuda_runtime_tally cuda_runtime_seen(void);

/* The last error of this thread, which stays. */
int cuda_runtime_last_error(void);

/* A launch as it is asked for. */
typedef struct on_host_launch {
    const void *kernel;
    unsigned n_blocks, n_threads;
    size_t n_shared, n_parameters; /* bytes */
} on_host_launch;

/* Counts it, or says what is wrong with it. */
cudaError_t on_host_launch_judge(const on_host_launch *what);

cudaError_t on_host_library_launch(dim3 grid, dim3 block);

/* What is asked of a kernel, whatever its type (runtime_on_host/cuda_runtime.h). */
cudaError_t on_host_shared_allow(const void *kernel, int n_bytes);
cudaError_t on_host_resident_blocks(int *n_blocks, int n_threads, size_t n_shared);
cudaError_t on_host_local_bytes(size_t *n_bytes);

#ifdef __cplusplus
}
#endif

#endif
