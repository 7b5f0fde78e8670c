/* The mechanism's size, and how far its rows are from depending on one another in ordinary configurations: the pivot of each row of
 * S = D Dᵀ in elimination order, relative to its own S_kk, as the kernels' factor finds it (the rows of crank pins first). Of the
 * configurations that the plan has looked at the largest counts: one of them may be near a change point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/configuration.h"
#include "plan/loop_sets.h"

/* The factor of S by numbers: blocks [n_blocks + n_entries][2][2] as the kernels have them, and what the pivot of each of their
 * rows is judged by. */
typedef struct pivots {
    sarrus_plan_rows rows; /* of J M^{-1/2}, on cranks what their pins leave of them */
    int (*of_block)[2];    /* [n_blocks] rows of the mechanism, −1: a pad */
    double *block, *own;   /* [4 (n_blocks + n_entries)], [2 n_blocks] */
    double *now, *most;    /* [2 n_blocks] pivots relative to that: here, and the largest so far; 0: none */
} pivots;

static void pivots_free(pivots *p) {
    free(p->rows.value);
    free(p->of_block);
    free(p->block);
    free(p->own);
    free(p->now);
    free(p->most);
}

static bool pivots_create(pivots *p, const sarrus_configuration *c) {
    const sarrus_mech_factor *f = &c->plan->mech.factor;
    const size_t n_blocks = (size_t)f->n_blocks;
    p->rows = c->rows;
    p->rows.value = calloc((size_t)(c->rows.n_sides * c->rows.n_each) * (size_t)c->m + 1, sizeof *p->rows.value);
    p->of_block = malloc((n_blocks + 1) * sizeof *p->of_block);
    p->block = calloc(4 * (n_blocks + (size_t)f->n_entries) + 1, sizeof *p->block);
    p->own = calloc(2 * n_blocks + 1, sizeof *p->own);
    p->now = calloc(2 * n_blocks + 1, sizeof *p->now);
    p->most = calloc(2 * n_blocks + 1, sizeof *p->most);
    if (!p->rows.value || !p->of_block || !p->block || !p->own || !p->now || !p->most)
        return false;
    for (size_t k = 0; k < n_blocks; ++k)
        p->of_block[k][0] = p->of_block[k][1] = -1;
    for (int i = 0; i < f->n_rows; ++i)
        p->of_block[f->at[i] / 2][f->at[i] % 2] = f->row_of[i];
    return true;
}

/* The direction of a crank that the two rows of its pin leave free, in weighted coordinates. */
static void free_direction(const double *x, const double *y, double *u) {
    for (int k = 0; k < 3; ++k)
        u[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; ++k)
        u[k] = length > 0.0 ? u[k] / length : 0.0;
}

/* Rows without the part on cranks that the pins' rows, eliminated first, take away. */
static void take_rows(const sarrus_configuration *c, pivots *p) {
    memcpy(p->rows.value, c->rows.value, (size_t)(c->rows.n_sides * c->rows.n_each) * (size_t)c->m * sizeof *p->rows.value);
    for (int i = 0; i < c->m; ++i) {
        const sarrus_mech_joint *joint = &c->plan->joint[c->plan->row[i].joint];
        for (int side = 0; side < 2; ++side) {
            const int32_t crank = side ? joint->child_crank : joint->parent_crank;
            double u[3], along = 0.0, *part = sarrus_plan_row_side(&p->rows, i, side);
            if (crank < 0)
                continue;
            free_direction(sarrus_plan_row_side(&c->rows, crank / 2, crank % 2),
                           sarrus_plan_row_side(&c->rows, crank / 2 + 1, crank % 2), u);
            for (int k = 0; k < 3; ++k)
                along += part[k] * u[k];
            for (int k = 0; k < 3; ++k)
                part[k] = along * u[k];
        }
    }
}

