/* The kernels of the staged path, as the host calls them: an evaluation whose linear problem z = D⁺ b is solved for a whole batch
 * by libraries between kernels. Callable from C.
 *
 * A member is a lane of a tile. A kernel that evaluates runs the bodies of the CPU kernels with an external solver
 * (sarrus_external_solve) that either has the answer to a question, from an earlier round, or puts the question into a slot of the
 * batch and marks the member as waiting. What a waiting member computes from there on is thrown away; when the batch has been
 * answered the same is computed again. So no evaluation exists twice: one that asks twice (all rows after the independent ones), or
 * at several places (an observation), only takes more rounds.
 *
 *   round:  sarrus_staged_step | _resume | _observe   questions into slots
 *           cuBLAS                                    with D Dᵀ: forms it
 *           cuSOLVER                                  D = U Σ Vᵀ, or D Dᵀ = U Λ Uᵀ
 *           cuBLAS                                    c = Uᵀ b
 *           sarrus_staged_weigh                       checks, decides the rank; c_i ← c_i / σ_i or c_i / λ_i, 0 beyond the rank
 *           cuBLAS                                    z = V c, or y = U c, z = Dᵀ y
 *           sarrus_staged_deliver                     z and the decision to the members */
#ifndef SARRUS_CUDA_STAGED_H
#define SARRUS_CUDA_STAGED_H

#include "kernels/cuda/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Questions of one member that can stand answered: an observation asks for a rank and an acceleration, each up to twice. */
enum { SARRUS_STAGED_ANSWERS = 4 };

/* What became of a question. */
enum {
    SARRUS_STAGED_SOLVED = 0,
    SARRUS_STAGED_REFUSED = 1, /* not converged, or a residual too large: the native SVD answers */
    SARRUS_STAGED_SPOILT = 2   /* a number of the question is not finite: no number is the answer */
};

/* Elements of the counters. */
enum { SARRUS_STAGED_N_WAITING = 0, SARRUS_STAGED_N_REFUSED = 1, SARRUS_STAGED_N_COUNTERS = 2 };

/* Arrays in device memory, for M members and as many slots. Matrices are column-major, those of one slot after those of another
 * without a gap; m is the number of rows of the batch, at most all, which the arrays have room for. */
typedef struct sarrus_staged_arrays {
    /* By slot. */
    double *d;       /* [M][n][m] D */
    double *scratch; /* [M][n][m] D again, for the library to destroy; gram: [M][m][m] D Dᵀ, then its eigenvectors U */
    double *b;       /* [M][m] */
    double *u, *v;   /* [M][m][m], [M][n][n]; gram: not there */
    double *sigma;   /* [M][min(m, n)] falling; gram: [M][m] eigenvalues, rising */
    double *c;       /* [M][m] */
    double *y;       /* [M][m] gram only */
    double *z;       /* [M][n] */
    double *limit;   /* [4][M] for the rank decision: max_rank, previous, violation, share */
    double *sizes;   /* [M/32][min(m, n)][32] singular values as lane arrays */
    int32_t *info;   /* [M] of the library */
    int32_t *member; /* [M] whose question it is */
    /* By member. */
    int32_t *slot;       /* [M] −1: none */
    int32_t *wants;      /* [M] rows of the question that it waits with; 0: done */
    int32_t *n_answered; /* [M] */
    int32_t *verdict;    /* [SARRUS_STAGED_ANSWERS][M] what became of a question */
    double *answer;      /* [SARRUS_STAGED_ANSWERS][n + 3][M] z, rank, kept, dropped */
    double *carry;       /* [2][M] from kernel to kernel of a step: 1 where a_f is finite, the rank decision */
    int32_t *counter;    /* [SARRUS_STAGED_N_COUNTERS] */
} sarrus_staged_arrays;

typedef struct sarrus_staged_call {
    sarrus_cuda_call base; /* its plan solves externally; lanes.n_workspaces is lanes.n_tiles: workspaces outlive a kernel */
    sarrus_staged_arrays arrays;
    int32_t n_members; /* M */
    int32_t is_gram;   /* by the eigenvalues of D Dᵀ */
    int32_t has_all;   /* slot i is member i; else the slots are as slot[] says, and members without one are left alone */
    int32_t may_ask;   /* questions go into slots; else who has one waits, and is counted */
    int32_t m;         /* rows of the batch */
    int32_t n_slots;   /* in use */
} sarrus_staged_call;

/* All queue one kernel and return its launch error as a cudaError_t. */

/* What follows the acceleration of stage − 1 of the step at clock->step, then the acceleration of `stage` with nothing answered
 * yet; or the step's end when that was the last one (4 of RK4, 1 of the semi-implicit method). */
int sarrus_staged_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage);

/* The correction of that acceleration again. */
int sarrus_staged_resume(const sarrus_staged_call *call);

/* What is to be computed of an observation, from its beginning. `out` as with sarrus_cuda_observe. */
int sarrus_staged_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out);

/* For the slots in use. */
int sarrus_staged_weigh(const sarrus_staged_call *call);
int sarrus_staged_deliver(const sarrus_staged_call *call);

#ifdef __cplusplus
}
#endif

#endif
