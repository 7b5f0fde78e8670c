/* Claims, of every row of joint.def's table for space and of general joints of all kinds of turning: over a motion, by every method
 * that keeps to a tolerance and by rk4, the energy is that of the state and changes by the work that is reported, and two bodies
 * that hang on nothing else keep their momentum and their spin; what lies between the steps is the motion; instruction sets give
 * the same numbers; an instance's bits depend neither on the batch around it nor on threads. Angles are followed beyond a
 * turn, and driven ones begin in the turn of their signal. */
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

#include "tests/support/spatial_cases.h"
#include "tests/tolerances.h"

enum { NQ = REFERENCE_BODIES * REFERENCE_NQ, N = REFERENCE_MAX_N, TEXT_SIZE = 8192, N_TIMES = 13 };
#define INTERVAL 0.015 /* s, no multiple of what methods choose */
#define TOLERANCE 1e-10

typedef struct method {
    const char *word;
    const char *integrator;
    double tolerance; /* relative, of energies and momenta */
} method;

/* Rates here are 6/s at most, with springs and drives: rk4's error in 0.2 s is 0.2 (6)^5 h^4/120 = 1.3e-11 at h = 1e-3; the others
 * keep to theirs by TOLERANCE_OF_TOLERANCE. */
static const method methods[] = {
    {"rk4", "{method: rk4, dt: 1.0e-3, t_end: 0.18}", 1e-9},
    {"dopri5", "{method: dopri5, dt: 0.015, t_end: 0.18, rtol: 1e-10, atol: 1e-10}", TOLERANCE_OF_TOLERANCE *TOLERANCE},
    {"verner65", "{method: verner65, dt: 0.015, t_end: 0.18, rtol: 1e-10, atol: 1e-10}", TOLERANCE_OF_TOLERANCE *TOLERANCE},
    {"adams-moulton", "{method: adams-moulton, dt: 0.015, t_end: 0.18, rtol: 1e-10, atol: 1e-10}",
     TOLERANCE_OF_TOLERANCE *TOLERANCE},
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

/* The cases that are moved: of a general joint one list for each set of rotations; ground in turn, and between bodies. */
static int list_motions(spatial_case out[SPATIAL_MAX_CASES]) {
    static spatial_case all[SPATIAL_MAX_CASES];
    const int n_all = spatial_case_list(all);
    int n = 0;
    for (int k = 0; k < n_all; ++k) {
        const unsigned turns = all[k].held >> 3;
        if (all[k].type == SARRUS_JOINT_GENERAL && (all[k].held & 7U) != turns * 3U % 8U) {
            continue;
        }
        out[n] = all[k];
        out[n].is_by_points = n % 2;
        out[n].grounding = (joint_grounding)(n % N_JOINT_GROUNDINGS);
        ++n;
        if (out[n - 1].grounding != JOINT_BETWEEN_BODIES) {
            out[n] = out[n - 1];
            out[n++].grounding = JOINT_BETWEEN_BODIES;
        }
    }
    return n;
}

typedef struct motion {
    spatial_case what;
    spatial_reference ref;
    mechanism m;
    double energy[N_TIMES], work[N_TIMES], q[N_TIMES][NQ], v[N_TIMES][N];
} motion;

static void motion_open(const spatial_case *what, const char *integrator, uint64_t seed, motion *out) {
    static char text[TEXT_SIZE], line[256];
    (void)snprintf(line, sizeof line, "integrator: %s", integrator);
    out->what = *what;
    spatial_case_write(what, &seed, "", line, sizeof text, text, &out->ref);
    out->m = mechanism_open_text(text, mechanism_in_bodies);
}

/* N_TIMES observations of one instance, INTERVAL apart. */
static void motion_run(motion *out, const char *name) {
    double q[N_TIMES * NQ], v[N_TIMES * N];
    const int n_q = REFERENCE_NQ * out->ref.n_bodies, n_v = REFERENCE_NV * out->ref.n_bodies;
    const bool is_fixed = out->m.model->integrator.method == SARRUS_INTEGRATOR_RK4;
    sarrus_batch *batch = mechanism_batch(&out->m, NULL, 1, 1, NULL);
    const uint64_t every = is_fixed ? (uint64_t)llround(INTERVAL / out->m.model->integrator.dt) : 1;
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = every, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    o.destination[SARRUS_OBSERVE_WORK] = out->work;
    o.destination[SARRUS_OBSERVE_Q] = q;
    o.destination[SARRUS_OBSERVE_V] = v;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    if (sarrus_batch_status(batch, 0) != SARRUS_INSTANCE_OK) {
        fail_msg("%s, %s: status %d", spatial_case_name(&out->what), name, (int)sarrus_batch_status(batch, 0));
    }
    for (int k = 0; k < N_TIMES; ++k) {
        memcpy(out->q[k], q + (ptrdiff_t)n_q * k, (size_t)n_q * sizeof *q);
        memcpy(out->v[k], v + (ptrdiff_t)n_v * k, (size_t)n_v * sizeof *v);
    }
    sarrus_batch_destroy(batch);
}

/* --- Energy and momentum ------------------------------------------------------------------------------------------------ */

static void check_energy(const motion *is, const method *by) {
    double largest = 1.0, most = 0.0;
    for (int k = 0; k < N_TIMES; ++k) {
        const double kinetic = (double)spatial_reference_kinetic(&is->ref, is->v[k]);
        const double potential = (double)spatial_reference_potential(&is->ref, is->q[k]);
        /* Weights of 30 N at 2 m, springs of 60 J. */
        const double unit = (TOLERANCE_SUM(N) + TOLERANCE_SINCOS) * (kinetic + 200.0);
        if (!(fabs(is->energy[k] - kinetic - potential) <= unit)) {
            fail_msg("%s, %s: energy %.15g, of the state %.15g", spatial_case_name(&is->what), by->word, is->energy[k],
                     kinetic + potential);
        }
        largest = fmax(largest, kinetic + fabs(is->energy[k] - is->energy[0]) + fabs(is->work[k]));
        most = fmax(most, fabs(is->work[k]));
    }
    for (int k = 0; k < N_TIMES; ++k) {
        const double gap = fabs(is->energy[k] - is->energy[0] - is->work[k]);
        if (!(gap <= by->tolerance * largest)) {
            fail_msg("%s, %s: %g J from nowhere of %g J", spatial_case_name(&is->what), by->word, gap, largest);
        }
    }
    const bool can_work = is->what.is_elastic || is->what.driven >= 0;
    if (can_work ? !(most > 1e-9) : most != 0.0) {
        fail_msg("%s, %s: work of %g J", spatial_case_name(&is->what), by->word, most);
    }
}

/* Of both bodies: the momentum less what gravity has given it in t, and that of turning about their common centre of mass. */
static void momenta(const spatial_reference *ref, double t, const double *q, const double *v, long double out[6]) {
    long double mass = 0.0L, centre[3] = {0.0L, 0.0L, 0.0L};
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3 * ref->n_bodies; ++i) {
        const int b = i / 3, k = i % 3;
        mass += k == 0 ? ref->bodies[b].mass : 0.0;
        centre[k] += (long double)ref->bodies[b].mass * q[REFERENCE_NQ * b + k];
        out[k] += (long double)ref->bodies[b].mass * (v[REFERENCE_NV * b + k] - ref->gravity[k] * t);
    }
    for (int b = 0; b < ref->n_bodies; ++b) {
        const spatial_reference_body *body = &ref->bodies[b];
        const double *p = q + REFERENCE_NQ * b, *w = v + REFERENCE_NV * b + 3, *i = body->inertia;
        const long double own[3] = {(long double)i[0] * w[0] + i[3] * w[1] + i[4] * w[2] + body->rotor[0],
                                    (long double)i[3] * w[0] + i[1] * w[1] + i[5] * w[2] + body->rotor[1],
                                    (long double)i[4] * w[0] + i[5] * w[1] + i[2] * w[2] + body->rotor[2]};
        long double a[3][3], r[3], u[3];
        spatial_reference_rotation(p + 3, a);
        for (int k = 0; k < 3; ++k) {
            r[k] = p[k] - centre[k] / mass;
            u[k] = body->mass * (long double)v[REFERENCE_NV * b + k];
        }
        for (int k = 0; k < 3; ++k) {
            const int x = (k + 1) % 3, y = (k + 2) % 3;
            out[3 + k] += r[x] * u[y] - r[y] * u[x] + a[k][0] * own[0] + a[k][1] * own[1] + a[k][2] * own[2];
        }
    }
}

