/* The kernels of one instruction set, as the host calls them. A tile is [n_arrays][width] doubles, aligned to a vector. */
#ifndef SARRUS_CPU_KERNELS_H
#define SARRUS_CPU_KERNELS_H

#include "kernels/body/mechanism.h"

/* What a kernel call needs besides plan and tile. */
typedef struct sarrus_kernel_call {
    const sarrus_mechanism *mech;
    double *tile;      /* of kernels in single precision both hold floats */
    double *workspace; /* [workspace_arrays(mech)][width] */
    sarrus_external_solve external;
    void *external_user;
    sarrus_external_rank_path rank_path; /* sarrus_kernels.rank_path; called back with this call by specialised kernels */
    const volatile int32_t *stop;        /* as in sarrus_batch_options */
    /* What the call before has left in the workspace for this one; 0 when the tile, its state or the workspace is another. */
    int32_t is_configured, is_factored;
    int64_t n_evaluations;    /* counted up */
    int64_t n_rank_revealing; /* counted up */
} sarrus_kernel_call;

/* Where a tile of systems goes (sarrus_kernels.system); aligned to a vector. */
typedef struct sarrus_system_tile {
    double *mass, *force, *jacobian, *gamma;
    double *scratch; /* [n][width] */
} sarrus_system_tile;

typedef struct sarrus_kernels {
    const char *name;
    int32_t width;
    size_t (*workspace_arrays)(const sarrus_mechanism *mech);
    /* Once for a new workspace: what stays in it for good. */
    void (*prepare)(sarrus_kernel_call *call);
    /* Brings q, v of the tile onto the constraints; sets rank, status, q0, v0. */
    void (*assemble)(sarrus_kernel_call *call);
    /* n_steps steps from clock->step. Returns how many were done: fewer when changes of rank have to be fetched first or the call
     * is to stop. By a method that chooses its steps: to the grid time of step clock->step + n_steps; then returns n_steps or, in
     * those cases, 0. */
    uint64_t (*advance)(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps);
    /* out [n_arrays][width] at the tile's state and time t. */
    void (*observe)(sarrus_kernel_call *call, const sarrus_observe_request *want, double *out);
    /* Rows at the tile's state and time t: jacobian [m][n][width] weighted J M^{-1/2}, phi [m][width], phi_dot [m][width]. */
    void (*rows)(sarrus_kernel_call *call, double t, double *jacobian, double *phi, double *phi_dot);
    /* The equations at the tile's state, written out in full (kernels/formulation/system.h): mass [n][n][width], force
     * [n][width], jacobian [m][n][width], gamma [m][width]; of absolute coordinates, else NULL. */
    void (*system)(sarrus_kernel_call *call, const sarrus_clock *clock, const sarrus_system_tile *out);
    /* The rank-revealing path for rows that specialised kernels have evaluated at the call's tile; `call` is a sarrus_kernel_call.
     */
    void (*rank_path)(void *call, const sarrus_rank_path_problem *problem);
    /* Of relative coordinates, else NULL: coordinates q [7 | 3 of n_bodies][width] and speeds v [6 | 3 of n_bodies][width] of the
     * bodies at the tile's state; and the tile's q, v from them, which are those of bodies that the joints of the tree hold. */
    void (*bodies_get)(sarrus_kernel_call *call, double *q, double *v);
    void (*bodies_put)(sarrus_kernel_call *call, const double *q, const double *v);
    /* And the accelerations a [6 | 3 of n_bodies][width] of the bodies at the tile's state, from those of the tree. */
    void (*bodies_accelerate)(sarrus_kernel_call *call, const sarrus_clock *clock, double *a);
    /* sin and cos of x[width]. */
    void (*sincos)(const double *x, double *sine, double *cosine);
} sarrus_kernels;

/* What an object made for one plan (kernels/cpu/specialized.c) exports, under the name `sarrus_specialized_kernels`. Its kernels
 * work on the same tiles and workspaces as the generic ones of its width and give the same bits. */
typedef struct sarrus_specialized {
    uint64_t abi;    /* SARRUS_SPECIALIZED_ABI */
    const char *key; /* what its plan, sources and compiler hash to, as text */
    int32_t width;
    uint64_t (*advance)(sarrus_kernel_call *call, const sarrus_clock *clock, uint64_t n_steps);
} sarrus_specialized;

/* Changes with everything that host and object must agree on: this file and mechanism.h. */
#define SARRUS_SPECIALIZED_ABI 4

