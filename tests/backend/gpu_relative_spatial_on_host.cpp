/* The fused kernels of relative coordinates in space, with the host code that queues them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/relative_spatial.cu"