static void check_momenta(const motion *is, const method *by) {
    long double first[6], now[6];
    momenta(&is->ref, 0.0, is->q[0], is->v[0], first);
    for (int k = 1; k < N_TIMES; ++k) {
        momenta(&is->ref, INTERVAL * k, is->q[k], is->v[k], now);
        for (int i = 0; i < 6; ++i) {
            if (!(fabsl(now[i] - first[i]) <= by->tolerance)) { /* of some kg m/s */
                fail_msg("%s, %s: momentum %d goes from %.15Lg to %.15Lg", spatial_case_name(&is->what), by->word, i, first[i],
                         now[i]);
            }
        }
    }
}

static void energy_is_balanced_and_momentum_kept(void **state) {
    (void)state;
    static spatial_case list[SPATIAL_MAX_CASES];
    static motion is;
    const int n = list_motions(list), n_apart = getenv("SARRUS_FEW_CASES") ? 7 : 1;
    for (int k = 0; k < n * N_METHODS; k += n_apart) {
        const method *by = &methods[k / n];
        motion_open(&list[k % n], by->integrator, 100 + (uint64_t)(k % n), &is);
        motion_run(&is, by->word);
        check_energy(&is, by);
        if (is.ref.n_bodies == 2) {
            check_momenta(&is, by);
        }
        mechanism_close(&is.m);
    }
}

