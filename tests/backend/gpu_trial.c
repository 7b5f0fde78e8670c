#include "tests/backend/gpu_trial.h"

#include "tests/backend/gpu_on_host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SETTING(path, value) ((const sarrus_override[]){{path, value}, {NULL, NULL}})

#define RELATIVE SETTING("dynamics.formulation", "relative")
#define RECURSIVE SETTING("dynamics.formulation", "recursive")
/* Steps in single precision, and one setting more. */
#define SINGLE(path, value)                                                                                                        \
    ((const sarrus_override[]){{"dynamics.formulation", "auto"},                                                                   \
                               {"integrator.precision", "single"},                                                                 \
                               {"integrator.method", "rk4"},                                                                       \
                               {path, value},                                                                                      \
                               {NULL, NULL}})

const gpu_trial gpu_trials[] = {
    {"pendulum.yaml", NULL, 20, 0},
    {"double_pendulum.yaml", NULL, 20, 0},
    {"driven_crank.yaml", NULL, 20, 1},
    {"andrews.yaml", NULL, 5, 0},
    {"five_bar.yaml", NULL, 20, 0},
    {"n_four_bar_2.yaml", NULL, 20, 0},
    {"slider_crank.yaml", NULL, 20, 0},
    {"five_bar_singular.yaml", NULL, 40, 0},
    {"four_bar.yaml", SETTING("integrator.method", "semi-implicit"), 40, 0},
    {"four_bar.yaml", SETTING("integrator.method", "dopri5"), 20, 0},
    {"four_bar.yaml", SETTING("integrator.method", "adams-moulton"), 20, 0},
    {"four_bar.yaml", SETTING("integrator.method", "verner65"), 20, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "svd"), 10, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "jacobi"), 4, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "varga"), 4, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "mgs2"), 4, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "cholesky"), 4, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "tikhonov"), 4, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "householder"), 10, 0},
    {"four_bar.yaml", SETTING("dynamics.pinv", "greville"), 10, 0},
    {"five_bar.yaml", SETTING("dynamics.projection", "every_step"), 20, 0},
    {"spatial_four_bar.yaml", NULL, 20, 0},
    {"heavy_top.yaml", NULL, 20, 0},
    {"gyrostat.yaml", NULL, 20, 0},
    {"arm_7r.yaml", NULL, 5, 0},
    {"arm_6r.yaml", NULL, 5, 0},
    {"bennett.yaml", NULL, 20, 0},
    {"stewart_platform.yaml", NULL, 3, 0},
    {"spatial_slider_crank.yaml", SETTING("integrator.method", "dopri5"), 10, 0},
    {"spatial_four_bar.yaml", SETTING("integrator.method", "adams-moulton"), 10, 0},
    {"spatial_four_bar.yaml", SETTING("dynamics.projection", "every_step"), 10, 0},
    {"five_bar.yaml", RELATIVE, 20, 1},
    {"slider_crank.yaml", RELATIVE, 20, 1},
    {"five_bar_singular.yaml", RELATIVE, 40, 1},
    {"spatial_four_bar.yaml", RELATIVE, 20, 1},
    {"stewart_platform.yaml", RELATIVE, 3, 1},
    {"arm_7r.yaml", RELATIVE, 5, 1},
    {"five_bar_singular.yaml", RECURSIVE, 40, 1},
    {"spatial_four_bar.yaml", RECURSIVE, 20, 1},
    {"five_bar.yaml", SINGLE("dynamics.projection", "none"), 20, 1},
    {"five_bar.yaml", SINGLE("dynamics.projection", "every_step"), 20, 1},
    {"slider_crank.yaml", SINGLE("dynamics.projection", "none"), 200, 1},
    {"andrews.yaml", SINGLE("integrator.method", "semi-implicit"), 20, 1},
    {"spatial_four_bar.yaml", SINGLE("dynamics.projection", "none"), 20, 1},
    {"spatial_four_bar.yaml", SINGLE("dynamics.formulation", "recursive"), 20, 1},
    {"kapitza_pendulum.yaml", NULL, 20, 1},
    {"four_bar.yaml", SETTING("ground", "{motion: {x: {signal: {polynomial: [0, 0, 2]}}}}"), 20, 0},
};
const size_t gpu_n_trials = sizeof gpu_trials / sizeof gpu_trials[0];

void gpu_speeds_spread(sarrus_batch *batch) {
    sarrus_view v;
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_V, &v), SARRUS_OK);
    for (uint64_t i = 0; i < sarrus_batch_n_instances(batch); ++i)
        for (int k = 0; k < v.n_components; ++k)
            v.base[(i / v.width) * v.stride + (size_t)k * v.width + i % v.width] *= 1.0 + 0.01 * (double)(i % 50);
}

