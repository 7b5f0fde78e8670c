/* Brings the kernels for one plan (specialized.cu) onto a device, from the object that was made of them. */
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/queue.cuh"

/* Libraries of kernels came to the runtime with release 12.8. */
int sarrus_cuda_specialized_load(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out) {
    *out = {};
#if CUDART_VERSION >= 12080
    cudaLibrary_t library;
    cudaError_t error = cudaLibraryLoadData(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != cudaSuccess)
        return cuda_told(error);
    cudaKernel_t advance;
    error = cudaLibraryGetKernel(&advance, library, kernel);
    if (error != cudaSuccess) {
        (void)cudaLibraryUnload(library);
        return cuda_told(error);
    }
    *out = {library, (const void *)advance, n_threads};
    return cudaSuccess;
#else
    (void)cubin, (void)kernel, (void)n_threads;
    return cudaErrorNotSupported;
#endif
}

int sarrus_cuda_specialized_unload(sarrus_cuda_specialized *specialized) {
    cudaError_t error = cudaSuccess;
#if CUDART_VERSION >= 12080
    if (specialized->library)
        error = cudaLibraryUnload((cudaLibrary_t)specialized->library);
#endif
    *specialized = {};
    return cuda_told(error);
}
