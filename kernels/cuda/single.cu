/* Steps of relative coordinates in the plane in single precision. */
#define SARRUS_LANE_SINGLE
#define SARRUS_PINV_NONE
#define SARRUS_KERNELS_RELATIVE
#define SARRUS_CUDA_EXPANSION sarrus_cuda_single
#include "kernels/cuda/expand.cuh"
