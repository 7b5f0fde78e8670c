/* The fused kernels of bodies in space, with the host code that queues them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/spatial.cu"
