#include "kernels/cuda/queue.cuh"
#include "kernels/cuda/yardstick.cuh"

static cuda_grid yardstick_grid(unsigned n_blocks, void *stream) {
    return {n_blocks, SARRUS_YARDSTICK_THREADS, 0, stream};
}

int sarrus_cuda_multiply_adds(double *out, int32_t n_blocks, uint64_t n_rounds, void *stream) {
    return cuda_queue(multiply_adds_kernel, yardstick_grid((unsigned)n_blocks, stream), out, n_rounds, 0.999, 0.001);
}

int sarrus_cuda_copy_numbers(const double *from, double *to, uint64_t count, void *stream) {
    return cuda_queue(copy_kernel, yardstick_grid((unsigned)YARDSTICK_COPY_BLOCKS, stream), from, to, count,
                      (uint64_t)YARDSTICK_COPY_BLOCKS * SARRUS_YARDSTICK_THREADS);
}

int sarrus_cuda_weigh_columns(const sarrus_weigh_call *call) {
    const uint64_t n_columns = call->n_batch * (uint64_t)call->n;
    const unsigned n_blocks = (unsigned)((n_columns + SARRUS_YARDSTICK_THREADS - 1) / SARRUS_YARDSTICK_THREADS);
    return n_blocks == 0 ? cudaSuccess : cuda_queue(weigh_kernel, yardstick_grid(n_blocks, call->stream), *call);
}
