/* The kernels of the staged path that evaluate, of bodies in space. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/spatial_staged.cu"
