/* The fused kernels of bodies in the plane, with the host code that queues them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/advance.cu"
#include "kernels/cuda/assemble.cu"
#include "kernels/cuda/observe.cu"
