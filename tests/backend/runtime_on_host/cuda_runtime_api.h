/* The part of CUDA's runtime that Sarrus calls, for the emulated one (cuda_runtime_on_host.c): in the toolkit's place for the host
 * code of the backend. Its functions have names of their own, so that a build with a toolkit holds both. */
#ifndef TESTS_BACKEND_RUNTIME_ON_HOST_CUDA_RUNTIME_API_H
#define TESTS_BACKEND_RUNTIME_ON_HOST_CUDA_RUNTIME_API_H

#include <stddef.h>

#define CUDART_VERSION 13000

#define cudaDeviceGetAttribute on_host_cudaDeviceGetAttribute
#define cudaDeviceSynchronize on_host_cudaDeviceSynchronize
#define cudaEventCreateWithFlags on_host_cudaEventCreateWithFlags
#define cudaEventDestroy on_host_cudaEventDestroy
#define cudaEventRecord on_host_cudaEventRecord
#define cudaEventSynchronize on_host_cudaEventSynchronize
#define cudaFree on_host_cudaFree
#define cudaFreeHost on_host_cudaFreeHost
#define cudaFuncGetAttributes on_host_cudaFuncGetAttributes
#define cudaFuncSetAttribute on_host_cudaFuncSetAttribute
#define cudaGetDevice on_host_cudaGetDevice
#define cudaGetDeviceCount on_host_cudaGetDeviceCount
#define cudaGetDeviceProperties on_host_cudaGetDeviceProperties
#define cudaGetErrorString on_host_cudaGetErrorString
#define cudaGetLastError on_host_cudaGetLastError
#define cudaHostAlloc on_host_cudaHostAlloc
#define cudaLaunchKernel on_host_cudaLaunchKernel
#define cudaLibraryGetKernel on_host_cudaLibraryGetKernel
#define cudaLibraryLoadData on_host_cudaLibraryLoadData
#define cudaLibraryUnload on_host_cudaLibraryUnload
#define cudaMalloc on_host_cudaMalloc
#define cudaMemGetInfo on_host_cudaMemGetInfo
#define cudaMemcpy2DAsync on_host_cudaMemcpy2DAsync
#define cudaMemcpyAsync on_host_cudaMemcpyAsync
#define cudaMemsetAsync on_host_cudaMemsetAsync
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor on_host_cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaSetDevice on_host_cudaSetDevice
#define cudaStreamCreateWithFlags on_host_cudaStreamCreateWithFlags
#define cudaStreamDestroy on_host_cudaStreamDestroy
#define cudaStreamIsCapturing on_host_cudaStreamIsCapturing
#define cudaStreamSynchronize on_host_cudaStreamSynchronize
#define cudaStreamWaitEvent on_host_cudaStreamWaitEvent

/* The toolkit's numbers. */
typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidKernelImage = 200,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorSymbolNotFound = 500,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorNotSupported = 801
} cudaError_t;

enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
typedef enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
} cudaDeviceAttr;
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum { cudaHostAllocPortable = 1, cudaStreamNonBlocking = 1, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };

struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
};
struct cudaFuncAttributes {
    size_t localSizeBytes;
};

typedef struct on_host_stream *cudaStream_t;
typedef struct on_host_event *cudaEvent_t;
typedef struct on_host_library *cudaLibrary_t;
typedef struct on_host_kernel *cudaKernel_t;

typedef struct on_host_dim3 {
    unsigned x, y, z;
#if defined(__cplusplus)
    constexpr on_host_dim3(unsigned n_x = 1, unsigned n_y = 1, unsigned n_z = 1) : x(n_x), y(n_y), z(n_z) {
    }
#endif
} dim3;

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaMemGetInfo(size_t *n_free, size_t *n_total);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaMalloc(void **memory, size_t n_bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaHostAlloc(void **memory, size_t n_bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t n_bytes, size_t n_rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *memory, int byte, size_t n_bytes, cudaStream_t stream);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit_options, void **jit_values,
                                unsigned n_jit_options, void *options, void **values, unsigned n_options);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);

#ifdef __cplusplus
}
#endif

#endif