/* Entry of S between two rows; a pad is 1 with itself and 0 with others. */
static double entry_of(const sarrus_configuration *c, const pivots *p, int i, int j) {
    double sum = 0.0;
    if (i < 0 || j < 0)
        return 0.0;
    const int n_sides = c->rows.n_sides;
    for (int sides = 0; sides < n_sides * n_sides; ++sides) {
        const int of_i = sides / n_sides, of_j = sides % n_sides;
        const double *a = sarrus_plan_row_side(&p->rows, i, of_i), *b = sarrus_plan_row_side(&p->rows, j, of_j);
        const int32_t body = c->rows.body[i][of_i];
        double of_body = 0.0;
        for (int k = 0; body >= 0 && body == c->rows.body[j][of_j] && k < c->rows.n_each; ++k)
            of_body += a[k] * b[k];
        sum += of_body;
    }
    return sum;
}

static void fill_block(const sarrus_configuration *c, const pivots *p, int i, int j, double *block) {
    for (int r = 0; r < 4; ++r)
        block[r] = entry_of(c, p, p->of_block[i][r / 2], p->of_block[j][r % 2]);
    for (int r = 0; i == j && r < 2; ++r) {
        if (p->of_block[i][r] < 0)
            block[3 * r] = 1.0;
    }
}

/* Fills S, and what the kernels judge pivots by: S_kk and the 1/m of the cranks. */
static void fill_all(const sarrus_configuration *c, pivots *p) {
    const sarrus_mech_factor *f = &c->plan->mech.factor;
    take_rows(c, p);
    for (int k = 0; k < f->n_blocks; ++k) {
        fill_block(c, p, k, k, p->block + 4 * (ptrdiff_t)k);
        p->own[2 * k] = p->block[4 * (ptrdiff_t)k];
        p->own[2 * k + 1] = p->block[4 * (ptrdiff_t)k + 3];
        for (int e = f->column[k]; e < f->column[k + 1]; ++e)
            fill_block(c, p, f->entry_row[e], k, p->block + 4 * ((ptrdiff_t)f->n_blocks + e));
    }
    for (int i = 0; i < f->n_scales; ++i) {
        const double weight = c->weight[f->scale[i].body].shift;
        p->own[f->scale[i].at] += weight * weight;
    }
}

/* to ← to − L_a D L_bᵀ, l = L_a and m = L_b D, both [2][2]. */
static void update_block(double *to, const double *l, const double *m) {
    to[0] -= l[0] * m[0] + l[1] * m[1];
    to[1] -= l[0] * m[2] + l[1] * m[3];
    to[2] -= l[2] * m[0] + l[3] * m[1];
    to[3] -= l[2] * m[2] + l[3] * m[3];
}

/* What column k's blocks take away of later ones; its own become L. */
static void eliminate_column(const sarrus_mech_factor *f, pivots *p, int k, int32_t *update) {
    const double *d = p->block + 4 * (ptrdiff_t)k, d0 = d[0], l = d[2] / d0, d1 = d[3] - l * d[2];
    double *column = p->block + 4 * (ptrdiff_t)f->n_blocks;
    for (int b = f->column[k]; b < f->column[k + 1]; ++b) {
        const double *from = column + 4 * (ptrdiff_t)b;
        const double m[4] = {from[0], from[1], from[2], from[3]};
        for (int a = b; a < f->column[k + 1]; ++a) {
            const double *s = column + 4 * (ptrdiff_t)a;
            double solved[4];
            for (int r = 0; r < 2; ++r) {
                solved[2 * r + 1] = (s[2 * r + 1] - l * s[2 * r]) / d1;
                solved[2 * r] = s[2 * r] / d0 - l * solved[2 * r + 1];
            }
            update_block(p->block + 4 * (ptrdiff_t)f->update[(*update)++], solved, m);
        }
    }
}

