/* The kernels of one instruction set, as the host calls them. A tile is [n_arrays][width] doubles, aligned to a vector. */
#ifndef SARRUS_CPU_KERNELS_H
#define SARRUS_CPU_KERNELS_H

#include "kernels/body/mechanism.h"

/* What a kernel call needs besides plan and tile. */
typedef struct sarrus_kernel_call {
    const sarrus_mechanism *mech;
    double *tile;
    double *workspace; /* [workspace_arrays(mech)][width] */
    sarrus_external_solve external;
    void *external_user;
    /* What the call before has left in the workspace for this one; 0 when the tile, its state or the workspace is another. */
    int32_t is_configured, is_factored;
    int64_t n_evaluations;    /* counted up */
    int64_t n_rank_revealing; /* counted up */
} sarrus_kernel_call;

typedef struct sarrus_kernels {
    const char *name;
    int32_t width;
    size_t (*workspace_arrays)(const sarrus_mechanism *mech);
    /* Once for a new workspace: what stays in it for good. */
    void (*prepare)(sarrus_kernel_call *call);
    /* Brings q, v of the tile onto the constraints; sets rank, status, q0, v0. */
    void (*assemble)(sarrus_kernel_call *call);
    /* n_steps steps from clock->step. */
    void (*advance)(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps);
    /* out [n_arrays][width] at the tile's state and time t. */
    void (*observe)(sarrus_kernel_call *call, double t, const sarrus_observe_request *want, double *out);
    /* Rows at the tile's state and time t: jacobian [m][n][width] weighted J M^{-1/2}, phi [m][width], phi_dot [m][width]. */
    void (*rows)(sarrus_kernel_call *call, double t, double *jacobian, double *phi, double *phi_dot);
    /* sin and cos of x[width]. */
    void (*sincos)(const double *x, double *sine, double *cosine);
} sarrus_kernels;

extern const sarrus_kernels sarrus_kernels_baseline;
#if defined(__x86_64__)
extern const sarrus_kernels sarrus_kernels_avx2;
extern const sarrus_kernels sarrus_kernels_avx512;
#endif

#endif
