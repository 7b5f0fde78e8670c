/* The fused kernels of relative coordinates in the plane, with the host code that queues them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/relative.cu"
