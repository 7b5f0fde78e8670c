/* Claim, of every row of joint.def with every optional property, on ground and between bodies, near and far, at random states: its
 * J is the derivative of its Phi, its gamma is what the derivative of J v leaves, both are those of the dense reference; so are the
 * accelerations, reactions and motor loads; its reactions hold the bodies and do no work; its free coordinate is the one that a
 * ruler would read. A type without a geometry (tests/support/joint_cases.c) or without a reference does not compile. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/joint_cases.h"
#include "tests/support/kernel_rows.h"
#include "tests/support/reference_answer.h"
#include "tests/tolerances.h"

enum { MAX_N = 6, MAX_M = 4, N_STATES = 4, TEXT_SIZE = 4096 };

static const char *const FIXED_STEPS = "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}";

/* One case opened, and a state of it. */
typedef struct subject {
    joint_case what;
    mechanism m;
    kernel_rows *rows;
    int n, m_rows;
    double t, q[MAX_N], v[MAX_N];
    double size;  /* 1 + the largest coordinate: what round-off is relative to */
    double rate;  /* 1/s, of all that moves, a drive's signal included */
    double reach; /* m, of the two ends of a distance; at most 1: what its direction is divided by */
} subject;

typedef void (*check)(subject *s);

/* Drawn anywhere, on the constraints or not; the ends of a distance not on one another, where its direction has no meaning. */
static void draw_state(subject *s, uint64_t *seed) {
    const reference_joint *joint = &s->m.ref->joints[0];
    do {
        double end[2][2];
        s->size = 1.0;
        s->rate = 6.0;
        for (int i = 0; i < s->n; ++i) {
            s->q[i] = s->m.ref->q0[i] + (i % 3 == 2 ? 3.0 : 0.5) * mechanism_random(seed);
            s->v[i] = 2.0 * mechanism_random(seed);
            s->size = fmax(s->size, 1.0 + fabs(s->q[i]));
            s->rate = fmax(s->rate, 6.0 + fabs(s->v[i]));
        }
        for (int side = 0; side < 2; ++side) {
            joint_point_by_hand(s->q, NULL, joint->body[side], joint->point[side], end[side], NULL);
            s->size = fmax(s->size, 1.0 + fmax(fabs(end[side][0]), fabs(end[side][1])));
        }
        s->reach = fmin(1.0, hypot(end[1][0] - end[0][0], end[1][1] - end[0][1]));
    } while (s->reach < 0.2 && joint->type == SARRUS_JOINT_DISTANCE);
    s->reach = joint->type == SARRUS_JOINT_DISTANCE ? s->reach : 1.0;
    s->t = 0.5 + 0.5 * mechanism_random(seed);
}

/* Calls `look` at every case and every state; every row of the table must have been among them. */
static void for_each_state(const char *dynamics, check look) {
    const int n_places = getenv("SARRUS_FEW_CASES") ? 3 : N_JOINT_PLACES;
    int n_seen[SARRUS_N_PLANAR_JOINT_TYPES] = {0};
    uint64_t seed = 4711;
    for (int type = 0; type < SARRUS_N_PLANAR_JOINT_TYPES; ++type) {
        for (int k = 0; k < N_JOINT_PROPERTIES * N_JOINT_GROUNDINGS * n_places; ++k) {
            static char text[TEXT_SIZE];
            subject s = {.what = {.type = (sarrus_joint_type)type, .properties = (unsigned)(k % N_JOINT_PROPERTIES)}};
            s.what.grounding = (joint_grounding)(k / N_JOINT_PROPERTIES % N_JOINT_GROUNDINGS);
            s.what.place = (unsigned)(k / N_JOINT_PROPERTIES / N_JOINT_GROUNDINGS);
            if (!joint_case_exists(&s.what)) {
                continue;
            }
            joint_case_write(&s.what, &seed, dynamics, FIXED_STEPS, sizeof text, text);
            s.m = mechanism_open_text(text, NULL);
            s.n = s.m.n;
            s.m_rows = s.m.m;
            assert_true(s.n <= MAX_N && s.m_rows <= MAX_M);
            s.rows = kernel_rows_create(&s.m, NULL);
            for (int i = 0; i < N_STATES; ++i) {
                draw_state(&s, &seed);
                look(&s);
                ++n_seen[type];
            }
            kernel_rows_destroy(s.rows);
            mechanism_close(&s.m);
        }
        if (n_seen[type] < 3 * n_places * N_STATES) {
            fail_msg("%s: %d states only", sarrus_joint_word((sarrus_joint_type)type), n_seen[type]);
        }
    }
}

static void assert_close(const subject *s, const char *what, int i, double value, double expected, double bound) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %s, row %d: %.15g instead of %.15g, off by %.2e > %.1e", joint_case_name(&s->what), what, i, value, expected,
                 fabs(value - expected), bound);
    }
}

