#include "plan/pivots.h"

#include <math.h>
#include <stdlib.h>

#include "plan/build.h"

bool sarrus_pivots_create(sarrus_pivots *p, const sarrus_mech_factor *f) {
    const size_t n_blocks = (size_t)f->n_blocks;
    *p = (sarrus_pivots){.factor = f};
    p->of_block = malloc((n_blocks + 1) * sizeof *p->of_block);
    p->block = calloc(4 * (n_blocks + (size_t)f->n_entries) + 1, sizeof *p->block);
    p->own = calloc(2 * n_blocks + 1, sizeof *p->own);
    p->now = calloc(2 * n_blocks + 1, sizeof *p->now);
    p->most = calloc(2 * n_blocks + 1, sizeof *p->most);
    p->solved = calloc(4 * n_blocks + 1, sizeof *p->solved);
    if (!p->of_block || !p->block || !p->own || !p->now || !p->most || !p->solved)
        return false;
    for (size_t k = 0; k < n_blocks; ++k)
        p->of_block[k][0] = p->of_block[k][1] = -1;
    for (int i = 0; i < f->n_rows; ++i)
        p->of_block[f->at[i] / 2][f->at[i] % 2] = f->row_of[i];
    return true;
}

void sarrus_pivots_free(sarrus_pivots *p) {
    free(p->of_block);
    free(p->block);
    free(p->own);
    free(p->now);
    free(p->most);
    free(p->solved);
}

/* A pad is 1 with itself and 0 with others. */
static void fill_block(const sarrus_pivots *p, sarrus_pivots_entry entry, const void *of, int32_t i, int32_t j, double *block) {
    for (int r = 0; r < 4; ++r) {
        const int row = p->of_block[i][r / 2], column = p->of_block[j][r % 2];
        block[r] = row < 0 || column < 0 ? 0.0 : entry(of, row, column);
    }
    for (int r = 0; i == j && r < 2; ++r) {
        if (p->of_block[i][r] < 0)
            block[3 * r] = 1.0;
    }
}

void sarrus_pivots_fill(sarrus_pivots *p, sarrus_pivots_entry entry, const void *of) {
    const sarrus_mech_factor *f = p->factor;
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        fill_block(p, entry, of, k, k, p->block + 4 * (ptrdiff_t)k);
        p->own[2 * k] = p->block[4 * (ptrdiff_t)k];
        p->own[2 * k + 1] = p->block[4 * (ptrdiff_t)k + 3];
        for (int32_t e = f->column[k]; e < f->column[k + 1]; ++e)
            fill_block(p, entry, of, f->entry_row[e], k, p->block + 4 * ((ptrdiff_t)f->n_blocks + e));
    }
}

/* to ← to − L_a D L_bᵀ, l = L_a and m = L_b D, both [2][2]. */
static void update_block(double *to, const double *l, const double *m) {
    to[0] -= l[0] * m[0] + l[1] * m[1];
    to[1] -= l[0] * m[2] + l[1] * m[3];
    to[2] -= l[2] * m[0] + l[3] * m[1];
    to[3] -= l[2] * m[2] + l[3] * m[3];
}

/* What column k's blocks take away of later ones; its own stay L D. Each is divided by D once, not once for every other one. */
static void eliminate_column(const sarrus_mech_factor *f, sarrus_pivots *p, int k, int32_t *update) {
    const double *d = p->block + 4 * (ptrdiff_t)k, d0 = d[0], l = d[2] / d0, d1 = d[3] - l * d[2];
    const int n = f->column[k + 1] - f->column[k];
    const double *column = p->block + 4 * ((ptrdiff_t)f->n_blocks + f->column[k]);
    for (ptrdiff_t r = 0; r < 2 * (ptrdiff_t)n; ++r) {
        const double *s = column + 2 * r;
        p->solved[2 * r + 1] = (s[1] - l * s[0]) / d1;
        p->solved[2 * r] = s[0] / d0 - l * p->solved[2 * r + 1];
    }
    for (ptrdiff_t b = 0; b < n; ++b) {
        for (ptrdiff_t a = b; a < n; ++a)
            update_block(p->block + 4 * (ptrdiff_t)f->update[(*update)++], p->solved + 4 * a, column + 4 * b);
    }
}