static void *zeros(size_t n, size_t size) {
    void *out = calloc(n ? n : 1, size);
    assert_non_null(out);
    return out;
}

gpu_record gpu_record_make(sarrus_batch *batch, uint64_t n_times, uint64_t n_steps) {
    return gpu_record_make_of(batch, n_times, n_steps, UINT32_MAX);
}

gpu_record gpu_record_make_of(sarrus_batch *batch, uint64_t n_times, uint64_t n_steps, uint32_t wanted) {
    gpu_record r = {.n_instances = sarrus_batch_n_instances(batch), .n_times = n_times};
    sarrus_observation o = {.n_times = n_times, .every_steps = n_steps, .observe_first = 1, .n_times_stride = n_times};
    const sarrus_rank_event *events = NULL;
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
        r.width[k] = wanted >> k & 1 ? (size_t)sarrus_batch_observable_width(batch, (sarrus_observable)k) : 0;
        r.seen[k] = zeros(r.n_instances * n_times * r.width[k], sizeof(double));
        o.destination[k] = r.width[k] > 0 ? r.seen[k] : NULL;
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    r.status = zeros(r.n_instances, sizeof *r.status);
    r.failed_step = zeros(r.n_instances, sizeof *r.failed_step);
    r.statistics = zeros(r.n_instances, sizeof *r.statistics);
    r.verdict = zeros(r.n_instances, sizeof *r.verdict);
    for (uint64_t i = 0; i < r.n_instances; ++i) {
        r.status[i] = sarrus_batch_status(batch, i);
        r.failed_step[i] = sarrus_batch_failed_step(batch, i);
        assert_int_equal(sarrus_batch_statistics(batch, i, &r.statistics[i]), SARRUS_OK);
        assert_int_equal(sarrus_batch_verdict(batch, i, &r.verdict[i]), SARRUS_OK);
    }
    assert_int_equal(sarrus_batch_rank_events(batch, &events, &r.n_events), SARRUS_OK);
    r.events = zeros(r.n_events, sizeof *r.events);
    if (r.n_events > 0)
        memcpy(r.events, events, r.n_events * sizeof *events);
    return r;
}

void gpu_record_free(gpu_record *record) {
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k)
        free(record->seen[k]);
    free(record->status);
    free(record->failed_step);
    free(record->statistics);
    free(record->verdict);
    free(record->events);
    memset(record, 0, sizeof *record);
}

static int is_same(double expected, double actual, double scale, double tolerance) {
    if (memcmp(&expected, &actual, sizeof actual) == 0 || (isnan(expected) && isnan(actual)))
        return 1;
    return fabs(expected - actual) <= tolerance * (1.0 + scale);
}

/* Of the numbers of an observable, the largest: what the tolerance is relative to. */
static double scale_of(const double *x, size_t n) {
    double scale = 0.0;
    for (size_t i = 0; i < n; ++i)
        scale = fabs(x[i]) > scale ? fabs(x[i]) : scale;
    return scale;
}

static void events_compare(const char *what, const gpu_record *all, uint64_t first, const gpu_record *some) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < all->n_events; ++i) {
        const sarrus_rank_event *e = &all->events[i];
        if (e->instance < first || e->instance >= first + some->n_instances)
            continue;
        if (at >= some->n_events)
            fail_msg("%s: a change of rank of instance %d is missing", what, (int)e->instance);
        const sarrus_rank_event *s = &some->events[at++];
        if (s->instance + first != e->instance || s->time != e->time || s->rank_before != e->rank_before ||
            s->rank_after != e->rank_after)
            fail_msg("%s: change of rank %d: instance %d at %.17g, not %d at %.17g", what, (int)at, (int)(s->instance + first),
                     s->time, (int)e->instance, e->time);
    }
    assert_int_equal(at, some->n_events);
}

/* With a tolerance: the worst of what was seen is as near as that itself, a distance from a change point by its square, which the
 * pivots tell. When it was seen hangs on the last digit, and so does whether a step's error is large enough to be added up. */
