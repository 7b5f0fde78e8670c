/* The spatial vocabulary (kernels/space/spatial.h) against closed forms: Euler's and Rodrigues' formulas in long double, and
 * central differences. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#define SARRUS_LANE_WIDTH 2
#define SARRUS_KERNELS_SPATIAL
#include "kernels/space/space.h"
#include "tests/support/mechanism.h"
#include "tests/support/vectors.h"

enum { N_CASES = 500, LANES = SARRUS_LANE_WIDTH };

/* Some ten operations of numbers up to 4 each. */
#define ROUND_OFF (64 * DBL_EPSILON)

static double lane_of(real x, int lane) {
    return x[lane];
}

static real lanes(double a, double b) {
    return (real){a, b};
}

/* q of a random body in both lanes, |p| = 1; and d, a displacement with a turn of up to `most`. */
static void body_draw(uint64_t *state, double most, real q[SPACE_NQ], real d[SPACE_NV]) {
    double x[LANES][SPACE_NQ], y[LANES][SPACE_NV];
    for (int lane = 0; lane < LANES; ++lane) {
        double norm2 = 0.0;
        for (int k = 0; k < SPACE_NQ; ++k)
            x[lane][k] = mechanism_random(state);
        for (int k = SPACE_TURN; k < SPACE_NQ; ++k)
            norm2 += x[lane][k] * x[lane][k];
        for (int k = SPACE_TURN; k < SPACE_NQ; ++k)
            x[lane][k] /= sqrt(norm2);
        for (int k = 0; k < SPACE_NV; ++k)
            y[lane][k] = mechanism_random(state) * (k < SPACE_TURN ? 1.0 : most / sqrt(3.0));
    }
    for (int k = 0; k < SPACE_NQ; ++k)
        q[k] = lanes(x[0][k], x[1][k]);
    for (int k = 0; k < SPACE_NV; ++k)
        d[k] = lanes(y[0][k], y[1][k]);
}

static void vector_of(space_vector a, int lane, long double out[3]) {
    out[0] = lane_of(a.x, lane);
    out[1] = lane_of(a.y, lane);
    out[2] = lane_of(a.z, lane);
}

static space_vector vector_draw(uint64_t *state) {
    space_vector out;
    out.x = lanes(mechanism_random(state), mechanism_random(state));
    out.y = lanes(mechanism_random(state), mechanism_random(state));
    out.z = lanes(mechanism_random(state), mechanism_random(state));
    return out;
}

static void same_vector(const char *what, space_vector found, int lane, const long double expected[3], double tolerance) {
    long double x[3];
    vector_of(found, lane, x);
    for (int k = 0; k < 3; ++k)
        if (!(fabsl(x[k] - expected[k]) <= tolerance))
            fail_msg("%s: component %d is %.17Lg, not %.17Lg", what, k, x[k], expected[k]);
}

/* A(p) s = s + 2 e × (e × s + e0 s). */
static void the_matrix_is_that_of_the_parameters(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], d[SPACE_NV];
        body_draw(&random, 1.0, q, d);
        const space_vector s = vector_draw(&random);
        const space_rotation a = space_rotation_of(&q[SPACE_TURN]);
        const space_vector turned = space_rotate(&a, s);
        for (int lane = 0; lane < LANES; ++lane) {
            long double e[3], x[3], inner[3], twice[3];
            for (int k = 0; k < 3; ++k)
                e[k] = lane_of(q[SPACE_TURN + 1 + k], lane);
            vector_of(s, lane, x);
            vector_cross(e, x, inner);
            for (int k = 0; k < 3; ++k)
                inner[k] += (long double)lane_of(q[SPACE_TURN], lane) * x[k];
            vector_cross(e, inner, twice);
            for (int k = 0; k < 3; ++k)
                x[k] += 2.0L * twice[k];
            same_vector("A s", turned, lane, x, ROUND_OFF);
        }
    }
}

