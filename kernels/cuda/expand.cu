/* Expands the single-source bodies for CUDA: a warp is a tile, a thread is a lane. Every pointer that a body sees is moved to the
 * thread's own lane once, here; lane_at then steps from array to array. */
#include "kernels/cuda/kernels.h"
#include "kernels/step/observe.h"

static_assert(SARRUS_CUDA_WIDTH == LANE_WIDTH, "the host lays out tiles for this width");

/* Two warps a block: enough to fill a processor's warp slots, few enough to spread small batches over all processors. */
static const int TILES_PER_BLOCK = 2;

/* A launch with everything by value, so that it lies in constant memory. */
struct launch {
    sarrus_mechanism mech;
    double *tiles, *workspace;
    size_t n_workspace_arrays;
    int32_t n_tiles;
};

static launch launch_of(const sarrus_cuda_call *call) {
    launch work = {*call->mech, call->tiles, call->workspace, call->n_workspace_arrays, call->n_tiles};
    return work;
}

static __device__ int32_t tile_of_thread() {
    return (int32_t)(blockIdx.x * TILES_PER_BLOCK + threadIdx.x / LANE_WIDTH);
}

/* Where this thread's lane of tile i_tile begins, in an array of tiles of n_arrays each. */
static __device__ double *lane_of_tile(double *tiles, int32_t i_tile, size_t n_arrays) {
    return tiles + (size_t)i_tile * n_arrays * LANE_WIDTH + threadIdx.x % LANE_WIDTH;
}

/* Returns this thread's tile. */
static __device__ real *evaluation_of(const launch *work, int32_t i_tile, sarrus_evaluation *ev, sarrus_workspace *ws) {
    real *tile = lane_of_tile(work->tiles, i_tile, (size_t)work->mech.layout.n_arrays);
    (void)sarrus_workspace_cut(&work->mech, lane_of_tile(work->workspace, i_tile, work->n_workspace_arrays), ws);
    ev->external = nullptr;
    ev->external_user = nullptr;
    ev->reveal = nullptr;
    ev->reveal_user = nullptr;
    sarrus_constant_directions(&work->mech, ws);
    sarrus_evaluation_begin(ev, &work->mech, ws, tile);
    return tile;
}

static __global__ void advance_kernel(const __grid_constant__ launch work, const __grid_constant__ sarrus_clock clock,
                                      uint64_t n_steps) {
    const int32_t i_tile = tile_of_thread();
    if (i_tile >= work.n_tiles)
        return;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real *tile = evaluation_of(&work, i_tile, &ev, &ws);
    (void)sarrus_advance(&ev, tile, &clock, n_steps);
}

static __global__ void observe_kernel(const __grid_constant__ launch work, double t,
                                      const __grid_constant__ sarrus_observe_request want, double *out) {
    const int32_t i_tile = tile_of_thread();
    if (i_tile >= work.n_tiles)
        return;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real *tile = evaluation_of(&work, i_tile, &ev, &ws);
    sarrus_observe(&ev, tile, t, &want, lane_of_tile(out, i_tile, (size_t)want.n_arrays));
}

static unsigned n_blocks(const sarrus_cuda_call *call) {
    return (unsigned)((call->n_tiles + TILES_PER_BLOCK - 1) / TILES_PER_BLOCK);
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

/* The arguments are those of sarrus_specialized_advance, in its order. */
static int specialized_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    double *tiles = call->tiles, *workspace = call->workspace;
    uint64_t n_workspace_arrays = call->n_workspace_arrays;
    int32_t n_tiles = call->n_tiles;
    sarrus_clock when = *clock;
    void *arguments[] = {&tiles, &workspace, &n_workspace_arrays, &n_tiles, &when, &n_steps};
    const int32_t tiles_per_block = call->specialized->n_threads / LANE_WIDTH;
    const unsigned n_blocks = (unsigned)((n_tiles + tiles_per_block - 1) / tiles_per_block);
    return cudaLaunchKernel(call->specialized->advance, dim3(n_blocks), dim3((unsigned)call->specialized->n_threads), arguments, 0,
                            (cudaStream_t)call->stream);
}

int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    if (call->n_tiles <= 0)
        return cudaSuccess;
    if (call->specialized)
        return specialized_advance(call, clock, n_steps);
    advance_kernel<<<n_blocks(call), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(launch_of(call), *clock,
                                                                                                    n_steps);
    return cudaGetLastError();
}

int sarrus_cuda_observe(const sarrus_cuda_call *call, double t, const sarrus_observe_request *want, double *out) {
    if (call->n_tiles <= 0)
        return cudaSuccess;
    observe_kernel<<<n_blocks(call), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(launch_of(call), t, *want, out);
    return cudaGetLastError();
}