/* --- Between steps ------------------------------------------------------------------------------------------------------- */

/* Steps of a tolerance of 1e-7 are several intervals long: what is observed lies between them. Some ten steps add up to ten times
 * the tolerance, which rates of 6/s carry on by e at most. Against rk4 with steps of 1/4 ms, off by 1e-13. Of p the sign is free,
 * and its length is 1. */
static void check_between(const motion *is, const motion *wanted, const char *word) {
    const double bound = 30.0 * 1e-7;
    for (int k = 0; k < N_TIMES; ++k) {
        for (int b = 0; b < is->ref.n_bodies; ++b) {
            const double *p = is->q[k] + REFERENCE_NQ * b, *to = wanted->q[k] + REFERENCE_NQ * b;
            const double norm = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
            const double sign = p[3] * to[3] + p[4] * to[4] + p[5] * to[5] + p[6] * to[6] < 0.0 ? -1.0 : 1.0;
            double off = mechanism_distance(p, to, 3);
            off = fmax(off, mechanism_distance(is->v[k] + REFERENCE_NV * b, wanted->v[k] + REFERENCE_NV * b, REFERENCE_NV));
            for (int i = 3; i < REFERENCE_NQ; ++i) {
                off = fmax(off, fabs(sign * p[i] - to[i]));
            }
            if (!(off <= bound) || !(fabs(norm - 1.0) <= 8.0 * DBL_EPSILON)) {
                fail_msg("%s, %s at %g s: off by %.2e, |p| - 1 = %.2e", spatial_case_name(&is->what), word, INTERVAL * k, off,
                         norm - 1.0);
            }
        }
    }
}

static void what_is_between_steps_is_the_motion(void **state) {
    (void)state;
    static spatial_case list[SPATIAL_MAX_CASES];
    static motion is, wanted;
    static const char *const words[] = {"dopri5", "verner65", "adams-moulton"};
    const int n = list_motions(list), n_apart = getenv("SARRUS_FEW_CASES") ? 7 : 1;
    for (int k = 0; k < n; k += n_apart) {
        const uint64_t seed = 100 + (uint64_t)k;
        char integrator[160];
        motion_open(&list[k], "{method: rk4, dt: 2.5e-4, t_end: 0.18}", seed, &wanted);
        motion_run(&wanted, "rk4");
        (void)snprintf(integrator, sizeof integrator, "{method: %s, dt: 0.015, t_end: 0.18, rtol: 1e-7, atol: 1e-7}", words[k % 3]);
        motion_open(&list[k], integrator, seed, &is);
        motion_run(&is, words[k % 3]);
        check_between(&is, &wanted, words[k % 3]);
        mechanism_close(&is.m);
        mechanism_close(&wanted.m);
    }
}

/* --- Bits ----------------------------------------------------------------------------------------------------------------- */

enum { N_INSTANCES = 19, N_BIT_INTERVALS = 3 };

typedef struct end {
    double q[N_INSTANCES][NQ], v[N_INSTANCES][N];
} end;

