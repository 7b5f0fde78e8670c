/* A member of a staged batch during one kernel: its evaluation, and the solver that this asks. Each kernel is a unit of its
 * own, as in fused.cuh. */
#ifndef SARRUS_CUDA_STAGED_MEMBER_CUH
#define SARRUS_CUDA_STAGED_MEMBER_CUH

/* Plans that go this way are solved by the libraries. */
#define SARRUS_PINV_NONE 1
#include "kernels/cuda/staged_launch.cuh"

static __device__ void staged_solve(void *user, const sarrus_external_problem *problem);
#define SARRUS_EXTERNAL_DIRECT staged_solve
#include "kernels/step/advance.h"

/* Who asks: one member during one kernel. */
struct staged_member {
    const staged_launch *work;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real *tile;
    int32_t index, slot;
    int32_t n_answered, n_asked;
    int32_t wants; /* rows of the question that has no answer yet; 0: none */
};

static __device__ void staged_found(const sarrus_external_problem *problem, double rank, double kept, double dropped) {
    *(double *)problem->rank = rank;
    *(double *)problem->kept = kept;
    *(double *)problem->dropped = dropped;
}

/* The question into the member's slot. One that is not finite is replaced by a harmless one. */
static __device__ void staged_ask(const staged_member *who, const sarrus_external_problem *problem) {
    const staged_launch *work = who->work;
    const int32_t m = problem->m, n = problem->n;
    const real *d = (const real *)problem->d, *b = (const real *)problem->b;
    const size_t slot = (size_t)who->slot, size = (size_t)m * (size_t)n;
    double *matrix = work->at.d + slot * size, *again = work->at.scratch + slot * size, *side = work->at.b + slot * (size_t)m;
    real zero = real_set(0.0);
    for (int32_t i = 0; i < m * n; ++i)
        zero = real_fma(lane_at(d, i), 0.0, zero);
    for (int32_t i = 0; i < m; ++i)
        zero = real_fma(lane_at(b, i), 0.0, zero);
    const bool is_finite = zero == 0.0;
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t i = 0; i < m; ++i) {
            const double x = is_finite ? lane_at(d, i * n + k) : i == k ? 1.0 : 0.0;
            matrix[i + (size_t)k * (size_t)m] = x;
            if (!work->is_gram)
                again[i + (size_t)k * (size_t)m] = x;
        }
    }
    for (int32_t i = 0; i < m; ++i)
        side[i] = is_finite ? lane_at(b, i) : 0.0;
    double *limit = work->at.limit + slot;
    limit[0] = *(const double *)problem->max_rank;
    limit[work->n_members] = *(const double *)problem->previous;
    limit[2 * (size_t)work->n_members] = *(const double *)problem->violation;
    limit[3 * (size_t)work->n_members] = *(const double *)problem->share;
    work->at.member[slot] = who->index;
    work->at.verdict[(size_t)who->n_answered * (size_t)work->n_members + who->index] =
        is_finite ? SARRUS_STAGED_SOLVED : SARRUS_STAGED_SPOILT;
}

/* The native SVD, on the question as it stands in the workspace. */
static __device__ void staged_solve_natively(const staged_member *who, const sarrus_external_problem *problem) {
    const sarrus_workspace *ws = &who->ws;
    sarrus_rank_solve_problem svd = {problem->m, problem->n, ws->d, ws->d_rhs, ws->norm2, ws->sigma, nullptr, nullptr};
    const sarrus_rank_limit limit = {*(const double *)problem->max_rank, *(const double *)problem->previous,
                                     *(const double *)problem->violation, real_set(1.0), *(const double *)problem->share};
    sarrus_rank_solve_rotate(&svd, true);
    const sarrus_rank_decision found = sarrus_rank_solve_keep(&svd, &who->work->mech.rank, &limit);
    sarrus_rank_solve_apply(&svd, (real *)problem->z);
    staged_found(problem, found.rank, found.kept, found.dropped);
}

static __device__ void staged_take(const staged_member *who, int32_t k, const sarrus_external_problem *problem) {
    const staged_launch *work = who->work;
    const int32_t n = problem->n, verdict = work->at.verdict[(size_t)k * (size_t)work->n_members + who->index];
    if (verdict == SARRUS_STAGED_REFUSED) {
        staged_solve_natively(who, problem);
        return;
    }
    const bool is_spoilt = verdict == SARRUS_STAGED_SPOILT;
    real *z = (real *)problem->z;
    for (int32_t i = 0; i < n; ++i)
        lane_at(z, i) = is_spoilt ? (double)NAN : *staged_answer(work, k, i, who->index);
    if (is_spoilt)
        staged_found(problem, 0.0, 0.0, 0.0);
    else
        staged_found(problem, *staged_answer(work, k, n, who->index), *staged_answer(work, k, n + 1, who->index),
                     *staged_answer(work, k, n + 2, who->index));
}

/* The external solver of an evaluation. */
static __device__ void staged_solve(void *user, const sarrus_external_problem *problem) {
    staged_member *who = (staged_member *)user;
    const int32_t k = who->n_asked++;
    if (k < who->n_answered) {
        staged_take(who, k, problem);
        return;
    }
    if (who->wants == 0) {
        who->wants = problem->m;
        if (who->work->may_ask && problem->m == who->work->m)
            staged_ask(who, problem);
    }
    for (int32_t i = 0; i < problem->n; ++i)
        lane_at((real *)problem->z, i) = real_set(0.0);
    staged_found(problem, *(const double *)problem->max_rank, 0.0, 0.0);
}

/* The member of this thread: false when there is none, or none that has something to do. */
static __device__ bool staged_begin(const staged_launch *work, staged_member *who) {
    who->work = work;
    who->index = staged_thread();
    if (who->index >= work->n_members)
        return false;
    who->slot = work->has_all ? who->index : work->at.slot[who->index];
    if (who->slot < 0)
        return false;
    who->n_answered = work->at.n_answered[who->index];
    who->n_asked = who->wants = 0;
    const size_t i_tile = (size_t)(who->index / LANE_WIDTH), lane = (size_t)(who->index % LANE_WIDTH);
    who->tile = work->lanes.tiles + i_tile * (size_t)work->mech.layout.n_arrays * LANE_WIDTH + lane;
    real *workspace = work->lanes.workspace + i_tile * work->lanes.n_workspace_arrays * LANE_WIDTH + lane;
    (void)sarrus_workspace_cut(&work->mech, workspace, &who->ws);
    sarrus_constant_directions(&work->mech, &who->ws);
    who->ev.rank_path = nullptr;
    who->ev.rank_path_user = nullptr;
    who->ev.external = nullptr;
    who->ev.external_user = who;
    sarrus_evaluation_begin(&who->ev, &work->mech, &who->ws, who->tile);
    return true;
}

/* Says whether the member waits, for itself and among all. */
static __device__ void staged_end(const staged_member *who) {
    const staged_launch *work = who->work;
    work->at.n_answered[who->index] = who->n_answered;
    work->at.wants[who->index] = who->wants;
    if (who->wants != 0 && !work->may_ask)
        (void)atomicAdd(&work->at.counter[SARRUS_STAGED_N_WAITING], 1);
}

#endif
