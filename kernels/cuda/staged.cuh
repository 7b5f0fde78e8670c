/* The kernels of the staged path (staged.h). A thread is a member in the kernels that evaluate, a slot in those that work on the
 * batch. */
#ifndef SARRUS_CUDA_STAGED_CUH
#define SARRUS_CUDA_STAGED_CUH

/* Plans that go this way are solved by the libraries. */
#define SARRUS_PINV_NONE 1
#include "kernels/cuda/staged.h"
#include "kernels/step/observe.h"
#include "kernels/step/stages.h"

/* Two warps a block, as the fused kernels. */
static const int STAGED_THREADS = 2 * LANE_WIDTH;

/* A factorisation is as good as its residual: this many ε of σ₁ (of λ₁) for each row or column. Jacobi and QR iterations stay below
 * 10; what is above 64 has not converged, whatever was reported. */
static const double STAGED_RESIDUAL = 64.0 * 2.220446049250313e-16;

/* A launch with everything by value, so that it lies in constant memory. */
struct staged_launch {
    sarrus_mechanism mech;
    sarrus_cuda_lanes lanes;
    sarrus_staged_arrays at;
    int32_t n_members, is_gram, has_all, may_ask, m, n_slots;
};

static staged_launch staged_launch_of(const sarrus_staged_call *call) {
    staged_launch work = {*call->base.mech, call->base.lanes, call->arrays, call->n_members, call->is_gram,
                          call->has_all,    call->may_ask,    call->m,      call->n_slots};
    return work;
}

static unsigned staged_blocks(int32_t n_threads) {
    return (unsigned)((n_threads + STAGED_THREADS - 1) / STAGED_THREADS);
}

static_assert(sizeof(staged_launch) + sizeof(sarrus_clock) + 2 * sizeof(int32_t) <= SARRUS_CUDA_PARAMETERS, "of the step kernel");
static_assert(sizeof(staged_launch) + sizeof(double) + sizeof(sarrus_observe_request) + sizeof(double *) <= SARRUS_CUDA_PARAMETERS,
              "of the kernel that observes");

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

static __device__ int32_t staged_thread() {
    return (int32_t)(blockIdx.x * STAGED_THREADS + threadIdx.x);
}

/* Array i of answer `k`, at the member's place. */
static __device__ double *staged_answer(const staged_launch *work, int32_t k, int32_t i, int32_t member) {
    return work->at.answer + ((size_t)k * (size_t)(work->mech.n_v + 3) + (size_t)i) * (size_t)work->n_members + member;
}

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
    sarrus_jacobi_problem svd = {problem->m, problem->n, ws->d, ws->d_rhs, ws->norm2, ws->sigma, nullptr, nullptr};
    const sarrus_rank_limit limit = {*(const double *)problem->max_rank, *(const double *)problem->previous,
                                     *(const double *)problem->violation, real_set(1.0), *(const double *)problem->share};
    sarrus_jacobi_run(&svd, true);
    const sarrus_rank_decision found = sarrus_jacobi_keep(&svd, &who->work->mech.rank, &limit);
    sarrus_jacobi_apply(&svd, (real *)problem->z);
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
    who->ev.external = staged_solve;
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

static __global__ void staged_step_kernel(const __grid_constant__ staged_launch work, const __grid_constant__ sarrus_clock clock,
                                          int32_t stage) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    who.n_answered = 0;
    sarrus_evaluation *ev = &who.ev;
    double *force_is_finite = work.at.carry + who.index, *rank = force_is_finite + work.n_members;
    const double t = sarrus_lane_time(&work.mech, who.tile, &clock, clock.step);
    const double h = sarrus_lane_time(&work.mech, who.tile, &clock, clock.step + 1) - t;
    if (stage > 0) {
        ev->found.rank = *rank;
        ev->held = stage > 1 && work.mech.integrator.has_step_gains ? who.ws.held : nullptr;
        sarrus_stage_end(ev, stage - 1, t, h, who.tile);
    }
    if (stage == sarrus_step_stages(&work.mech)) {
        sarrus_stages_finish(ev, &clock, clock.step + 1, *force_is_finite != 0.0);
        return;
    }
    mask is_finite = true;
    sarrus_stage_accelerate(ev, stage, t, h, who.tile, &is_finite);
    if (stage == 0)
        *force_is_finite = is_finite ? 1.0 : 0.0;
    *rank = ev->found.rank;
    staged_end(&who);
}

static __global__ void staged_resume_kernel(const __grid_constant__ staged_launch work) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    sarrus_correct(&who.ev, who.ws.rhs, who.ws.force, who.ws.a);
    work.at.carry[work.n_members + who.index] = who.ev.found.rank;
    staged_end(&who);
}

static __global__ void staged_observe_kernel(const __grid_constant__ staged_launch work,
                                             const __grid_constant__ sarrus_observe_request want, double *out) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    const size_t i_tile = (size_t)(who.index / LANE_WIDTH), lane = (size_t)(who.index % LANE_WIDTH);
    sarrus_observe(&who.ev, who.tile, &want, out + i_tile * (size_t)want.n_arrays * LANE_WIDTH + lane);
    staged_end(&who);
}

