/* A scenario opened for a test. */
#include "tests/support/mechanism.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/isa.h"
#include "model/evaluator.h"
#include "plan/plan.h"
#include "tests/support/place.h"

static void require(sarrus_status status, const sarrus_context *context, const char *what) {
    if (status == SARRUS_OK) {
        return;
    }
    for (size_t i = 0; i < sarrus_context_n_diagnostics(context); ++i) {
        const sarrus_diagnostic *d = sarrus_context_diagnostic(context, i);
        print_error("%s:%d:%d: %s\n", d->file ? d->file : "-", d->line, d->column, d->message);
    }
    fail_msg("%s: status %d", what, (int)status);
}

static size_t count_overrides(const sarrus_override *overrides) {
    size_t n = 0;
    while (overrides && overrides[n].path) {
        ++n;
    }
    return n;
}

static void finish(mechanism *m) {
    require(sarrus_plan_create(m->context, m->model, &m->plan), m->context, "plan");
    if (m->model->space == SARRUS_SPACE_SPATIAL) {
        m->n = m->plan->mech.n_v;
        m->m = m->plan->mech.m;
        m->n_joints = m->plan->mech.n_joints;
        m->n_drives = m->plan->mech.n_drives;
        return;
    }
    m->ref = mechanism_reference(m, NULL, 0);
    m->n = m->ref->n;
    m->m = m->ref->m;
    m->n_joints = m->ref->n_joints;
    for (int j = 0; j < m->n_joints; ++j) {
        m->n_drives += m->ref->joints[j].drive >= 0;
    }
}

const sarrus_override mechanism_in_bodies[2] = {{"dynamics.formulation", "udwadia-kalaba"}, {NULL, NULL}};

mechanism mechanism_open_file(const char *file, const sarrus_override *overrides) {
    mechanism m = {0};
    char path[1024];
    int n = snprintf(path, sizeof path, "%s/%s", place_of_source("/scenarios"), file);
    assert_true(n > 0 && (size_t)n < sizeof path);
    require(sarrus_context_create(&m.context), NULL, "context");
    require(sarrus_scenario_read_file(m.context, path, overrides, count_overrides(overrides), &m.model), m.context, file);
    finish(&m);
    return m;
}

mechanism mechanism_open_text(const char *text, const sarrus_override *overrides) {
    mechanism m = {0};
    require(sarrus_context_create(&m.context), NULL, "context");
    require(sarrus_scenario_read_text(m.context, "text", text, strlen(text), overrides, count_overrides(overrides), &m.model),
            m.context, "text");
    finish(&m);
    return m;
}

void mechanism_close(mechanism *m) {
    reference_destroy(m->ref);
    sarrus_plan_destroy(m->plan);
    sarrus_model_destroy(m->model);
    sarrus_context_destroy(m->context);
    *m = (mechanism){0};
}

double *mechanism_values(const mechanism *m, const sarrus_draws *draws, uint64_t i_instance) {
    sarrus_evaluator *evaluator = NULL;
    double *values = calloc((size_t)m->model->n_values + 1, sizeof *values);
    assert_non_null(values);
    require(sarrus_evaluator_create(m->model, &evaluator), m->context, "evaluator");
    assert_true(sarrus_evaluator_run(evaluator, draws, i_instance, values));
    sarrus_evaluator_destroy(evaluator);
    return values;
}

reference *mechanism_reference(const mechanism *m, const sarrus_draws *draws, uint64_t i_instance) {
    double *values = mechanism_values(m, draws, i_instance);
    reference *ref = reference_create(m->model, values);
    assert_non_null(ref);
    free(values);
    return ref;
}

sarrus_batch *mechanism_batch(const mechanism *m, const char *isa, int n_threads, uint64_t n_instances, const sarrus_draws *draws) {
    sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .isa = isa, .n_threads = n_threads > 0 ? n_threads : 1};
    sarrus_batch *batch = NULL;
    require(sarrus_batch_create(m->context, m->plan, &options, n_instances, draws, &batch), m->context, "batch");
    return batch;
}

void mechanism_observe(sarrus_batch *batch, sarrus_observable observable, double *out) {
    sarrus_observation observation = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    observation.destination[observable] = out;
    assert_int_equal(sarrus_batch_observe(batch, &observation), SARRUS_OK);
}

static void put(sarrus_batch *batch, sarrus_field field, uint64_t i_instance, const double *from) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(batch, field, &view), SARRUS_OK);
    double *tile = view.base + (i_instance / view.width) * view.stride + i_instance % view.width;
    for (int k = 0; k < view.n_components; ++k) {
        tile[(size_t)k * view.width] = from[k];
    }
}

void mechanism_set_state(sarrus_batch *batch, uint64_t i_instance, const double *q, const double *v) {
    if (q) {
        put(batch, SARRUS_FIELD_Q, i_instance, q);
    }
    if (v) {
        put(batch, SARRUS_FIELD_V, i_instance, v);
    }
}

void mechanism_set_inputs(sarrus_batch *batch, uint64_t i_instance, const double *inputs) {
    put(batch, SARRUS_FIELD_INPUT, i_instance, inputs);
}

sarrus_draws *mechanism_draws_by_hand(const mechanism *m, uint64_t n_instances) {
    sarrus_draws *draws = calloc(1, sizeof *draws);
    assert_non_null(draws);
    draws->model = m->model;
    draws->n_instances = n_instances;
    draws->n_sampled = m->model->batch.n_sampled;
    assert_true(draws->n_sampled > 0);
    draws->values = calloc((size_t)draws->n_sampled * n_instances, sizeof *draws->values);
    assert_non_null(draws->values);
    return draws;
}

void mechanism_draws_free(sarrus_draws *draws) {
    free(draws->values);
    free(draws);
}

bool mechanism_has_isa(const char *isa) {
    return sarrus_isa_find(SARRUS_SPACE_PLANAR, isa) != NULL;
}

double mechanism_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717ULL) >> 11) * 0x1p-52 - 1.0;
}

double mechanism_distance(const double *a, const double *b, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double d = fabs(a[i] - b[i]);
        if (!(d <= largest)) { /* NaN stays */
            largest = d;
        }
        if (isnan(largest)) {
            break;
        }
    }
    return largest;
}

double mechanism_size(const double *a, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}
