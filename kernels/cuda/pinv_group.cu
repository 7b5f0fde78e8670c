/* Launches of the pseudoinverse by groups of threads: a block is a warp. */
#include "kernels/cuda/pinv.h"
#include "kernels/cuda/pinv_group_householder.cuh"
#include "kernels/cuda/pinv_group_svd.cuh"
#include "kernels/cuda/queue.cuh"

extern __shared__ double pinv_group_shared[];

typedef void pinv_group_entry(const sarrus_cuda_pinv_call call, const pinv_group_layout of_call);

/* M, N: the explicit form of matrices of this size, whose rows then stay in registers from their product to their rotation; 0: of
 * any. */
template <int32_t M, int32_t N>
static __global__ void __launch_bounds__(PINV_GROUP_WARP)
    pinv_group_svd_kernel(const __grid_constant__ sarrus_cuda_pinv_call call, const __grid_constant__ pinv_group_layout of_call) {
    const pinv_group_layout lay = M > 0 ? pinv_group_svd_layout(M, N, 0) : of_call;
    pinv_group_svd<(M < N ? M : N), (M < N ? N : M)>(&call, &lay, blockIdx.x, pinv_group_shared);
}

template <int32_t M, int32_t N>
static __global__ void __launch_bounds__(PINV_GROUP_WARP)
    pinv_group_householder_kernel(const __grid_constant__ sarrus_cuda_pinv_call call,
                                  const __grid_constant__ pinv_group_layout of_call) {
    const pinv_group_layout lay = M > 0 ? pinv_group_householder_layout(M, N, 0) : of_call;
    pinv_group_householder(&call, &lay, blockIdx.x, pinv_group_shared);
}

template <int32_t M, int32_t N> static pinv_group_entry *entry_for(const sarrus_cuda_pinv_call *call) {
    return call->method == SARRUS_PINV_SVD ? pinv_group_svd_kernel<M, N> : pinv_group_householder_kernel<M, N>;
}

/* Sizes of linkages with 2, 3, 4, 5 and some more bodies in the plane. */
static pinv_group_entry *entry_of(const sarrus_cuda_pinv_call *call) {
    const int32_t size = call->is_explicit ? 100 * call->m + call->n : 0;
    switch (size) {
    case 606:
        return entry_for<6, 6>(call);
    case 809:
        return entry_for<8, 9>(call);
    case 1112:
        return entry_for<11, 12>(call);
    case 1212:
        return entry_for<12, 12>(call);
    case 1616:
        return entry_for<16, 16>(call);
    default:
        return entry_for<0, 0>(call);
    }
}

int sarrus_cuda_pinv_group(const sarrus_cuda_pinv_call *call) {
    const pinv_group_layout lay = pinv_group_layout_of(call->method, call->m, call->n, call->n_rhs);
    const size_t n_bytes = sizeof(double) * (size_t)lay.size * (size_t)lay.n_groups;
    pinv_group_entry *entry = entry_of(call);
    const uint64_t n_blocks = (call->n_matrices + (uint64_t)lay.n_groups - 1) / (uint64_t)lay.n_groups;
    const int error = cuda_told(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)n_bytes));
    if (error != cudaSuccess)
        return error;
    return cuda_queue(entry, {(unsigned)n_blocks, PINV_GROUP_WARP, n_bytes, call->stream}, *call, lay);
}
