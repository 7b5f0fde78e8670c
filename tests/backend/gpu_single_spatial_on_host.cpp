/* Steps of relative coordinates in space in single precision, with the host code that queues them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/single_spatial.cu"