/* Every instance with speeds of its own, which those of its number have in batches of any size. */
static void run_batch(const motion *is, const char *isa, int n_threads, int n_instances, end *out) {
    sarrus_batch *batch = mechanism_batch(&is->m, isa, n_threads, (uint64_t)n_instances, NULL);
    const bool is_fixed = is->m.model->integrator.method == SARRUS_INTEGRATOR_RK4;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < n_instances; ++i) {
        double v[N];
        assert_int_equal(sarrus_batch_state(batch, (uint64_t)i, NULL, v), SARRUS_OK);
        for (int j = 0; j < is->m.n; ++j) {
            v[j] *= 1.0 - 0.02 * i;
        }
        mechanism_set_state(batch, (uint64_t)i, NULL, v);
    }
    assert_int_equal(sarrus_batch_advance(batch, is_fixed ? 40 : N_BIT_INTERVALS), SARRUS_OK);
    for (int i = 0; i < n_instances; ++i) {
        assert_int_equal(sarrus_batch_status(batch, (uint64_t)i), SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_state(batch, (uint64_t)i, out->q[i], out->v[i]), SARRUS_OK);
    }
    sarrus_batch_destroy(batch);
}

/* Other instruction sets round otherwise: (n + m) eps condition^2 (50 at most) of an evaluation, of accelerations of some 50, for
 * 0.05 s; adaptive methods then choose other steps, and are off by what they may be. */
static double slack_of(const motion *is) {
    const bool is_fixed = is->m.model->integrator.method == SARRUS_INTEGRATOR_RK4;
    return is_fixed ? TOLERANCE_SOLVE(N + REFERENCE_MAX_M, 50.0) * 50.0 * 0.05 : TOLERANCE_OF_TOLERANCE * TOLERANCE;
}

static void check_ends(const motion *is, const char *what, const end *found, const end *wanted, int n_instances, double slack) {
    for (int i = 0; i < n_instances; ++i) {
        const double off =
            fmax(mechanism_distance(found->q[i], wanted->q[i], NQ), mechanism_distance(found->v[i], wanted->v[i], N));
        const bool same = memcmp(found->q[i], wanted->q[i], sizeof found->q[i]) == 0 &&
                          memcmp(found->v[i], wanted->v[i], sizeof found->v[i]) == 0;
        if (slack > 0.0 ? !(off <= slack) : !same) {
            fail_msg("%s, %s: instance %d of %d is off by %.2e", spatial_case_name(&is->what), what, i, n_instances, off);
        }
    }
}

static void bits_depend_on_the_instance_alone(void **state) {
    (void)state;
    static spatial_case list[SPATIAL_MAX_CASES];
    static motion is;
    static end wanted, found;
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    const int n = list_motions(list), n_apart = getenv("SARRUS_FEW_CASES") ? 7 : 1;
    for (int k = 0; k < n; k += n_apart) {
        motion_open(&list[k], methods[k % N_METHODS].integrator, 100 + (uint64_t)k, &is);
        run_batch(&is, NULL, 1, N_INSTANCES, &wanted);
        run_batch(&is, NULL, 1, 1, &found);
        check_ends(&is, "alone", &found, &wanted, 1, 0.0);
        run_batch(&is, NULL, 1, 5, &found);
        check_ends(&is, "of five", &found, &wanted, 5, 0.0);
        for (int n_threads = 2; n_threads <= 3; ++n_threads) {
            run_batch(&is, NULL, n_threads, N_INSTANCES, &found);
            check_ends(&is, n_threads == 2 ? "two threads" : "three threads", &found, &wanted, N_INSTANCES, 0.0);
        }
        for (int i = 0; i < 3; ++i) {
            if (mechanism_has_isa(isas[i])) {
                run_batch(&is, isas[i], 1, N_INSTANCES, &found);
                check_ends(&is, isas[i], &found, &wanted, N_INSTANCES, slack_of(&is));
            }
        }
        mechanism_close(&is.m);
    }
}

/* --- Angles beyond a turn -------------------------------------------------------------------------------------------------- */

/* A wheel about the inertial (1, 2, 2)/3 through its centre of mass, held back by a spring: with I = 2 kg m2 about any axis and
 * k = 0.02 N m/rad, phi = 120 sin(0.1 t), 46.7 rad or 7.4 turns at 4 s. */
