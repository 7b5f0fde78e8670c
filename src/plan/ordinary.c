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
#include "plan/pivots.h"

/* The rows whose products are S: of J M^{-1/2}, on cranks what their pins leave of them. */
typedef struct pinned_rows {
    const sarrus_configuration *c;
    sarrus_plan_rows rows;
} pinned_rows;

/* The direction of a crank that the two rows of its pin leave free, in weighted coordinates. */
static void free_direction(const double *x, const double *y, double *u) {
    for (int k = 0; k < 3; ++k)
        u[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; ++k)
        u[k] = length > 0.0 ? u[k] / length : 0.0;
}

/* Rows without the part on cranks that the pins' rows, eliminated first, take away. */
static void take_rows(pinned_rows *p) {
    const sarrus_configuration *c = p->c;
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

/* Entry of S between two rows. */
static double entry_of(const void *of, int i, int j) {
    const pinned_rows *p = of;
    const sarrus_configuration *c = p->c;
    double sum = 0.0;
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

/* The pivots of the factor's rows relative to their own size: S_kk and, of what cranks hold, their 1/m. False when one is not
 * positive. */
static bool pivots_at(sarrus_configuration *c, pinned_rows *rows, sarrus_pivots *p) {
    const sarrus_mech_factor *f = p->factor;
    (void)sarrus_configuration_rows(c, 0.0);
    take_rows(rows);
    sarrus_pivots_fill(p, entry_of, rows);
    for (int i = 0; i < f->n_scales; ++i) {
        const double weight = c->weight[f->scale[i].body].shift;
        p->own[f->scale[i].at] += weight * weight;
    }
    return sarrus_pivots_find(p);
}

static sarrus_status find_ordinary(sarrus_plan *plan, sarrus_configuration *c) {
    const sarrus_plan_independence *seen = &plan->independence;
    sarrus_pivots p;
    pinned_rows rows = {c, c->rows};
    rows.rows.value = calloc((size_t)(c->rows.n_sides * c->rows.n_each) * (size_t)c->m + 1, sizeof *rows.rows.value);
    plan->guard = calloc(2 * (size_t)plan->mech.factor.n_blocks + 1, sizeof *plan->guard);
    plan->mech.factor.guard = plan->guard;
    const bool good = sarrus_pivots_create(&p, &plan->mech.factor) && plan->guard && rows.rows.value;
    sarrus_status status = good ? SARRUS_OK : SARRUS_NO_MEMORY;
    for (int i = 0; status == SARRUS_OK && i < seen->n_configurations; ++i) {
        if (!seen->is_asked[i])
            continue;
        memcpy(c->q, seen->configurations + (size_t)i * (size_t)c->n_q, (size_t)c->n_q * sizeof *c->q);
        if (pivots_at(c, &rows, &p))
            sarrus_pivots_keep(&p);
        status = sarrus_plan_watch_goes_on(plan->watch) ? SARRUS_OK : SARRUS_INTERRUPTED;
    }
    if (status == SARRUS_OK)
        sarrus_pivots_settle(&p, plan);
    sarrus_pivots_free(&p);
    free(rows.rows.value);
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
        plan->mech.size = plan->start.size > 0.0 ? sarrus_plan_rounded(plan->start.size, SARRUS_BITS_OF_BOUNDS) : 1.0;
        /* What loads do over round-off of positions is the energy of 1e-7 of the mechanism a second. */
        for (int b = 0; b < plan->mech.n_bodies; ++b)
            plan->mech.energy_floor +=
                sarrus_plan_rounded(pow(1e-7 * plan->mech.size / c.weight[b].shift, 2.0), SARRUS_BITS_OF_BOUNDS);
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
