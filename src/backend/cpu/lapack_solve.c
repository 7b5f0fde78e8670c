#include "backend/cpu/lapack_solve.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stop.h"

#define SARRUS_LANE_WIDTH 2
#include "kernels/pinv/rank.h"

static int larger(int a, int b) {
    return a > b ? a : b;
}
static int smaller(int a, int b) {
    return a < b ? a : b;
}

bool sarrus_lapack_solver_create(const sarrus_mechanism *mech, sarrus_lapack_solver *solver) {
    int m = mech->m, n = mech->n_v, rank = 0, i_work = 0;
    double work = 0.0, dummy = 0.0;
    memset(solver, 0, sizeof *solver);
    solver->mech = mech;
    if (m == 0 || n == 0)
        return true;
    if (LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, &dummy, m, &dummy, larger(m, n), &dummy, -1.0, &rank, &work, -1, &i_work) !=
        0) {
        return false;
    }
    solver->n_work = (int)work;
    solver->a = malloc((size_t)m * (size_t)n * sizeof *solver->a);
    solver->b = malloc((size_t)larger(m, n) * sizeof *solver->b);
    solver->sigma = malloc((size_t)smaller(m, n) * sizeof *solver->sigma);
    solver->pairs = malloc((size_t)(2 * smaller(m, n)) * sizeof *solver->pairs);
    solver->work = malloc((size_t)solver->n_work * sizeof *solver->work);
    solver->i_work = malloc((size_t)larger(i_work, 1) * sizeof *solver->i_work);
    if (solver->a && solver->b && solver->sigma && solver->pairs && solver->work && solver->i_work)
        return true;
    sarrus_lapack_solver_free(solver);
    return false;
}

void sarrus_lapack_solver_free(sarrus_lapack_solver *solver) {
    free(solver->a);
    free(solver->b);
    free(solver->sigma);
    free(solver->pairs);
    free(solver->work);
    free(solver->i_work);
    memset(solver, 0, sizeof *solver);
}

/* One lane; returns the number of singular values above rcond·σ₁, or −1 on failure. */
static int solve_lane(sarrus_lapack_solver *s, int m, int n, int width, const double *d, const double *b, double rcond) {
    int rank = 0;
    bool finite = true;
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < n; ++k) {
            double x = d[(i * n + k) * width];
            s->a[i + k * m] = x;
            finite = finite && isfinite(x);
        }
        s->b[i] = b[i * width];
        finite = finite && isfinite(s->b[i]);
    }
    for (int i = m; i < n; ++i)
        s->b[i] = 0.0;
    if (!finite)
        return -1;
    int info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, s->a, m, s->b, larger(m, n), s->sigma, rcond, &rank, s->work,
                                   s->n_work, s->i_work);
    return info == 0 ? rank : -1;
}

/* The threshold on σ/σ₁ that most decisions of the rule come out at. */
static double first_rcond(const sarrus_rank_rule *rule, int m, int n) {
    if (rule->method == SARRUS_RANK_GAP || rule->method == SARRUS_RANK_VIOLATION || rule->method == SARRUS_RANK_ABSOLUTE)
        return 2.220446049250313e-16 * larger(m, n);
    return rule->tolerance;
}

/* The decision of one lane on its singular values. The lanes' own text decides, for a pair of equal lanes. */
static sarrus_rank_decision decide(const sarrus_lapack_solver *s, const sarrus_external_problem *problem, int lane) {
    const int count = smaller(problem->m, problem->n);
    const sarrus_rank_limit limit = {
        real_set(((const double *)problem->max_rank)[lane]), real_set(((const double *)problem->previous)[lane]),
        real_set(((const double *)problem->violation)[lane]), real_set(1.0), real_set(((const double *)problem->share)[lane])};
    real *x = (real *)(void *)s->pairs;
    for (int i = 0; i < count; ++i)
        x[i] = real_set(s->sigma[i]);
    return sarrus_rank_decide(&s->mech->rank, &limit, problem->m, problem->n, x, 1, count);
}

void sarrus_lapack_solve(void *user, const sarrus_external_problem *problem) {
    sarrus_lapack_solver *s = user;
    const int m = problem->m, n = problem->n, width = problem->width;
    for (int lane = 0; lane < width; ++lane) {
        const double *d = (const double *)problem->d + lane, *b = (const double *)problem->b + lane;
        double *z = (double *)problem->z + lane;
        const bool is_idle = ((const double *)problem->active)[lane] == 0.0 || sarrus_stop_is_asked(s->stop);
        int rank = is_idle ? 0 : solve_lane(s, m, n, width, d, b, first_rcond(&s->mech->rank, m, n));
        sarrus_rank_decision found = {real_set(0.0), real_set(0.0), real_set(0.0)};
        if (rank >= 0 && !is_idle) {
            found = decide(s, problem, lane);
            const int wanted = (int)found.rank[0];
            if (wanted == 0)
                rank = 0;
            else if (wanted != rank)
                rank = solve_lane(s, m, n, width, d, b, sqrt(found.kept[0] * found.dropped[0]) / s->sigma[0]);
        }
        ((double *)problem->rank)[lane] = found.rank[0];
        ((double *)problem->kept)[lane] = found.kept[0];
        ((double *)problem->dropped)[lane] = found.dropped[0];
        for (int k = 0; k < n; ++k)
            z[k * width] = rank > 0 ? s->b[k] : rank == 0 ? 0.0 : NAN;
    }
}