static const char *const wheel =
    "sarrus: 1\nspace: spatial\n"
    "bodies: [{name: w, mass: 3, inertia: [2, 2, 2], position: [1, 2, 3], "
    "orientation: {axis: [3, -1, 2], angle: 1.2}}]\n"
    "joints: [{name: J, type: revolute, bodies: %s, at: [1, 2, 3], axis: [1, 2, 2], stiffness: 0.02}]\n"
    "integrator: {method: %s, dt: 0.005, t_end: 4, rtol: 1e-10, atol: 1e-10}\n";
enum { N_WHEEL_STEPS = 800, N_WHEEL_TIMES = 5 };

static double axis_speed(const double *q, const double *v) {
    long double a[3][3], w = 0.0L;
    spatial_reference_rotation(q + 3, a);
    for (int i = 0; i < 3; ++i) {
        w += (i == 0 ? 1.0L : 2.0L) / 3.0L * (a[i][0] * v[3] + a[i][1] * v[4] + a[i][2] * v[5]);
    }
    return (double)w;
}

/* From rest in the scenario; `out` [N_WHEEL_TIMES][1 + 6 + 7]: energy, v, q. */
static void spin(sarrus_batch *batch, double speed, double *out) {
    double q[REFERENCE_NQ], v[REFERENCE_NV] = {0.0};
    long double a[3][3];
    assert_int_equal(sarrus_batch_state(batch, 0, q, NULL), SARRUS_OK);
    spatial_reference_rotation(q + 3, a);
    for (int k = 0; k < 3; ++k) {
        v[3 + k] = (double)(speed / 3.0L * (a[0][k] + 2.0L * a[1][k] + 2.0L * a[2][k]));
    }
    mechanism_set_state(batch, 0, NULL, v);
    for (int i = 0; i < N_WHEEL_TIMES; ++i) {
        mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, out);
        assert_int_equal(sarrus_batch_state(batch, 0, out + 7, out + 1), SARRUS_OK);
        out += 14;
        if (i + 1 < N_WHEEL_TIMES) {
            assert_int_equal(sarrus_batch_advance(batch, N_WHEEL_STEPS / (N_WHEEL_TIMES - 1)), SARRUS_OK);
        }
    }
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
}

