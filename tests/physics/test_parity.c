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

#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { MAX_N = 243, MAX_M = 242, MAX_STATES = 11 };

/* The redundant singular values of states `violation` off the constraints are of that size: the cut lies between them and the
 * smallest true one. */
static const double RANK_TOLERANCE = 1e-6;

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

/* What the reference says about one state. */
typedef struct answer {
    double q[MAX_N], v[MAX_N], a[MAX_N], lambda[MAX_M + 1], reaction[3 * MAX_M], drive[MAX_M];
    double energy, energy_scale, position_error, velocity_error, condition;
    double acceleration_bound, reaction_bound;
    int rank;
    bool is_regular;
} answer;

static mechanism open_subject(const subject *s, const char *pinv) {
    sarrus_override overrides[] = {{"dynamics.pinv", pinv}, {NULL, NULL}};
    return s->file ? mechanism_open_file(s->file, overrides) : mechanism_open_text(s->text, overrides);
}

/* A random state within a tenth of a radian of the given one, brought onto the constraints, then moved off by `violation`. */
static void random_state(const reference *ref, double violation, uint64_t *seed, answer *out) {
    double size = 0.0;
    for (int i = 0; i < ref->n; i++) {
        size = i % 3 == 2 ? size : fmax(size, fabs(ref->q0[i]));
    }
    for (int i = 0; i < ref->n; i++) {
        out->q[i] = ref->q0[i] + (i % 3 == 2 ? 0.1 : 0.02 * size) * mechanism_random(seed);
        out->v[i] = ref->v0[i] + (i % 3 == 2 ? 1.0 : size) * mechanism_random(seed);
    }
    double error = reference_project(ref, 0.0, RANK_TOLERANCE, out->q, out->v);
    if (!(error <= 1e-12)) {
        fail_msg("the reference cannot project a random state: %g", error);
    }
    for (int i = 0; i < ref->n; i++) {
        out->q[i] += violation * size * mechanism_random(seed);
        out->v[i] += violation * size * mechanism_random(seed);
    }
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum = hypot(sum, x[i]);
    }
    return sum;
}

/* Bounds: the solve is good to eps times a condition. Ours squares that of D (normal equations), the reference's is that of the
 * saddle matrix, and both carry the round-off of their data (gamma ~ v^2, sin and cos) through the same condition. Off
 * the constraints by delta, redundant rows contradict each other by delta times the size of gamma, and which of them counts is
 * the method's choice. */
static void set_bounds(const reference *ref, const reference_spectrum *spectrum, double violation, answer *out) {
    int size = ref->n + ref->m;
    double speed = norm(out->v, ref->n), condition = out->condition * out->condition;
    double saddle = spectrum->largest / spectrum->smallest;
    double a = norm(out->a, ref->n) + speed * speed, lambda = norm(out->lambda, ref->m);
    double mass = mechanism_size(ref->mass, (size_t)ref->n);
    double solve = TOLERANCE_SOLVE(size, fmax(condition, 1.0)) + TOLERANCE_SINCOS * out->condition;
    double baumgarte = 2.0 * fabs(ref->alpha) + ref->beta * ref->beta;
    double choice = out->rank < ref->m ? violation * out->condition * out->condition : 0.0;
    out->acceleration_bound = solve * a + TOLERANCE_SOLVE(size, saddle) * (a + lambda) + choice * (a + baumgarte);
    out->reaction_bound = solve * (lambda + mass * a) + TOLERANCE_SOLVE(size, saddle) * (a + lambda) +
                          choice * (lambda + mass * (a + baumgarte)) * saddle;
}

static void answer_state(const reference *ref, double violation, answer *out) {
    static double phi[MAX_M], phi_dot[MAX_M];
    reference_spectrum spectrum;
    double scale = 0.0;
    assert_true(reference_accelerations(ref, 0.0, out->q, out->v, violation > 0.0 ? RANK_TOLERANCE : 1e-10, out->a, out->lambda,
                                        &spectrum));
    reference_constraints(ref, 0.0, out->q, out->v, phi, phi_dot, NULL, NULL);
    reference_reactions(ref, 0.0, out->q, out->lambda, out->reaction);
    (void)reference_drives(ref, out->lambda, out->drive);
    out->position_error = norm(phi, ref->m);
    out->velocity_error = norm(phi_dot, ref->m);
    out->energy = reference_energy(ref, 0.0, out->q, out->v);
    out->rank = reference_rank(ref, 0.0, out->q, RANK_TOLERANCE);
    out->condition = reference_condition(ref, 0.0, out->q, RANK_TOLERANCE);
    out->is_regular = reference_rank(ref, 0.0, out->q, 1e-3) == out->rank;
    for (int i = 0; i < ref->n; i++) {
        double fall = i % 3 == 2 ? 0.0 : fabs(ref->gravity[i % 3] * out->q[i]);
        scale += ref->mass[i] * (0.5 * out->v[i] * out->v[i] + fall);
    }
    out->energy_scale = scale + fabs(out->energy);
    set_bounds(ref, &spectrum, violation, out);
}

static void compare(const char *what, const subject *s, const char *isa, const char *pinv, double distance, double bound) {
    if (!(distance <= bound)) {
        fail_msg("%s of %s with %s and %s: off by %.3e, allowed %.3e", what, s->file ? s->file : "zoo", isa, pinv, distance, bound);
    }
}

