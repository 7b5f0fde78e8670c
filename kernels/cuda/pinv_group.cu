/* Launches of the pseudoinverse by groups of threads: a block is a warp. */
#include "kernels/cuda/pinv_group.cuh"

extern __shared__ double pinv_group_shared[];

static __global__ void __launch_bounds__(PINV_GROUP_WARP)
    pinv_group_kernel(const __grid_constant__ sarrus_cuda_pinv_call call, const __grid_constant__ pinv_group_layout lay) {
    pinv_group_run(&call, &lay, blockIdx.x, pinv_group_shared);
}

/* The square matrices of linkages with n = 12, with sizes that the compiler knows: rows stay in registers from their product to
 * their rotation. */
static __global__ void __launch_bounds__(PINV_GROUP_WARP)
    pinv_group_kernel_12(const __grid_constant__ sarrus_cuda_pinv_call call, const __grid_constant__ pinv_group_layout) {
    const pinv_group_layout lay = pinv_group_layout_of(12, 12, 0);
    pinv_group_run(&call, &lay, blockIdx.x, pinv_group_shared);
}

int sarrus_cuda_pinv_group(const sarrus_cuda_pinv_call *call) {
    const pinv_group_layout lay = pinv_group_layout_of(call->m, call->n, call->n_rhs);
    const size_t n_bytes = sizeof(double) * (size_t)lay.size * (size_t)lay.n_groups;
    const bool is_12 = call->m == 12 && call->n == 12 && call->is_explicit;
    const void *entry = is_12 ? (const void *)pinv_group_kernel_12 : (const void *)pinv_group_kernel;
    sarrus_cuda_pinv_call by_value = *call;
    pinv_group_layout lay_by_value = lay;
    void *arguments[] = {&by_value, &lay_by_value};
    const uint64_t n_blocks = (call->n_matrices + (uint64_t)lay.n_groups - 1) / (uint64_t)lay.n_groups;
    const cudaError_t error = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)n_bytes);
    if (error != cudaSuccess)
        return error;
    return cudaLaunchKernel(entry, dim3((unsigned)n_blocks), dim3(PINV_GROUP_WARP), arguments, n_bytes, (cudaStream_t)call->stream);
}