static void angles_are_followed_beyond_a_turn(void **state) {
    (void)state;
    static const char *const bodies[] = {"[ground, w]", "[w, ground]"};
    for (int k = 0; k < 2 * N_METHODS; ++k) {
        const double speed = k % 4 < 2 ? 12.0 : -12.0, height = -9.81 * -2.0 * 3.0;
        double first[N_WHEEL_TIMES * 14], again[N_WHEEL_TIMES * 14];
        char text[1024];
        (void)snprintf(text, sizeof text, wheel, bodies[k % 2], methods[k / 2].word);
        mechanism m = mechanism_open_text(text, mechanism_in_bodies);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        spin(batch, speed, first);
        /* Where the spring is relaxed again: back to t = 0, and the same once more. */
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        spin(batch, speed, again);
        assert_memory_equal(first, again, sizeof first);
        for (int i = 0; i < N_WHEEL_TIMES; ++i) {
            const double *at = first + (ptrdiff_t)14 * i, t = 4.0 * i / (N_WHEEL_TIMES - 1);
            const double wanted = speed * cos(0.1 * t), found = axis_speed(at + 7, at + 1);
            /* All is smooth at 12/s for 4 s: (12 h)^4/120 4 s 12/s = 5e-6 at h = 5e-3 of the attitude, of the speed (0.1 h)^4. */
            if (!(fabs(found - wanted) <= 1e-7 * 12.0) || !(fabs(at[0] - 144.0 - height) <= 1e-7 * 144.0)) {
                fail_msg("%s, %s: at %g s %.12g rad/s instead of %.12g, energy %.12g", methods[k / 2].word, bodies[k % 2], t, found,
                         wanted, at[0] - height);
            }
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* An arm of 0.5 m and 2 kg driven about z at 10 rad/s for pi s, five turns, with a spring of 0.3 N m/rad in the same joint: the
 * motor holds the weight, m g 0.5 m cos(phi), and draws the spring, 0.3 phi. */
static const char *const arm = "sarrus: 1\nspace: spatial\n"
                               "bodies: [{name: a, mass: 2, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0]}]\n"
                               "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], "
                               "stiffness: 0.3, drive: {signal: {ramp: {slope: 10}}}}]\n"
                               "integrator: {method: %s, dt: 0.0025, t_end: 3.141592653589793, rtol: 1e-10, atol: 1e-10}\n";

static void drives_turn_beyond_a_turn(void **state) {
    (void)state;
    enum { N_ARM_TIMES = 20, N_ARM_STEPS = 62 };
    for (int k = 0; k < N_METHODS; ++k) {
        double q[N_ARM_TIMES][REFERENCE_NQ], energy[N_ARM_TIMES], work[N_ARM_TIMES], load[N_ARM_TIMES];
        char text[1024];
        (void)snprintf(text, sizeof text, arm, methods[k].word);
        mechanism m = mechanism_open_text(text, mechanism_in_bodies);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        sarrus_observation o = {
            .n_times = N_ARM_TIMES, .every_steps = N_ARM_STEPS, .observe_first = 1, .n_times_stride = N_ARM_TIMES};
        o.destination[SARRUS_OBSERVE_Q] = &q[0][0];
        o.destination[SARRUS_OBSERVE_ENERGY] = energy;
        o.destination[SARRUS_OBSERVE_WORK] = work;
        o.destination[SARRUS_OBSERVE_DRIVES] = load;
        assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
        for (int i = 0; i < N_ARM_TIMES; ++i) {
            const double phi = 10.0 * 0.0025 * N_ARM_STEPS * i, weight = 2.0 * 9.81 * 0.5;
            /* T = (0.25 + 2/4) 10^2/2; V = weight sin(phi) + 0.3 phi^2/2. Projection holds the angle; work is integrated. */
            const double wanted = 37.5 + weight * sin(phi) + 0.15 * phi * phi,
                         off = hypot(q[i][0] - 0.5 * cos(phi), q[i][1] - 0.5 * sin(phi));
            if (!(off <= 1e-9) || !(fabs(energy[i] - wanted) <= 1e-7 * wanted) ||
                !(fabs(energy[i] - energy[0] - work[i]) <= 1e-6 * wanted) ||
                !(fabs(load[i] - weight * cos(phi) - 0.3 * phi) <= 1e-7 * weight)) {
                fail_msg("%s at %.3g rad: off by %.2e m, energy %.12g of %.12g J, work %.12g J, load %.12g of %.12g N m",
                         methods[k].word, phi, off, energy[i], wanted, work[i], load[i], weight * cos(phi) + 0.3 * phi);
            }
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* An arm of 0.5 m that a signal s(t) turns about z against a spring, in the plane and in space. */
static const char *const driven_arm = "sarrus: 1\nspace: %s\ngravity: [0, -9.81%s]\n"
                                      "bodies: [{name: a, mass: 1, inertia: %s, position: [0.5, 0%s]}]\n"
                                      "joints: [{name: J, type: revolute, bodies: %s, at: [0, 0%s]%s, stiffness: 2, rest: 1,\n"
                                      "  drive: {signal: {sine: {amplitude: 0.5, frequency: 1, offset: %g}}}}]\n"
                                      "integrator: {method: %s, dt: 0.001, t_end: 0.2, rtol: 1e-10, atol: 1e-10}\n";
enum { N_DRIVEN_TIMES = 5, N_DRIVEN_STEPS = 40 };

typedef struct driven {
    double energy[N_DRIVEN_TIMES], work[N_DRIVEN_TIMES], load[N_DRIVEN_TIMES];
} driven;

/* `side`: 1 with the arm as child, -1 with ground. */
static mechanism driven_arm_open(bool is_planar, int side, double offset, const char *word, const char *formulation) {
    char text[1024];
    (void)snprintf(text, sizeof text, driven_arm, is_planar ? "planar" : "spatial", is_planar ? "" : ", 0",
                   is_planar ? "0.25" : "[0.1, 0.2, 0.25]", is_planar ? "" : ", 0", side > 0 ? "[ground, a]" : "[a, ground]",
                   is_planar ? "" : ", 0", is_planar ? "" : ", axis: [0, 0, 1]", offset, word);
    const sarrus_override settings[] = {{"dynamics.formulation", formulation}, {NULL, NULL}};
    return mechanism_open_text(text, settings);
}

/* From t = 0, of the last of the batch's instances. */
static void driven_arm_follow(sarrus_batch *batch, driven *out) {
    static double energy[N_INSTANCES][N_DRIVEN_TIMES], work[N_INSTANCES][N_DRIVEN_TIMES], load[N_INSTANCES][N_DRIVEN_TIMES];
    const uint64_t last = sarrus_batch_n_instances(batch) - 1;
    sarrus_observation o = {
        .n_times = N_DRIVEN_TIMES, .every_steps = N_DRIVEN_STEPS, .observe_first = 1, .n_times_stride = N_DRIVEN_TIMES};
    o.destination[SARRUS_OBSERVE_ENERGY] = &energy[0][0];
    o.destination[SARRUS_OBSERVE_WORK] = &work[0][0];
    o.destination[SARRUS_OBSERVE_DRIVES] = &load[0][0];
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, last), SARRUS_INSTANCE_OK);
    memcpy(out->energy, energy[last], sizeof out->energy);
    memcpy(out->work, work[last], sizeof out->work);
    memcpy(out->load, load[last], sizeof out->load);
}

/* In batches of several sizes, and once more after a reset: the same bits, which `out` gets. */
static void driven_arm_run(const mechanism *m, driven *out) {
    static const uint64_t n_instances[] = {1, 5, N_INSTANCES};
    for (size_t i = 0; i < sizeof n_instances / sizeof n_instances[0]; ++i) {
        sarrus_batch *batch = mechanism_batch(m, NULL, 1, n_instances[i], NULL);
        driven found, again;
        driven_arm_follow(batch, &found);
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        driven_arm_follow(batch, &again);
        assert_memory_equal(&again, &found, sizeof found);
        if (i == 0) {
            *out = found;
        }
        assert_memory_equal(out, &found, sizeof found);
        sarrus_batch_destroy(batch);
    }
}

/* With J = 0.25 + 0.5^2 kg m2 about the pin: T = J s'^2/2, V = side m g 0.5 m sin(s) + (s - 1)^2, load = J s" + dV/ds. A turn too
 * many is 12.6 N m. Projection holds the angle; work is integrated. */
static void check_driven_arm(const driven *is, int side, double offset, const char *what, const char *word) {
    double first = 0.0;
    for (int i = 0; i < N_DRIVEN_TIMES; ++i) {
        const double w = 2.0 * M_PI, t = 0.001 * N_DRIVEN_STEPS * i, s = offset + 0.5 * sin(w * t), rate = 0.5 * w * cos(w * t);
        const double weight = side * 9.81 * 0.5, energy = 0.25 * rate * rate + weight * sin(s) + (s - 1.0) * (s - 1.0);
        const double load = 0.5 * -0.5 * w * w * sin(w * t) + weight * cos(s) + 2.0 * (s - 1.0), size = 10.0 + offset * offset;
        first = i == 0 ? energy : first;
        if (!(fabs(is->energy[i] - energy) <= 1e-7 * size) || !(fabs(is->load[i] - load) <= 1e-7 * size) ||
            !(fabs(is->work[i] - (energy - first)) <= 1e-6 * size)) {
            fail_msg("%s, %s, %d, at %.4g rad: energy %.12g of %.12g J, work %.12g of %.12g J, load %.12g of %.12g N m", what, word,
                     side, s, is->energy[i], energy, is->work[i], energy - first, is->load[i], load);
        }
    }
}

/* Where a drive begins half a turn away or more, an angle is of the signal's turn from t = 0 on, in space as in the plane. */
static void drives_begin_beyond_half_a_turn(void **state) {
    (void)state;
    static const double offsets[] = {4.0, -4.0, 3.2, 20.0, -33.0};
    for (int k = 0; k < 5 * N_METHODS; ++k) {
        const char *const word = methods[k % N_METHODS].word;
        const double offset = offsets[k / N_METHODS];
        const int side = k / N_METHODS % 2 == 0 ? 1 : -1;
        for (int way = 0; way < 4; ++way) {
            const bool is_planar = way % 2;
            driven found;
            mechanism m = driven_arm_open(is_planar, side, offset, word, way / 2 ? "relative" : "udwadia-kalaba");
            driven_arm_run(&m, &found);
            check_driven_arm(&found, side, offset, is_planar ? "in the plane" : "in space", word);
            mechanism_close(&m);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_balanced_and_momentum_kept),
        cmocka_unit_test(what_is_between_steps_is_the_motion),
        cmocka_unit_test(bits_depend_on_the_instance_alone),
        cmocka_unit_test(angles_are_followed_beyond_a_turn),
        cmocka_unit_test(drives_turn_beyond_a_turn),
        cmocka_unit_test(drives_begin_beyond_half_a_turn),
    };
    return cmocka_run_group_tests_name("conformance.spatial_motions", tests, NULL, NULL);
}
