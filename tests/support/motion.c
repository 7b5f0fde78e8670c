/* One instance of a scenario followed for a test. */
#include "tests/support/motion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/place.h"

enum { MAX_OVERRIDES = 16 };

static void require(sarrus_status status, const sarrus_context *context, const char *what) {
    if (status == SARRUS_OK)
        return;
    for (size_t i = 0; context && i < sarrus_context_n_diagnostics(context); ++i) {
        const sarrus_diagnostic *d = sarrus_context_diagnostic(context, i);
        print_error("%s:%d:%d: %s\n", d->file ? d->file : "-", d->line, d->column, d->message);
    }
    fail_msg("%s: status %d", what, (int)status);
}

static double *rows_of(size_t n_times, int width) {
    double *rows = calloc(n_times * (size_t)(width > 0 ? width : 1), sizeof *rows);
    assert_non_null(rows);
    return rows;
}

static void record(sarrus_batch *batch, const motion_times *times, motion *m) {
    const struct wanted {
        sarrus_observable what;
        double **rows;
    } wanted[] = {
        {SARRUS_OBSERVE_Q, &m->q},
        {SARRUS_OBSERVE_V, &m->v},
        {SARRUS_OBSERVE_ACCELERATION, &m->a},
        {SARRUS_OBSERVE_ENERGY, &m->energy},
        {SARRUS_OBSERVE_WORK, &m->work},
        {SARRUS_OBSERVE_RANK, &m->rank},
        {SARRUS_OBSERVE_POSITION_ERROR, &m->position_error},
        {SARRUS_OBSERVE_VELOCITY_ERROR, &m->velocity_error},
        {SARRUS_OBSERVE_REACTIONS, &m->reactions},
        {SARRUS_OBSERVE_DRIVES, &m->loads},
    };
    sarrus_observation o = {.every_steps = (uint64_t)times->n_substeps, .n_times_stride = times->n_times};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
        o.destination[wanted[i].what] = *wanted[i].rows =
            rows_of(times->n_times, sarrus_batch_observable_width(batch, wanted[i].what));
    m->n_reactions = sarrus_batch_observable_width(batch, SARRUS_OBSERVE_REACTIONS);
    m->n_loads = sarrus_batch_observable_width(batch, SARRUS_OBSERVE_DRIVES);
    o.n_times = times->is_in_calls ? 1 : times->n_times;
    for (; o.i_time_first < times->n_times; o.i_time_first += o.n_times) {
        o.observe_first = o.i_time_first == 0;
        assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    }
    const sarrus_instance_status status = sarrus_batch_status(batch, 0);
    if (status != SARRUS_INSTANCE_OK)
        fail_msg("the instance ends as %s", sarrus_instance_status_word(status));
    sarrus_instance_statistics statistics;
    assert_int_equal(sarrus_batch_statistics(batch, 0, &statistics), SARRUS_OK);
    m->n_steps = statistics.n_steps;
}

static motion follow(const char *name, const char *text, const sarrus_override *overrides, const motion_times *times) {
    motion m = {.n_times = times->n_times, .interval = times->interval};
    const double dt = times->interval / times->n_substeps;
    char integrator[256];
    sarrus_override all[MAX_OVERRIDES] = {{"integrator", integrator}};
    size_t n = 1;
    const int length = snprintf(integrator, sizeof integrator, "{%s, dt: %.17g, t_end: %.17g}", times->integrator, dt,
                                times->interval * (double)(times->n_times - 1));
    assert_true(length > 0 && (size_t)length < sizeof integrator);
    all[n++] = (sarrus_override){"output", "{channels: [state, energy, work, constraint, rank]}"};
    for (; overrides && overrides->path; ++overrides) {
        assert_true(n < MAX_OVERRIDES);
        all[n++] = *overrides;
    }
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    require(sarrus_context_create(&context), NULL, "context");
    require(text ? sarrus_scenario_read_text(context, name, text, strlen(text), all, n, &model)
                 : sarrus_scenario_read_file(context, name, all, n, &model),
            context, name);
    require(sarrus_plan_create(context, model, &plan), context, "plan");
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1};
    require(sarrus_batch_create(context, plan, &options, 1, NULL, &batch), context, "batch");
    sarrus_plan_sizes_get(plan, &m.sizes);
    m.card = strdup(sarrus_plan_report(plan));
    assert_non_null(m.card);
    record(batch, times, &m);
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return m;
}

motion motion_of_file(const char *file, const sarrus_override *overrides, const motion_times *times) {
    char path[1024];
    const int n = snprintf(path, sizeof path, "%s/%s", place_of_source("/scenarios"), file);
    assert_true(n > 0 && (size_t)n < sizeof path);
    return follow(path, NULL, overrides, times);
}

motion motion_of_text(const char *text, const sarrus_override *overrides, const motion_times *times) {
    return follow("text", text, overrides, times);
}

void motion_free(motion *m) {
    free(m->q);
    free(m->v);
    free(m->a);
    free(m->energy);
    free(m->work);
    free(m->rank);
    free(m->position_error);
    free(m->velocity_error);
    free(m->reactions);
    free(m->loads);
    free(m->card);
    *m = (motion){0};
}

const double *motion_body(const motion *m, size_t k, int i_body) {
    return m->q + k * (size_t)m->sizes.n_coordinates + 7 * (size_t)i_body;
}

void motion_relative(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    out[1] = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
    out[2] = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3];
    out[3] = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1];
}

void motion_matrix(const double p[4], double out[3][3]) {
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double matrix[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(out, matrix, sizeof matrix);
}

double motion_spread(const double *x, size_t n, double x0) {
    double worst = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const double off = fabs(x[i] - x0);
        worst = off <= worst ? worst : off; /* NaN comes through */
    }
    return worst;
}

double motion_imbalance(const motion *m, double scale) {
    double worst = 0.0;
    for (size_t k = 0; k < m->n_times; ++k) {
        const double off = fabs(m->energy[k] - m->energy[0] - m->work[k]) / scale;
        worst = off <= worst ? worst : off;
    }
    return worst;
}
