/* Claim: every instruction set with every pseudoinverse gives the accelerations, reactions, motor loads, energy, constraint
 * errors and rank of the dense reference, in every scenario, at random states on and near the constraints. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/reference_answer.h"
#include "tests/tolerances.h"

/* A scenario, in scenarios/ or as text, and how many random states of it. */
typedef struct subject {
    const char *file;
    const char *text;
    int n_states;
} subject;

/* Everything that the planar model knows and the scenarios do not use, in one mechanism. */
static const char *const ZOO =
    "sarrus: 1\n"
    "name: zoo\n"
    "space: planar\n"
    "gravity: [1.0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, mass: 2.0, inertia: 0.3, position: [0.2, 0.1], orientation: 0.4, velocity: [1, 0]}\n"
    "  - {name: arm, mass: 1.5, inertia: 0.2, position: [0.9, 0.6], orientation: -0.7, angular_velocity: 2.0}\n"
    "  - {name: tip, mass: 0.5, inertia: 0.05, position: [1.5, 1.1], orientation: 1.1}\n"
    "  - {name: bob, mass: 0.7, inertia: 0.04, position: [2.1, 0.3], velocity: [0.2, 0.5]}\n"
    "  - {name: sled, mass: 1.1, inertia: 0.08, position: [-0.8, 0.5], orientation: 0.2}\n"
    "  - {name: wheel, mass: 0.9, inertia: 0.06, position: [-1.5, 0.2], orientation: 0.9}\n"
    "  - {name: free, mass: 0.8, inertia: 0.03, position: [0.5, -1.0], angular_velocity: -1.0}\n"
    "joints:\n"
    "  - {name: slide, type: prismatic, bodies: [ground, cart], at: [0.1, 0.0], axis: [2, 1], stiffness: 40, damping: 1.5, rest: "
    "0.2}\n"
    "  - {name: hinge, type: revolute, bodies: [cart, arm], at: [0.5, 0.3], stiffness: 3, damping: 0.4, rest: -0.3,\n"
    "     drive: {signal: {table: {t: [0, 0.5, 1.0, 2.0, 3.0], y: [0, 0.3, -0.1, 0.4, 0.2], interpolation: cubic}}}}\n"
    "  - {name: weld, type: fixed, bodies: [arm, tip], at: [1.3, 0.8]}\n"
    "  - {name: rope, type: distance, bodies: [tip, bob], points: [[0.1, 0.05], [-0.1, 0.02]]}\n"
    "  - {name: ram, type: prismatic, bodies: [cart, sled], at: [-0.5, 0.4], axis: [-1, 0.3],\n"
    "     drive: {signal: {sine: {amplitude: 0.2, frequency: 0.5, phase: 0.0, offset: 0.0}}}}\n"
    "  - {name: axle, type: revolute, bodies: [sled, wheel], at: [-1.5, 0.2]}\n"
    "  - {name: tail, type: distance, bodies: [wheel, ground], points: [[0.3, 0.1], [-1.9, 1.2]]}\n"
    "  - {name: track, type: slot, bodies: [cart, free], at: [0.6, -1.1], axis: [0.4, -1], stiffness: 6, damping: 0.2, rest: 0.1}\n"
    "forces:\n"
    "  - {name: s1, type: spring, between: [[bob, [0.05, 0.1]], [ground, [2.5, 1.0]]], stiffness: 25, rest_length: 0.5, damping: "
    "0.8}\n"
    "  - {name: s2, type: spring, between: [[free, [0.1, 0]], [cart, [0, -0.2]]], stiffness: 12, rest_length: 0.6, damping: 0.3}\n"
    "  - {name: t1, type: torque, body: arm, value: {signal: {polynomial: [0.5, -0.2, 0.1]}}}\n"
    "  - {name: p1, type: force, body: free, at: [0.2, -0.1], value: [1.5, {signal: {sine: {amplitude: 2, frequency: 1, phase: "
    "0.3}}}],\n"
    "     frame: body}\n"
    "  - {name: p2, type: force, body: tip, at: [0, 0.1], value: [{input: 0}, -0.5], frame: inertial}\n"
    "dynamics: {baumgarte: {alpha: 3, beta: 4}}\n"
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n";

