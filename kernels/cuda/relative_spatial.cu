/* The fused kernels of relative coordinates in space. */
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_CUDA_EXPANSION sarrus_cuda_relative_spatial
#include "kernels/cuda/expand.cuh"
