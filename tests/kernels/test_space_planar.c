/* The planar vocabulary (kernels/space/planar.h) against closed forms, and central differences. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#define SARRUS_LANE_WIDTH 2
#include "kernels/space/space.h"
#include "tests/support/mechanism.h"

enum { N_CASES = 500, LANES = SARRUS_LANE_WIDTH };

/* Some ten operations of numbers up to 4 each. */
#define ROUND_OFF (64 * DBL_EPSILON)

static double lane_of(real x, int lane) {
    return x[lane];
}

static real lanes(double a, double b) {
    return (real){a, b};
}

/* A random body in both lanes, and d, a displacement or a speed of it. */
static void body_draw(uint64_t *state, real q[SPACE_NQ], real d[SPACE_NV]) {
    for (int k = 0; k < SPACE_NQ; ++k)
        q[k] = lanes(mechanism_random(state), mechanism_random(state));
    for (int k = 0; k < SPACE_NV; ++k)
        d[k] = lanes(mechanism_random(state), mechanism_random(state));
}

static space_vector vector_draw(uint64_t *state) {
    space_vector out;
    out.x = lanes(mechanism_random(state), mechanism_random(state));
    out.y = lanes(mechanism_random(state), mechanism_random(state));
    return out;
}

static space_rotation rotation_of(const real *q) {
    space_rotation out;
    real_sincos(q[SPACE_TURN], &out.sine, &out.cosine);
    return out;
}

/* The position of the point s of a body. */
static space_vector place_of(const real *q, space_vector s) {
    const space_rotation a = rotation_of(q);
    space_vector out = space_rotate(&a, s);
    out.x = out.x + q[0];
    out.y = out.y + q[1];
    return out;
}

/* The velocity of a point against (p(q ⊞ hv) − p(q ⊞ −hv))/2h, off by h² ω³/6 and ε/h, below 1e-9 at h = 1e-5; the power of a force
 * on it is that of its wrench. */
static void velocities_and_moments_belong_together(void **state) {
    (void)state;
    const double h = 1e-5;
    uint64_t random = 13;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], v[SPACE_NV], ahead[SPACE_NQ], behind[SPACE_NQ];
        body_draw(&random, q, v);
        const space_vector s = vector_draw(&random), f = vector_draw(&random);
        for (int k = 0; k < SPACE_NQ; ++k)
            ahead[k] = behind[k] = q[k];
        space_advance(real_set(h), v, mask_not(mask_none()), ahead);
        space_advance(real_set(-h), v, mask_not(mask_none()), behind);
        const space_vector from = place_of(behind, s), to = place_of(ahead, s), center = {v[0], v[1]};
        const space_rotation a = rotation_of(q);
        const space_vector arm = space_rotate(&a, s), speed = space_velocity(center, v[SPACE_TURN], arm);
        const real power = f.x * speed.x + f.y * speed.y;
        const real of_wrench = f.x * center.x + f.y * center.y + space_moment(arm, f) * v[SPACE_TURN];
        for (int lane = 0; lane < LANES; ++lane) {
            assert_true(fabs((lane_of(to.x, lane) - lane_of(from.x, lane)) / (2.0 * h) - lane_of(speed.x, lane)) <= 1e-9);
            assert_true(fabs((lane_of(to.y, lane) - lane_of(from.y, lane)) / (2.0 * h) - lane_of(speed.y, lane)) <= 1e-9);
            assert_true(fabs(lane_of(power, lane) - lane_of(of_wrench, lane)) <= ROUND_OFF);
        }
    }
}

/* In the plane speeds are rates, and displacements add up. */
static void displacements_add_up(void **state) {
    (void)state;
    uint64_t random = 17;
    for (int i = 0; i < N_CASES; ++i) {
        real q[SPACE_NQ], d[SPACE_NV], to[SPACE_NQ], found[SPACE_NV];
        body_draw(&random, q, d);
        for (int k = 0; k < SPACE_NQ; ++k)
            to[k] = q[k];
        space_advance(real_set(0.5), d, real_lt(lanes(0.0, 2.0), real_set(1.0)), to); /* the first lane alone */
        space_difference(to, q, found);
        for (int k = 0; k < SPACE_NV; ++k) {
            assert_true(fabs(lane_of(found[k], 0) - 0.5 * lane_of(d[k], 0)) <= ROUND_OFF);
            assert_true(lane_of(found[k], 1) == 0.0);
        }
        assert_ptr_equal(space_rates(1, q, d, found), d);
        assert_ptr_equal(space_speeds(1, q, d, found), d);
    }
}

static void numbers_of_a_body(void **state) {
    (void)state;
    assert_int_equal(space_q(3), 9);
    assert_int_equal(space_v(3), 9);
    for (int32_t i = 0; i < 2 * SPACE_NV; ++i) {
        assert_int_equal(space_body_of(i), i / 3);
        assert_int_equal(space_is_turn(i), i % 3 == 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_and_moments_belong_together),
        cmocka_unit_test(displacements_add_up),
        cmocka_unit_test(numbers_of_a_body),
    };
    return cmocka_run_group_tests_name("kernels.space_planar", tests, NULL, NULL);
}
