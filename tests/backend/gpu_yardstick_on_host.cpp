/* The kernels of benchmarks on the emulated GPU. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/yardstick.cu"
#include "tests/backend/gpu_yardstick_on_host.h"

extern "C" {
#include "tests/backend/gpu_launch_on_host.h"
}

struct yardstick_call {
    double *out;
    const double *from;
    int32_t n_blocks;
    uint64_t count;
};

/* Few rounds: a host is slow, and what it measures means nothing. */
static void multiply_adds_run(const void *argument) {
    const yardstick_call *call = (const yardstick_call *)argument;
    gpu_on_host_ran(sarrus_cuda_multiply_adds(call->out, call->n_blocks, 2, nullptr));
}

static int multiply_adds(double *out, int32_t n_blocks, uint64_t n_rounds, void *stream) {
    const yardstick_call call = {out, nullptr, n_blocks, n_rounds};
    const size_t n_bytes = (size_t)n_blocks * SARRUS_YARDSTICK_THREADS * sizeof(double);
    return gpu_on_host_check(out, n_bytes) ? gpu_on_host_launch(stream, multiply_adds_run, &call, sizeof call) : GPU_ON_HOST_MISUSE;
}

static void copy_run(const void *argument) {
    const yardstick_call *call = (const yardstick_call *)argument;
    gpu_on_host_ran(sarrus_cuda_copy_numbers(call->from, call->out, call->count, nullptr));
}

static int copy_numbers(const double *from, double *to, uint64_t count, void *stream) {
    const yardstick_call call = {to, from, 0, count};
    const bool is_there = gpu_on_host_check(from, count * sizeof *from) && gpu_on_host_check(to, count * sizeof *to);
    return is_there ? gpu_on_host_launch(stream, copy_run, &call, sizeof call) : GPU_ON_HOST_MISUSE;
}

static void weigh_run(const void *argument) {
    gpu_on_host_ran(sarrus_cuda_weigh_columns((const sarrus_weigh_call *)argument));
}

static int weigh_columns(const sarrus_weigh_call *call) {
    const size_t n_columns = (size_t)call->n_batch * (size_t)call->n;
    const bool is_there = gpu_on_host_check(call->v, n_columns * (size_t)call->n * sizeof(double)) &&
                          gpu_on_host_check(call->s, n_columns * sizeof(double));
    return is_there ? gpu_on_host_launch(call->stream, weigh_run, call, sizeof *call) : GPU_ON_HOST_MISUSE;
}

extern const sarrus_gpu_yardstick gpu_yardstick_on_host = {multiply_adds, copy_numbers, weigh_columns};
