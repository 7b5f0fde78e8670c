/* A build without a CUDA toolkit. */
#include "backend/cuda/gpu.h"

const sarrus_gpu *sarrus_gpu_built_in(void) {
    return NULL;
}