bool sarrus_pivots_find(sarrus_pivots *p) {
    const sarrus_mech_factor *f = p->factor;
    int32_t update = 0;
    for (int k = 0; k < f->n_blocks; ++k) {
        const double *d = p->block + 4 * (ptrdiff_t)k;
        const double pivot[2] = {d[0], d[3] - d[2] * d[2] / d[0]};
        for (int r = 0; r < 2; ++r) {
            if (!(pivot[r] > 0.0))
                return false;
            p->now[2 * k + r] = p->of_block[k][r] >= 0 ? pivot[r] / p->own[2 * k + r] : 1.0;
        }
        eliminate_column(f, p, k, &update);
    }
    return true;
}

/* x [2] ← D⁻¹ x, d the block of the diagonal. */
static void solve_block(const double *d, double *x) {
    const double l = d[2] / d[0];
    x[1] = (x[1] - l * x[0]) / (d[3] - l * d[2]);
    x[0] = x[0] / d[0] - l * x[1];
}

void sarrus_pivots_solve(const sarrus_pivots *p, double *x) {
    const sarrus_mech_factor *f = p->factor;
    const double *column = p->block + 4 * (ptrdiff_t)f->n_blocks;
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        solve_block(p->block + 4 * (ptrdiff_t)k, x + 2 * k);
        for (int32_t e = f->column[k]; e < f->column[k + 1]; ++e) {
            const double *b = column + 4 * (ptrdiff_t)e;
            double *to = x + 2 * f->entry_row[e];
            to[0] -= b[0] * x[2 * k] + b[1] * x[2 * k + 1];
            to[1] -= b[2] * x[2 * k] + b[3] * x[2 * k + 1];
        }
    }
    for (int32_t k = f->n_blocks - 1; k >= 0; --k) {
        double later[2] = {0.0, 0.0};
        for (int32_t e = f->column[k]; e < f->column[k + 1]; ++e) {
            const double *b = column + 4 * (ptrdiff_t)e, *from = x + 2 * f->entry_row[e];
            later[0] += b[0] * from[0] + b[2] * from[1];
            later[1] += b[1] * from[0] + b[3] * from[1];
        }
        solve_block(p->block + 4 * (ptrdiff_t)k, later);
        x[2 * k] -= later[0];
        x[2 * k + 1] -= later[1];
    }
}

void sarrus_pivots_keep(sarrus_pivots *p) {
    for (int k = 0; k < 2 * p->factor->n_blocks; ++k)
        p->most[k] = fmax(p->now[k], p->most[k]);
}

/* What follows from the pivots that were seen: ordinary ones, of round-off at least, and what the factor may use. It knows a
 * direction to ε/pivot; a row held apart costs more: no ordinary one is. */
void sarrus_pivots_settle(const sarrus_pivots *p, sarrus_plan *plan) {
    static const double guard_most = 1e-3, guard_of_all = 1e-5, pivot_least = 1e-5;
    sarrus_mechanism *mech = &plan->mech;
    const int n = 2 * mech->factor.n_blocks;
    mech->ordinary = 1.0;
    for (int k = 0; k < n; ++k) {
        plan->guard[k] = fmax(sarrus_plan_rounded(p->most[k], SARRUS_BITS_OF_BOUNDS), pivot_least);
        mech->ordinary = fmin(plan->guard[k], mech->ordinary);
    }
    mech->guard = fmin(guard_of_all / mech->ordinary, guard_most);
    for (int k = 0; k < n; ++k)
        plan->guard[k] *= mech->guard;
}
