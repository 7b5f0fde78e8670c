#include "tests/backend/cuda_runtime_on_host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/gpu.h"

enum { N_PROCESSORS = 2, PROCESSOR_THREADS = 2048, BLOCK_THREADS = 1024, MOST_DEVICES = 8, MOST_KERNELS = 64 };
static const size_t SHARED = 48 * 1024, SHARED_OPTIN = 227 * 1024, PARAMETERS = 4096;

typedef struct piece {
    struct piece *next;
    size_t n_bytes;
    int device; /* −1: pinned memory of the host */
    max_align_t numbers[];
} piece;

static struct {
    cuda_runtime_settings settings;
    cuda_runtime_tally tally;
    piece *pieces;
    size_t n_used[MOST_DEVICES];
    int has_stacks[MOST_DEVICES];
    struct {
        const void *kernel;
        size_t n_shared;
    } allowed[MOST_KERNELS];
} runtime;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int selected;
static _Thread_local cudaError_t last_error;

/* As CUDA's functions do: an error is kept, a success changes nothing. */
static cudaError_t keep(cudaError_t error) {
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

static void enter(void) {
    (void)pthread_mutex_lock(&lock);
}

static cudaError_t leave(cudaError_t error) {
    (void)pthread_mutex_unlock(&lock);
    return keep(error);
}

void cuda_runtime_reset(const cuda_runtime_settings *settings) {
    enter();
    for (piece *b = runtime.pieces; b;) {
        piece *next = b->next;
        free(b);
        b = next;
    }
    memset(&runtime, 0, sizeof runtime);
    runtime.settings = *settings;
    (void)leave(cudaSuccess);
    selected = 0;
    last_error = cudaSuccess;
}

cuda_runtime_tally cuda_runtime_seen(void) {
    enter();
    const cuda_runtime_tally seen = runtime.tally;
    (void)leave(cudaSuccess);
    return seen;
}

int cuda_runtime_last_error(void) {
    return (int)last_error;
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorMemoryAllocation     ? "out of memory"
           : error == cudaErrorInvalidKernelImage ? "device kernel image is invalid"
           : error == cudaErrorSymbolNotFound     ? "named symbol not found"
                                                  : "an error";
}

/* ---- devices ---- */

cudaError_t cudaGetDeviceCount(int *count) {
    *count = runtime.settings.n_devices;
    return keep(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= runtime.settings.n_devices)
        return keep(cudaErrorInvalidDevice);
    selected = device;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    *device = selected;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    *properties = (struct cudaDeviceProp){.name = "runtime on host", .major = 9, .multiProcessorCount = N_PROCESSORS};
    return keep(device < runtime.settings.n_devices ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    (void)device;
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
        *value = N_PROCESSORS;
        return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = PROCESSOR_THREADS;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)(runtime.settings.no_shared_optin ? SHARED : SHARED_OPTIN);
        return cudaSuccess;
    default:
        return keep(cudaErrorInvalidValue);
    }
}

static size_t bytes_left(int device) {
    const size_t n_bytes = runtime.settings.n_bytes ? runtime.settings.n_bytes : (size_t)64 << 30;
    return n_bytes - runtime.n_used[device];
}

cudaError_t cudaMemGetInfo(size_t *n_free, size_t *n_total) {
    enter();
    *n_free = bytes_left(selected);
    *n_total = *n_free + runtime.n_used[selected];
    return leave(cudaSuccess);
}

/* ---- memory ---- */

static cudaError_t piece_add(int device, size_t n_bytes, void **out) {
    *out = NULL;
    enter();
    if (device >= 0 && n_bytes > bytes_left(device))
        return leave(cudaErrorMemoryAllocation);
    piece *b = malloc(sizeof *b + n_bytes);
    if (!b)
        return leave(cudaErrorMemoryAllocation);
    *b = (piece){.next = runtime.pieces, .n_bytes = n_bytes, .device = device};
    memset(b->numbers, 0xff, n_bytes);
    runtime.pieces = b;
    runtime.tally.n_allocated += n_bytes;
    if (device >= 0)
        runtime.n_used[device] += n_bytes;
    *out = b->numbers;
    return leave(cudaSuccess);
}

