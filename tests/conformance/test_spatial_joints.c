/* Claims, of every row of joint.def's table for space and of all 64 lists of a general joint: in kernels alone and at any state,
 * rows, rates and gamma are those of the definitions in long double and derivatives of one another along displacements; products
 * with J, the sparse and the dense, agree with it; masses, gyroscopic torques, springs and dampers are Newton's, Euler's and those
 * of the energies. Through the library, accelerations, reactions and motor loads are those of the saddle system, every body's
 * motion is what the forces on it make of it, reactions do no work and a drive's power is its load times its rate. */
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
#include "tests/support/spatial_rows.h"
#include "tests/tolerances.h"

enum { N = REFERENCE_MAX_N, M = REFERENCE_MAX_M, NQ = REFERENCE_BODIES * REFERENCE_NQ, TEXT_SIZE = 8192, N_STATES = 3 };
static const char *const INTEGRATOR = "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}";

typedef struct subject {
    spatial_case what;
    spatial_reference ref;
    mechanism m;
    spatial_rows *rows;
    int n_v, n_m;
    bool is_on;
    double turn; /* rad, up to which angles go on the constraints */
    double t, q[NQ], v[N], x[SARRUS_MAX_FREEDOMS][3];
    double size;  /* m, the coordinates and the arms */
    double rate;  /* 1/s, what multiplies arms and directions */
    double reach; /* by what numbers of order 1 are divided: lengths of a distance, radii of angles, pitch, sines near half turns */
} subject;

typedef void (*check)(subject *s);

static void assert_close(const subject *s, const char *what, int i, long double found, long double expected, double bound) {
    if (!(fabsl(found - expected) <= bound)) {
        fail_msg("%s%s: %s, number %d: %.17Lg instead of %.17Lg, off by %.2Le > %.1e", spatial_case_name(&s->what),
                 s->is_on ? "" : ", off the constraints", what, i, found, expected, fabsl(found - expected), bound);
    }
}

static bool has_turn(const subject *s) {
    return s->ref.n_freedoms > 0 && s->ref.freedoms[s->ref.n_freedoms - 1] >= SARRUS_FREEDOM_BALL;
}

static void draw_state(subject *s, bool is_on, uint64_t *seed) {
    s->is_on = is_on;
    s->t = 0.75 + 0.25 * mechanism_random(seed);
    if (is_on) {
        spatial_state_on(&s->ref, s->t, s->turn, seed, s->q, s->v, s->x);
    } else {
        spatial_state_off(&s->ref, seed, s->q, s->v);
    }
    const spatial_reach reach = spatial_reference_reach(&s->ref, s->q);
    s->reach = (double)reach.radius;
    s->reach = s->what.type == SARRUS_JOINT_DISTANCE ? fmin(s->reach, (double)reach.gap) : s->reach;
    s->reach = s->what.type == SARRUS_JOINT_SCREW ? fmin(s->reach, s->ref.pitch) : s->reach;
    s->reach = has_turn(s) && reach.turn > 1.5L ? fmin(s->reach, fabs(sin((double)reach.turn))) : s->reach;
    s->reach = fmin(1.0, fmax(s->reach, 0.05));
    s->size = 2.0 + mechanism_size(s->q, (size_t)(REFERENCE_NQ * s->ref.n_bodies));
    s->rate = 1.0 + 2.0 * mechanism_size(s->v, (size_t)s->n_v);
}

/* Every case near and far, between bodies and on ground; each one with a list of a general joint in one of these three, in turn. At
 * states on the constraints and off them. */
