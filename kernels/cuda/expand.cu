/* Launches the fused kernels. */
#include "kernels/cuda/fused.cuh"

static int32_t n_warps(const sarrus_cuda_call *call) {
    return call->lanes.n_tiles < call->lanes.n_workspaces ? call->lanes.n_tiles : call->lanes.n_workspaces;
}

static unsigned n_blocks(const sarrus_cuda_call *call, int32_t tiles_per_block) {
    return (unsigned)((n_warps(call) + tiles_per_block - 1) / tiles_per_block);
}

/* Libraries of kernels came to the runtime with release 12.8. */
int sarrus_cuda_specialized_load(const void *cubin, const char *kernel, int32_t n_threads, sarrus_cuda_specialized *out) {
    *out = {};
#if CUDART_VERSION >= 12080
    cudaLibrary_t library;
    cudaError_t error = cudaLibraryLoadData(&library, cubin, nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error != cudaSuccess)
        return error;
    cudaKernel_t advance;
    error = cudaLibraryGetKernel(&advance, library, kernel);
    if (error != cudaSuccess) {
        (void)cudaLibraryUnload(library);
        return error;
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
    return error;
}

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
    return cudaLaunchKernel(call->specialized->advance, dim3(n_blocks(call, n_threads / LANE_WIDTH)), dim3((unsigned)n_threads),
                            arguments, 0, (cudaStream_t)call->stream);
}

int sarrus_cuda_assemble(const sarrus_cuda_call *call) {
    if (call->lanes.n_tiles <= 0)
        return cudaSuccess;
    assemble_kernel<<<n_blocks(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call));
    return cudaGetLastError();
}

int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    if (call->lanes.n_tiles <= 0)
        return cudaSuccess;
    if (call->specialized)
        return specialized_advance(call, clock, n_steps);
    advance_kernel<<<n_blocks(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call), *clock, n_steps);
    return cudaGetLastError();
}

int sarrus_cuda_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    if (call->lanes.n_tiles <= 0)
        return cudaSuccess;
    observe_kernel<<<n_blocks(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call), *what, out);
    return cudaGetLastError();
}
