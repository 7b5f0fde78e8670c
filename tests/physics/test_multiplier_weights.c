/* Claim: where redundant joints share a load, the share that is reported is that of the smallest Σ w² λ² in the weights that the
 * scenario asks for, by the sparse factor and by the rank-revealing paths, in the plane and in space; what is unique, and the
 * motion, does not depend on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

/* A beam of 3 kg and 0.2 kg m², on two pins at x = ±1 m, pushed along by 6 N and down by 9 N at x = 1/3: along it both pins share
 * 6 N in any way, across 3 N and 6 N. It cannot move. */
#define BEAM                                                                                                                       \
    "sarrus: 1\nspace: planar\ngravity: [0, 0]\n"                                                                                  \
    "bodies:\n  - {name: beam, mass: 3, inertia: 0.2, position: [0.2, 0]}\n"                                                       \
    "joints:\n"                                                                                                                    \
    "  - {name: left, type: revolute, bodies: [ground, beam], at: [-1, 0]}\n"                                                      \
    "  - {name: right, type: revolute, bodies: [ground, beam], at: [1, 0]}\n"                                                      \
    "forces:\n  - {name: push, type: force, body: beam, at: [0.13333333333333333, 0], value: [6, -9]}\n"                           \
    "integrator: {method: rk4, dt: 0.01, t_end: 0.1}\noutput: {channels: [state, reactions]}\ndynamics: {%s%s}\n"

/* A cantilever welded to ground at both ends, x = 0 and 2, its centre of mass at 0.5: a torque of 8 N m, and both welds share it as
 * moments and as a couple of forces. */
#define WELDED                                                                                                                     \
    "sarrus: 1\nspace: planar\ngravity: [0, 0]\n"                                                                                  \
    "bodies:\n  - {name: beam, mass: 4, inertia: 0.5, position: [0.5, 0]}\n"                                                       \
    "joints:\n"                                                                                                                    \
    "  - {name: left, type: fixed, bodies: [ground, beam], at: [0, 0]}\n"                                                          \
    "  - {name: right, type: fixed, bodies: [ground, beam], at: [2, 0]}\n"                                                         \
    "forces:\n  - {name: turn, type: torque, body: beam, value: 8}\n"                                                              \
    "integrator: {method: rk4, dt: 0.01, t_end: 0.1}\noutput: {channels: [state, reactions]}\ndynamics: {%s%s}\n"

/* A slab of 2 kg in space, hung by two revolutes about x at x = ±1: their pins share a force along x, and what keeps the axes in
 * line is shared too. */
#define DOOR                                                                                                                       \
    "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"                                                                          \
    "bodies:\n  - {name: door, mass: 2, inertia: [0.3, 0.5, 0.6], position: [0, 0, -0.5]}\n"                                       \
    "joints:\n"                                                                                                                    \
    "  - {name: left, type: revolute, bodies: [ground, door], at: [-1, 0, 0], axis: [1, 0, 0]}\n"                                  \
    "  - {name: right, type: revolute, bodies: [ground, door], at: [1, 0, 0], axis: [1, 0, 0]}\n"                                  \
    "forces:\n  - {name: push, type: force, body: door, at: [0, 0, 0.5], value: [6, 0, 0]}\n"                                      \
    "integrator: {method: rk4, dt: 0.01, t_end: 0.1}\noutput: {channels: [state, reactions]}\ndynamics: {%s%s}\n"

static const char *const ways[] = {"pinv: auto", "pinv: svd", "pinv: householder", "rank: {method: relative}",
                                   "formulation: saddle"};
enum { N_WAYS = sizeof ways / sizeof ways[0], MOST = 12 };

