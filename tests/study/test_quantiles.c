/* Quantiles of the distributions that have ends, shapes or values: against their distribution functions, whole and cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "study/distribution.h"

static const double unit = 0x1p-53; /* relative rounding error of one operation */
static const double us[] = {0x1p-50, 1e-9, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1.0 - 0x1p-30, 1.0 - 0x1p-50};
enum { N_US = sizeof us / sizeof us[0] };

static sarrus_sampled whole(sarrus_distribution_kind kind, double a, double b, double c, double d) {
    return (sarrus_sampled){.kind = kind, .a = a, .b = b, .c = c, .d = d, .min = -INFINITY, .max = INFINITY};
}

static sarrus_sampled cut(sarrus_sampled from, double min, double max) {
    from.min = min;
    from.max = max;
    return from;
}

/* Narrow intervals of a normal distribution, where its density is exp(−z t) but for t²/2: to some units of round-off of their
 * width. */
static void a_narrow_normal_interval_is_filled_evenly(void **state) {
    (void)state;
    static const double cases[][4] = {/* mean, sd, low, high */
                                      {0.0, 1.0, -1e-12, 1e-12},
                                      {0.0, 1.0, -1e-17, 1e-17},
                                      {0.0, 1e12, 0.9, 1.1},
                                      {0.0, 1.0, 3.0, 3.0 + 0x1p-30},
                                      {1.0, 1e-3, 0.99, 0.99 + 0x1p-40}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        const double mean = cases[c][0], sd = cases[c][1], low = cases[c][2], high = cases[c][3];
        const sarrus_sampled s = cut(whole(SARRUS_DISTRIBUTION_NORMAL, mean, sd, 0.0, 0.0), low, high);
        const long double z = ((long double)low - mean) / sd, w = ((long double)high - low) / sd;
        for (int i = 0; i < N_US; ++i) {
            const long double t = fabsl(z * w) < 1e-25L ? us[i] * w : -log1pl(us[i] * expm1l(-z * w)) / z;
            const long double x = low + sd * t, x_unit = fmax(fabs(low), fabs(high)) * unit;
            /* t²/2 shifts the density by w² at most; x itself is rounded */
            assert_true(fabsl(sarrus_sampled_quantile(&s, us[i]) - x) <=
                        (16.0 * unit + (double)(w * w)) * (high - low) + 2.0L * x_unit);
        }
    }
}

/* In long double, from the left or the right end: the share of the triangle that lies there. */
static long double left_of(const sarrus_sampled *s, long double x) {
    return (x - s->a) * (x - s->a) / ((s->c - (long double)s->a) * (s->b - (long double)s->a));
}
static long double right_of(const sarrus_sampled *s, long double x) {
    return (s->c - x) * (s->c - x) / ((s->c - (long double)s->a) * (s->c - (long double)s->b));
}

/* The rounding of x weighs its part of the distance to the end, and the square root halves what p is off by. */
static void a_triangle_is_left_by_square_roots(void **state) {
    (void)state;
    const sarrus_sampled s = whole(SARRUS_DISTRIBUTION_TRIANGULAR, 1.0, 1.5, 4.0, 0.0);
    for (int i = 0; i < N_US; ++i) {
        const double x = sarrus_sampled_quantile(&s, us[i]);
        const bool is_left = us[i] <= 0.5 / 3.0;
        const long double share = is_left ? left_of(&s, x) : right_of(&s, x), wanted = is_left ? us[i] : 1.0 - us[i];
        const double distance = is_left ? x - 1.0 : 4.0 - x;
        assert_true(fabsl(share / wanted - 1.0L) <= 8.0 * unit + 4.0 * x * unit / distance);
    }
    /* Cut within its last hundred-millionth, where the whole has shares of 1 − 1e-17. */
    const sarrus_sampled end = cut(s, 4.0 - 0x1p-26, INFINITY);
    for (int i = 0; i < N_US; ++i) {
        const double rest = (4.0 - sarrus_sampled_quantile(&end, us[i])) * 0x1p26;
        assert_true(fabs(rest * rest - (1.0 - us[i])) <= 2.0 * 4.0 * unit * 0x1p26);
    }
    /* The mode at either end, and both bounds. */
    const sarrus_sampled left = whole(SARRUS_DISTRIBUTION_TRIANGULAR, 0.0, 0.0, 1.0, 0.0);
    const sarrus_sampled right = whole(SARRUS_DISTRIBUTION_TRIANGULAR, 0.0, 1.0, 1.0, 0.0);
    assert_true(sarrus_sampled_quantile(&left, 0.75) == 0.5 && sarrus_sampled_quantile(&right, 0.25) == 0.5);
    assert_true(sarrus_sampled_quantile(&left, 0.0) == 0.0 && sarrus_sampled_quantile(&right, 1.0) == 1.0);
    const sarrus_sampled both = cut(right, 0.6, 1.0); /* F = x², from 0.36 to 1 */
    assert_true(fabs(sarrus_sampled_quantile(&both, 0.5) - sqrt(0.68)) <= 4.0 * unit);
    /* 1 − √(1 − u) without its cancellation. */
    assert_true(fabs(sarrus_sampled_quantile(&left, 1e-9) / 5.00000000125e-10 - 1.0) <= 8.0 * unit);
    /* So long that the product of two of its lengths is no number. */
    const sarrus_sampled wide = whole(SARRUS_DISTRIBUTION_TRIANGULAR, 0.0, 1.0, 1e300, 0.0);
    assert_true(fabs(sarrus_sampled_quantile(&wide, 0.75) / 0.5e300 - 1.0) <= 4.0 * unit);
}

