/* The CUDA runtime as a sarrus_gpu. The runtime is linked in; the driver it looks for when it is called the first time. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "backend/cuda/gpu.h"
#include "backend/cuda/gpu_pinv.h"
#include "backend/cuda/gpu_staged.h"
#include "backend/cuda/gpu_yardstick.h"

/* The runtime keeps the last error of a thread until it is asked for: a later launch would be blamed for it. */
static int told(cudaError_t error) {
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    return (int)error;
}

static int count(int *n_devices) {
    *n_devices = 0;
    return told(cudaGetDeviceCount(n_devices));
}

static int select(int device) {
    return told(cudaSetDevice(device));
}

static int describe(int device, sarrus_gpu_description *out) {
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess)
        return told(error);
    (void)snprintf(out->name, sizeof out->name, "%.63s", properties.name);
    out->architecture = 10 * properties.major + properties.minor;
    out->n_processors = properties.multiProcessorCount;
    return SARRUS_GPU_OK;
}

static int memory(size_t *n_free, size_t *n_total) {
    return told(cudaMemGetInfo(n_free, n_total));
}

/* The runtime speaks of an old driver, too, where there is none. */
static const char *error_text(int error) {
    if (error == cudaErrorInsufficientDriver)
        return "there is no NVIDIA driver, or one that is older than this program's CUDA runtime";
    return cudaGetErrorString((cudaError_t)error);
}

static int allocate(void **out, size_t n_bytes) {
    *out = NULL;
    return told(cudaMalloc(out, n_bytes));
}

static int release(void *block) {
    return told(cudaFree(block));
}

static int host_allocate(void **out, size_t n_bytes) {
    *out = NULL;
    return told(cudaHostAlloc(out, n_bytes, cudaHostAllocPortable));
}

static int host_release(void *block) {
    return block ? told(cudaFreeHost(block)) : SARRUS_GPU_OK;
}

static int stream_create(void **out) {
    cudaStream_t stream = NULL;
    const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    *out = stream;
    return told(error);
}

static int stream_destroy(void *stream) {
    return stream ? told(cudaStreamDestroy((cudaStream_t)stream)) : SARRUS_GPU_OK;
}

static int synchronize(void *stream) {
    return told(cudaStreamSynchronize((cudaStream_t)stream));
}

/* A thread that waits sleeps: its processor has other work, as compressing results. */
static int event_create(void **out) {
    cudaEvent_t event = NULL;
    const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync);
    *out = event;
    return told(error);
}

static int event_destroy(void *event) {
    return event ? told(cudaEventDestroy((cudaEvent_t)event)) : SARRUS_GPU_OK;
}

static int event_record(void *event, void *stream) {
    return told(cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream));
}

static int event_synchronize(void *event) {
    return told(cudaEventSynchronize((cudaEvent_t)event));
}

static int stream_wait(void *stream, void *event) {
    return told(cudaStreamWaitEvent((cudaStream_t)stream, (cudaEvent_t)event, 0));
}

static int device_synchronize(void) {
    return told(cudaDeviceSynchronize());
}

static int is_capturing(void *stream, int *out) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing((cudaStream_t)stream, &status);
    *out = status != cudaStreamCaptureStatusNone;
    return told(error);
}

static int copy(const sarrus_gpu_copy *c, void *stream) {
    static const enum cudaMemcpyKind kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
    const enum cudaMemcpyKind kind = kinds[c->direction];
    if (c->n_rows == 1 || (c->to_pitch == c->n_bytes && c->from_pitch == c->n_bytes))
        return told(cudaMemcpyAsync(c->to, c->from, c->n_bytes * c->n_rows, kind, (cudaStream_t)stream));
    return told(cudaMemcpy2DAsync(c->to, c->to_pitch, c->from, c->from_pitch, c->n_bytes, c->n_rows, kind, (cudaStream_t)stream));
}

static int fill(void *block, int byte, size_t n_bytes, void *stream) {
    return told(cudaMemsetAsync(block, byte, n_bytes, (cudaStream_t)stream));
}

static const sarrus_gpu_pinv pinv = {.run = sarrus_cuda_pinv, .resources = sarrus_cuda_pinv_resources};

static const sarrus_gpu_yardstick yardstick = {.multiply_adds = sarrus_cuda_multiply_adds,
                                               .copy_numbers = sarrus_cuda_copy_numbers,
                                               .weigh_columns = sarrus_cuda_weigh_columns};

static const sarrus_gpu_staged staged = {
    .step = sarrus_staged_step,
    .resume = sarrus_staged_resume,
    .observe = sarrus_staged_observe,
    .weigh = sarrus_staged_weigh,
    .deliver = sarrus_staged_deliver,
};

static const sarrus_gpu table = {
    .name = "cuda",
    .n_most_packed = (size_t)256 << 20,
    .n_most_pinned = (size_t)16 << 20,
    .count = count,
    .select = select,
    .describe = describe,
    .memory = memory,
    .error_text = error_text,
    .allocate = allocate,
    .release = release,
    .host_allocate = host_allocate,
    .host_release = host_release,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .synchronize = synchronize,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .stream_wait = stream_wait,
    .device_synchronize = device_synchronize,
    .is_capturing = is_capturing,
    .copy = copy,
    .fill = fill,
    .assemble = sarrus_cuda_assemble,
    .advance = sarrus_cuda_advance,
    .observe = sarrus_cuda_observe,
    .restart_some = sarrus_cuda_restart_some,
    .bodies_take = sarrus_cuda_bodies_take,
    .bodies_show = sarrus_cuda_bodies_show,
    .bodies_settle = sarrus_cuda_bodies_settle,
    .resident_tiles = sarrus_cuda_resident_tiles,
    .stack = sarrus_cuda_stack,
    .specialized_load = sarrus_cuda_specialized_load,
    .specialized_unload = sarrus_cuda_specialized_unload,
    .pinv = &pinv,
    .yardstick = &yardstick,
    .staged = &staged,
};

const sarrus_gpu *sarrus_gpu_built_in(void) {
    return &table;
}