static const subject SUBJECTS[] = {
    {"five_bar.yaml", NULL, 11},
    {"four_bar.yaml", NULL, 11},
    {"slider_crank.yaml", NULL, 11},
    {"andrews.yaml", NULL, 11},
    {"n_four_bar_2.yaml", NULL, 11},
    {"pendulum.yaml", NULL, 11},
    {"double_pendulum.yaml", NULL, 11},
    {"driven_crank.yaml", NULL, 11},
    {"five_bar_monte_carlo.yaml", NULL, 11},
    {"../tests/support/cranks.yaml", NULL, 11},
    {NULL, ZOO, 11},
};

static mechanism open_subject(const subject *s, const char *pinv) {
    sarrus_override overrides[] = {{"dynamics.pinv", pinv}, {"dynamics.formulation", "udwadia-kalaba"}, {NULL, NULL}};
    return s->file ? mechanism_open_file(s->file, overrides) : mechanism_open_text(s->text, overrides);
}

static void check_subject(const subject *s, double violation) {
    static reference_answer answers[REFERENCE_MAX_STATES];
    const char *isas[] = {"avx512", "avx2", "baseline"};
    uint64_t seed = 20240501;
    double used = 0.0;
    for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS; ++p) {
        const char *pinv = sarrus_pinv_method_word((sarrus_pinv_method)p);
        if (p == SARRUS_PINV_TIKHONOV) { /* it answers another question */
            continue;
        }
        mechanism m = open_subject(s, pinv);
        m.ref->inputs[0] = 0.7; /* of the zoo; the others have none */
        for (int i = 0; i < s->n_states && p == 0; ++i) {
            reference_answer_draw(m.ref, 1.0, violation, &seed, &answers[i]);
            reference_answer_find(m.ref, violation, &answers[i]);
        }
        for (int k = 0; k < 3; ++k) {
            if (!mechanism_has_isa(isas[k])) {
                continue;
            }
            sarrus_batch *batch = mechanism_batch(&m, isas[k], 1, (uint64_t)s->n_states, NULL);
            for (int i = 0; i < s->n_states; ++i) {
                mechanism_set_state(batch, (uint64_t)i, answers[i].q, answers[i].v);
                mechanism_set_inputs(batch, (uint64_t)i, m.ref->inputs);
            }
            used = fmax(used, reference_answer_compare(&m, (const char *const[]){s->file ? s->file : "zoo", isas[k], pinv}, batch,
                                                       s->n_states, answers));
            sarrus_batch_destroy(batch);
        }
        mechanism_close(&m);
    }
    print_message("%-26s violation %.0e: %d states, bound %.1e m/s^2, %.1e of the bounds used\n", s->file ? s->file : "zoo",
                  violation, s->n_states, answers[0].acceleration_bound, used);
}

/* What a new row of a table needs to be among them. */
static void the_zoo_has_every_joint_and_force(void **state) {
    (void)state;
    mechanism m = mechanism_open_text(ZOO, NULL);
    int n_joints[SARRUS_N_PLANAR_JOINT_TYPES] = {0};
    for (int i = 0; i < m.model->n_joints; ++i) {
        ++n_joints[m.model->joints[i].type];
    }
    for (int type = 0; type < SARRUS_N_PLANAR_JOINT_TYPES; ++type) {
        if (n_joints[type] == 0) {
            fail_msg("the zoo has no %s", sarrus_joint_word((sarrus_joint_type)type));
        }
    }
#define SARRUS_FORCE(name, value, word, kernel, text)                                                                              \
    for (int i = 0;; ++i) {                                                                                                        \
        if (i == m.model->n_forces) {                                                                                              \
            fail_msg("the zoo has no %s", word);                                                                                   \
        }                                                                                                                          \
        if (m.model->forces[i].type == SARRUS_FORCE_##name) {                                                                      \
            break;                                                                                                                 \
        }                                                                                                                          \
    }
#include "sarrus/force.def"
    mechanism_close(&m);
}

