/* What CUDA's runtime adds for C++: launches and questions by kernels. A launch runs at once: its blocks one after another, and in
 * a block its threads. */
#ifndef TESTS_BACKEND_RUNTIME_ON_HOST_CUDA_RUNTIME_H
#define TESTS_BACKEND_RUNTIME_ON_HOST_CUDA_RUNTIME_H

#include "tests/backend/cuda_runtime_on_host.h"
#include "tests/backend/cuda_shim.h"

/* The shared memory of a block, in a unit whose kernels have one that the launch sizes; NULL elsewhere. */
static void *on_host_shared;

extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t n_shared,
                                        cudaStream_t stream);

template <size_t... places> struct on_host_places {};
template <size_t n, size_t... places> struct on_host_count : on_host_count<n - 1, n - 1, places...> {};
template <size_t... places> struct on_host_count<0, places...> { typedef on_host_places<places...> is; };

template <typename... types, size_t... places>
static void on_host_thread_run(void (*kernel)(types...), void *const *arguments, on_host_places<places...>) {
    kernel(*(const types *)arguments[places]...);
}

/* Shared memory begins as NaN, as nobody may read what was not written. */
template <typename... types>
static cudaError_t cudaLaunchKernel(void (*kernel)(types...), dim3 grid, dim3 block, void *const *arguments, size_t n_shared,
                                    cudaStream_t) {
    const size_t sizes[] = {sizeof(types)...};
    size_t n_bytes = 0;
    for (size_t size : sizes)
        n_bytes = (n_bytes + 7) / 8 * 8 + size;
    const on_host_launch what = {(const void *)kernel, grid.x, block.x, n_shared, n_bytes};
    const cudaError_t error = on_host_launch_judge(&what);
    for (blockIdx.x = 0; error == cudaSuccess && blockIdx.x < grid.x; ++blockIdx.x) {
        if (n_shared > 0 && on_host_shared != nullptr)
            memset(on_host_shared, 0xff, n_shared);
        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x)
            if (threadIdx.x % 32 < (unsigned)lanes_on_host())
                on_host_thread_run(kernel, arguments, typename on_host_count<sizeof...(types)>::is());
    }
    return error;
}

template <typename type> static cudaError_t cudaFuncSetAttribute(type *kernel, enum cudaFuncAttribute attribute, int value) {
    return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize ? on_host_shared_allow((const void *)kernel, value)
                                                                    : cudaErrorInvalidValue;
}

template <typename type>
static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n_blocks, type *, int n_threads, size_t n_shared) {
    return on_host_resident_blocks(n_blocks, n_threads, n_shared);
}

template <typename type> static cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, type *) {
    return on_host_local_bytes(&attributes->localSizeBytes);
}

#endif
