/* Claim: the work that the simulator reports is what the energy has changed by, whatever does it: dampers, drives, loads, inputs,
 * Baumgarte's terms. What is left of E − E0 − W falls with the order of the method, or stays below the tolerance, between steps
 * too. Gravity and springs do no work: theirs is energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 9, N_OBSERVED = 26, N_CASE_OVERRIDES = 4 };

static const double t_end = 0.5; /* s, at every 0.02 s of which E and W are looked at */

static const char *const crank_rocker =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.0075, position: [0.15, 0], angular_velocity: 8, velocity: [0, 1.2]}\n"
    "  - {name: rod, mass: 2, inertia: 0.2, position: [0.6, 0.4]}\n"
    "  - {name: rocker, mass: 1.5, inertia: 0.1, position: [0.95, 0.4]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: [0.3, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod, rocker], at: [0.9, 0.8]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}\n"
    "forces: []\n"
    "integrator: {t_end: 0.5}\n";

/* What does work on it. `least`: J that must be done within the half second for the case to mean something; 0: nothing may. */
typedef struct work_case {
    const char *name;
    sarrus_override overrides[N_CASE_OVERRIDES];
    double least;
    double inputs[2]; /* N, N m */
    double opening;   /* m, by which the loop is open at the start: without projection only */
} work_case;