/* Sums of a few products of sines (4 ulp), arms and coordinates; in a direction they are divided by the reach, in gamma multiplied
 * by two speeds. */
static void rows_agree_with_the_reference(subject *s) {
    double phi[2][MAX_M], phi_dot[2][MAX_M], gamma[2][MAX_M], jacobian[2][MAX_M * MAX_N], sum = 0.0;
    const double unit = 32.0 * DBL_EPSILON * s->size / s->reach;
    kernel_rows_at(s->rows, s->t, s->q, s->v, phi[0], phi_dot[0], gamma[0], jacobian[0]);
    reference_constraints(s->m.ref, s->t, s->q, s->v, phi[1], phi_dot[1], gamma[1], jacobian[1]);
    for (int i = 0; i < s->m_rows; ++i) {
        assert_close(s, "Phi", i, phi[0][i], phi[1][i], unit);
        assert_close(s, "Phi_dot", i, phi_dot[0][i], phi_dot[1][i], unit * s->rate);
        assert_close(s, "gamma", i, gamma[0][i], gamma[1][i], unit * s->rate * s->rate);
        for (int j = 0; j < s->n; ++j) {
            assert_close(s, "J", i, jacobian[0][s->n * i + j], jacobian[1][s->n * i + j], unit);
        }
        sum += phi[1][i] * phi[1][i];
    }
    assert_close(s, "|Phi|^2", -1, kernel_rows_violation_squared(s->rows, s->t, s->q, s->v), sum,
                 unit * 2.0 * (1.0 + sqrt(sum)) * s->m_rows);
}

/* The step of a central difference whose truncation h^2 Phi'''/6 and round-off eps size/h are equally large, and what they then
 * leave: eps^(2/3) each, with derivatives of up to 1/reach^2 of a length and with 4 ulp of a sine. */
static double difference_step(void) {
    return cbrt(DBL_EPSILON);
}
static double difference_bound(const subject *s) {
    return 10.0 * pow(DBL_EPSILON, 2.0 / 3.0) * s->size / (s->reach * s->reach);
}

static void j_is_the_derivative_of_phi(subject *s) {
    double jacobian[MAX_M * MAX_N], phi[2][MAX_M];
    kernel_rows_at(s->rows, s->t, s->q, s->v, NULL, NULL, NULL, jacobian);
    for (int j = 0; j < s->n; ++j) {
        double moved[2][MAX_N];
        for (int side = 0; side < 2; ++side) {
            memcpy(moved[side], s->q, sizeof s->q);
            moved[side][j] += (side ? 1.0 : -1.0) * difference_step();
            kernel_rows_at(s->rows, s->t, moved[side], s->v, phi[side], NULL, NULL, NULL);
        }
        for (int i = 0; i < s->m_rows; ++i) {
            const double slope = (phi[1][i] - phi[0][i]) / (moved[1][j] - moved[0][j]);
            assert_close(s, "dPhi/dq", i, jacobian[s->n * i + j], slope, difference_bound(s));
        }
    }
}

/* Along q + v t with v held: Phi_dot is the rate of Phi, and gamma what is left of that of Phi_dot, drives included. In units of
 * the time 1/rate it is as above. */
static void gamma_is_what_the_derivative_of_j_v_leaves(subject *s) {
    double phi[2][MAX_M], phi_dot[2][MAX_M], here[MAX_M], gamma[MAX_M];
    const double h = difference_step() / s->rate;
    kernel_rows_at(s->rows, s->t, s->q, s->v, NULL, here, gamma, NULL);
    for (int side = 0; side < 2; ++side) {
        double moved[MAX_N];
        for (int i = 0; i < s->n; ++i) {
            moved[i] = s->q[i] + (side ? h : -h) * s->v[i];
        }
        kernel_rows_at(s->rows, s->t + (side ? h : -h), moved, s->v, phi[side], phi_dot[side], NULL, NULL);
    }
    for (int i = 0; i < s->m_rows; ++i) {
        assert_close(s, "dPhi/dt", i, here[i], (phi[1][i] - phi[0][i]) / (2.0 * h), difference_bound(s) * s->rate);
        assert_close(s, "-d(J v)/dt", i, gamma[i], -(phi_dot[1][i] - phi_dot[0][i]) / (2.0 * h),
                     difference_bound(s) * s->rate * s->rate);
    }
}