/* −log(1 − F) is (x/scale)^shape, and a cut adds what lies below it, however much that is: to some units of two powers, a logarithm
 * and four operations; the rounding of 1/shape weighs the logarithm of what is raised to it. */
static void a_weibull_tail_is_exact_however_far(void **state) {
    (void)state;
    static const double lows[] = {-1.0, 0.0, 1.0, 30.0, 1e4};
    const sarrus_sampled s = whole(SARRUS_DISTRIBUTION_WEIBULL, 2.0, 1.5, 0.0, 0.0);
    for (size_t k = 0; k < sizeof lows / sizeof lows[0]; ++k) {
        const sarrus_sampled part = cut(s, lows[k], INFINITY);
        const double before = lows[k] > 0.0 ? pow(lows[k] / 2.0, 1.5) : 0.0;
        for (int i = 0; i < N_US; ++i) {
            const double x = sarrus_sampled_quantile(&part, us[i]), hazard = pow(x / 2.0, 1.5), wanted = before - log1p(-us[i]);
            assert_true(x >= lows[k] && fabs(hazard - wanted) <= (16.0 + fabs(log(wanted))) * unit * wanted);
        }
    }
    const sarrus_sampled narrow = cut(s, 20.0, 20.5);
    const double from = pow(10.0, 1.5), to = pow(10.25, 1.5), x = sarrus_sampled_quantile(&narrow, 0.5);
    assert_true(fabs(expm1(from - pow(x / 2.0, 1.5)) / expm1(from - to) - 0.5) <= 64.0 * unit * from);
    assert_true(
        isnan(sarrus_sampled_quantile(&(sarrus_sampled){.kind = s.kind, .a = 2.0, .b = 1.5, .min = -2.0, .max = -1.0}, 0.5)));
}

/* Roots of the regularized incomplete beta function by bisection with 40 digits (mpmath 1.3, betainc). */
static void a_beta_quantile_has_the_tabled_values(void **state) {
    (void)state;
    static const struct {
        double alpha, beta, u, x;
    } table[] = {
        {2.5, 0.75, 0x1p-20, 0.00470968886209269133},  {2.5, 0.75, 0.25, 0.648410353469003494},
        {2.5, 0.75, 0.75, 0.937657085917011603},       {2.5, 0.75, 1.0 - 0x1p-20, 0.9999999964793436},
        {0.5, 12.0, 0x1p-20, 6.07790626355225627e-14}, {0.5, 12.0, 0.25, 0.00431014475954149064},
        {0.5, 12.0, 0.75, 0.0547373501696858302},      {0.5, 12.0, 1.0 - 0x1p-20, 0.639423237059918248},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        const sarrus_sampled s = whole(SARRUS_DISTRIBUTION_BETA, table[i].alpha, table[i].beta, 0.0, 1.0);
        assert_true(fabs(sarrus_sampled_quantile(&s, table[i].u) / table[i].x - 1.0) <= 1e-14);
        const sarrus_sampled wide = whole(SARRUS_DISTRIBUTION_BETA, table[i].alpha, table[i].beta, -3.0, 5.0);
        assert_true(fabs(sarrus_sampled_quantile(&wide, table[i].u) - (8.0 * table[i].x - 3.0)) <= 1e-13);
    }
    const sarrus_sampled tail = cut(whole(SARRUS_DISTRIBUTION_BETA, 2.0, 30.0, 0.0, 1.0), 0.875, INFINITY);
    assert_true(fabs(sarrus_sampled_quantile(&tail, 0.5) - 0.877867837774733719) <= 1e-14);
    const sarrus_sampled both = cut(whole(SARRUS_DISTRIBUTION_BETA, 2.5, 0.75, 0.0, 1.0), 0.25, 0.5);
    assert_true(fabs(sarrus_sampled_quantile(&both, 0.25) - 0.343302832462896931) <= 1e-14);
    assert_true(sarrus_sampled_quantile(&tail, 0.0) == 0.875 && sarrus_sampled_quantile(&both, 1.0) == 0.5);
    /* Uniform: exponents of 0. */
    const sarrus_sampled flat = whole(SARRUS_DISTRIBUTION_BETA, 1.0, 1.0, 0.0, 1.0);
    for (int i = 0; i < N_US; ++i)
        assert_true(fabs(sarrus_sampled_quantile(&flat, us[i]) / us[i] - 1.0) <= 1e-14);
}