static cudaError_t piece_remove(const void *memory) {
    enter();
    for (piece **at = &runtime.pieces; memory && *at; at = &(*at)->next) {
        piece *b = *at;
        if (b->numbers != memory)
            continue;
        *at = b->next;
        runtime.tally.n_allocated -= b->n_bytes;
        if (b->device >= 0)
            runtime.n_used[b->device] -= b->n_bytes;
        free(b);
        return leave(cudaSuccess);
    }
    return leave(memory ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMalloc(void **memory, size_t n_bytes) {
    return piece_add(selected, n_bytes, memory);
}

cudaError_t cudaFree(void *memory) {
    return piece_remove(memory);
}

cudaError_t cudaHostAlloc(void **memory, size_t n_bytes, unsigned flags) {
    (void)flags;
    return piece_add(-1, n_bytes, memory);
}

cudaError_t cudaFreeHost(void *memory) {
    return piece_remove(memory);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t n_bytes, size_t n_rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind, (void)stream;
    for (size_t i = 0; i < n_rows; ++i)
        memcpy((unsigned char *)to + i * to_pitch, (const unsigned char *)from + i * from_pitch, n_bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n_bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpy2DAsync(to, n_bytes, from, n_bytes, n_bytes, 1, kind, stream);
}

cudaError_t cudaMemsetAsync(void *memory, int byte, size_t n_bytes, cudaStream_t stream) {
    (void)stream;
    memset(memory, byte, n_bytes);
    return cudaSuccess;
}

/* ---- streams, events, libraries: a handle is a byte ---- */

static cudaError_t object_add(void *out) {
    void *object = malloc(1);
    memcpy(out, &object, sizeof object);
    enter();
    ++runtime.tally.n_objects;
    return leave(cudaSuccess);
}

static cudaError_t object_remove(void *object) {
    free(object);
    enter();
    --runtime.tally.n_objects;
    return leave(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    (void)flags;
    return object_add(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return object_remove(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    (void)stream;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    (void)flags;
    return object_add(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return object_remove(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit_options, void **jit_values,
                                unsigned n_jit_options, void *options, void **values, unsigned n_options) {
    (void)jit_options, (void)jit_values, (void)n_jit_options, (void)options, (void)values, (void)n_options;
    return code && runtime.settings.no_cubin != 1 ? object_add(library) : keep(cudaErrorInvalidKernelImage);
}

/* A library's kernel is named by its library. */
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    (void)name;
    memcpy(kernel, &library, sizeof library);
    return keep(runtime.settings.no_cubin == 2 ? cudaErrorSymbolNotFound : cudaSuccess);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return object_remove(library);
}

/* ---- kernels ---- */

static size_t shared_allowed(const void *kernel) {
    for (int i = 0; i < MOST_KERNELS; ++i)
        if (runtime.allowed[i].kernel == kernel)
            return runtime.allowed[i].n_shared;
    return SHARED;
}

/* The stacks of all threads that a device may hold are made at once. */
static cudaError_t stacks_take(void) {
    const size_t n_bytes = runtime.settings.n_local_bytes * N_PROCESSORS * PROCESSOR_THREADS;
    if (runtime.has_stacks[selected])
        return cudaSuccess;
    if (n_bytes > bytes_left(selected))
        return cudaErrorMemoryAllocation;
    runtime.n_used[selected] += n_bytes;
    runtime.has_stacks[selected] = 1;
    return cudaSuccess;
}

cudaError_t on_host_launch_judge(const on_host_launch *what) {
    enter();
    if (what->n_blocks < 1 || what->n_blocks > 0x7fffffffu || what->n_threads < 1 || what->n_threads > BLOCK_THREADS)
        return leave(cudaErrorInvalidConfiguration);
    if (what->n_shared > shared_allowed(what->kernel) || what->n_parameters > PARAMETERS)
        return leave(cudaErrorInvalidValue);
    const cudaError_t error = stacks_take();
    runtime.tally.n_launches += error == cudaSuccess;
    runtime.tally.n_blocks = what->n_blocks;
    return leave(error);
}

cudaError_t on_host_shared_allow(const void *kernel, int n_bytes) {
    enter();
    if (n_bytes < 0 || (size_t)n_bytes > (runtime.settings.no_shared_optin ? SHARED : SHARED_OPTIN))
        return leave(cudaErrorInvalidValue);
    int i = 0;
    while (i < MOST_KERNELS - 1 && runtime.allowed[i].kernel && runtime.allowed[i].kernel != kernel)
        ++i;
    runtime.allowed[i].kernel = kernel;
    runtime.allowed[i].n_shared = (size_t)n_bytes > SHARED ? (size_t)n_bytes : SHARED;
    return leave(cudaSuccess);
}

cudaError_t on_host_resident_blocks(int *n_blocks, int n_threads, size_t n_shared) {
    (void)n_shared;
    *n_blocks = n_threads > 0 ? 256 / n_threads : 0;
    return keep(n_threads > 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t on_host_local_bytes(size_t *n_bytes) {
    *n_bytes = runtime.settings.n_local_bytes;
    return cudaSuccess;
}

/* Of a library's kernel, which stands for nothing: that it was launched is counted. */
cudaError_t on_host_library_launch(dim3 grid, dim3 block) {
    enter();
    if (runtime.settings.no_cubin == 3)
        return leave(cudaErrorLaunchOutOfResources);
    if (grid.x < 1 || block.x < 1 || block.x > BLOCK_THREADS)
        return leave(cudaErrorInvalidConfiguration);
    ++runtime.tally.n_library_launches;
    return leave(cudaSuccess);
}

const sarrus_gpu *cuda_runtime_table(void) {
    return sarrus_gpu_built_in();
}