static void free_coordinate_is_as_read(subject *s) {
    const bool is_free = sarrus_joint_freedom(s->what.type) != SARRUS_FREE_NONE;
    double phi[MAX_M], signal[3];
    if (!is_free) {
        return;
    }
    const double bound = 32.0 * DBL_EPSILON * s->size, by_hand = joint_coordinate_by_hand(&s->m, 0, s->q);
    assert_close(s, "free coordinate", 0, kernel_rows_free_coordinate(s->rows, 0, s->q, s->v), by_hand, bound);
    if (s->what.properties & JOINT_WITH_DRIVE) { /* the last row says how far it is from its signal */
        kernel_rows_at(s->rows, s->t, s->q, s->v, phi, NULL, NULL, NULL);
        reference_signal(s->m.ref, 0, s->t, signal);
        assert_close(s, "driven coordinate", 0, phi[s->m_rows - 1], by_hand - signal[0], bound);
    }
    /* The spring's energy is that of a coordinate by hand. */
    const reference_joint *joint = &s->m.ref->joints[0];
    double potential = 0.5 * joint->stiffness * (by_hand - joint->rest) * (by_hand - joint->rest), most = potential;
    for (int i = 0; i < s->n; ++i) {
        const double weight = i % 3 == 2 ? 0.0 : -s->m.ref->mass[i] * s->m.ref->gravity[i % 3] * s->q[i];
        potential += weight;
        most += fabs(weight);
    }
    assert_close(s, "potential energy", 0, kernel_rows_potential(s->rows, s->t, s->q, s->v), potential,
                 (TOLERANCE_SUM(s->n) * most) + bound * joint->stiffness * (1.0 + fabs(by_hand)));
}

static void rows_are_those_of_the_reference(void **state) {
    (void)state;
    for_each_state("", rows_agree_with_the_reference);
}

static void jacobians_are_derivatives(void **state) {
    (void)state;
    for_each_state("", j_is_the_derivative_of_phi);
}

static void right_sides_are_derivatives(void **state) {
    (void)state;
    for_each_state("", gamma_is_what_the_derivative_of_j_v_leaves);
}

static void free_coordinates_are_as_read(void **state) {
    (void)state;
    for_each_state("", free_coordinate_is_as_read);
}

/* --- Accelerations and reactions -------------------------------------------------------------------------------------- */

/* force += what the load (fx, fy) at the inertial point `at` and the moment do to a body. */
static void load_body(const double *q, int body, const double at[2], const double load[3], double sign, double *force) {
    if (body == SARRUS_GROUND) {
        return;
    }
    force[3 * body] += sign * load[0];
    force[3 * body + 1] += sign * load[1];
    force[3 * body + 2] += sign * (load[2] + (at[0] - q[3 * body]) * load[1] - (at[1] - q[3 * body + 1]) * load[0]);
}

/* On the constraints M a = applied forces + reactions + motor load, body by body, by hand: what acts on the child acts on the
 * parent the other way round, at the same place. And the reactions do no work: nothing moves in their way. */
static void reactions_hold_the_bodies(const joint_case *what, const mechanism *m, const reference_answer *at, const double *a,
                                      const double *reaction, double drive) {
    const reference_joint *joint = &m->ref->joints[0];
    double force[MAX_N], point[2], speed[2], motor[3] = {0.0, 0.0, 0.0};
    reference_forces(m->ref, 0.0, at->q, at->v, force);
    joint_point_by_hand(at->q, at->v, joint->body[1], joint->point[1], point, speed);
    if (sarrus_joint_freedom(joint->type) == SARRUS_FREE_ANGLE) {
        motor[2] = drive;
    } else if (sarrus_joint_freedom(joint->type) == SARRUS_FREE_SHIFT) {
        const double angle = joint->body[0] == SARRUS_GROUND ? 0.0 : at->q[3 * joint->body[0] + 2];
        motor[0] = drive * (cos(angle) * joint->axis[0] - sin(angle) * joint->axis[1]);
        motor[1] = drive * (sin(angle) * joint->axis[0] + cos(angle) * joint->axis[1]);
    }
    for (int side = 0; side < 2; ++side) {
        load_body(at->q, joint->body[side], point, reaction, side ? 1.0 : -1.0, force);
        load_body(at->q, joint->body[side], point, motor, side ? 1.0 : -1.0, force);
    }
    const double mass = mechanism_size(m->ref->mass, (size_t)m->n), arm = 4.0;
    const double bound = mass * at->acceleration_bound + arm * at->reaction_bound;
    for (int i = 0; i < m->n; ++i) {
        if (!(fabs(m->ref->mass[i] * a[i] - force[i]) <= bound)) {
            fail_msg("%s: coordinate %d: M a is %g, all forces are %g", joint_case_name(what), i, m->ref->mass[i] * a[i], force[i]);
        }
    }
    double power = reaction[0] * speed[0] + reaction[1] * speed[1];
    power += joint->body[1] == SARRUS_GROUND ? 0.0 : reaction[2] * at->v[3 * joint->body[1] + 2];
    if (joint->body[0] != SARRUS_GROUND) {
        const double *q = at->q + 3 * joint->body[0], *v = at->v + 3 * joint->body[0];
        power -=
            reaction[0] * (v[0] - v[2] * (point[1] - q[1])) + reaction[1] * (v[1] + v[2] * (point[0] - q[0])) + reaction[2] * v[2];
    }
    const double load = fabs(reaction[0]) + fabs(reaction[1]) + fabs(reaction[2]);
    /* Positions and velocities are on the constraints to some units of round-off of their sizes. */
    const double off =
        64.0 * DBL_EPSILON * (1.0 + mechanism_size(at->q, (size_t)m->n)) * (1.0 + mechanism_size(at->v, (size_t)m->n));
    if (!(fabs(power) <= load * off * at->condition + at->reaction_bound)) {
        fail_msg("%s: the reactions do %g W of %g N, %g W allowed", joint_case_name(what), power, load, load * off * at->condition);
    }
}

