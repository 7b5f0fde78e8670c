#include "plan/configuration.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluator.h"

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

/* Vectors must be aligned to their size. */
static double *lane_arrays(size_t n_arrays, int32_t width) {
    size_t bytes = (n_arrays * (size_t)width * sizeof(double) + 63) / 64 * 64 + 64;
    double *block = aligned_alloc(64, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

static void put(sarrus_configuration *c, int32_t array, double x) {
    for (int32_t lane = 0; lane < c->kernels->width; ++lane)
        c->call.tile[array * c->kernels->width + lane] = x;
}

static sarrus_status fill_nominal(sarrus_configuration *c, const double *values) {
    const sarrus_mechanism *mech = &c->plan->mech;
    double *parameters = doubles((size_t)mech->n_parameters);
    if (!parameters)
        return SARRUS_NO_MEMORY;
    bool good = sarrus_plan_parameters(c->plan, values, parameters, c->q, c->v);
    for (int32_t i = 0; i < mech->n_parameters; ++i)
        put(c, mech->layout.parameter + i, parameters[i]);
    for (int b = 0; b < mech->n_bodies; ++b) {
        const double *p = parameters + mech->p_body + SARRUS_PB_N * b;
        c->weight[3 * b] = c->weight[3 * b + 1] = sqrt(p[SARRUS_PB_MINV]);
        c->weight[3 * b + 2] = sqrt(p[SARRUS_PB_IINV]);
    }
    free(parameters);
    return good ? SARRUS_OK : SARRUS_BAD_INPUT;
}

static sarrus_status fill(sarrus_configuration *c) {
    const sarrus_model *model = c->plan->model;
    sarrus_evaluator *evaluator = NULL;
    double *values = doubles((size_t)model->n_values);
    if (!values)
        return SARRUS_NO_MEMORY;
    sarrus_status status = sarrus_evaluator_create(model, &evaluator);
    if (status == SARRUS_OK) {
        status = sarrus_evaluator_run(evaluator, NULL, 0, values) ? fill_nominal(c, values) : SARRUS_BAD_INPUT;
        sarrus_evaluator_destroy(evaluator);
    }
    free(values);
    return status;
}

sarrus_status sarrus_configuration_create(const sarrus_plan *plan, sarrus_configuration *c) {
    memset(c, 0, sizeof *c);
    c->plan = plan;
    c->kernels = &sarrus_kernels_baseline;
    c->m = plan->mech.m;
    c->n = plan->mech.n;
    size_t m = (size_t)c->m, n = (size_t)c->n;
    c->call.mech = &plan->mech;
    c->call.tile = lane_arrays((size_t)plan->mech.layout.n_arrays, c->kernels->width);
    c->call.workspace = lane_arrays(c->kernels->workspace_arrays(&plan->mech), c->kernels->width);
    c->lanes = lane_arrays(m * n + 2 * m, c->kernels->width);
    c->weight = doubles(n);
    c->q = doubles(n);
    c->v = doubles(n);
    c->jacobian = doubles(m * n);
    c->phi = doubles(m);
    c->phi_dot = doubles(m);
    c->scratch = doubles((m + 1) * n + (m + 1 > n ? m + 1 : n));
    c->held = doubles(n);
    c->pivots = calloc(n ? n : 1, sizeof *c->pivots);
    sarrus_status status = SARRUS_NO_MEMORY;
    if (c->call.tile && c->call.workspace && c->lanes && c->weight && c->q && c->v && c->jacobian && c->phi && c->phi_dot &&
        c->scratch && c->held && c->pivots) {
        c->kernels->prepare(&c->call);
        status = fill(c);
    }
    if (status != SARRUS_OK)
        sarrus_configuration_free(c);
    return status;
}

void sarrus_configuration_free(sarrus_configuration *c) {
    free(c->call.tile);
    free(c->call.workspace);
    free(c->lanes);
    free(c->weight);
    free(c->q);
    free(c->v);
    free(c->jacobian);
    free(c->phi);
    free(c->phi_dot);
    free(c->scratch);
    free(c->held);
    free(c->pivots);
    memset(c, 0, sizeof *c);
}

double sarrus_configuration_parameter(const sarrus_configuration *c, int32_t i) {
    return c->call.tile[(c->plan->mech.layout.parameter + i) * c->kernels->width];
}

double sarrus_configuration_rows(sarrus_configuration *c, double t) {
    const int32_t width = c->kernels->width;
    double *jacobian = c->lanes, *phi = jacobian + (size_t)c->m * (size_t)c->n * (size_t)width, *phi_dot = phi + c->m * width;
    for (int i = 0; i < c->n; ++i) {
        put(c, c->plan->mech.layout.q + i, c->q[i]);
        put(c, c->plan->mech.layout.v + i, c->v[i]);
    }
    c->kernels->rows(&c->call, t, jacobian, phi, phi_dot);
    double sum = 0.0;
    for (int i = 0; i < c->m; ++i) {
        c->phi[i] = phi[i * width];
        c->phi_dot[i] = phi_dot[i * width];
        sum += c->phi[i] * c->phi[i];
        for (int k = 0; k < c->n; ++k)
            c->jacobian[i + k * c->m] = jacobian[(i * c->n + k) * width];
    }
    return sqrt(sum);
}

/* One Newton step, in weighted coordinates; the QR with column pivoting drops directions below 1e-8 of the largest, singular ones
 * included. With is_held one more row asks for no step along c->held. */
static bool newton_step(sarrus_configuration *c, bool is_held) {
    int m = c->m, n = c->n, n_rows = m + (is_held ? 1 : 0), larger = n_rows > n ? n_rows : n, rank = 0;
    double *a = c->scratch, *b = c->scratch + (size_t)n_rows * (size_t)n;
    for (int k = 0; k < n; ++k) {
        memcpy(a + (size_t)k * (size_t)n_rows, c->jacobian + (size_t)k * (size_t)m, (size_t)m * sizeof *a);
        if (is_held)
            a[(size_t)k * (size_t)n_rows + (size_t)m] = c->held[k];
    }
    memset(b, 0, (size_t)larger * sizeof *b);
    memcpy(b, c->phi, (size_t)m * sizeof *b);
    memset(c->pivots, 0, (size_t)n * sizeof *c->pivots);
    if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, n_rows, n, 1, a, n_rows, b, larger, c->pivots, 1e-8, &rank) != 0)
        return false;
    double largest = 0.0;
    for (int i = 2; i < n; i += 3)
        largest = fmax(largest, fabs(c->weight[i] * b[i]));
    double scale = largest > 0.5 ? 0.5 / largest : 1.0;
    for (int i = 0; i < n; ++i)
        c->q[i] -= scale * c->weight[i] * b[i];
    return true;
}