/* The pivots of the factor's rows relative to their own size; false when one is not positive. */
static bool pivots_at(sarrus_configuration *c, pivots *p) {
    const sarrus_mech_factor *f = &c->plan->mech.factor;
    int32_t update = 0;
    (void)sarrus_configuration_rows(c, 0.0);
    fill_all(c, p);
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

/* What follows from the pivots that were seen: ordinary ones, of round-off at least, and what the factor may use. It knows a
 * direction to ε/pivot; a row held apart costs more: no ordinary one is. */
static void settle(sarrus_plan *plan, const pivots *p) {
    static const double guard_most = 1e-3, guard_of_all = 1e-5, pivot_least = 1e-5;
    sarrus_mechanism *mech = &plan->mech;
    const int n = 2 * mech->factor.n_blocks;
    mech->ordinary = 1.0;
    for (int k = 0; k < n; ++k) {
        plan->guard[k] = fmax(sarrus_plan_rounded(p->most[k]), pivot_least);
        mech->ordinary = fmin(plan->guard[k], mech->ordinary);
    }
    mech->guard = fmin(guard_of_all / mech->ordinary, guard_most);
    for (int k = 0; k < n; ++k)
        plan->guard[k] *= mech->guard;
}

static sarrus_status find_ordinary(sarrus_plan *plan, sarrus_configuration *c) {
    const sarrus_plan_independence *seen = &plan->independence;
    pivots p = {0};
    plan->guard = calloc(2 * (size_t)plan->mech.factor.n_blocks + 1, sizeof *plan->guard);
    plan->mech.factor.guard = plan->guard;
    const bool good = pivots_create(&p, c) && plan->guard;
    sarrus_status status = good ? SARRUS_OK : SARRUS_NO_MEMORY;
    for (int i = 0; status == SARRUS_OK && i < seen->n_configurations; ++i) {
        if (!seen->is_asked[i])
            continue;
        memcpy(c->q, seen->configurations + (size_t)i * (size_t)c->n_q, (size_t)c->n_q * sizeof *c->q);
        const bool counts = pivots_at(c, &p);
        for (int k = 0; counts && k < 2 * plan->mech.factor.n_blocks; ++k)
            p.most[k] = fmax(p.now[k], p.most[k]);
        status = sarrus_plan_watch_goes_on(plan->watch) ? SARRUS_OK : SARRUS_INTERRUPTED;
    }
    if (status == SARRUS_OK)
        settle(plan, &p);
    pivots_free(&p);
    return status;
}

/* Which joints lie on loops: those that share their set of loops with another one. */
static sarrus_status mark_loops(sarrus_plan *plan) {
    const int n = plan->mech.n_joints + plan->mech.n_constraints;
    int *loop = malloc(((size_t)n + 1) * sizeof *loop), *first = malloc(((size_t)n + 1) * sizeof *first);
    const bool good = loop && first && sarrus_plan_loop_sets_find(plan, loop) >= 0;
    for (int i = 0; good && i < n; ++i)
        first[i] = -1;
    for (int i = 0; good && i < n; ++i) {
        int *at = &first[loop[i]];
        plan->joint[i].is_in_loop = *at >= 0;
        if (*at >= 0)
            plan->joint[*at].is_in_loop = 1;
        else
            *at = i;
    }
    free(loop);
    free(first);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

sarrus_status sarrus_plan_ordinary_find(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_status status = sarrus_configuration_create(plan, &c);
    if (status == SARRUS_OK) {
        plan->mech.size = plan->start.size > 0.0 ? sarrus_plan_rounded(plan->start.size) : 1.0;
        /* What loads do over round-off of positions is the energy of 1e-7 of the mechanism a second. */
        for (int b = 0; b < plan->mech.n_bodies; ++b)
            plan->mech.energy_floor += sarrus_plan_rounded(pow(1e-7 * plan->mech.size / c.weight[b].shift, 2.0));
        if (plan->mech.m > 0)
            status = find_ordinary(plan, &c);
        if (status == SARRUS_OK)
            status = mark_loops(plan);
        sarrus_configuration_free(&c);
    }
    if (status == SARRUS_NO_MEMORY)
        return sarrus_report(context, status, "out of memory while the mechanism is measured");
    return status;
}
