/* Pseudoinverses on CUDA devices: matrices in host memory go through pinned buffers in pieces, two under way on each device, while
 * the pieces are shared out over all devices. Written against src/backend/cuda/gpu.h alone. */
#ifndef SARRUS_PINV_CUDA_PINV_H
#define SARRUS_PINV_CUDA_PINV_H

#include "backend/cuda/gpu.h"
#include "backend/cuda/gpu_pinv.h"
#include "kernels/cpu/kernels.h"
#include "sarrus/pinv.h"

/* The usable table; NULL and a NO_BACKEND diagnostic when this build or this machine has none. */
const sarrus_gpu *sarrus_cuda_pinv_find(sarrus_context *context);

/* How the matrices of this call are shared out, by the method and the shape alone. n_shared: bytes of shared memory that a block
 * may have. */
sarrus_cuda_pinv_variant sarrus_cuda_pinv_choose(const sarrus_pinv_call *call, size_t n_shared);

/* All matrices of the batch; `call` without arrays is what the kernels are to do, n_scratch the method's lane arrays. Errors:
 * NO_MEMORY; NO_BACKEND: a device failed, and the results are not complete. */
SARRUS_MUST_USE sarrus_status sarrus_cuda_pinv_compute(sarrus_context *context, const sarrus_gpu *gpu,
                                                       const sarrus_pinv_batch *batch, const sarrus_pinv_call *call,
                                                       size_t n_scratch);

#endif
