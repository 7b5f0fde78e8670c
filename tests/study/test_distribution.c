/* Inverse CDFs are accurate everywhere, tails included, and truncation holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "study/distribution.h"

static const double unit = 0x1p-53; /* relative rounding error of one operation */

static double density(double z) {
    return exp(-0.5 * z * z) * 0.3989422804014326779;
}

/* log Q(z) for z > 0 by Mills' continued fraction R = 1/(z + 1/(z + 2/(z + 3/…))): not the way the library takes.
 * 200 terms converge to round-off for z >= 3. */
static double log_upper_tail(double z) {
    double fraction = z;
    for (int k = 200; k >= 1; --k)
        fraction = z + k / fraction;
    return -0.5 * z * z - 0.91893853320467274178 - log(fraction);
}

static void the_uniform_never_touches_its_ends(void **state) {
    (void)state;
    assert_true(sarrus_uniform_from_bits(0) == 0x1p-53);
    assert_true(sarrus_uniform_from_bits(UINT64_MAX) == 1.0 - 0x1p-53);
    assert_true(sarrus_uniform_from_bits(UINT64_C(1) << 63) > 0.5);
    assert_true(sarrus_uniform_from_bits((UINT64_C(1) << 63) - 1) < 0.5);
    assert_true(1.0 - sarrus_uniform_from_bits(12345) == sarrus_uniform_from_bits(~UINT64_C(12345)));
}

/* p = erfc(−z/√2)/2 is off by a few units (erfc) and by z² units (rounding of z/√2, as d ln Φ/d ln z <= 1 + z²); back
 * through the quantile (dz = dp/φ) that is at most 10 units of |z| + Φ/φ, AS 241's own 1e-16 included. */
static void the_normal_quantile_undoes_erfc(void **state) {
    (void)state;
    for (double z = -37.0; z <= 0.0; z += 1.0 / 64.0) {
        const double p = 0.5 * erfc(-z * M_SQRT1_2);
        const double bound = 10.0 * unit * (fabs(z) + p / density(z));
        assert_true(fabs(sarrus_normal_quantile(p) - z) <= bound);
    }
    assert_true(sarrus_normal_quantile(0.5) == 0.0);
    assert_true(sarrus_normal_quantile(0.0) == -INFINITY && sarrus_normal_quantile(1.0) == INFINITY);
    assert_true(isnan(sarrus_normal_quantile(-0.1)) && isnan(sarrus_normal_quantile(1.1)) && isnan(sarrus_normal_quantile(NAN)));
}

/* 1.959963984540054 and 3.090232306167813 are in every table. */
static void the_normal_quantile_has_the_tabled_values(void **state) {
    (void)state;
    assert_true(fabs(sarrus_normal_quantile(0.975) - 1.959963984540054) < 1e-15);
    assert_true(fabs(sarrus_normal_quantile(0.001) + 3.090232306167813) < 1e-15);
}

/* Q(z) = (1 − u) Q(low) for a half-open interval: checked in logarithms, where z's own rounding weighs z² units. */
static void the_far_tail_is_accurate(void **state) {
    (void)state;
    static const double lows[] = {3.0, 8.0, 29.9, 30.1, 40.0, 100.0, 1e4};
    static const double us[] = {0x1p-53, 1e-9, 0.1, 0.5, 0.9, 1.0 - 0x1p-20, 1.0 - 0x1p-50};
    for (size_t i = 0; i < sizeof lows / sizeof lows[0]; ++i) {
        for (size_t k = 0; k < sizeof us / sizeof us[0]; ++k) {
            const double z = sarrus_normal_truncated_quantile(us[k], lows[i], INFINITY);
            const double wanted = log_upper_tail(lows[i]) + log1p(-us[k]);
            assert_true(z >= lows[i]);
            assert_true(fabs(log_upper_tail(z) - wanted) <= 16.0 * unit * (z * z + 40.0));
            assert_true(sarrus_normal_truncated_quantile(1.0 - us[k], -INFINITY, -lows[i]) <= -lows[i]);
        }
    }
}

/* The median of [low, high] halves the probability. */
static void a_narrow_interval_in_the_tail_is_accurate(void **state) {
    (void)state;
    static const double ends[][2] = {{5.0, 6.0}, {20.0, 20.5}, {35.0, 35.01}, {50.0, 50.001}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        const double low = ends[i][0], high = ends[i][1];
        const double z = sarrus_normal_truncated_quantile(0.5, low, high);
        const double share = exp(log_upper_tail(high) - log_upper_tail(low));
        const double wanted = log_upper_tail(low) + log(0.5 * (1.0 + share));
        assert_true(z > low && z < high);
        assert_true(fabs(log_upper_tail(z) - wanted) <= 16.0 * unit * (z * z + 40.0));
        assert_true(fabs(sarrus_normal_truncated_quantile(0.5, -high, -low) + z) <= 4.0 * unit * z);
    }
}

static void truncation_is_never_left(void **state) {
    (void)state;
    static const double ends[][2] = {{-1.0, 1.0},    {-0.1, 9.0},        {7.0, 7.0},
                                     {-40.0, -39.0}, {-INFINITY, -33.0}, {31.0, 31.0 + 1e-12}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        double last = -INFINITY;
        for (uint64_t k = 0; k <= 64; ++k) {
            const double u = sarrus_uniform_from_bits(k < 64 ? k << 58 : UINT64_MAX);
            const double z = sarrus_normal_truncated_quantile(u, ends[i][0], ends[i][1]);
            assert_true(z >= ends[i][0] && z <= ends[i][1]);
            assert_true(z >= last); /* one uniform, one number, in the same order */
            last = z;
        }
    }
    assert_true(isnan(sarrus_normal_truncated_quantile(0.5, 1.0, -1.0)));
}

