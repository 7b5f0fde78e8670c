/* How kernels are queued, and how their errors are told. The runtime keeps the last error of a thread until somebody asks for it: a
 * later launch, or a call of the application's own, would be blamed. So an error is taken out when it is told, and a launch is
 * judged by what it returns itself, never by what was kept before. */
#ifndef SARRUS_CUDA_QUEUE_CUH
#define SARRUS_CUDA_QUEUE_CUH

#include <cuda_runtime.h>

static inline int cuda_told(cudaError_t error) {
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    return (int)error;
}

/* A number of the selected device. */
static inline cudaError_t cuda_number(enum cudaDeviceAttr attribute, int *value) {
    int device = 0;
    const cudaError_t error = cudaGetDevice(&device);
    return error == cudaSuccess ? cudaDeviceGetAttribute(value, attribute, device) : error;
}

/* The threads of a launch. */
struct cuda_grid {
    unsigned n_blocks, n_threads; /* of a block */
    size_t n_shared;              /* bytes of shared memory that the launch adds to a block's own */
    void *stream;                 /* cudaStream_t; NULL: the default one */
};

/* A type that is not found out from an argument: arguments become what the kernel takes. */
template <typename type> struct cuda_as_taken { typedef type is; };

template <typename... types>
static inline int cuda_queue(void (*kernel)(types...), const cuda_grid &grid, const typename cuda_as_taken<types>::is &...given) {
    void *arguments[] = {(void *)&given...};
    return cuda_told(
        cudaLaunchKernel(kernel, dim3(grid.n_blocks), dim3(grid.n_threads), arguments, grid.n_shared, (cudaStream_t)grid.stream));
}

#endif
