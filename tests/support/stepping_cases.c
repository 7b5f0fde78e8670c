#include "tests/support/stepping_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* How steps are made; in absolute and in relative coordinates each, single precision in relative ones. */
typedef struct stepping_way {
    const char *method, *formulation, *precision;
} stepping_way;

static const stepping_way ways[] = {
    {"rk4", "udwadia-kalaba", "double"},
    {"rk4", "relative", "double"},
    {"dopri5", "udwadia-kalaba", "double"},
    {"dopri5", "relative", "double"},
    {"rk4", "relative", "single"},
    {"semi-implicit", "relative", "single"},
    {"semi-implicit", "udwadia-kalaba", "double"},
    {"semi-implicit", "relative", "double"},
    {"verner65", "udwadia-kalaba", "double"},
    {"verner65", "relative", "double"},
    {"adams-moulton", "udwadia-kalaba", "double"},
    {"adams-moulton", "relative", "double"},
};
enum { N_WAYS = sizeof ways / sizeof ways[0], N_FEW_WAYS = 6, N_SPACES = 2 };

int stepping_n_cases(void) {
    return (getenv("SARRUS_FEW_CASES") ? N_FEW_WAYS : N_WAYS) * N_SPACES;
}

/* Cases in turn: two ways in the plane, the same two in space. */
mechanism stepping_open(int i_case) {
    const bool is_planar = i_case % (2 * N_SPACES) < 2;
    const stepping_way *way = &ways[i_case / (2 * N_SPACES) * 2 + i_case % 2];
    const sarrus_override planar[] = {
        {"integrator.method", way->method},
        {"integrator.precision", way->precision},
        {"integrator.dt", "0.01"},
        {"integrator.t_end", "0.6"},
        {"dynamics.projection", "every_step"},
        {"dynamics.formulation", way->formulation},
        {"forces", "[{name: motor, type: torque, body: crank_a, value: {input: 0}}, {name: shaker, type: torque, body: crank_b, "
                   "value: {signal: {sine: {amplitude: 2, frequency: 3, phase: 0.4, offset: 0}}}}]"},
        {NULL, NULL}};
    const sarrus_override spatial[] = {
        {"integrator.method", way->method},
        {"integrator.precision", way->precision},
        {"integrator.dt", "0.005"},
        {"integrator.t_end", "0.3"},
        {"dynamics.projection", "every_step"},
        {"dynamics.formulation", way->formulation},
        {"batch", "{instances: 4, seed: 3, parameters: [{path: bodies.crank.mass, distribution: normal, mean: 3, sd: 0.1, min: 2}, "
                  "{path: bodies.rocker.mass, distribution: uniform, low: 0.8, high: 1}]}"},
        {NULL, NULL}};
    return is_planar ? mechanism_open_file("five_bar_monte_carlo.yaml", planar)
                     : mechanism_open_file("spatial_four_bar.yaml", spatial);
}

/* A column of `look` from a field or an observable; returns the number behind it. */
static int field_see(sarrus_batch *batch, sarrus_field field, const stepping_look *look, int at) {
    const int n = sarrus_batch_field_width(batch, field);
    double *all = calloc(look->n * (size_t)n + 1, sizeof *all);
    assert_non_null(all);
    assert_int_equal(sarrus_batch_copy_out(batch, field, all), SARRUS_OK);
    for (uint64_t i = 0; i < look->n; ++i)
        memcpy(look->numbers + i * (size_t)look->n_numbers + at, all + i * (size_t)n, (size_t)n * sizeof *all);
    free(all);
    return at + n;
}

static int observable_see(sarrus_batch *batch, sarrus_observable observable, const stepping_look *look, int at) {
    const int n = sarrus_batch_observable_width(batch, observable);
    double *all = calloc(look->n * (size_t)n + 1, sizeof *all);
    assert_non_null(all);
    assert_int_equal(sarrus_batch_copy_observable(batch, observable, all), SARRUS_OK);
    for (uint64_t i = 0; i < look->n; ++i)
        memcpy(look->numbers + i * (size_t)look->n_numbers + at, all + i * (size_t)n, (size_t)n * sizeof *all);
    free(all);
    return at + n;
}

stepping_look stepping_see(sarrus_batch *batch) {
    const sarrus_field fields[] = {SARRUS_FIELD_Q, SARRUS_FIELD_V, SARRUS_FIELD_TIME, SARRUS_FIELD_STATUS,
                                   SARRUS_FIELD_FAILED_STEP};
    const sarrus_observable observables[] = {SARRUS_OBSERVE_ENERGY, SARRUS_OBSERVE_WORK, SARRUS_OBSERVE_ACCELERATION};
    enum { N_FIELDS = sizeof fields / sizeof fields[0], N_OBSERVABLES = sizeof observables / sizeof observables[0] };
    stepping_look look = {.n = sarrus_batch_n_instances(batch)};
    int at = 0;
    for (int k = 0; k < N_FIELDS; ++k)
        look.n_numbers += sarrus_batch_field_width(batch, fields[k]);
    for (int k = 0; k < N_OBSERVABLES; ++k)
        look.n_numbers += sarrus_batch_observable_width(batch, observables[k]);
    look.numbers = calloc(look.n * (size_t)look.n_numbers, sizeof *look.numbers);
    assert_non_null(look.numbers);
    for (int k = 0; k < N_FIELDS; ++k)
        at = field_see(batch, fields[k], &look, at);
    for (int k = 0; k < N_OBSERVABLES; ++k)
        at = observable_see(batch, observables[k], &look, at);
    return look;
}

void stepping_look_free(stepping_look *look) {
    free(look->numbers);
    *look = (stepping_look){0};
}

void stepping_same(const stepping_look *a, uint64_t i, const stepping_look *b, uint64_t k) {
    assert_int_equal(a->n_numbers, b->n_numbers);
    const size_t n = (size_t)a->n_numbers;
    for (size_t j = 0; j < n; ++j)
        if (memcmp(&a->numbers[i * n + j], &b->numbers[k * n + j], sizeof *a->numbers) != 0)
            fail_msg("number %zu of instance %d is %.17g, not %.17g as of instance %d", j, (int)i, a->numbers[i * n + j],
                     b->numbers[k * n + j], (int)k);
}