static void for_each_state(const char *dynamics, check look) {
    static spatial_case list[SPATIAL_MAX_CASES];
    static char text[TEXT_SIZE];
    static const double turns[] = {2.5, 0.4, 1e-5};
    const int n = spatial_case_list(list), n_apart = getenv("SARRUS_FEW_CASES") ? 7 : 1;
    uint64_t seed = 4711;
    for (int k = 0; k < n * N_JOINT_GROUNDINGS * 2; k += n_apart) {
        subject s = {.what = list[k % n]};
        s.what.grounding = (joint_grounding)(k / n % N_JOINT_GROUNDINGS);
        s.what.is_far = k / n / N_JOINT_GROUNDINGS;
        s.what.is_by_points = (k / 2 + k / n) % 2;
        s.turn = turns[(k + k / n) % 3];
        if (s.what.type == SARRUS_JOINT_GENERAL && k % n % N_JOINT_GROUNDINGS != (int)s.what.grounding) {
            continue;
        }
        spatial_case_write(&s.what, &seed, dynamics, INTEGRATOR, sizeof text, text, &s.ref);
        s.m = mechanism_open_text(text, mechanism_in_bodies);
        s.n_v = s.m.n;
        s.n_m = s.m.m;
        assert_int_equal(s.n_v, REFERENCE_NV * s.ref.n_bodies);
        assert_int_equal(s.n_m, spatial_reference_m(&s.ref));
        s.rows = spatial_rows_create(&s.m);
        for (int i = 0; i < 2; ++i) {
            draw_state(&s, i == 0, &seed);
            look(&s);
        }
        spatial_rows_destroy(s.rows);
        mechanism_close(&s.m);
    }
}

/* Round-off of a few products of directions, arms and coordinates (32 of them, an ulp of atan2 among them); derivatives are divided
 * by the reach once more. */
static double round_off(const subject *s) {
    return 32.0 * DBL_EPSILON * s->size / (s->reach * s->reach);
}

/* --- Rows ---------------------------------------------------------------------------------------------------------------- */

static void check_rows(const subject *s, const spatial_numbers *k) {
    long double phi[M], phi_dot[M], gamma[M], jacobian[M * N], sum = 0.0L;
    const double unit = round_off(s);
    spatial_reference_rows(&s->ref, s->t, s->q, s->v, phi, phi_dot, gamma, jacobian);
    for (int i = 0; i < s->n_m; ++i) {
        assert_close(s, "Phi", i, k->phi[i], phi[i], unit);
        assert_close(s, "Phi_dot", i, k->phi_dot[i], phi_dot[i], unit * s->rate);
        assert_close(s, "gamma", i, k->gamma[i], gamma[i], unit * s->rate * s->rate / s->reach);
        if (s->is_on) {
            assert_close(s, "Phi on the constraints", i, k->phi[i], 0.0L, unit);
        }
        long double j_v = 0.0L, s_rate[3];
        for (int j = 0; j < s->n_v; ++j) {
            assert_close(s, "J", s->n_v * i + j, k->jacobian[s->n_v * i + j], jacobian[s->n_v * i + j], unit);
            j_v += (long double)k->jacobian[s->n_v * i + j] * s->v[j];
        }
        spatial_reference_signal(&s->ref, s->t, s_rate);
        assert_close(s, "J v", i, j_v - (i == s->ref.n_rows ? s_rate[1] : 0.0L), k->phi_dot[i], unit * s->rate * s->n_v);
        sum += phi[i] * phi[i];
    }
    assert_close(s, "|Phi|^2", 0, k->open2, sum, unit * 2.0 * (1.0 + (double)sqrtl(sum)) * (1.0 + s->n_m));
}

/* Angles come from where they were seen: nearest to it, a number of turns away from what is found between -pi and pi. */
static void check_coordinates(const subject *s, const spatial_numbers *k) {
    for (int i = 0; i < s->ref.n_freedoms; ++i) {
        long double x[3];
        spatial_reference_coordinate(&s->ref, i, s->q, x);
        for (int part = 0; part < 3; ++part) {
            assert_close(s, "free coordinate", i, k->coordinate[i][part], x[part], round_off(s));
        }
        const int n_parts = s->ref.freedoms[i] == SARRUS_FREEDOM_BALL ? 3 : 1;
        for (int part = 0; s->is_on && part < n_parts; ++part) { /* bodies were put where it is so */
            assert_close(s, "free coordinate on the constraints", i, k->coordinate[i][part], s->x[i][part], round_off(s));
        }
    }
}

