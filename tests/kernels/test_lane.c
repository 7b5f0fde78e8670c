/* sin and cos of the lanes, every instruction set, against long double. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/isa.h"

enum { MAX_WIDTH = 8, N_RANDOM = 20000 };

/* Absolute error for |x| <= 1e6. Let u = 2^-53. The reduction x - k pi/2 is exact in its first part (k has 20 bits, the part 33)
 * and rounds |r| <= pi/4 twice, half an ulp or u/2 each: u. z = r*r enters the cosine as z/2, 0.31 u; the other terms of the two
 * polynomials are below 0.05 u, their truncation 2^-58. The result is rounded once: u/2. Together 1.9 u < DBL_EPSILON = 2 u. */
#define TOLERANCE_REDUCED DBL_EPSILON

/* Beyond, k times the first part of pi/2 may be rounded (without FMA), to half an ulp of x. */
static double tolerance(double x) {
    return fabs(x) <= 1e6 ? TOLERANCE_REDUCED : DBL_EPSILON * (1.0 + fabs(x));
}

static int kernels_here(const sarrus_kernels **out) {
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    int n = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const sarrus_kernels *kernels = sarrus_isa_find(SARRUS_SPACE_PLANAR, names[i]);
        if (kernels)
            out[n++] = kernels;
    }
    return n;
}

/* Uniform in [-1, 1]; a fixed sequence. */
static double next_number(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 9223372036854775808.0;
}

/* The bits of sin x and cos x with x in lane `lane` and `other` in the others. */
static void sincos_in_lane(const sarrus_kernels *kernels, double x, int lane, double other, double *out) {
    double angle[MAX_WIDTH], sine[MAX_WIDTH], cosine[MAX_WIDTH];
    for (int i = 0; i < kernels->width; ++i)
        angle[i] = i == lane ? x : other;
    kernels->sincos(angle, sine, cosine);
    out[0] = sine[lane];
    out[1] = cosine[lane];
}

static void assert_right(const sarrus_kernels *kernels, double x) {
    double got[2];
    sincos_in_lane(kernels, x, 0, x, got);
    double sine_error = (double)fabsl(got[0] - sinl(x)), cosine_error = (double)fabsl(got[1] - cosl(x));
    if (!(sine_error <= tolerance(x) && cosine_error <= tolerance(x)))
        fail_msg("%s: x = %.17g: errors %.3g, %.3g; allowed %.3g", kernels->name, x, sine_error, cosine_error, tolerance(x));
}

static void test_random_angles(void **state) {
    const sarrus_kernels *tables[3] = {NULL};
    uint64_t random = 1;
    (void)state;
    for (int n = kernels_here(tables), i_table = 0; i_table < n; ++i_table) {
        for (int i = 0; i < N_RANDOM; ++i) {
            assert_right(tables[i_table], 1e6 * next_number(&random));
            assert_right(tables[i_table], 4.0 * next_number(&random));
            double magnitude = pow(10.0, 9.0 * next_number(&random)); /* 1e-9 to 1e9 */
            assert_right(tables[i_table], copysign(magnitude, next_number(&random)));
        }
    }
}

/* The worst for a reduction: next to nothing is left. And halfway between, where the quadrant is decided. */
static void test_multiples_of_a_quarter_of_pi(void **state) {
    const sarrus_kernels *tables[3] = {NULL};
    uint64_t random = 2;
    (void)state;
    for (int n = kernels_here(tables), i_table = 0; i_table < n; ++i_table) {
        for (int i = 0; i < N_RANDOM; ++i) {
            double k = i < 2000 ? i : floor(1.27e6 * next_number(&random));
            double x = (double)((long double)k * 0.785398163397448309615660845819875721L);
            assert_right(tables[i_table], x);
            assert_right(tables[i_table], nextafter(x, INFINITY));
            assert_right(tables[i_table], nextafter(x, -INFINITY));
        }
    }
}

static void test_special_values(void **state) {
    const sarrus_kernels *tables[3] = {NULL};
    const double undefined[] = {NAN, INFINITY, -INFINITY};
    (void)state;
    for (int n = kernels_here(tables), i_table = 0; i_table < n; ++i_table) {
        const sarrus_kernels *kernels = tables[i_table];
        double got[2];
        for (int sign = -1; sign <= 1; sign += 2) {
            sincos_in_lane(kernels, copysign(0.0, sign), 0, 1.0, got);
            assert_true(got[0] == 0.0 && got[1] == 1.0);
            sincos_in_lane(kernels, sign * DBL_TRUE_MIN, 0, 1.0, got);
            assert_true(fabs(got[0]) <= DBL_TRUE_MIN && got[1] == 1.0);
            for (double x = 1e6; x <= 1e15; x *= 1.37) {
                sincos_in_lane(kernels, sign * x, 0, x, got);
                assert_true(fabs(got[0]) <= 1.0 && fabs(got[1]) <= 1.0);
            }
        }
        for (int i = 0; i < 3; ++i) {
            sincos_in_lane(kernels, undefined[i], 0, 1.0, got);
            assert_true(isnan(got[0]) && isnan(got[1]));
        }
    }
}

/* One instance's bits, whatever its lane and its neighbors hold. */
static void test_neighbors_do_not_matter(void **state) {
    const sarrus_kernels *tables[3] = {NULL};
    const double others[] = {0.0, -0.7, 1e5, 3e14, 1e300, NAN, INFINITY};
    uint64_t random = 3;
    (void)state;
    for (int n = kernels_here(tables), i_table = 0; i_table < n; ++i_table) {
        for (int i = 0; i < 200; ++i) {
            double x = i % 2 ? 1e6 * next_number(&random) : 7.0 * next_number(&random), alone[2], got[2];
            sincos_in_lane(tables[i_table], x, 0, x, alone);
            for (int lane = 0; lane < tables[i_table]->width; ++lane) {
                for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
                    sincos_in_lane(tables[i_table], x, lane, others[k], got);
                    assert_memory_equal(got, alone, sizeof got);
                }
            }
        }
    }
}

/* The instruction sets with FMA do the same operations, so they give the same bits. */
static void test_fma_sets_agree(void **state) {
    const sarrus_kernels *tables[3] = {NULL};
    uint64_t random = 4;
    (void)state;
    if (kernels_here(tables) < 3)
        skip();
    for (int i = 0; i < N_RANDOM; ++i) {
        double x = 1e6 * next_number(&random), first[2], second[2];
        sincos_in_lane(tables[1], x, 0, x, first);
        sincos_in_lane(tables[2], x, 0, x, second);
        assert_memory_equal(first, second, sizeof first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_angles),  cmocka_unit_test(test_multiples_of_a_quarter_of_pi),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_neighbors_do_not_matter),
        cmocka_unit_test(test_fma_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
