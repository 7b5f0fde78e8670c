/* The arrays that a launch works on, as a kernel takes them: one parameter, the same for every fused kernel. */
#ifndef SARRUS_CUDA_LANES_H
#define SARRUS_CUDA_LANES_H

#include <stddef.h>
#include <stdint.h>

typedef struct sarrus_cuda_lanes {
    double *tiles;             /* [n_tiles][n_arrays][32] */
    double *workspace;         /* [n_workspaces][n_workspace_arrays][32] */
    size_t n_workspace_arrays; /* workspace_arrays(mech) of any CPU table: the parts are the same */
    int32_t n_tiles;
    int32_t n_workspaces; /* warps of a launch, at least 1: each works on every n_workspaces-th tile */
    uint64_t *counts;     /* [n_workspaces][2][32] evaluations, and those that were rank-revealing: counted up */
    uint64_t *n_done;     /* [n_tiles][32] steps done of those asked for, counted up; NULL: from the first one, and none stops */
    uint64_t *step;       /* [n_tiles][32] where each lane stands, in the place of the clock's; counted up. NULL: the clock's */
    int32_t *is_waiting;  /* set to 1 when some lane has stopped before its last step; only read with n_done */
} sarrus_cuda_lanes;

#endif