static void check_turns(subject *s) {
    double seen[3 * SARRUS_MAX_FREEDOMS] = {0.0};
    spatial_numbers k;
    int at = 0;
    for (int i = 0; i < s->ref.n_freedoms; ++i) {
        seen[at] = 40.0 + 2.0 * i;
        at += s->ref.freedoms[i] == SARRUS_FREEDOM_BALL ? 3 : 1;
    }
    spatial_rows_see(s->rows, seen);
    spatial_rows_find(s->rows, s->t, s->q, s->v, &k);
    memset(seen, 0, sizeof seen);
    spatial_rows_see(s->rows, seen);
    for (int i = 0; i < s->ref.n_freedoms; ++i) {
        const bool turns = s->ref.freedoms[i] >= SARRUS_FREEDOM_TURN_1 && s->ref.freedoms[i] <= SARRUS_FREEDOM_SECOND_3;
        long double x[3];
        spatial_reference_coordinate(&s->ref, i, s->q, x);
        const long double pi = acosl(-1.0L), whole = turns ? roundl((40.0L + 2.0L * i - x[0]) / (2.0L * pi)) : 0.0L;
        assert_close(s, "angle beyond a turn", i, k.coordinate[i][0], x[0] + 2.0L * pi * whole, round_off(s) + 64.0 * DBL_EPSILON);
    }
}

static void rows_are_those_of_the_definitions(subject *s) {
    spatial_numbers k;
    spatial_rows_find(s->rows, s->t, s->q, s->v, &k);
    check_rows(s, &k);
    check_coordinates(s, &k);
    if (s->what.driven < 0) {
        check_turns(s);
    }
}

/* A central difference over h is off by h^2 f'''/6, f''' of an angle up to 13/reach^3 of the rates cubed, and by 16 eps size/(h
 * reach); with h^3 = eps size both are multiples of h^2. */
static double difference_step(const subject *s) {
    return cbrt(DBL_EPSILON * s->size);
}
static double difference_bound(const subject *s) {
    const double h = difference_step(s);
    return 35.0 * h * h / (s->reach * s->reach * s->reach);
}

static void rows_are_derivatives(subject *s) {
    const double h = difference_step(s), bound = difference_bound(s);
    double phi[2][M], phi_dot[2][M], still[N] = {0.0};
    spatial_numbers k;
    spatial_rows_find(s->rows, s->t, s->q, s->v, &k);
    for (int j = 0; j <= s->n_v; ++j) { /* each direction, then along the motion */
        double direction[N] = {0.0}, moved[NQ];
        const bool is_motion = j == s->n_v;
        const double step = is_motion ? h / s->rate : h;
        if (is_motion) {
            memcpy(direction, s->v, sizeof direction);
        } else {
            direction[j] = 1.0;
        }
        for (int side = 0; side < 2; ++side) {
            memcpy(moved, s->q, sizeof moved);
            spatial_rows_advance(s->rows, side ? step : -step, direction, moved);
            (void)spatial_rows_values(s->rows, is_motion ? s->t + (side ? step : -step) : s->t, moved, is_motion ? s->v : still,
                                      phi[side], phi_dot[side]);
        }
        for (int i = 0; i < s->n_m; ++i) {
            const double slope = (phi[1][i] - phi[0][i]) / (2.0 * step);
            if (is_motion) {
                assert_close(s, "dPhi/dt", i, k.phi_dot[i], slope, bound * s->rate);
                assert_close(s, "-d(J v)/dt", i, k.gamma[i], -(phi_dot[1][i] - phi_dot[0][i]) / (2.0 * step),
                             4.0 * bound * s->rate * s->rate / s->reach);
            } else {
                assert_close(s, "dPhi along a displacement", s->n_v * i + j, k.jacobian[s->n_v * i + j], slope, bound);
            }
        }
    }
}

/* --- Masses, products, forces -------------------------------------------------------------------------------------------- */