/* Rodrigues: s ← s + sin φ u × s + (1 − cos φ) u × (u × s) in the body's frame for the turn d, and the center moves by d. */
static void a_displacement_turns_by_its_vector(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], d[SPACE_NV], to[SPACE_NQ];
        body_draw(&random, i % 5 == 0 ? 1e-9 : 3.0, q, d);
        for (int k = 0; k < SPACE_NQ; ++k)
            to[k] = q[k];
        const double scale = i % 2 ? 1.0 : -0.5;
        space_advance(real_set(scale), d, real_lt(lanes(0.0, 2.0), real_set(1.0)), to); /* the first lane alone */
        const space_vector s = vector_draw(&random);
        const space_rotation before = space_rotation_of(&q[SPACE_TURN]), after = space_rotation_of(&to[SPACE_TURN]);
        long double x[3], turn[3], first[3], second[3], angle = 0.0L, norm2 = 0.0L;
        vector_of(s, 0, x);
        for (int k = 0; k < 3; ++k) {
            turn[k] = (long double)scale * lane_of(d[SPACE_TURN + k], 0);
            angle += turn[k] * turn[k];
        }
        angle = sqrtl(angle);
        vector_cross(turn, x, first);
        vector_cross(turn, first, second);
        for (int k = 0; k < 3; ++k)
            x[k] += sinl(angle) / angle * first[k] + 2.0L * powl(sinl(angle / 2.0L) / angle, 2) * second[k];
        const space_vector turned = {real_set((double)x[0]), real_set((double)x[1]), real_set((double)x[2])};
        vector_of(space_rotate(&before, turned), 0, x);
        same_vector("the vector turned", space_rotate(&after, s), 0, x, ROUND_OFF);
        vector_of(s, 0, x);
        same_vector("and back", space_rotate_back(&after, space_rotate(&after, s)), 0, x, ROUND_OFF);
        for (int k = 0; k < SPACE_NQ; ++k)
            assert_true(lane_of(to[k], 1) == lane_of(q[k], 1));
        for (int k = 0; k < SPACE_TURN; ++k)
            assert_true(fabs(lane_of(to[k], 0) - (lane_of(q[k], 0) + scale * lane_of(d[k], 0))) <= ROUND_OFF);
        for (int k = SPACE_TURN; k < SPACE_NQ; ++k)
            norm2 += (long double)lane_of(to[k], 0) * lane_of(to[k], 0);
        assert_true(fabsl(norm2 - 1.0L) <= ROUND_OFF);
    }
}

/* (q ⊞ hv − q ⊞ −hv)/2h = q̇ + O(h² |ω|³/48), with round-off ε/h: at h = 1e-5 both are below 1e-10. */
static void rates_are_those_of_displacements(void **state) {
    (void)state;
    const double h = 1e-5;
    uint64_t random = 7;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], v[SPACE_NV], ahead[SPACE_NQ], behind[SPACE_NQ], scratch[SPACE_NQ], back[SPACE_NV];
        body_draw(&random, 1.0, q, v);
        for (int k = 0; k < SPACE_NQ; ++k)
            ahead[k] = behind[k] = q[k];
        space_advance(real_set(h), v, mask_not(mask_none()), ahead);
        space_advance(real_set(-h), v, mask_not(mask_none()), behind);
        const real *rates = space_rates(1, q, v, scratch), *speeds = space_speeds(1, q, rates, back);
        for (int lane = 0; lane < LANES; ++lane) {
            for (int k = 0; k < SPACE_NQ; ++k)
                assert_true(fabs((lane_of(ahead[k], lane) - lane_of(behind[k], lane)) / (2.0 * h) - lane_of(rates[k], lane)) <=
                            1e-10);
            for (int k = 0; k < SPACE_NV; ++k)
                assert_true(fabs(lane_of(speeds[k], lane) - lane_of(v[k], lane)) <= ROUND_OFF);
        }
    }
}

/* (q̇(q ⊞ hv, v + ha) − q̇(q ⊞ −hv, v − ha))/2h = q̈ + O(h²), as above. */
static void second_rates_are_those_of_rates(void **state) {
    (void)state;
    const double h = 1e-5;
    uint64_t random = 17;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], v[SPACE_NV], a[SPACE_NV], unused[SPACE_NQ], second[SPACE_NQ], rates[2][SPACE_NQ];
        body_draw(&random, 1.0, unused, a);
        body_draw(&random, 1.0, q, v);
        space_second_rates(q, v, a, second);
        for (int end = 0; end < 2; ++end) {
            const real by = real_set(end ? h : -h);
            real there[SPACE_NQ], speeds[SPACE_NV];
            for (int k = 0; k < SPACE_NQ; ++k)
                there[k] = q[k];
            space_advance(by, v, mask_not(mask_none()), there);
            for (int k = 0; k < SPACE_NV; ++k)
                speeds[k] = real_fma(by, a[k], v[k]);
            (void)space_rates(1, there, speeds, rates[end]);
        }
        for (int k = 0; k < SPACE_NQ; ++k)
            for (int lane = 0; lane < LANES; ++lane)
                assert_true(
                    fabs((lane_of(rates[1][k], lane) - lane_of(rates[0][k], lane)) / (2.0 * h) - lane_of(second[k], lane)) <= 1e-9);
    }
}

