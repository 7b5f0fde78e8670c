/* Steps of relative coordinates in space in single precision. */
#define SARRUS_LANE_SINGLE
#define SARRUS_PINV_NONE
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_CUDA_EXPANSION sarrus_cuda_single_spatial
#include "kernels/cuda/expand.cuh"
