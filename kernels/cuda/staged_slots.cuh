/* The kernels that work on the slots of the batch: what the libraries found is weighed, and delivered to the members. */
#ifndef SARRUS_CUDA_STAGED_SLOTS_CUH
#define SARRUS_CUDA_STAGED_SLOTS_CUH

#include "kernels/cuda/staged_launch.cuh"

/* A factorisation is as good as its residual: this many ε of σ₁ (of λ₁) for each row or column. Jacobi and QR iterations stay below
 * 10; what is above 64 has not converged, whatever was reported. */
static const double STAGED_RESIDUAL = 64.0 * 2.220446049250313e-16;

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
