/* The launches as the host calls them: of the expansion that a mechanism asks for, or of the kernel for one plan. */
#include "kernels/cuda/expansion.h"
#include "kernels/cuda/queue.cuh"
#include "kernels/cuda/staged_expansion.h"

static const sarrus_cuda_expansion planar = {
    sarrus_cuda_planar_advance_kernel,
    sarrus_cuda_planar_advance,
    sarrus_cuda_planar_assemble,
    sarrus_cuda_planar_observe,
};

static const sarrus_cuda_expansion *expansion_of(const sarrus_mechanism *mech) {
    const bool is_spatial = mech->space == SARRUS_SPACE_SPATIAL;
    if (mech->tree.n_links > 0)
        return is_spatial ? &sarrus_cuda_relative_spatial : &sarrus_cuda_relative;
    return is_spatial ? &sarrus_cuda_spatial : &planar;
}

/* The one that makes its steps. */
static const sarrus_cuda_expansion *steps_of(const sarrus_mechanism *mech) {
    if (!mech->is_single || mech->tree.n_links == 0)
        return expansion_of(mech);
    return mech->space == SARRUS_SPACE_SPATIAL ? &sarrus_cuda_single_spatial : &sarrus_cuda_single;
}

static bool is_empty(const sarrus_cuda_call *call) {
    return call->lanes.n_tiles <= 0;
}

int sarrus_cuda_resident_tiles(const sarrus_mechanism *mech, const sarrus_cuda_specialized *specialized, int32_t *n_tiles) {
    int n_processors = 0, n_blocks = 0;
    const void *kernel = specialized ? specialized->advance : steps_of(mech)->advance_kernel();
    const int n_threads = specialized ? specialized->n_threads : SARRUS_CUDA_TILES_PER_BLOCK * SARRUS_CUDA_WIDTH;
    cudaError_t error = cuda_number(cudaDevAttrMultiProcessorCount, &n_processors);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, kernel, n_threads, 0);
    *n_tiles = n_processors * n_blocks * (n_threads / SARRUS_CUDA_WIDTH);
    return cuda_told(error);
}

/* The kernel that steps has the deepest stack (docs/cuda_kernels.md). */
int sarrus_cuda_stack(const sarrus_mechanism *mech, size_t *n_bytes) {
    int n_processors = 0, n_threads = 0;
    struct cudaFuncAttributes attributes = {};
    cudaError_t error = cuda_number(cudaDevAttrMultiProcessorCount, &n_processors);
    if (error == cudaSuccess)
        error = cuda_number(cudaDevAttrMaxThreadsPerMultiProcessor, &n_threads);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, steps_of(mech)->advance_kernel());
    *n_bytes = attributes.localSizeBytes * (size_t)n_processors * (size_t)n_threads;
    return cuda_told(error);
}

/* The arguments are those of sarrus_specialized_advance, in its order. */
static int specialized_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    sarrus_cuda_lanes lanes = call->lanes;
    sarrus_clock when = *clock;
    void *arguments[] = {&lanes, &when, &n_steps};
    const int32_t n_threads = call->specialized->n_threads, n_each = n_threads / SARRUS_CUDA_WIDTH;
    const int32_t n_warps = lanes.n_tiles < lanes.n_workspaces ? lanes.n_tiles : lanes.n_workspaces;
    return cuda_told(cudaLaunchKernel(call->specialized->advance, dim3((unsigned)((n_warps + n_each - 1) / n_each)),
                                      dim3((unsigned)n_threads), arguments, 0, (cudaStream_t)call->stream));
}

int sarrus_cuda_assemble(const sarrus_cuda_call *call) {
    return is_empty(call) ? cudaSuccess : expansion_of(call->mech)->assemble(call);
}

int sarrus_cuda_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    if (is_empty(call))
        return cudaSuccess;
    if (call->specialized)
        return specialized_advance(call, clock, n_steps);
    return steps_of(call->mech)->advance(call, clock, n_steps);
}

int sarrus_cuda_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    return is_empty(call) ? cudaSuccess : expansion_of(call->mech)->observe(call, what, out);
}

int sarrus_cuda_bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    return is_empty(call) ? cudaSuccess : expansion_of(call->mech)->bodies_take(call, bodies);
}

int sarrus_cuda_bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    return is_empty(call) ? cudaSuccess : expansion_of(call->mech)->bodies_show(call, bodies);
}

int sarrus_cuda_bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                              double *out) {
    return is_empty(call) ? cudaSuccess : expansion_of(call->mech)->bodies_settle(call, bodies, what, out);
}

static bool is_spatial(const sarrus_staged_call *call) {
    return call->base.mech->space == SARRUS_SPACE_SPATIAL;
}

int sarrus_staged_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    return is_spatial(call) ? sarrus_staged_spatial_step(call, clock, stage) : sarrus_staged_planar_step(call, clock, stage);
}

int sarrus_staged_resume(const sarrus_staged_call *call) {
    return is_spatial(call) ? sarrus_staged_spatial_resume(call) : sarrus_staged_planar_resume(call);
}

int sarrus_staged_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    return is_spatial(call) ? sarrus_staged_spatial_observe(call, want, out) : sarrus_staged_planar_observe(call, want, out);
}