static double median(sarrus_distribution_kind kind, double a, double b, double min, double max) {
    const sarrus_sampled sampled = {.kind = kind, .a = a, .b = b, .min = min, .max = max};
    return sarrus_sampled_quantile(&sampled, 0.5);
}

static void the_scenario_s_distributions_have_their_medians(void **state) {
    (void)state;
    assert_true(median(SARRUS_DISTRIBUTION_NORMAL, 3.0, 0.5, -INFINITY, INFINITY) == 3.0);
    assert_true(median(SARRUS_DISTRIBUTION_NORMAL, 3.0, 0.0, -INFINITY, INFINITY) == 3.0);
    assert_true(median(SARRUS_DISTRIBUTION_UNIFORM, 1.0, 3.0, -INFINITY, INFINITY) == 2.0);
    assert_true(median(SARRUS_DISTRIBUTION_UNIFORM, 1.0, 3.0, 2.0, INFINITY) == 2.5);
    assert_true(fabs(median(SARRUS_DISTRIBUTION_LOGNORMAL, 1.0, 0.25, 0.0, INFINITY) - exp(1.0)) < 1e-15);
    const double cut = median(SARRUS_DISTRIBUTION_LOGNORMAL, 0.0, 1.0, 1.0, INFINITY); /* quantile 3/4 of the whole */
    assert_true(fabs(log(cut) - 0.67448975019608174) < 1e-15);
}

/* An interval that leaves nothing gives NaN: the instance then gets its status instead of a made-up number. */
static void an_empty_interval_gives_nan(void **state) {
    (void)state;
    assert_true(isnan(median(SARRUS_DISTRIBUTION_UNIFORM, 1.0, 2.0, 3.0, 4.0)));
    assert_true(isnan(median(SARRUS_DISTRIBUTION_NORMAL, 0.0, 1.0, 2.0, 1.0)));
    assert_true(isnan(median(SARRUS_DISTRIBUTION_NORMAL, 0.0, 0.0, 2.0, 3.0)));
    assert_true(isnan(median(SARRUS_DISTRIBUTION_LOGNORMAL, 0.0, 1.0, -INFINITY, -1.0)));
}

/* Shares are those of the CDF, written down here by erfc: to a few units, and to u's own 1e-18 in the tails. */
static void shares_are_those_of_the_cdf(void **state) {
    (void)state;
    const sarrus_sampled normal = {.kind = SARRUS_DISTRIBUTION_NORMAL, .a = 1.0, .b = 0.5, .min = -INFINITY, .max = INFINITY};
    for (double x = -3.0; x <= 3.0; x += 0.25) {
        const double expected = 0.5 * erfc(-(x - 1.0) / 0.5 * M_SQRT1_2);
        assert_true(fabs(sarrus_sampled_share_below(&normal, x) - expected) < 20.0 * unit);
        assert_true(fabs(sarrus_sampled_share_to(&normal, x) - expected) < 20.0 * unit);
    }
    sarrus_sampled cut = normal;
    cut.min = -0.5;
    const double below_0 = 0.5 * erfc(2.0 * M_SQRT1_2), below_min = 0.5 * erfc(3.0 * M_SQRT1_2);
    assert_true(fabs(sarrus_sampled_share_below(&cut, 0.0) - (below_0 - below_min) / (1.0 - below_min)) < 20.0 * unit);
    assert_true(sarrus_sampled_share_below(&cut, -0.5) == 0.0 && sarrus_sampled_share_to(&cut, INFINITY) == 1.0);
    cut.min = 0.0;
    assert_true(sarrus_sampled_share_below(&cut, 0.0) == 0.0);
    const sarrus_sampled uniform = {.kind = SARRUS_DISTRIBUTION_UNIFORM, .a = -1.0, .b = 3.0, .min = -INFINITY, .max = INFINITY};
    assert_true(fabs(sarrus_sampled_share_to(&uniform, 0.0) - 0.25) < 4.0 * unit);
    const sarrus_sampled lognormal = {.kind = SARRUS_DISTRIBUTION_LOGNORMAL, .a = 0.0, .b = 1.0, .min = -INFINITY, .max = INFINITY};
    assert_true(sarrus_sampled_share_to(&lognormal, 0.0) == 0.0);
    assert_true(fabs(sarrus_sampled_share_to(&lognormal, 1.0) - 0.5) < 4.0 * unit);
    const sarrus_sampled zero = {.kind = SARRUS_DISTRIBUTION_NORMAL, .a = 0.0, .b = 0.0, .min = -INFINITY, .max = INFINITY};
    assert_true(sarrus_sampled_share_below(&zero, 0.0) == 0.0 && sarrus_sampled_share_to(&zero, 0.0) == 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_the_cdf),     cmocka_unit_test(the_uniform_never_touches_its_ends),
        cmocka_unit_test(the_normal_quantile_undoes_erfc), cmocka_unit_test(the_normal_quantile_has_the_tabled_values),
        cmocka_unit_test(the_far_tail_is_accurate),        cmocka_unit_test(a_narrow_interval_in_the_tail_is_accurate),
        cmocka_unit_test(truncation_is_never_left),        cmocka_unit_test(the_scenario_s_distributions_have_their_medians),
        cmocka_unit_test(an_empty_interval_gives_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
