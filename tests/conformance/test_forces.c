/* Claim, of every row of force.def, at random states: it puts on the bodies what the dense reference says; its power is force times
 * velocity; what it does beyond that power is the fall of a potential energy, of which it is the gradient where it damps nothing. A
 * row without an entry here does not compile. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/joint_cases.h"
#include "tests/support/kernel_rows.h"
#include "tests/tolerances.h"

enum { N = 6, N_STATES = 200, MAX_VARIANTS = 4, N_INPUTS = 2 };

/* Ways to write a force of one type between, or on, the bodies a and b. */
typedef struct variant {
    const char *text;
    bool is_conservative; /* it has a potential and no power beside it */
} variant;

typedef struct subject {
    const char *word;
    int n_variants;
    variant variants[MAX_VARIANTS];
} subject;

static subject subject_of(sarrus_force_type type) {
    switch (type) {
    case SARRUS_FORCE_SPRING:
        return (subject){"spring",
                         4,
                         {{"between: [[a, [0.2, -0.1]], [b, [0.3, 0.4]]], stiffness: 30, rest_length: 0.8", true},
                          {"between: [[a, [0.2, -0.1]], [ground, [0.3, 1.4]]], stiffness: 30, rest_length: 0.8, damping: 2", false},
                          {"between: [[ground, [-0.5, 0.2]], [b, [0.1, 0]]], stiffness: 12, rest_length: 0", true},
                          {"between: [[b, [0, 0.3]], [a, [0, 0]]], damping: 1.5", false}}};
    case SARRUS_FORCE_TORQUE:
        return (subject){"torque",
                         3,
                         {{"body: a, value: 1.25", false},
                          {"body: b, value: {signal: {sine: {amplitude: 2, frequency: 0.6, phase: 0.4}}}", false},
                          {"body: b, value: {input: 1}", false}}};
    case SARRUS_FORCE_POINT:
        return (subject){"force",
                         4,
                         {{"body: a, at: [0.3, -0.2], value: [1.5, -2]", false},
                          {"body: b, at: [0.3, -0.2], value: [1.5, -2], frame: body", false},
                          {"body: b, value: [{signal: {polynomial: [1, 2]}}, {input: 0}]", false},
                          {"body: a, at: [-0.1, 0.5], value: [{input: 1}, {signal: {ramp: {slope: 3}}}], frame: body", false}}};
    }
    return (subject){"", 0, {{NULL, false}}}; /* no force of the table */
}

static mechanism open_variant(const subject *s, int i_variant, const char *gravity) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "sarrus: 1\nspace: planar\ngravity: %s\nbodies:\n"
                   "  - {name: a, mass: 1.3, inertia: 0.2, position: [0, 0], orientation: 0.3}\n"
                   "  - {name: b, mass: 0.7, inertia: 0.1, position: [1.5, 0.4], orientation: -0.8}\n"
                   "joints: []\nforces:\n  - {name: f, type: %s, %s}\n%s"
                   "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n",
                   gravity, s->word, s->variants[i_variant].text,
                   /* both inputs exist whatever the force takes */
                   "  - {name: i0, type: torque, body: a, value: {input: 0}}\n  - {name: i1, type: torque, body: a, value: {input: "
                   "1}}\n");
    return mechanism_open_text(text, NULL);
}

typedef struct place {
    double t, q[N], v[N], size;
} place;

static place draw_place(uint64_t *seed) {
    place at = {.t = 0.5 + 0.5 * mechanism_random(seed), .size = 1.0};
    for (int i = 0; i < N; ++i) {
        at.q[i] = (i >= 3 && i % 3 == 0 ? 2.0 : 0.0) + (i % 3 == 2 ? 30.0 : 0.4) * mechanism_random(seed);
        at.v[i] = 2.0 * mechanism_random(seed);
        at.size = fmax(at.size, fabs(at.q[i]));
    }
    return at;
}

static void assert_close(const subject *s, int i_variant, const char *what, double value, double expected, double bound) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s {%s}: %s: %.15g instead of %.15g, off by %.2e > %.1e", s->word, s->variants[i_variant].text, what, value,
                 expected, fabs(value - expected), bound);
    }
}

/* dV/dq_i by a central difference: truncation and round-off of eps^(2/3) each, times stiffnesses of 30 N/m and what a potential
 * energy of 100 J rounds to. */