/* The first value whose share reaches u, as scipy.stats.rv_discrete has it. */
static void a_discrete_draw_is_one_of_its_values(void **state) {
    (void)state;
    double values[] = {1.0, 2.0, 2.0, 5.0}, shares[] = {0.25, 0.5, 0.75, 1.0};
    sarrus_sampled s = whole(SARRUS_DISTRIBUTION_DISCRETE, 0.0, 0.0, 0.0, 0.0);
    s.n_values = 4;
    s.values = values;
    s.shares = shares;
    static const double table[][2] = {{0.0, 1.0},  {0.25, 1.0},           {0.25 + 0x1p-50, 2.0},
                                      {0.75, 2.0}, {0.75 + 0x1p-50, 5.0}, {1.0, 5.0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        assert_true(sarrus_sampled_quantile(&s, table[i][0]) == table[i][1]);
    assert_true(fabs(sarrus_sampled_share_below(&s, 2.0) - 0.25) <= unit && fabs(sarrus_sampled_share_to(&s, 2.0) - 0.75) <= unit);
    assert_true(sarrus_sampled_share_below(&s, 1.0) == 0.0 && sarrus_sampled_share_to(&s, 5.0) == 1.0);
    s.n_values = 1;
    shares[0] = 1.0;
    assert_true(sarrus_sampled_quantile(&s, 0.3) == 1.0);
}

/* numpy.quantile([1, 2, 2, 5, 8], u); cut, the part of u that lies within. */
static void an_empirical_quantile_is_interpolated(void **state) {
    (void)state;
    double values[] = {1.0, 2.0, 2.0, 5.0, 8.0};
    sarrus_sampled s = whole(SARRUS_DISTRIBUTION_EMPIRICAL, 0.0, 0.0, 0.0, 0.0);
    s.n_values = 5;
    s.values = values;
    static const double table[][2] = {{0.0, 1.0},   {0.125, 1.5},   {0.25, 2.0}, {0.4375, 2.0},
                                      {0.625, 3.5}, {0.8125, 5.75}, {1.0, 8.0}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        assert_true(sarrus_sampled_quantile(&s, table[i][0]) == table[i][1]);
    /* From 1.5 (0.5 steps) to 6.5 (3.5 steps); from the first 2 (1 step) to the last (2 steps), between which it is 2. */
    const sarrus_sampled part = cut(s, 1.5, 6.5), equal = cut(s, 2.0, 2.0), above = cut(s, 2.0, INFINITY);
    assert_true(sarrus_sampled_quantile(&part, 0.0) == 1.5 && sarrus_sampled_quantile(&part, 1.0) == 6.5);
    assert_true(fabs(sarrus_sampled_quantile(&part, 2.0 / 3.0) - 3.5) <= 32.0 * unit);
    assert_true(sarrus_sampled_quantile(&equal, 0.7) == 2.0);
    assert_true(sarrus_sampled_quantile(&above, 0.0) == 2.0 && sarrus_sampled_quantile(&above, 0.5) == 3.5);
    s.n_values = 1;
    assert_true(sarrus_sampled_quantile(&s, 0.9) == 1.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrow_normal_interval_is_filled_evenly), cmocka_unit_test(a_triangle_is_left_by_square_roots),
        cmocka_unit_test(a_weibull_tail_is_exact_however_far),       cmocka_unit_test(a_beta_quantile_has_the_tabled_values),
        cmocka_unit_test(a_discrete_draw_is_one_of_its_values),      cmocka_unit_test(an_empirical_quantile_is_interpolated),
    };
    return cmocka_run_group_tests_name("study.quantiles", tests, NULL, NULL);
}