/* p/|p|, and a rotation that does not see the length. */
static void a_length_is_no_deformation(void **state) {
    (void)state;
    uint64_t random = 19;
    for (int i = 0; i < N_CASES; ++i) {
        real q[2 * SPACE_NQ], d[SPACE_NV];
        body_draw(&random, 1.0, q, d);
        for (int k = 0; k < SPACE_NQ; ++k)
            q[SPACE_NQ + k] = k < SPACE_TURN ? q[k] : real_set(1.25) * q[k];
        const space_vector s = vector_draw(&random);
        const space_rotation a = space_rotation_of(&q[SPACE_TURN]), longer = space_rotation_of(&q[SPACE_NQ + SPACE_TURN]);
        long double x[3];
        vector_of(space_rotate(&a, s), 0, x);
        same_vector("the rotation", space_rotate(&longer, s), 0, x, ROUND_OFF);
        space_settle(2, q);
        for (int k = 0; k < SPACE_NQ; ++k)
            for (int lane = 0; lane < LANES; ++lane)
                assert_true(fabs(lane_of(q[k], lane) - lane_of(q[SPACE_NQ + k], lane)) <= ROUND_OFF);
    }
}

/* b ⊞ d less b is d, with 2 sin(½φ) for φ; −p stands for the same rotation. */
static void a_difference_is_the_displacement(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < N_CASES; ++i) {
        real b[SPACE_NQ], d[SPACE_NV], a[SPACE_NQ], found[SPACE_NV];
        body_draw(&random, 3.0, b, d);
        for (int k = 0; k < SPACE_NQ; ++k)
            a[k] = b[k];
        space_advance(real_set(1.0), d, mask_not(mask_none()), a);
        for (int k = SPACE_TURN; i % 2 && k < SPACE_NQ; ++k)
            a[k] = -a[k];
        space_difference(a, b, found);
        for (int lane = 0; lane < LANES; ++lane) {
            double angle = 0.0;
            for (int k = SPACE_TURN; k < SPACE_NV; ++k)
                angle += lane_of(d[k], lane) * lane_of(d[k], lane);
            angle = sqrt(angle);
            for (int k = 0; k < SPACE_NV; ++k) {
                const double expected = lane_of(d[k], lane) * (k < SPACE_TURN ? 1.0 : 2.0 * sin(0.5 * angle) / angle);
                assert_true(fabs(lane_of(found[k], lane) - expected) <= ROUND_OFF);
            }
        }
    }
}

/* The velocity of a point is the derivative of its position (as above), and the power of a force on it that of its wrench. */
static void velocities_and_moments_belong_together(void **state) {
    (void)state;
    const double h = 1e-5;
    uint64_t random = 13;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], v[SPACE_NV], ends[2][SPACE_NQ];
        space_vector place[2];
        body_draw(&random, 1.0, q, v);
        const space_vector s = vector_draw(&random), f = vector_draw(&random);
        for (int end = 0; end < 2; ++end) {
            for (int k = 0; k < SPACE_NQ; ++k)
                ends[end][k] = q[k];
            space_advance(real_set(end ? h : -h), v, mask_not(mask_none()), ends[end]);
            const space_rotation a = space_rotation_of(&ends[end][SPACE_TURN]);
            place[end] = space_add(space_vector_at(ends[end]), real_set(1.0), space_rotate(&a, s));
        }
        const space_rotation a = space_rotation_of(&q[SPACE_TURN]);
        const space_vector of_body = space_vector_at(&v[SPACE_TURN]), omega = space_rotate(&a, of_body);
        const space_vector arm = space_rotate(&a, s), center = space_vector_at(v);
        const space_vector speed = space_velocity(center, omega, arm);
        const real power = space_dot(f, speed), of_wrench = space_dot(f, center) + space_dot(space_moment(arm, f), omega);
        for (int lane = 0; lane < LANES; ++lane) {
            long double from[3], to[3];
            vector_of(place[0], lane, from);
            vector_of(place[1], lane, to);
            for (int k = 0; k < 3; ++k)
                to[k] = (to[k] - from[k]) / (2.0L * (long double)h);
            same_vector("the velocity", speed, lane, to, 1e-9);
            assert_true(fabs(lane_of(power, lane) - lane_of(of_wrench, lane)) <= ROUND_OFF);
        }
    }
}

static void numbers_of_a_body(void **state) {
    (void)state;
    assert_int_equal(space_q(3), 21);
    assert_int_equal(space_v(3), 18);
    for (int32_t i = 0; i < 2 * SPACE_NV; ++i) {
        assert_int_equal(space_body_of(i), i / 6);
        assert_int_equal(space_is_turn(i), i % 6 >= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_that_of_the_parameters),   cmocka_unit_test(a_displacement_turns_by_its_vector),
        cmocka_unit_test(rates_are_those_of_displacements),       cmocka_unit_test(a_difference_is_the_displacement),
        cmocka_unit_test(velocities_and_moments_belong_together), cmocka_unit_test(numbers_of_a_body),
        cmocka_unit_test(second_rates_are_those_of_rates),        cmocka_unit_test(a_length_is_no_deformation),
    };
    return cmocka_run_group_tests_name("kernels.space_spatial", tests, NULL, NULL);
}
