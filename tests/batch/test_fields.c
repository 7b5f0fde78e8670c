/* The table of an instance's fields (sarrus/field.def): they fill a tile without gaps, and what a reset leaves as it is (KEPT) is
 * never read before it is written, so that an instance which begins anew goes as at first. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/fields.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"

enum { N = 5, N_STEPS = 1500 };

/* One for each way to make steps: with and without projection, and past change points, where a lane remembers most. */
static const struct {
    const char *file, *method, *projection;
} cases[] = {
    {"five_bar.yaml", "rk4", "none"},           {"five_bar.yaml", "semi-implicit", "every_step"},
    {"change_point.yaml", "rk4", "every_step"}, {"change_point.yaml", "dopri5", "every_step"},
    {"change_point.yaml", "verner65", "none"},  {"change_point.yaml", "adams-moulton", "every_step"},
    {"andrews.yaml", "dopri5", "none"},
};

/* The first lane array of all tiles, and how many doubles a tile has. */
static double *tiles_of(sarrus_batch *batch, const sarrus_mechanism *mech, sarrus_view *view) {
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_Q, view), SARRUS_OK);
    return view->base - (size_t)mech->layout.q * view->width;
}

static void fields_fill_the_tile(const sarrus_mechanism *mech, const sarrus_tile_field fields[SARRUS_N_FIELDS]) {
    int32_t at = 0;
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        assert_int_equal(fields[k].at, at);
        assert_in_range(fields[k].n, 0, mech->layout.n_arrays);
        at += fields[k].n;
    }
    assert_int_equal(at, mech->layout.n_arrays);
    assert_int_equal(fields[SARRUS_FIELD_OF_TILE_v].at, mech->layout.v);
    assert_int_equal(fields[SARRUS_FIELD_OF_PASSAGE_row].at, mech->layout.passage.row);
    assert_int_equal(fields[SARRUS_FIELD_OF_TILE_status].from, mech->layout.status0);
}

/* Puts `x` into what steps write and a reset keeps. */
static void kept_fill(const sarrus_tile_field fields[SARRUS_N_FIELDS], double *tile, size_t width, double x) {
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        for (size_t i = 0; fields[k].kind == SARRUS_FIELD_STEPPED && fields[k].reset == SARRUS_RESET_KEPT && i < width; ++i)
            for (int32_t j = 0; j < fields[k].n; ++j)
                tile[(size_t)(fields[k].at + j) * width + i] = x;
}

/* Whatever a step has written since: all that is not `kept`. */
static void same(const sarrus_tile_field fields[SARRUS_N_FIELDS], const double *a, const double *b, size_t width, double kept) {
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        const size_t at = (size_t)fields[k].at * width, n = (size_t)fields[k].n * width;
        for (size_t i = at; i < at + n; ++i)
            if (memcmp(&a[i], &b[i], sizeof *a) != 0 && memcmp(&b[i], &kept, sizeof kept) != 0)
                fail_msg("field %d of the table is %g after a reset, not %g", k, b[i], a[i]);
    }
}

static void an_instance_begins_anew(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const sarrus_override overrides[] = {{"integrator.method", cases[c].method},
                                             {"integrator.dt", "0.001"},
                                             {"dynamics.projection", cases[c].projection},
                                             {NULL, NULL}};
        mechanism m = mechanism_open_file(cases[c].file, overrides);
        const sarrus_mechanism *mech = &m.plan->mech;
        sarrus_tile_field fields[SARRUS_N_FIELDS];
        sarrus_plan_fields(mech, fields);
        fields_fill_the_tile(mech, fields);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N, NULL);
        sarrus_view view;
        double *tiles = tiles_of(batch, mech, &view);
        double *first = malloc(view.stride * sizeof *first);
        assert_non_null(first);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
        memcpy(first, tiles, view.stride * sizeof *first);
        for (int x = 0; x < 2; ++x) {
            assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
            const double kept = x == 0 ? (double)NAN : 0.3;
            kept_fill(fields, tiles, view.width, kept);
            assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
            same(fields, first, tiles, view.width, kept);
        }
        free(first);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* A pendulum that a signal drives: what it does depends on its own time. */
static const char driven[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"
                             "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.3, -0.5]}]\n"
                             "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                             "forces: [{name: t, type: torque, body: rod,\n"
                             "  value: {signal: {sine: {amplitude: 2, frequency: 1.3, phase: 0.4, offset: 0}}}}]\n"
                             "integrator: {method: rk4, dt: 0.01, t_end: 0.5}\noutput: {channels: [state, energy, work]}\n";

/* Instance `lane` of the only tile begins anew, its own time at step `begun` of the grid. */
static void lane_restart(const sarrus_tile_field fields[SARRUS_N_FIELDS], double *tile, size_t width, size_t lane, int begun) {
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        for (int32_t j = 0; j < fields[k].n; ++j) {
            double *to = tile + (size_t)(fields[k].at + j) * width + lane;
            if (fields[k].reset == SARRUS_RESET_FROM)
                *to = tile[(size_t)(fields[k].from + j) * width + lane];
            else if (fields[k].reset == SARRUS_RESET_TO)
                *to = fields[k].value;
        }
    tile[(size_t)fields[SARRUS_FIELD_OF_TILE_begun].at * width + lane] = begun;
}

/* An instance that begins at step 17 of the grid goes as one that begins with it, beyond t_end of the others too; those beside it
 * do not notice. */
static void instances_have_times_of_their_own(void **state) {
    (void)state;
    const char *const methods[] = {"rk4", "semi-implicit", "dopri5", "adams-moulton"};
    enum { BEGUN = 17, N_OWN = 50 };
    for (size_t c = 0; c < sizeof methods / sizeof methods[0]; ++c) {
        const sarrus_override overrides[] = {
            {"integrator.method", methods[c]}, {"dynamics.formulation", "udwadia-kalaba"}, {NULL, NULL}};
        mechanism m = mechanism_open_text(driven, overrides);
        sarrus_tile_field fields[SARRUS_N_FIELDS];
        sarrus_plan_fields(&m.plan->mech, fields);
        sarrus_batch *alone = mechanism_batch(&m, NULL, 1, 2, NULL), *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
        sarrus_view view;
        double *tile = tiles_of(batch, &m.plan->mech, &view);
        double energy[2], energy_expected[2], q[3], v[3], q_expected[3], v_expected[3];
        assert_int_equal(sarrus_batch_advance(batch, BEGUN), SARRUS_OK);
        lane_restart(fields, tile, view.width, 1, BEGUN);
        assert_int_equal(sarrus_batch_advance(alone, N_OWN), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, N_OWN), SARRUS_OK);
        mechanism_observe(alone, SARRUS_OBSERVE_ENERGY, energy_expected);
        mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, energy);
        assert_int_equal(sarrus_batch_state(alone, 1, q_expected, v_expected), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 1, q, v), SARRUS_OK);
        assert_memory_equal(q, q_expected, sizeof q);
        assert_memory_equal(v, v_expected, sizeof v);
        assert_memory_equal(&energy[1], &energy_expected[1], sizeof energy[1]);
        assert_int_equal(sarrus_batch_advance(alone, BEGUN), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(alone, 0, q_expected, v_expected), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
        assert_memory_equal(q, q_expected, sizeof q);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(alone);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_begins_anew),
        cmocka_unit_test(instances_have_times_of_their_own),
    };
    return cmocka_run_group_tests_name("batch.fields", tests, NULL, NULL);
}
