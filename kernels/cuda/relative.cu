/* The fused kernels of relative coordinates in the plane. */
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_CUDA_EXPANSION sarrus_cuda_relative
#include "kernels/cuda/expand.cuh"
