#include "backend/lapack_solve.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int larger(int a, int b) {
    return a > b ? a : b;
}
static int smaller(int a, int b) {
    return a < b ? a : b;
}

bool sarrus_lapack_solver_create(const sarrus_mechanism *mech, sarrus_lapack_solver *solver) {
    int m = mech->m, n = mech->n, rank = 0, i_work = 0;
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
    solver->work = malloc((size_t)solver->n_work * sizeof *solver->work);
    solver->i_work = malloc((size_t)larger(i_work, 1) * sizeof *solver->i_work);
    if (solver->a && solver->b && solver->sigma && solver->work && solver->i_work)
        return true;
    sarrus_lapack_solver_free(solver);
    return false;
}

void sarrus_lapack_solver_free(sarrus_lapack_solver *solver) {
    free(solver->a);
    free(solver->b);
    free(solver->sigma);
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

void sarrus_lapack_solve(void *user, int32_t m, int32_t n, int32_t width, const void *d, const void *b, const void *max_rank,
                         void *z) {
    sarrus_lapack_solver *s = user;
    const sarrus_mechanism *mech = s->mech;
    for (int32_t lane = 0; lane < width; ++lane) {
        const double *dl = (const double *)d + lane, *bl = (const double *)b + lane;
        double *zl = (double *)z + lane;
        double rcond = mech->rank.tolerance;
        int most = smaller(smaller(m, n), (int)((const double *)max_rank)[lane]);
        int rank = solve_lane(s, m, n, width, dl, bl, rcond);
        if (rank >= 0 && mech->rank.method == SARRUS_RANK_ABSOLUTE && s->sigma[0] > 0.0) {
            rank = solve_lane(s, m, n, width, dl, bl, mech->rank.tolerance / s->sigma[0]);
        } else if (mech->rank.method == SARRUS_RANK_AUTO && rank > most && most > 0) {
            rank = solve_lane(s, m, n, width, dl, bl, sqrt(s->sigma[most - 1] * s->sigma[most]) / s->sigma[0]);
        }
        for (int32_t k = 0; k < n; ++k)
            zl[k * width] = rank >= 0 ? s->b[k] : NAN;
    }
}