/* All observables of a batch against the answers; returns the largest share of a bound that was used. */
static double compare_batch(const mechanism *m, const subject *s, const char *isa, const char *pinv, sarrus_batch *batch,
                            const answer *answers) {
    static double out[SARRUS_N_OBSERVABLES][MAX_STATES * 3 * MAX_M];
    double used = 0.0;
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    for (int k = 0; k < SARRUS_N_OBSERVABLES; k++) {
        o.destination[k] = k == SARRUS_OBSERVE_DRIVES && m->n_drives == 0 ? NULL : out[k];
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (int i = 0; i < s->n_states; i++) {
        const answer *want = &answers[i];
        size_t n = (size_t)m->n, row = (size_t)i;
        double length = 1.0 + norm(want->q, m->n), speed = length * (1.0 + norm(want->v, m->n));
        double a = mechanism_distance(out[SARRUS_OBSERVE_ACCELERATION] + row * n, want->a, n);
        size_t n_reactions = 3 * (size_t)m->n_joints, n_drives = (size_t)m->n_drives;
        double reaction = mechanism_distance(out[SARRUS_OBSERVE_REACTIONS] + row * n_reactions, want->reaction, n_reactions);
        double drive = mechanism_distance(out[SARRUS_OBSERVE_DRIVES] + row * n_drives, want->drive, n_drives);
        compare("acceleration", s, isa, pinv, a, want->acceleration_bound);
        compare("reaction", s, isa, pinv, reaction, want->reaction_bound);
        compare("motor load", s, isa, pinv, drive, want->reaction_bound);
        compare("energy", s, isa, pinv, fabs(out[SARRUS_OBSERVE_ENERGY][i] - want->energy), TOLERANCE_SUM(n) * want->energy_scale);
        compare("position error", s, isa, pinv, fabs(out[SARRUS_OBSERVE_POSITION_ERROR][i] - want->position_error),
                (TOLERANCE_SUM(n) + TOLERANCE_SINCOS) * length);
        compare("velocity error", s, isa, pinv, fabs(out[SARRUS_OBSERVE_VELOCITY_ERROR][i] - want->velocity_error),
                (TOLERANCE_SUM(n) + TOLERANCE_SINCOS) * speed);
        if (want->is_regular) {
            compare("rank", s, isa, pinv, fabs(out[SARRUS_OBSERVE_RANK][i] - want->rank), 0.0);
        }
        used = fmax(used, fmax(a / want->acceleration_bound, reaction / want->reaction_bound));
    }
    return used;
}

static void check_subject(const subject *s, double violation) {
    static answer answers[MAX_STATES];
    const char *isas[] = {"avx512", "avx2", "baseline"};
    uint64_t seed = 20240501;
    double used = 0.0;
    for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS; p++) {
        const char *pinv = sarrus_pinv_method_word((sarrus_pinv_method)p);
        if (p == SARRUS_PINV_TIKHONOV) { /* it answers another question */
            continue;
        }
        mechanism m = open_subject(s, pinv);
        m.ref->inputs[0] = 0.7; /* of the zoo; the others have none */
        for (int i = 0; i < s->n_states && p == 0; i++) {
            random_state(m.ref, violation, &seed, &answers[i]);
            answer_state(m.ref, violation, &answers[i]);
        }
        for (int k = 0; k < 3; k++) {
            if (!mechanism_has_isa(isas[k])) {
                continue;
            }
            sarrus_batch *batch = mechanism_batch(&m, isas[k], 1, (uint64_t)s->n_states, NULL);
            for (int i = 0; i < s->n_states; i++) {
                mechanism_set_state(batch, (uint64_t)i, answers[i].q, answers[i].v);
                mechanism_set_inputs(batch, (uint64_t)i, m.ref->inputs);
            }
            used = fmax(used, compare_batch(&m, s, isas[k], pinv, batch, answers));
            sarrus_batch_destroy(batch);
        }
        mechanism_close(&m);
    }
    print_message("%-26s violation %.0e: %d states, bound %.1e m/s^2, %.1e of the bounds used\n", s->file ? s->file : "zoo",
                  violation, s->n_states, answers[0].acceleration_bound, used);
}

static void agrees_on_the_constraints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof SUBJECTS[0]; i++) {
        check_subject(&SUBJECTS[i], 0.0);
    }
}

static void agrees_near_the_constraints(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof SUBJECTS / sizeof SUBJECTS[0]; i++) {
        check_subject(&SUBJECTS[i], 1e-9);
    }
}

/* One state of the large mechanism: the reference alone takes a second, so the two slow choices are left to smaller ones. */
static void agrees_on_40_loops(void **state) {
    (void)state;
    static answer want[MAX_STATES];
    const subject s = {"n_four_bar_40.yaml", NULL, 1};
    const char *isas[] = {"avx512", "avx2", "baseline"};
    uint64_t seed = 99;
    mechanism m = open_subject(&s, "auto");
    random_state(m.ref, 0.0, &seed, &want[0]);
    answer_state(m.ref, 0.0, &want[0]);
    for (int k = 0; k < 3; k++) {
        if (mechanism_has_isa(isas[k])) {
            sarrus_batch *batch = mechanism_batch(&m, isas[k], 1, 1, NULL);
            mechanism_set_state(batch, 0, want[0].q, want[0].v);
            (void)compare_batch(&m, &s, isas[k], "auto", batch, want);
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
        cmocka_unit_test(agrees_on_the_constraints),
        cmocka_unit_test(agrees_near_the_constraints),
        cmocka_unit_test(agrees_on_40_loops),
        cmocka_unit_test(assembles_where_the_reference_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