/* Column sums of |M^-1|: 1/kg | 1/(kg m2). */
static double inverse_of_mass(const subject *s) {
    double most = 0.0;
    for (int j = 0; j < s->n_v; ++j) {
        long double unit[N] = {0.0L}, x[N];
        double sum = 0.0;
        unit[j] = 1.0L;
        spatial_reference_solve_mass(&s->ref, unit, x);
        for (int i = 0; i < s->n_v; ++i) {
            sum += (double)fabsl(x[i]);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* The inverse and the root of an inertia are found with its condition, below 10 here; numbers of J are 2/reach at most. */
static void check_products(const subject *s, const spatial_numbers *k) {
    const double j_size = 2.0 / s->reach, minv = inverse_of_mass(s);
    const double bound = 8.0 * DBL_EPSILON * j_size * minv * 10.0;
    for (int i = 0; i < s->n_m; ++i) {
        long double row[N], pushed[N], j_v = 0.0L, d_v = 0.0L;
        for (int j = 0; j < s->n_v; ++j) {
            row[j] = k->jacobian[s->n_v * i + j];
            j_v += row[j] * s->v[j];
            d_v += (long double)k->dense[s->n_v * i + j] * k->root_v[j];
        }
        spatial_reference_solve_mass(&s->ref, row, pushed);
        for (int j = 0; j < s->n_v; ++j) {
            assert_close(s, "M^-1 J^T", s->n_v * i + j, k->push[s->n_v * i + j], pushed[j], bound);
            assert_close(s, "M^-1 J^T by rows", s->n_v * i + j, k->weighed[s->n_v * i + j], pushed[j], bound);
        }
        assert_close(s, "D M^1/2 v", i, d_v, j_v, bound * s->rate);
        for (int l = 0; l < s->n_m; ++l) {
            long double gram = 0.0L, square = 0.0L;
            for (int j = 0; j < s->n_v; ++j) {
                gram += pushed[j] * k->jacobian[s->n_v * l + j];
                square += (long double)k->dense[s->n_v * i + j] * k->dense[s->n_v * l + j];
            }
            assert_close(s, "S", s->n_m * i + l, k->gram[s->n_m * i + l], gram, bound * j_size * s->n_v);
            assert_close(s, "D D^T", s->n_m * i + l, square, gram, bound * j_size * s->n_v);
        }
    }
}

static void check_masses(const subject *s, const spatial_numbers *k) {
    const long double kinetic = spatial_reference_kinetic(&s->ref, s->v);
    long double square = 0.0L;
    for (int j = 0; j < s->n_v; ++j) {
        square += 0.5L * k->root_v[j] * k->root_v[j];
        assert_close(s, "M^-1/2 M^1/2 v", j, k->v_again[j], s->v[j], 8.0 * DBL_EPSILON * 10.0 * s->rate);
    }
    assert_close(s, "kinetic energy", 0, k->kinetic, kinetic, TOLERANCE_SUM(s->n_v) * (double)kinetic);
    assert_close(s, "|M^1/2 v|^2/2", 0, square, kinetic, TOLERANCE_SUM(2 * s->n_v) * (double)kinetic);
}

/* What springs and dampers may be off by: the coordinates' round-off times what multiplies it (20 N/m, 1 N s/m), and that of sums
 * of loads of up to 20 x 3 along six coordinates. */
static double force_bound(const subject *s) {
    const double strength = s->what.is_elastic ? 20.0 * s->rate * 6.0 : 0.0;
    return round_off(s) * strength / s->reach + 64.0 * DBL_EPSILON * (40.0 + 4.0 * s->rate * s->rate);
}

static void check_forces(const subject *s, const spatial_numbers *k) {
    long double force[N], a[N];
    const long double power = spatial_reference_forces(&s->ref, s->q, s->v, force);
    const double bound = force_bound(s);
    spatial_reference_accelerate(&s->ref, s->v, force, a);
    for (int j = 0; j < s->n_v; ++j) {
        assert_close(s, "a_f", j, k->free_acceleration[j], a[j], bound * inverse_of_mass(s) * 3.0);
    }
    assert_close(s, "damper's power", 0, k->power, power, bound * s->rate * 6.0);
    if (s->what.is_elastic ? power >= 0.0L : power != 0.0L) {
        fail_msg("%s: dampers of %Lg W", spatial_case_name(&s->what), power);
    }
    const long double potential = spatial_reference_potential(&s->ref, s->q);
    assert_close(s, "potential energy", 0, k->potential, potential, bound * 6.0 + 64.0 * DBL_EPSILON * 40.0 * s->size);
}

/* At rest M a_f is the gradient of the potential: loads of up to 20 x 3 and their derivatives, some 1e3 of rows' differences; those
 * of a weight of 30 N over the size. */
static void check_gradient(subject *s) {
    const double h = difference_step(s), still[N] = {0.0};
    spatial_numbers k;
    spatial_rows_find(s->rows, s->t, s->q, still, &k);
    long double a[N], force[N];
    for (int j = 0; j < s->n_v; ++j) {
        a[j] = k.free_acceleration[j];
    }
    spatial_reference_inertial(&s->ref, still, a, force);
    for (int j = 0; j < s->n_v; ++j) {
        double direction[N] = {0.0}, moved[2][NQ], energy[2];
        direction[j] = 1.0;
        for (int side = 0; side < 2; ++side) {
            memcpy(moved[side], s->q, sizeof s->q);
            spatial_rows_advance(s->rows, side ? h : -h, direction, moved[side]);
            energy[side] = spatial_rows_values(s->rows, s->t, moved[side], still, NULL, NULL);
        }
        assert_close(s, "-dV along a displacement", j, force[j], -(energy[1] - energy[0]) / (2.0 * h),
                     difference_bound(s) * (s->what.is_elastic ? 1e3 : 1e2));
    }
}

static void forces_and_products_are_by_hand(subject *s) {
    spatial_numbers k;
    spatial_rows_find(s->rows, s->t, s->q, s->v, &k);
    check_products(s, &k);
    check_masses(s, &k);
    check_forces(s, &k);
    check_gradient(s);
}

/* --- Through the library ------------------------------------------------------------------------------------------------- */

/* What was observed of one state, and what it should be. */
typedef struct answer {
    double q[NQ], v[N];
    double a[N], reaction[6], drive;
    double bound; /* of accelerations times inverse_of_mass, and of loads */
} answer;

/* Solutions by S are off by some eps cond(S) of themselves, and by what the rounded coordinates make of J, gamma and the forces:
 * eps size/reach^2 of them, times the rate. A load is off by a mass (4 kg) times that of three accelerations. */
static void check_answer(const subject *s, double t, answer *is) {
    long double a[N], mu[M], wrench[6], drive[6], on[N], force[N], held[N];
    const long double condition = spatial_reference_motion(&s->ref, t, is->q, is->v, a, mu);
    double load = 10.0, most = 10.0;
    for (int i = 0; i < s->n_m; ++i) {
        load += (double)fabsl(mu[i]);
    }
    for (int j = 0; j < s->n_v; ++j) {
        most = fmax(most, (double)fabsl(a[j]));
    }
    const double minv = inverse_of_mass(s), scale = most + minv * (load + force_bound(s) / DBL_EPSILON / 64.0);
    const double bound_a = 0.125 * round_off(s) * (double)condition * scale * s->rate;
    const double bound_f = bound_a * 4.0 * 3.0;
    for (int j = 0; j < s->n_v; ++j) {
        assert_close(s, "acceleration", j, is->a[j], a[j], bound_a);
        a[j] = is->a[j];
    }
    spatial_reference_wrench(&s->ref, t, is->q, is->v, mu, false, wrench);
    for (int k = 0; k < 6; ++k) {
        assert_close(s, "reaction", k, is->reaction[k], wrench[k], bound_f);
        wrench[k] = is->reaction[k];
    }
    if (s->what.driven >= 0) {
        assert_close(s, "motor load", 0, is->drive, mu[s->n_m - 1], bound_f);
        mu[s->n_m - 1] = is->drive;
    }
    /* Each body by itself: M a and the gyroscopic torque are the forces, the reaction and the drive's load. */
    (void)spatial_reference_forces(&s->ref, is->q, is->v, force);
    spatial_reference_inertial(&s->ref, is->v, a, on);
    spatial_reference_wrench_forces(&s->ref, is->q, wrench, held);
    const long double power = spatial_reference_power(&s->ref, is->v, held);
    for (int j = 0; j < s->n_v; ++j) {
        on[j] -= force[j] + held[j];
    }
    const long double drives_power = spatial_reference_power(&s->ref, is->v, on);
    memset(drive, 0, sizeof drive);
    if (s->what.driven >= 0) {
        spatial_reference_wrench(&s->ref, t, is->q, is->v, mu, true, drive);
    }
    spatial_reference_wrench_forces(&s->ref, is->q, drive, held);
    for (int j = 0; j < s->n_v; ++j) {
        assert_close(s, "forces on a body", j, on[j], held[j], bound_f);
    }
    long double of_drive = 0.0L;
    if (s->what.driven >= 0) {
        long double signal[3];
        spatial_reference_signal(&s->ref, t, signal);
        of_drive = mu[s->n_m - 1] * signal[1];
    }
    assert_close(s, "power of the reactions", 0, power, 0.0L, bound_f * s->rate);
    assert_close(s, "power of the drive", 0, drives_power, of_drive, bound_f * s->rate * 3.0);
}

/* What the joint shows of itself: coordinates, up to whole turns, and rates. */
static void check_shown(const subject *s, const double *x, const double *rate) {
    long double rates[SARRUS_MAX_FREEDOMS][3];
    int n = 0;
    spatial_reference_rates(&s->ref, s->q, s->v, rates);
    for (int i = 0; i < s->ref.n_freedoms; ++i) {
        const sarrus_freedom form = s->ref.freedoms[i];
        const bool turns = form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_SECOND_3;
        long double is[3];
        spatial_reference_coordinate(&s->ref, i, s->q, is);
        for (int part = 0; part < (form == SARRUS_FREEDOM_BALL ? 3 : 1); ++part, ++n) {
            const long double turn = 2.0L * acosl(-1.0L), whole = turns ? turn * roundl((x[n] - is[part]) / turn) : 0.0L;
            assert_close(s, "free coordinate shown", i, x[n] - whole, is[part], round_off(s));
            assert_close(s, "rate shown", i, rate[n], rates[i][part], round_off(s) * s->rate);
        }
    }
}

/* The first one of three instances, at t = 0: a batch has no other time before its first step. */
static void look_through_the_library(subject *s) {
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    static uint64_t seed = 77;
    static unsigned turn = 0;
    if (!s->is_on) {
        return;
    }
    const char *isa = isas[turn++ % 3];
    double a[N_STATES * N], reaction[N_STATES * 6], drive[N_STATES] = {0.0};
    double x[N_STATES * SARRUS_MAX_FREEDOMS], rate[N_STATES * SARRUS_MAX_FREEDOMS];
    answer is[N_STATES];
    sarrus_batch *batch = mechanism_batch(&s->m, mechanism_has_isa(isa) ? isa : NULL, 1, N_STATES, NULL);
    for (int i = 0; i < N_STATES; ++i) {
        spatial_state_on(&s->ref, 0.0, s->turn, &seed, is[i].q, is[i].v, NULL);
        mechanism_set_state(batch, (uint64_t)i, is[i].q, is[i].v);
    }
    mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
    mechanism_observe(batch, SARRUS_OBSERVE_REACTIONS, reaction);
    if (s->m.n_drives > 0) {
        mechanism_observe(batch, SARRUS_OBSERVE_DRIVES, drive);
    }
    const int n_x = sarrus_batch_observable_width(batch, SARRUS_OBSERVE_JOINT_COORDINATES);
    if (n_x > 0) {
        mechanism_observe(batch, SARRUS_OBSERVE_JOINT_COORDINATES, x);
        mechanism_observe(batch, SARRUS_OBSERVE_JOINT_SPEEDS, rate);
    }
    for (int i = 0; i < N_STATES; ++i) {
        memcpy(is[i].a, a + (ptrdiff_t)s->n_v * i, (size_t)s->n_v * sizeof *a);
        memcpy(is[i].reaction, reaction + (ptrdiff_t)6 * i, sizeof is[i].reaction);
        is[i].drive = drive[i];
        memcpy(s->q, is[i].q, sizeof s->q);
        memcpy(s->v, is[i].v, sizeof s->v);
        s->rate = 1.0 + 2.0 * mechanism_size(s->v, (size_t)s->n_v);
        check_answer(s, 0.0, &is[i]);
        check_shown(s, x + (ptrdiff_t)n_x * i, rate + (ptrdiff_t)n_x * i);
    }
    sarrus_batch_destroy(batch);
}

/* --- The tests ------------------------------------------------------------------------------------------------------------ */

static void rows_are_as_defined(void **state) {
    (void)state;
    for_each_state("", rows_are_those_of_the_definitions);
}

static void jacobians_and_right_sides_are_derivatives(void **state) {
    (void)state;
    for_each_state("", rows_are_derivatives);
}

static void masses_forces_and_products_are_by_hand(void **state) {
    (void)state;
    for_each_state("", forces_and_products_are_by_hand);
}

static void accelerations_and_reactions_are_newtons(void **state) {
    (void)state;
    for_each_state("", look_through_the_library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_defined),
        cmocka_unit_test(jacobians_and_right_sides_are_derivatives),
        cmocka_unit_test(masses_forces_and_products_are_by_hand),
        cmocka_unit_test(accelerations_and_reactions_are_newtons),
    };
    return cmocka_run_group_tests_name("conformance.spatial_joints", tests, NULL, NULL);
}
