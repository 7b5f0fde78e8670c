/* The pseudoinverse methods on a CUDA device, as the host calls them. Callable from C. */
#ifndef SARRUS_CUDA_PINV_H
#define SARRUS_CUDA_PINV_H

#include "kernels/cuda/pinv_call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As in gpu_pinv.h; returns a cudaError_t. */
int sarrus_cuda_pinv_resources(int32_t *n_slots, size_t *n_shared);

/* The group variant: `svd`, of at most 64 rows and columns and as many right sides as fit into a multiprocessor
 * (pinv_group_layout.h says what they take). */
int sarrus_cuda_pinv_group(const sarrus_cuda_pinv_call *call);

/* Queues the kernel and returns its launch error as a cudaError_t (0: queued); does not wait for it. A matrix with a NaN or an
 * infinity gives NaN and rank 0, a B with one gives NaN. */
int sarrus_cuda_pinv(const sarrus_cuda_pinv_call *call);

#ifdef __cplusplus
}
#endif

#endif