static void agrees_on_the_constraints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof SUBJECTS[0]; ++i) {
        check_subject(&SUBJECTS[i], 0.0);
    }
}

static void agrees_near_the_constraints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof SUBJECTS[0]; ++i) {
        check_subject(&SUBJECTS[i], 1e-9);
    }
}

/* One state of the large mechanism: the reference alone takes a second, so the two slow choices are left to smaller ones. */
static void agrees_on_40_loops(void **state) {
    (void)state;
    static reference_answer want[1];
    const subject s = {"n_four_bar_40.yaml", NULL, 1};
    const char *isas[] = {"avx512", "avx2", "baseline"};
    uint64_t seed = 99;
    mechanism m = open_subject(&s, "auto");
    reference_answer_draw(m.ref, 1.0, 0.0, &seed, &want[0]);
    reference_answer_find(m.ref, 0.0, &want[0]);
    for (int k = 0; k < 3; ++k) {
        if (mechanism_has_isa(isas[k])) {
            sarrus_batch *batch = mechanism_batch(&m, isas[k], 1, 1, NULL);
            mechanism_set_state(batch, 0, want[0].q, want[0].v);
            (void)reference_answer_compare(&m, (const char *const[]){s.file, isas[k], "auto"}, batch, 1, want);
            sarrus_batch_destroy(batch);
        }
    }
    mechanism_close(&m);
}

/* Assembly: the given configuration, spoiled by a millimetre, comes back where the reference's projection puts it. */
static void assembles_where_the_reference_does(void **state) {
    (void)state;
    sarrus_override overrides[] = {{"bodies.coupler.position.0", "0.401"}, {"bodies.rocker.velocity.1", "0.3"}, {NULL, NULL}};
    mechanism m =
        mechanism_open_text("sarrus: 1\n"
                            "space: planar\n"
                            "bodies:\n"
                            "  - {name: crank, mass: 3.0, inertia: 0.0225, position: [0.0, 0.15], angular_velocity: 7.0}\n"
                            "  - {name: coupler, mass: 1.0, inertia: 0.083, position: [0.4, 0.6], orientation: 0.6435}\n"
                            "  - {name: rocker, mass: 0.9, inertia: 0.0637, position: [0.9, 0.45], velocity: [0, 0]}\n"
                            "joints:\n"
                            "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], [0, -0.15]]}\n"
                            "  - {name: B, type: revolute, bodies: [crank, coupler], points: [[0, 0.15], [-0.5, 0]]}\n"
                            "  - {name: C, type: revolute, bodies: [coupler, rocker], points: [[0.5, 0], [-0.1, 0.45]]}\n"
                            "  - {name: D, type: revolute, bodies: [ground, rocker], points: [[1, 0], [0.1, -0.45]]}\n"
                            "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n",
                            overrides);
    double q[9], v[9], q_ref[9], v_ref[9];
    memcpy(q_ref, m.ref->q0, sizeof q_ref);
    memcpy(v_ref, m.ref->v0, sizeof v_ref);
    assert_true(reference_project(m.ref, 0.0, 1e-10, q_ref, v_ref) <= 1e-14);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    double condition = reference_condition(m.ref, 0.0, q_ref, 1e-10);
    /* both iterate Newton's method with the same correction; the ends differ by round-off through the condition */
    assert_true(mechanism_distance(q, q_ref, 9) <= TOLERANCE_SOLVE(17, condition * condition));
    assert_true(mechanism_distance(v, v_ref, 9) <= TOLERANCE_SOLVE(17, condition * condition) * 10.0);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo_has_every_joint_and_force),  cmocka_unit_test(agrees_on_the_constraints),
        cmocka_unit_test(agrees_near_the_constraints),        cmocka_unit_test(agrees_on_40_loops),
        cmocka_unit_test(assembles_where_the_reference_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