static const work_case cases[] = {
    {.name = "gravity"},
    {.name = "springs",
     .overrides = {{"joints.A.stiffness", "3"},
                   {"forces",
                    "[{name: f1, type: spring, between: [[rod, [0.1, 0]], [ground, [1, 1]]], stiffness: 40, rest_length: 0.3}]"}}},
    {.name = "dampers",
     .overrides = {{"joints.A.damping", "0.05"},
                   {"joints.C.damping", "0.1"},
                   {"forces", "[{name: f2, type: spring, between: [[rod, [0.1, 0]], [ground, [1, 1]]], damping: 2}]"}},
     .least = 0.1},
    {.name = "constant speed", .overrides = {{"joints.A.drive", "{signal: {ramp: {slope: 6}}}"}}, .least = 0.1},
    {.name = "speeding up", .overrides = {{"joints.A.drive", "{signal: {polynomial: [0, 2, 6]}}"}}, .least = 0.1},
    {.name = "harmonic", .overrides = {{"joints.A.drive", "{signal: {sine: {amplitude: 0.8, frequency: 1.3}}}"}}, .least = 0.1},
    {.name = "loads",
     .overrides =
         {{"forces",
           "[{name: f3, type: force, body: rod, at: [0.2, 0.1], value: [20, {signal: {sine: {amplitude: 9, frequency: 2}}}]}, "
           "{name: f4, type: force, body: crank, at: [0.1, 0], value: [0, 3], frame: body}, "
           "{name: f5, type: torque, body: rocker, value: {signal: {polynomial: [1, 4]}}}]"}},
     .least = 0.1},
    {.name = "inputs",
     .overrides = {{"forces", "[{name: f6, type: force, body: rod, value: [{input: 0}, 2]}, {name: f7, type: torque, body: crank, "
                              "value: {input: 1}}]"}},
     .least = 0.1,
     .inputs = {12.0, 1.5}},
    {.name = "everything",
     .overrides =
         {{"joints.A.drive", "{signal: {ramp: {slope: 5}}}"},
          {"joints.C.damping", "0.1"},
          {"joints.D.stiffness", "2"},
          {"forces",
           "[{name: f8, type: force, body: rod, value: [{input: 0}, 2]}, {name: f9, type: torque, body: rocker, value: 3}]"}},
     .least = 0.1,
     .inputs = {-6.0, 0.0}},
    {.name = "gains", .overrides = {{"dynamics.baumgarte", "{alpha: 6, beta: 8}"}}, .least = 1e-3, .opening = 3e-3},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

typedef struct balance {
    double gap;         /* J, largest |E − E0 − W| */
    double most;        /* J, largest |W| */
    double turned_over; /* J, range of the energy and of the work */
} balance;

static balance run(const work_case *what, const char *integrator, const char *projection) {
    static double energy[N_OBSERVED], work[N_OBSERVED];
    sarrus_override overrides[N_CASE_OVERRIDES + 6] = {{"integrator", integrator},
                                                       {"dynamics.formulation", "udwadia-kalaba"},
                                                       {"dynamics.projection", projection},
                                                       {"limits", "{violation: off, energy: off, error: off}"},
                                                       {"output.interval", "0.02"}};
    for (int i = 0; i < N_CASE_OVERRIDES && what->overrides[i].path; ++i) {
        overrides[5 + i] = what->overrides[i];
    }
    mechanism m = mechanism_open_text(crank_rocker, overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double q[N], v[N];
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    q[3] += what->opening;
    mechanism_set_state(batch, 0, q, NULL);
    if (what->inputs[0] != 0.0) {
        mechanism_set_inputs(batch, 0, what->inputs);
    }
    const sarrus_mech_integrator *how = &m.plan->mech.integrator;
    sarrus_observation o = {.n_times = N_OBSERVED, .observe_first = 1, .n_times_stride = N_OBSERVED};
    o.every_steps = how->is_adaptive ? 1 : (uint64_t)lround(0.02 / how->dt);
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    o.destination[SARRUS_OBSERVE_WORK] = work;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_true(fabs(sarrus_batch_time(batch) - t_end) < 1e-12);
    sarrus_instance_verdict verdict;
    assert_int_equal(sarrus_batch_verdict(batch, 0, &verdict), SARRUS_OK);
    assert_true(work[0] == 0.0 && verdict.work == work[N_OBSERVED - 1]);
    balance out = {0.0, 0.0, 0.0};
    for (int k = 0; k < N_OBSERVED; ++k) {
        out.gap = fmax(out.gap, fabs(energy[k] - energy[0] - work[k]));
        out.most = fmax(out.most, fabs(work[k]));
        out.turned_over = fmax(out.turned_over, fabs(energy[k] - energy[0]) + fabs(work[k]));
    }
    assert_true(isfinite(energy[N_OBSERVED - 1]) && isfinite(work[N_OBSERVED - 1]));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return out;
}

static void work_is_done_where_it_should(const work_case *what, const balance *found) {
    if (what->least > 0.0 ? found->most < what->least : found->most != 0.0) {
        fail_msg("%s: work of %g J", what->name, found->most);
    }
}

static const char *const projections[] = {"every_step", "none"};

/* The order as the mean over two halvings of the step, as the sign of an error may change with the step. Where the motion itself is
 * prescribed, E is exact, and the gap is that of the quadrature, which is of the same order. Round-off of some J: 1e-13. */
static void check_order(const char *method, double order, const double *steps) {
    for (int i = 0; i < N_CASES; ++i) {
        for (int p = cases[i].opening > 0.0 ? 1 : 0; p < 2; ++p) {
            balance found[3];
            for (int k = 0; k < 3; ++k) {
                char integrator[96];
                snprintf(integrator, sizeof integrator, "{method: %s, dt: %.17g, t_end: 0.5, substeps: off}", method, steps[k]);
                found[k] = run(&cases[i], integrator, projections[p]);
                work_is_done_where_it_should(&cases[i], &found[k]);
            }
            const double rate = log2(found[0].gap / found[2].gap) / 2.0;
            print_message("%s, %s, %s: work %.2e J, gap %.1e %.1e %.1e J, h^%.2f\n", method, cases[i].name, projections[p],
                          found[2].most, found[0].gap, found[1].gap, found[2].gap, rate);
            if (!(rate >= order - 4.0 * TOLERANCE_ORDER)) {
                fail_msg("order %.2f", rate);
            }
        }
    }
}

static void the_gap_falls_with_the_order(void **state) {
    (void)state;
    check_order("rk4", 4.0, (const double[]){0.005, 0.0025, 0.00125});
    check_order("semi-implicit", 1.0, (const double[]){0.001, 0.0005, 0.00025});
}

/* Steps that choose themselves: their errors, of energies as of angles, stay below the tolerance times TOLERANCE_OF_TOLERANCE, and
 * outputs lie between their ends. Steps of rk4 made in parts have errors of 1e-6 at most, of which half a second has 100. */
static void the_gap_stays_below_the_tolerance(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double tolerance;
    } ways[] = {
        {"{method: dopri5, t_end: 0.5, rtol: 1e-7, atol: 1e-7}", 1e-7},
        {"{method: dopri5, t_end: 0.5, rtol: 1e-10, atol: 1e-10}", 1e-10},
        {"{method: verner65, t_end: 0.5, rtol: 1e-7, atol: 1e-7}", 1e-7},
        {"{method: verner65, t_end: 0.5, rtol: 1e-10, atol: 1e-10}", 1e-10},
        {"{method: adams-moulton, t_end: 0.5, rtol: 1e-7, atol: 1e-7}", 1e-7},
        {"{method: adams-moulton, t_end: 0.5, rtol: 1e-10, atol: 1e-10}", 1e-10},
        {"{method: rk4, dt: 0.005, t_end: 0.5}", 1e-7},
    };
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; ++w) {
        double worst = 0.0;
        for (int i = 0; i < N_CASES; ++i) {
            for (int p = cases[i].opening > 0.0 ? 1 : 0; p < 2; ++p) {
                const balance found = run(&cases[i], ways[w].integrator, projections[p]);
                const double part = found.gap / (ways[w].tolerance * fmax(found.turned_over, 1.0));
                worst = fmax(worst, part);
                work_is_done_where_it_should(&cases[i], &found);
                if (!(part <= TOLERANCE_OF_TOLERANCE)) {
                    fail_msg("%s, %s, %s: %g J", ways[w].integrator, cases[i].name, projections[p], found.gap);
                }
            }
        }
        print_message("%s: gap at most %.1f tolerances\n", ways[w].integrator, worst);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gap_falls_with_the_order),
        cmocka_unit_test(the_gap_stays_below_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
