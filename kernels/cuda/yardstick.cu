#include "kernels/cuda/yardstick.cuh"

int sarrus_cuda_multiply_adds(double *out, int32_t n_blocks, uint64_t n_rounds, void *stream) {
    multiply_adds_kernel<<<(unsigned)n_blocks, SARRUS_YARDSTICK_THREADS, 0, (cudaStream_t)stream>>>(out, n_rounds, 0.999, 0.001);
    return cudaGetLastError();
}

int sarrus_cuda_copy_numbers(const double *from, double *to, uint64_t count, void *stream) {
    copy_kernel<<<(unsigned)YARDSTICK_COPY_BLOCKS, SARRUS_YARDSTICK_THREADS, 0, (cudaStream_t)stream>>>(
        from, to, count, (uint64_t)YARDSTICK_COPY_BLOCKS * SARRUS_YARDSTICK_THREADS);
    return cudaGetLastError();
}

int sarrus_cuda_weigh_columns(const sarrus_weigh_call *call) {
    const uint64_t n_columns = call->n_batch * (uint64_t)call->n;
    const unsigned n_blocks = (unsigned)((n_columns + SARRUS_YARDSTICK_THREADS - 1) / SARRUS_YARDSTICK_THREADS);
    if (n_blocks == 0)
        return cudaSuccess;
    weigh_kernel<<<n_blocks, SARRUS_YARDSTICK_THREADS, 0, (cudaStream_t)call->stream>>>(*call);
    return cudaGetLastError();
}
