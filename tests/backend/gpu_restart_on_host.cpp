/* The kernel that lets instances begin anew, with the host code that queues it. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/restart.cu"