bool sarrus_configuration_newton(sarrus_configuration *c) {
    return newton_step(c, false);
}

static double assemble(sarrus_configuration *c, double t, bool is_held) {
    double error = sarrus_configuration_rows(c, t), best = error;
    int n_worse = 0;
    for (int i = 0; i < 60 && error > 0.0 && n_worse < 8; ++i) {
        if (!newton_step(c, is_held))
            break;
        error = sarrus_configuration_rows(c, t);
        if (!isfinite(error))
            break;
        n_worse = error < 0.9 * best ? 0 : n_worse + 1;
        if (error < best)
            best = error;
        if (n_worse >= 2 && error < 1e-12)
            break;
    }
    return error;
}

double sarrus_configuration_assemble(sarrus_configuration *c, double t) {
    return assemble(c, t, false);
}

double sarrus_configuration_assemble_held(sarrus_configuration *c, double t) {
    return assemble(c, t, true);
}

sarrus_status sarrus_decomposition_create(const sarrus_configuration *c, sarrus_decomposition *out) {
    size_t m = (size_t)c->m, n = (size_t)c->n;
    out->u = doubles(m * m);
    out->vt = doubles(n * n);
    out->sigma = doubles(m < n ? m : n);
    if (out->u && out->vt && out->sigma)
        return SARRUS_OK;
    sarrus_decomposition_free(out);
    return SARRUS_NO_MEMORY;
}

void sarrus_decomposition_free(sarrus_decomposition *decomposition) {
    free(decomposition->u);
    free(decomposition->vt);
    free(decomposition->sigma);
    memset(decomposition, 0, sizeof *decomposition);
}

bool sarrus_decomposition_make(sarrus_configuration *c, sarrus_decomposition *decomposition) {
    memcpy(c->scratch, c->jacobian, (size_t)c->m * (size_t)c->n * sizeof *c->scratch);
    return LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', c->m, c->n, c->scratch, c->m, decomposition->sigma, decomposition->u, c->m,
                          decomposition->vt, c->n) == 0;
}