/* Reactions of the nominal instance at t = 0, of mechanism `text` with these weights, computed in this way. */
static void reactions_of(const char *text, const char *weights, const char *way, double reactions[MOST]) {
    char scenario[2000];
    snprintf(scenario, sizeof scenario, text, weights, way);
    mechanism m = mechanism_open_text(scenario, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    mechanism_observe(batch, SARRUS_OBSERVE_REACTIONS, reactions);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void check(const char *what, double found, double expected) {
    /* σ of J M^{-1/2} lie within a factor of 10, of the weighted rows of 100; loads are below 10. */
    if (!(fabs(found - expected) <= 1e-12))
        fail_msg("%s: found %.17g, expected %.17g", what, found, expected);
}

/* Of the beam: w_l² f_l = w_r² f_r and f_l + f_r = −6. */
static void check_beam(const char *weights, double square_left, double square_right) {
    const double left = -6.0 * square_right / (square_left + square_right);
    for (int i = 0; i < N_WAYS; ++i) {
        double r[MOST];
        reactions_of(BEAM, weights, ways[i], r);
        check(weights, r[0], left);
        check(weights, r[3], -6.0 - left);
        check("across, left", r[1], 3.0);
        check("across, right", r[4], 6.0);
    }
}

static void forces_share_by_their_weights(void **state) {
    (void)state;
    check_beam("", 1.0, 1.0);
    check_beam("multipliers: equal, ", 1.0, 1.0);
    check_beam("multipliers: units, ", 1.0, 1.0);
    check_beam("multipliers: {left: 2}, ", 4.0, 1.0);
    check_beam("multipliers: {left: 0.5, right: [3, 100]}, ", 0.25, 9.0);
    check_beam("multipliers: {right: 1000}, ", 1.0, 1e6);
    /* The mean of x and y of 1/m + s_⊥²/I: s = 1.2 and 0.8, across alone. A plan keeps six bits of it. */
    double r[MOST];
    reactions_of(BEAM, "multipliers: masses, ", ways[0], r);
    const double left = 1.0 / 3.0 + 0.5 * 1.44 / 0.2, right = 1.0 / 3.0 + 0.5 * 0.64 / 0.2;
    assert_true(fabs(r[0] + 6.0 * right / (left + right)) < 6.0 / 64.0);
    for (int i = 1; i < N_WAYS; ++i) {
        double other[MOST];
        reactions_of(BEAM, "multipliers: masses, ", ways[i], other);
        for (int k = 0; k < 6; ++k)
            check("masses", other[k], r[k]);
    }
}

/* Of the welded beam: f at the right, −f at the left, moments m_l + m_r + 2 f = −8 about the left weld; least
 * w_f² 2 f² + w_m² (m_l² + m_r²) where w_f² f = w_m² m_l = w_m² m_r = κ. */
static void check_welded(const char *weights, double square_force, double square_moment) {
    const double kappa = -8.0 / (2.0 / square_force + 2.0 / square_moment);
    for (int i = 0; i < N_WAYS; ++i) {
        double r[MOST];
        reactions_of(WELDED, weights, ways[i], r);
        check("couple", r[4], kappa / square_force);
        check("couple", r[1], -kappa / square_force);
        check("moment, left", r[2], kappa / square_moment);
        check("moment, right", r[5], kappa / square_moment);
    }
}

static void moments_share_by_units(void **state) {
    (void)state;
    char scenario[2000];
    snprintf(scenario, sizeof scenario, WELDED, "", ways[0]);
    mechanism m = mechanism_open_text(scenario, NULL);
    const double size = m.plan->mech.size;
    mechanism_close(&m);
    check_welded("", 1.0, 1.0);
    check_welded("multipliers: units, ", 1.0, 1.0 / (size * size));
    check_welded("multipliers: {left: [3, 0.1], right: [3, 0.1]}, ", 9.0, 0.01 / (size * size));
}

static void in_space(void **state) {
    (void)state;
    double equal[MOST];
    reactions_of(DOOR, "", ways[0], equal);
    for (int i = 0; i < N_WAYS; ++i) {
        double r[MOST];
        reactions_of(DOOR, "multipliers: {left: [3, 1]}, ", ways[i], r);
        check("along, left", r[0], -6.0 * 1.0 / 10.0);
        check("along, right", r[6], -6.0 * 9.0 / 10.0);
        for (int k = 0; k < 6; ++k) {
            if (k < 3)
                check("sum of forces", r[k] + r[6 + k], equal[k] + equal[6 + k]);
        }
        /* About y and z, at the origin: moments and the couples of the forces at x = ±1. */
        check("about y", r[4] + r[10] + r[2] - r[8], equal[4] + equal[10] + equal[2] - equal[8]);
        check("about z", r[5] + r[11] - r[1] + r[7], equal[5] + equal[11] - equal[1] + equal[7]);
    }
}

/* What is unique, and the motion, do not know of weights: bit for bit. */
static void motion_is_the_same(void **state) {
    (void)state;
    static const char *const values[] = {"equal", "units", "masses", "{C: 3, F: [0.1, 10]}"};
    double q[4][12], a[4][12];
    for (int i = 0; i < 4; ++i) {
        const sarrus_override overrides[] = {{"dynamics.multipliers", values[i]}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
        mechanism_observe(batch, SARRUS_OBSERVE_Q, q[i]);
        mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a[i]);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
        assert_memory_equal(q[i], q[0], sizeof q[0]);
        assert_memory_equal(a[i], a[0], sizeof a[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_share_by_their_weights),
        cmocka_unit_test(moments_share_by_units),
        cmocka_unit_test(in_space),
        cmocka_unit_test(motion_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