/* One tile of matrices for a pseudoinverse method (kernels/pinv/problem.h). Arrays are aligned to a vector. */
typedef struct sarrus_pinv_call {
    int32_t method; /* sarrus_pinv_method; a method of the lanes */
    int32_t m, n;
    int32_t n_rhs;
    int32_t is_explicit;
    int32_t rank_method; /* sarrus_rank_method */
    double rank_tolerance;
    double *a;                          /* [m][n][width] destroyed */
    double *b;                          /* [m][n_rhs][width] destroyed; NULL with the explicit form */
    double *x;                          /* [n][n_rhs][width] | [n][m][width] out */
    double *work;                       /* [work(call)][width] */
    const double *max_rank, *violation; /* [width] */
    double *rank, *kept, *dropped;      /* [width] out */
    double *n_sweeps;                   /* [width] out */
} sarrus_pinv_call;

typedef struct sarrus_pinv_kernels {
    int32_t width;
    size_t (*work)(const sarrus_pinv_call *call); /* lane arrays of scratch */
    /* Additions and multiplications for one matrix (an FMA is two). */
    double (*flops)(const sarrus_pinv_call *call, int32_t rank, double n_sweeps);
    void (*run)(const sarrus_pinv_call *call);
    /* Tile [count][width] ← n_lanes matrices of `count` numbers one after another; further lanes repeat the last one. spoilt
     * [width]: NaN for a lane that holds a NaN or an infinity, else 0. */
    void (*pack)(const double *first, size_t count, int32_t n_lanes, double *tile, double *spoilt);
    /* The first n_lanes lanes back. */
    void (*unpack)(const double *tile, size_t count, int32_t n_lanes, double *first);
} sarrus_pinv_kernels;

/* One tile of systems for a dense formulation (kernels/formulation/dense/problem.h). Arrays are aligned to a vector. */
typedef struct sarrus_dense_call {
    int32_t formulation; /* sarrus_formulation; one that has a dense form */
    int32_t m, n;
    int32_t block, turn; /* speeds of a body, and how many of them shift it */
    int32_t method;      /* sarrus_pinv_method; a method of the lanes */
    int32_t rank_method; /* sarrus_rank_method */
    double rank_tolerance;
    const int32_t *pins; /* [bodies][SARRUS_PIN_NUMBERS] as sarrus_dense_shape has them; NULL: there is none */
    const double *mass, *force, *jacobian, *gamma; /* [n][n], [n], [m][n], [m], each [width] */
    const double *max_rank, *violation;            /* [width] */
    double *work;                                  /* [work(call)][width] */
    double *a, *lambda;                            /* [n][width], [m][width] out; lambda may be NULL */
    double *rank, *unsolvable;                     /* [width] out; unsolvable: 1 where the masses do not let it, else 0 */
    double flops;                                  /* out: operations of one instance, beside the pseudoinverses */
    int32_t n_taken;                               /* out: pseudoinverses taken */
    sarrus_pinv_call taken[3];                     /* out: their shapes, without arrays */
    double *taken_rank, *taken_sweeps;             /* [3][width] out */
} sarrus_dense_call;

typedef struct sarrus_dense_kernels {
    int32_t width;
    size_t (*work)(const sarrus_dense_call *call); /* lane arrays of scratch */
    void (*run)(sarrus_dense_call *call);
} sarrus_dense_kernels;

extern const sarrus_kernels sarrus_kernels_baseline;
extern const sarrus_kernels sarrus_kernels_spatial_baseline;
extern const sarrus_kernels sarrus_kernels_relative_baseline;
extern const sarrus_kernels sarrus_kernels_relative_spatial_baseline;
extern const sarrus_kernels sarrus_kernels_single_baseline;
extern const sarrus_kernels sarrus_kernels_single_spatial_baseline;
extern const sarrus_pinv_kernels sarrus_pinv_kernels_baseline;
extern const sarrus_dense_kernels sarrus_dense_kernels_baseline;
#if defined(__x86_64__)
extern const sarrus_kernels sarrus_kernels_avx2;
extern const sarrus_kernels sarrus_kernels_avx512;
extern const sarrus_kernels sarrus_kernels_spatial_avx2;
extern const sarrus_kernels sarrus_kernels_spatial_avx512;
extern const sarrus_kernels sarrus_kernels_relative_avx2;
extern const sarrus_kernels sarrus_kernels_relative_avx512;
extern const sarrus_kernels sarrus_kernels_relative_spatial_avx2;
extern const sarrus_kernels sarrus_kernels_relative_spatial_avx512;
extern const sarrus_kernels sarrus_kernels_single_avx2;
extern const sarrus_kernels sarrus_kernels_single_avx512;
extern const sarrus_kernels sarrus_kernels_single_spatial_avx2;
extern const sarrus_kernels sarrus_kernels_single_spatial_avx512;
extern const sarrus_pinv_kernels sarrus_pinv_kernels_avx2;
extern const sarrus_pinv_kernels sarrus_pinv_kernels_avx512;
extern const sarrus_dense_kernels sarrus_dense_kernels_avx2;
extern const sarrus_dense_kernels sarrus_dense_kernels_avx512;
#endif

#endif
