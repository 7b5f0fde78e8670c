/* The mechanism's size, and how far its rows are from depending on one another in ordinary configurations: the smallest pivot of
 * S = D Dᵀ in elimination order, relative to its row's own S_kk, as the kernels' factor finds it (the rows of crank pins first). Of
 * the configurations that the plan has looked at the largest counts: one of them may be near a change point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/configuration.h"

/* Rows in the order of the elimination: the pins of cranks, then those of the factor; returns how many. */
static int rows_in_order(const sarrus_plan *plan, int *order) {
    int n = 0;
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        for (int k = 0; plan->joint[i].is_crank_pin && k < 2; ++k)
            order[n++] = plan->joint[i].row + k;
    }
    for (int k = 0; k < plan->mech.factor.n_rows; ++k)
        order[n++] = plan->mech.factor.row_of[k];
    return n;
}

/* own[k] ← what the kernels judge the pivot of row k by, once the first n_first rows, those of crank pins, are eliminated: S_kk and
 * the 1/m of the cranks. */
static void own_sizes(const sarrus_configuration *c, const double *s, int n_rows, int n_first, double *own) {
    const sarrus_mech_factor *factor = &c->plan->mech.factor;
    for (int k = n_first; k < n_rows; ++k) {
        own[k] = s[k * n_rows + k];
        for (int i = 0; i < factor->n_scales; ++i) {
            const double weight = c->weight[3 * factor->scale[i].body];
            own[k] += factor->scale[i].at == factor->at[k - n_first] ? weight * weight : 0.0;
        }
    }
}

/* The smallest pivot of the last n_rows − n_first rows relative to their own size. s [n_rows²] is destroyed. */
static double smallest_pivot(const sarrus_configuration *c, double *s, int n_rows, int n_first, double *own) {
    double smallest = 1.0;
    for (int k = 0; k < n_rows; ++k) {
        const double pivot = s[k * n_rows + k];
        if (k == n_first)
            own_sizes(c, s, n_rows, n_first, own);
        if (k >= n_first)
            smallest = fmin(smallest, pivot / own[k]);
        if (!(pivot > 0.0))
            return 0.0;
        for (int i = k + 1; i < n_rows; ++i) {
            const double l = s[i * n_rows + k] / pivot;
            for (int j = k + 1; j <= i && l != 0.0; ++j)
                s[i * n_rows + j] -= l * s[j * n_rows + k];
        }
    }
    return smallest;
}

static double pivot_at(sarrus_configuration *c, const int *order, int n_rows, double *s, double *own) {
    const int m = c->m, n = c->n;
    (void)sarrus_configuration_rows(c, 0.0);
    for (int i = 0; i < n_rows; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k)
                sum += c->jacobian[order[i] + k * m] * c->jacobian[order[j] + k * m];
            s[i * n_rows + j] = sum;
        }
    }
    return smallest_pivot(c, s, n_rows, 2 * c->plan->mech.n_cranks, own);
}

static sarrus_status find_ordinary(sarrus_plan *plan, sarrus_configuration *c) {
    const sarrus_plan_independence *seen = &plan->independence;
    const size_t r = (size_t)seen->n_independent;
    int *order = calloc(r + 1, sizeof *order);
    double *s = calloc(r * r + 1, sizeof *s), *own = calloc(r + 1, sizeof *own), best = 0.0;
    const bool good = order && s && own;
    for (int i = 0; good && i < seen->n_configurations; ++i) {
        if (!seen->is_asked[i])
            continue;
        memcpy(c->q, seen->configurations + (size_t)i * (size_t)c->n, (size_t)c->n * sizeof *c->q);
        best = fmax(best, pivot_at(c, order, rows_in_order(plan, order), s, own));
    }
    free(order);
    free(s);
    free(own);
    if (!good)
        return SARRUS_NO_MEMORY;
    plan->mech.ordinary = best > 1e-12 ? sarrus_plan_rounded(best) : 1e-12;
    plan->mech.ordinary_root = sqrt(plan->mech.ordinary);
    /* The factor knows a direction to ε/pivot. A row held apart costs more: no ordinary one is, unless digits run out. */
    plan->mech.guard = fmax(fmin(plan->mech.guard, 1e-3 * plan->mech.ordinary), 1e-8);
    return SARRUS_OK;
}

sarrus_status sarrus_plan_ordinary_find(sarrus_context *context, sarrus_plan *plan) {
    sarrus_configuration c;
    sarrus_status status = sarrus_configuration_create(plan, &c);
    if (status == SARRUS_OK) {
        plan->mech.size = plan->start.size > 0.0 ? sarrus_plan_rounded(plan->start.size) : 1.0;
        /* What loads do over round-off of positions is the energy of 1e-7 of the mechanism a second. */
        for (int b = 0; b < plan->mech.n_bodies; ++b)
            plan->mech.energy_floor += sarrus_plan_rounded(pow(1e-7 * plan->mech.size / c.weight[3 * b], 2.0));
        if (plan->mech.m > 0)
            status = find_ordinary(plan, &c);
        sarrus_configuration_free(&c);
    }
    if (status != SARRUS_OK)
        return sarrus_report(context, status, "out of memory while the mechanism is measured");
    return SARRUS_OK;
}
