/* Launches the kernel that goes many steps, or the one for one plan in its place. */
#include "kernels/cuda/advance.cuh"

int sarrus_cuda_resident_tiles(const sarrus_cuda_specialized *specialized, int32_t *n_tiles) {
    int device = 0, n_processors = 0, n_blocks = 0;
    const void *kernel = specialized ? specialized->advance : (const void *)advance_kernel;
    const int n_threads = specialized ? specialized->n_threads : TILES_PER_BLOCK * LANE_WIDTH;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&n_processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, kernel, n_threads, 0);
    *n_tiles = n_processors * n_blocks * (n_threads / LANE_WIDTH);
    return error;
}

/* The arguments are those of sarrus_specialized_advance, in its order. */
static int specialized_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    sarrus_cuda_lanes lanes = call->lanes;
    sarrus_clock when = *clock;
    void *arguments[] = {&lanes, &when, &n_steps};
    const int32_t n_threads = call->specialized->n_threads;
    return cudaLaunchKernel(call->specialized->advance, dim3(n_blocks_of(call, n_threads / LANE_WIDTH)), dim3((unsigned)n_threads),
                            arguments, 0, (cudaStream_t)call->stream);
}

int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    if (call->lanes.n_tiles <= 0)
        return cudaSuccess;
    if (call->specialized)
        return specialized_advance(call, clock, n_steps);
    advance_kernel<<<n_blocks_of(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call), *clock, n_steps);
    return cudaGetLastError();
}