/* Coordinates are rounded to eps of their size, which moves the rows as much as round-off of sines does. */
static void widen(const mechanism *m, reference_answer *answer) {
    const double size = 1.0 + mechanism_size(answer->q, (size_t)m->n);
    answer->acceleration_bound *= size;
    answer->reaction_bound *= size;
}

static void check_answers(const joint_case *what, const mechanism *m, double violation, const reference_answer *answers) {
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    for (int k = 0; k < 3; ++k) {
        if (!mechanism_has_isa(isas[k])) {
            continue;
        }
        double a[N_STATES * MAX_N], reaction[N_STATES * 3], drive[N_STATES] = {0.0};
        sarrus_batch *batch = mechanism_batch(m, isas[k], 1, N_STATES, NULL);
        for (int i = 0; i < N_STATES; ++i) {
            mechanism_set_state(batch, (uint64_t)i, answers[i].q, answers[i].v);
        }
        (void)reference_answer_compare(m, (const char *const[]){joint_case_name(what), isas[k], "auto"}, batch, N_STATES, answers);
        mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
        mechanism_observe(batch, SARRUS_OBSERVE_REACTIONS, reaction);
        if (m->n_drives > 0) {
            mechanism_observe(batch, SARRUS_OBSERVE_DRIVES, drive);
        }
        for (int i = 0; i < N_STATES && violation == 0.0; ++i) {
            reactions_hold_the_bodies(what, m, &answers[i], a + i * m->n, reaction + 3 * i, drive[i]);
        }
        sarrus_batch_destroy(batch);
    }
}

/* On the constraints; and a centimetre off them, with Baumgarte's terms. */
static void check_loads(const char *dynamics, double violation) {
    static reference_answer answers[N_STATES];
    static char text[TEXT_SIZE];
    const int n_places = getenv("SARRUS_FEW_CASES") ? 3 : N_JOINT_PLACES;
    uint64_t seed = 99;
    for (int k = 0; k < SARRUS_N_PLANAR_JOINT_TYPES * N_JOINT_PROPERTIES * N_JOINT_GROUNDINGS * n_places; ++k) {
        const int rest = k / N_JOINT_PROPERTIES / N_JOINT_GROUNDINGS;
        const joint_case what = {.type = (sarrus_joint_type)(rest % SARRUS_N_PLANAR_JOINT_TYPES),
                                 .properties = (unsigned)(k % N_JOINT_PROPERTIES),
                                 .grounding = (joint_grounding)(k / N_JOINT_PROPERTIES % N_JOINT_GROUNDINGS),
                                 .place = (unsigned)(rest / SARRUS_N_PLANAR_JOINT_TYPES)};
        if (!joint_case_exists(&what)) {
            continue;
        }
        joint_case_write(&what, &seed, dynamics, FIXED_STEPS, sizeof text, text);
        mechanism m = mechanism_open_text(text, NULL);
        for (int i = 0; i < N_STATES; ++i) {
            reference_answer_draw(m.ref, what.place & JOINT_IS_FAR ? 0.05 : 2.0, violation, &seed, &answers[i]);
            reference_answer_find(m.ref, violation, &answers[i]);
            widen(&m, &answers[i]);
        }
        check_answers(&what, &m, violation, answers);
        mechanism_close(&m);
    }
}

static void loads_are_those_of_the_reference(void **state) {
    (void)state;
    check_loads("", 0.0);
}

static void loads_off_the_constraints_are_those_of_the_reference(void **state) {
    (void)state;
    check_loads("dynamics: {formulation: udwadia-kalaba, baumgarte: {alpha: 3, beta: 4}}\n", 1e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_reference),  cmocka_unit_test(jacobians_are_derivatives),
        cmocka_unit_test(right_sides_are_derivatives),      cmocka_unit_test(free_coordinates_are_as_read),
        cmocka_unit_test(loads_are_those_of_the_reference), cmocka_unit_test(loads_off_the_constraints_are_those_of_the_reference),
    };
    return cmocka_run_group_tests_name("conformance.joints", tests, NULL, NULL);
}