/* ‖D − U Σ Vᵀ‖ in the Frobenius norm, squared. */
static __device__ double staged_residual(const double *d, const double *u, const double *sigma, const double *v, int32_t m,
                                         int32_t n) {
    const int32_t count = m < n ? m : n;
    double sum = 0.0;
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            double rest = d[i + (size_t)j * m];
            for (int32_t k = 0; k < count; ++k)
                rest = fma(-u[i + (size_t)k * m] * sigma[k], v[j + (size_t)k * n], rest);
            sum = fma(rest, rest, sum);
        }
    }
    return sum;
}

/* The same of D Dᵀ − U Λ Uᵀ. */
static __device__ double staged_gram_residual(const double *d, const double *u, const double *lambda, int32_t m, int32_t n) {
    double sum = 0.0;
    for (int32_t j = 0; j < m; ++j) {
        for (int32_t i = 0; i < m; ++i) {
            double rest = 0.0;
            for (int32_t k = 0; k < n; ++k)
                rest = fma(d[i + (size_t)k * m], d[j + (size_t)k * m], rest);
            for (int32_t k = 0; k < m; ++k)
                rest = fma(-u[i + (size_t)k * m] * lambda[k], u[j + (size_t)k * m], rest);
            sum = fma(rest, rest, sum);
        }
    }
    return sum;
}

/* Singular values, falling, as lanes. The square root of an eigenvalue at the round-off of the largest is noise, √(m ε) of σ₁: the
 * digits that D Dᵀ has lost. It does not count, whatever the rule. */
static __device__ void staged_sizes(const staged_launch *work, const double *sigma, int32_t count, double *sizes) {
    const int32_t m = work->m;
    const double floor = work->is_gram ? 2.220446049250313e-16 * m * sigma[m - 1] : 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const double x = work->is_gram ? sigma[m - 1 - i] : sigma[i];
        lane_at(sizes, i) = !work->is_gram ? x : x > floor ? sqrt(x) : 0.0;
    }
}

static __device__ bool staged_is_good(const staged_launch *work, size_t slot) {
    const int32_t m = work->m, n = work->mech.n_v, count = m < n ? m : n;
    const sarrus_staged_arrays *at = &work->at;
    const double bound = STAGED_RESIDUAL * (m > n ? m : n);
    const double *d = at->d + slot * (size_t)m * (size_t)n;
    double largest, residual;
    if (at->info[slot] != 0)
        return false;
    if (work->is_gram) {
        const double *lambda = at->sigma + slot * (size_t)m;
        largest = lambda[m - 1];
        residual = staged_gram_residual(d, at->scratch + slot * (size_t)m * (size_t)m, lambda, m, n);
    } else {
        const double *sigma = at->sigma + slot * (size_t)count;
        largest = sigma[0];
        residual = staged_residual(d, at->u + slot * (size_t)m * (size_t)m, sigma, at->v + slot * (size_t)n * (size_t)n, m, n);
    }
    return residual <= bound * largest * (bound * largest); /* false with anything that is not a number */
}

static __global__ void staged_weigh_kernel(const __grid_constant__ staged_launch work) {
    const int32_t slot = staged_thread();
    if (slot >= work.n_slots)
        return;
    const int32_t m = work.m, n = work.mech.n_v, count = m < n ? m : n, n_values = work.is_gram ? m : count;
    const int32_t member = work.at.member[slot], k = work.at.n_answered[member];
    int32_t *verdict = work.at.verdict + (size_t)k * (size_t)work.n_members + member;
    const double *sigma = work.at.sigma + (size_t)slot * (size_t)n_values;
    double *c = work.at.c + (size_t)slot * (size_t)m;
    double *sizes = work.at.sizes + (size_t)(slot / LANE_WIDTH) * (size_t)count * LANE_WIDTH + slot % LANE_WIDTH;
    if (*verdict == SARRUS_STAGED_SOLVED && !staged_is_good(&work, (size_t)slot)) {
        *verdict = SARRUS_STAGED_REFUSED;
        (void)atomicAdd(&work.at.counter[SARRUS_STAGED_N_REFUSED], 1);
    }
    if (*verdict != SARRUS_STAGED_SOLVED) {
        for (int32_t i = 0; i < m; ++i)
            c[i] = 0.0;
        return;
    }
    const double *of = work.at.limit + slot;
    const sarrus_rank_limit limit = {of[0], of[work.n_members], of[2 * (size_t)work.n_members], real_set(1.0),
                                     of[3 * (size_t)work.n_members]};
    staged_sizes(&work, sigma, count, sizes);
    const sarrus_rank_decision found = sarrus_rank_decide(&work.mech.rank, &limit, m, n, sizes, 1, count);
    for (int32_t i = 0; i < m; ++i) {
        const int32_t place = work.is_gram ? m - 1 - i : i; /* among falling values */
        c[i] = place < (int32_t)found.rank ? c[i] / sigma[i] : 0.0;
    }
    *staged_answer(&work, k, n, member) = found.rank;
    *staged_answer(&work, k, n + 1, member) = found.kept;
    *staged_answer(&work, k, n + 2, member) = found.dropped;
}

static __global__ void staged_deliver_kernel(const __grid_constant__ staged_launch work) {
    const int32_t slot = staged_thread();
    if (slot >= work.n_slots)
        return;
    const int32_t n = work.mech.n_v, member = work.at.member[slot], k = work.at.n_answered[member];
    for (int32_t i = 0; i < n; ++i)
        *staged_answer(&work, k, i, member) = work.at.z[(size_t)slot * (size_t)n + i];
    work.at.n_answered[member] = k + 1;
}

#endif
