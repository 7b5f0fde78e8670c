/* The fused kernels for mechanisms in space. */
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_CUDA_EXPANSION sarrus_cuda_spatial
#include "kernels/cuda/expand.cuh"