static double slope_of_potential(kernel_rows *rows, const place *at, int i) {
    const double h = cbrt(DBL_EPSILON);
    place side[2] = {*at, *at};
    side[0].q[i] -= h;
    side[1].q[i] += h;
    return (kernel_rows_potential(rows, at->t, side[1].q, at->v) - kernel_rows_potential(rows, at->t, side[0].q, at->v)) /
           (side[1].q[i] - side[0].q[i]);
}

static void check_place(const subject *s, int i_variant, const mechanism *m, kernel_rows *rows, const place *at) {
    double force[N], wanted[N], power_of_all = 0.0, fall = 0.0, most = 1.0;
    const double power = kernel_rows_forces(rows, at->t, at->q, at->v, force);
    reference_forces(m->ref, at->t, at->q, at->v, wanted);
    for (int i = 0; i < N; ++i) {
        most = fmax(most, fabs(wanted[i]));
    }
    const double by_difference = 10.0 * pow(DBL_EPSILON, 2.0 / 3.0) * 100.0;
    for (int i = 0; i < N; ++i) {
        const double slope = slope_of_potential(rows, at, i);
        assert_close(s, i_variant, "force", force[i], wanted[i], 64.0 * DBL_EPSILON * most * at->size);
        power_of_all += force[i] * at->v[i];
        fall -= slope * at->v[i];
        if (s->variants[i_variant].is_conservative) {
            assert_close(s, i_variant, "-dV/dq", force[i], -slope, by_difference);
        }
    }
    assert_close(s, i_variant, "power", power_of_all, power + fall, by_difference * N * 2.0);
    if (s->variants[i_variant].is_conservative) {
        assert_close(s, i_variant, "power beside the potential", power, 0.0, 0.0);
    }
}

static void check_force(sarrus_force_type type, const char *word) {
    static const double inputs[N_INPUTS] = {0.0, 0.0}, pushed[N_INPUTS] = {0.7, -1.1};
    const subject s = subject_of(type);
    uint64_t seed = 17;
    assert_string_equal(s.word, word);
    for (int i_variant = 0; i_variant < s.n_variants; ++i_variant) {
        /* Inputs are torques on a besides; without them what is conservative is so. */
        const double *external = s.variants[i_variant].is_conservative ? inputs : pushed;
        mechanism m = open_variant(&s, i_variant, i_variant % 2 ? "[0, 0]" : "[0.5, -9.81]");
        memcpy(m.ref->inputs, external, sizeof inputs);
        kernel_rows *rows = kernel_rows_create(&m, external);
        for (int k = 0; k < N_STATES / s.n_variants; ++k) {
            const place at = draw_place(&seed);
            check_place(&s, i_variant, &m, rows, &at);
        }
        kernel_rows_destroy(rows);
        mechanism_close(&m);
    }
    assert_true(s.n_variants > 0);
}

#define SARRUS_FORCE(name, value, word, kernel, text)                                                                              \
    static void force_##name(void **state) {                                                                                       \
        (void)state;                                                                                                               \
        check_force(SARRUS_FORCE_##name, word);                                                                                    \
    }
#include "sarrus/force.def"

/* At a point of its own: a force on a body at rest does the power of its value times the point's velocity, by hand. */
static void a_force_acts_at_its_point(void **state) {
    (void)state;
    const subject s = subject_of(SARRUS_FORCE_POINT);
    mechanism m = open_variant(&s, 0, "[0, 0]");
    static const double still[N_INPUTS] = {0.0, 0.0};
    kernel_rows *rows = kernel_rows_create(&m, still);
    uint64_t seed = 2;
    for (int k = 0; k < 20; ++k) {
        const place at = draw_place(&seed);
        double position[2], velocity[2], force[N];
        joint_point_by_hand(at.q, at.v, 0, (const double[]){0.3, -0.2}, position, velocity);
        assert_close(&s, 0, "power", kernel_rows_forces(rows, at.t, at.q, at.v, force), 1.5 * velocity[0] - 2.0 * velocity[1],
                     64.0 * DBL_EPSILON * 10.0);
    }
    kernel_rows_destroy(rows);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define SARRUS_FORCE(name, value, word, kernel, text) cmocka_unit_test(force_##name),
#include "sarrus/force.def"
        cmocka_unit_test(a_force_acts_at_its_point),
    };
    return cmocka_run_group_tests_name("conformance.forces", tests, NULL, NULL);
}