static void verdicts_compare(const char *what, uint64_t i, const sarrus_instance_verdict *expected,
                             const sarrus_instance_verdict *actual, double tolerance) {
    const double near[2] = {expected->nearest_change_point, actual->nearest_change_point};
    const struct {
        const char *name;
        double expected, actual;
        int is_loose;
    } numbers[] = {
        {"violation", expected->violation, actual->violation, 0},
        {"energy mismatch", expected->energy_mismatch, actual->energy_mismatch, 0},
        {"work", expected->work, actual->work, 0},
        {"nearest change point, squared", near[0] * near[0], near[1] * near[1], 0},
        {"nearest change point", near[0], near[1], 1},
        {"its time", expected->nearest_change_point_time, actual->nearest_change_point_time, 1},
        {"error", expected->error, actual->error, 1},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
        if (!(tolerance > 0.0 && numbers[k].is_loose) &&
            !is_same(numbers[k].expected, numbers[k].actual, fabs(numbers[k].expected), tolerance))
            fail_msg("%s: verdict of instance %d, %s: %.17g, not %.17g", what, (int)i, numbers[k].name, numbers[k].actual,
                     numbers[k].expected);
}

void gpu_records_compare(const char *what, const gpu_record *all, uint64_t first, const gpu_record *some, double tolerance) {
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
        const size_t n = some->n_times * some->width[k];
        for (uint64_t i = 0; i < some->n_instances; ++i) {
            const double *expected = all->seen[k] + (first + i) * n, *actual = some->seen[k] + i * n;
            const double scale = tolerance > 0.0 ? scale_of(expected, n) : 0.0;
            for (size_t j = 0; j < n; ++j)
                if (!is_same(expected[j], actual[j], scale, tolerance))
                    fail_msg("%s: observable %d of instance %d, time %d: %.17g, not %.17g", what, k, (int)i,
                             (int)(j / some->width[k]), actual[j], expected[j]);
        }
    }
    for (uint64_t i = 0; i < some->n_instances; ++i) {
        assert_int_equal(some->status[i], all->status[first + i]);
        assert_int_equal(some->failed_step[i], all->failed_step[first + i]);
        verdicts_compare(what, i, &all->verdict[first + i], &some->verdict[i], tolerance);
        if (tolerance > 0.0)
            continue; /* a step more or less is as good */
        if (memcmp(&some->statistics[i], &all->statistics[first + i], sizeof some->statistics[i]) != 0)
            fail_msg("%s: instance %d: other statistics", what, (int)i);
    }
    if (tolerance == 0.0)
        events_compare(what, all, first, some);
}

sarrus_batch *gpu_batch(const mechanism *m, sarrus_backend backend, uint64_t n_instances, const sarrus_batch_options *more) {
    sarrus_batch_options options = more ? *more : (sarrus_batch_options){.n_threads = 2};
    sarrus_batch *batch = NULL;
    options.backend = backend;
    options.isa = backend == SARRUS_BACKEND_CPU && mechanism_has_isa("avx2") ? "avx2" : NULL;
    options.keep_rank_events = 1;
    const sarrus_status status = sarrus_batch_create(m->context, m->plan, &options, n_instances, NULL, &batch);
    if (status != SARRUS_OK && sarrus_context_n_diagnostics(m->context) > 0)
        fail_msg("batch: %s", sarrus_context_diagnostic(m->context, 0)->message);
    assert_int_equal(status, SARRUS_OK);
    return batch;
}

void gpu_trial_run(const gpu_trial *trial, uint64_t n_instances, uint64_t n_times) {
    mechanism m = mechanism_open_file(trial->file, trial->settings);
    char what[160];
    gpu_record records[2];
    (void)snprintf(what, sizeof what, "%s %s", trial->file, trial->settings ? trial->settings->value : "");
    for (int k = 0; k < 2; ++k) {
        sarrus_batch *batch = gpu_batch(&m, k == 0 ? SARRUS_BACKEND_CPU : SARRUS_BACKEND_CUDA, n_instances, NULL);
        if (!trial->is_alike)
            gpu_speeds_spread(batch);
        records[k] = gpu_record_make(batch, n_times, trial->n_steps);
        sarrus_batch_destroy(batch);
    }
    gpu_records_compare(what, &records[0], 0, &records[1], 0.0);
    gpu_record_free(&records[0]);
    gpu_record_free(&records[1]);
    mechanism_close(&m);
}

int gpu_played(void **state) {
    (void)state;
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
    sarrus_gpu_replace(&gpu_on_host);
    return 0;
}

int gpu_ended(void **state) {
    (void)state;
    sarrus_gpu_replace(NULL);
    return 0;
}

void gpu_assert_clean(void) {
    const gpu_on_host_tally seen = gpu_on_host_seen();
    assert_int_equal(seen.n_misuses, 0);
    assert_int_equal(seen.n_bytes_allocated, 0);
    assert_int_equal(seen.n_pinned_allocated, 0);
    assert_int_equal(seen.n_objects, 0);
}
