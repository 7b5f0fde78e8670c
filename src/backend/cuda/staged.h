/* The staged path of the CUDA backend: one launch sequence per evaluation, its linear problems solved by cuSOLVER, for scenarios
 * that ask for `pinv: cusolver-svd` or `cusolver-syev`. The counterpart of `pinv: lapack` on the CPU: the reference that the fused
 * kernels are held against, and the benchmark of the library. */
#ifndef SARRUS_BACKEND_CUDA_STAGED_H
#define SARRUS_BACKEND_CUDA_STAGED_H

#include <stdbool.h>

#include "backend/cuda/cusolver.h"
#include "backend/cuda/gpu.h"
#include "plan/plan.h"

typedef struct sarrus_cuda_staged sarrus_cuda_staged;

typedef struct sarrus_cuda_staged_setup {
    const sarrus_gpu *gpu; /* its device is selected */
    const sarrus_cusolver *library;
    const sarrus_mechanism *mech; /* as a sarrus_cuda_call takes it; outlives the path */
    int32_t n_tiles;              /* of a call, at most */
    void *stream;                 /* that everything is queued on */
} sarrus_cuda_staged_setup;

typedef struct sarrus_cuda_staged_counts {
    uint64_t n_evaluations;    /* accelerations of a lane */
    uint64_t n_rank_revealing; /* of which a matrix was factored */
    uint64_t n_matrices;       /* that the library was given, those of observations and of lanes that fill up a tile included */
    uint64_t n_refused;        /* of which it did not factor, or not well enough: the native SVD did */
} sarrus_cuda_staged_counts;

/* Whether the plan asks for this path. */
bool sarrus_cuda_staged_is_asked(const sarrus_plan *plan);

/* The libraries for a plan; NULL with a diagnostic (SARRUS_NO_BACKEND, SARRUS_UNSUPPORTED) when the plan cannot go this way or they
 * are not there. */
const sarrus_cusolver *sarrus_cuda_staged_library(sarrus_context *context, const sarrus_plan *plan, const char *cuda_prefixes,
                                                  sarrus_status *status);

/* Device memory of one tile, beside the tile and its workspace; what cuSOLVER asks for itself comes on top. */
size_t sarrus_cuda_staged_bytes(const sarrus_mechanism *mech);

/* Returns 0 or an error (sarrus_cuda_staged_error_text); SARRUS_GPU_NO_MEMORY: fewer tiles may do. */
int sarrus_cuda_staged_create(const sarrus_cuda_staged_setup *setup, sarrus_cuda_staged **out);
void sarrus_cuda_staged_destroy(sarrus_cuda_staged *staged);

/* n_steps steps of all tiles of `lanes` from clock->step. The workspaces are those of the tiles: lanes->n_workspaces is
 * lanes->n_tiles. With changes of rank kept (rank_change_capacity > 0) the tiles must be empty of them, and n_steps no larger than
 * the capacity: a step makes one at most. */
int sarrus_cuda_staged_advance(sarrus_cuda_staged *staged, const sarrus_cuda_lanes *lanes, const sarrus_clock *clock,
                               uint64_t n_steps);

/* out [n_tiles][want->n_arrays][SARRUS_CUDA_WIDTH], in device memory: what has to be computed at the tiles' states and time t. */
int sarrus_cuda_staged_observe(sarrus_cuda_staged *staged, const sarrus_cuda_lanes *lanes, const sarrus_observe_request *want,
                               double *out);

/* What was done since it was created. */
void sarrus_cuda_staged_count(const sarrus_cuda_staged *staged, sarrus_cuda_staged_counts *out);

/* A sentence without an end, for errors of the gpu as well; `text` [n_text]. */
void sarrus_cuda_staged_error_text(const sarrus_gpu *gpu, int error, char *text, size_t n_text);

#endif
