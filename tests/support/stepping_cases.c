#include "tests/support/stepping_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"rk4", "dopri5", "semi-implicit", "verner65", "adams-moulton"};
static const char *const formulations[] = {"udwadia-kalaba", "relative"};
enum { N_METHODS = sizeof methods / sizeof methods[0], N_FORMULATIONS = 2, N_SPACES = 2 };

int stepping_n_cases(void) {
    return getenv("SARRUS_FEW_CASES") ? 2 * N_FORMULATIONS * N_SPACES : N_METHODS * N_FORMULATIONS * N_SPACES;
}

mechanism stepping_open(int i_case) {
    const int i_method = i_case / (N_FORMULATIONS * N_SPACES);
    const sarrus_override planar[] = {
        {"integrator.method", methods[i_method]},
        {"integrator.dt", "0.01"},
        {"integrator.t_end", "0.6"},
        {"dynamics.projection", "every_step"},
        {"dynamics.formulation", formulations[i_case % 2]},
        {"forces", "[{name: motor, type: torque, body: crank_a, value: {input: 0}}, {name: shaker, type: torque, body: crank_b, "
                   "value: {signal: {sine: {amplitude: 2, frequency: 3, phase: 0.4, offset: 0}}}}]"},
        {NULL, NULL}};
    const sarrus_override spatial[] = {
        {"integrator.method", methods[i_method]},
        {"integrator.dt", "0.005"},
        {"integrator.t_end", "0.3"},
        {"dynamics.projection", "every_step"},
        {"dynamics.formulation", formulations[i_case % 2]},
        {"batch", "{instances: 4, seed: 3, parameters: [{path: bodies.crank.mass, distribution: normal, mean: 3, sd: 0.1, min: 2}, "
                  "{path: bodies.rocker.mass, distribution: uniform, low: 0.8, high: 1}]}"},
        {NULL, NULL}};
    const bool is_planar = i_case / 2 % 2 == 0;
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
