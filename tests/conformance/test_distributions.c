/* Claim: draws of every row of distribution.def, whole and cut at either end or both, have the mean and the variance of their
 * closed form, and keep to their bounds. A row without a closed form here does not compile. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/draws.h"
#include "sarrus/study.h"

enum { N_DRAWS = 40000, N_MOMENTS = 5, N_CUTS = 4 };

/* The density and the distribution function of a standard normal number, at ±∞ too. */
static double density(double z) {
    return 0.39894228040143267794 * exp(-0.5 * z * z);
}
static double share_below(double z) {
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* E[zᵏ], k = 0 … 4, of a standard normal number between low and high: integration by parts. */
static void moments_of_normal(double low, double high, double out[N_MOMENTS]) {
    const double share = share_below(high) - share_below(low);
    out[0] = 1.0;
    for (int k = 1; k < N_MOMENTS; ++k) {
        const double at_low = isinf(low) ? 0.0 : pow(low, k - 1) * density(low);
        const double at_high = isinf(high) ? 0.0 : pow(high, k - 1) * density(high);
        out[k] = (k > 1 ? (k - 1) * out[k - 2] : 0.0) - (at_high - at_low) / share;
    }
}

/* Densities but for a factor, and where they are: the midpoint rule in t with x = from + (to − from) t², which takes the pole of a
 * beta distribution with alpha = 0.4 to a power t^−0.2: the sum is right to 1e-3. */
static double shape_of(const sarrus_sampled *s, double x) {
    if (s->kind == SARRUS_DISTRIBUTION_TRIANGULAR)
        return x <= s->b ? (x - s->a) / (s->b - s->a) : (s->c - x) / (s->c - s->b);
    if (s->kind == SARRUS_DISTRIBUTION_WEIBULL)
        return pow(x / s->a, s->b - 1.0) * exp(-pow(x / s->a, s->b));
    return pow(x - s->c, s->a - 1.0) * pow(s->d - x, s->b - 1.0);
}

static void moments_by_density(const sarrus_sampled *s, double out[N_MOMENTS]) {
    enum { N_STEPS = 10000 };
    double low, high, sum[N_MOMENTS] = {0};
    sarrus_sampled_support(s, &low, &high);
    high = isinf(high) ? s->a * pow(40.0, 1.0 / s->b) : high; /* exp(−40) lies beyond */
    for (int i = 0; i < N_STEPS; ++i) {
        const double t = (i + 0.5) / N_STEPS, x = low + (high - low) * t * t, weight = shape_of(s, x) * t;
        for (int k = 0; k < N_MOMENTS; ++k)
            sum[k] += weight * pow(x, k);
    }
    for (int k = 0; k < N_MOMENTS; ++k)
        out[k] = sum[k] / sum[0];
}

/* Values are equally likely, or quantiles with straight lines between them; cut, those of the shorter last lines too. */
static void moments_of_values(const sarrus_sampled *s, double out[N_MOMENTS]) {
    double shares = 0.0, sum[N_MOMENTS] = {0};
    for (int i = 0; i < s->n_values; ++i) {
        const bool is_line = s->kind == SARRUS_DISTRIBUTION_EMPIRICAL;
        if (is_line && i + 1 == s->n_values)
            break;
        const double low = is_line ? fmax(s->values[i], s->min) : s->values[i];
        const double high = is_line ? fmin(s->values[i + 1], s->max) : s->values[i];
        if (low > high)
            continue;
        const double share = is_line ? (high - low) / (s->values[i + 1] - s->values[i]) : 1.0;
        shares += share;
        for (int k = 0; k < N_MOMENTS; ++k)
            sum[k] += share * (is_line ? (pow(high, k + 1) - pow(low, k + 1)) / ((k + 1) * (high - low)) : pow(low, k));
    }
    for (int k = 0; k < N_MOMENTS; ++k)
        out[k] = sum[k] / shares;
}

/* E[xᵏ] of what is drawn; of the normal one E[((x − a)/b)ᵏ], which is given back by `scale` and `shift`. */
static void moments_of(const sarrus_sampled *s, double out[N_MOMENTS], double *scale, double *shift) {
    *scale = 1.0;
    *shift = 0.0;
    switch (s->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        *scale = s->b;
        *shift = s->a;
        moments_of_normal((s->min - s->a) / s->b, (s->max - s->a) / s->b, out);
        break;
    case SARRUS_DISTRIBUTION_UNIFORM: {
        const double low = fmax(s->a, s->min), high = fmin(s->b, s->max);
        for (int k = 0; k < N_MOMENTS; ++k) {
            out[k] = (pow(high, k + 1) - pow(low, k + 1)) / ((k + 1) * (high - low));
        }
        break;
    }
    case SARRUS_DISTRIBUTION_LOGNORMAL: {
        const double low = s->min > 0.0 ? (log(s->min) - s->a) / s->b : -INFINITY, high = (log(s->max) - s->a) / s->b;
        const double share = share_below(high) - share_below(low);
        for (int k = 0; k < N_MOMENTS; ++k) {
            const double moved = share_below(high - k * s->b) - share_below(low - k * s->b);
            out[k] = exp(k * s->a + 0.5 * k * k * s->b * s->b) * moved / share;
        }
        break;
    }
    case SARRUS_DISTRIBUTION_TRIANGULAR:
    case SARRUS_DISTRIBUTION_WEIBULL:
    case SARRUS_DISTRIBUTION_BETA:
        moments_by_density(s, out);
        break;
    case SARRUS_DISTRIBUTION_DISCRETE:
    case SARRUS_DISTRIBUTION_EMPIRICAL:
        moments_of_values(s, out);
        break;
    }
}

/* The mean of n draws has the standard deviation sd/√n, their variance √((μ₄ − μ₂²)/n); five of those is passed by chance once in
 * two million seeds, and the seed is fixed. */
static void check_draws(const sarrus_sampled *s, const char *word, const double *x) {
    double m[N_MOMENTS], scale, shift, mean = 0.0, variance = 0.0;
    moments_of(s, m, &scale, &shift);
    const double second = m[2] - m[1] * m[1];
    const double fourth = m[4] - 4.0 * m[3] * m[1] + 6.0 * m[2] * m[1] * m[1] - 3.0 * pow(m[1], 4);
    const double wanted_mean = shift + scale * m[1], wanted_variance = scale * scale * second;
    for (int i = 0; i < N_DRAWS; ++i) {
        mean += x[i] / N_DRAWS;
        if (!(x[i] >= s->min && x[i] <= s->max)) {
            fail_msg("%s of %g and %g: %g is not between %g and %g", word, s->a, s->b, x[i], s->min, s->max);
        }
    }
    for (int i = 0; i < N_DRAWS; ++i) {
        variance += (x[i] - mean) * (x[i] - mean) / (N_DRAWS - 1);
    }
    const double off_mean = 5.0 * sqrt(wanted_variance / N_DRAWS);
    const double off_variance = 5.0 * scale * scale * sqrt((fourth - second * second) / N_DRAWS);
    if (!(fabs(mean - wanted_mean) <= off_mean && fabs(variance - wanted_variance) <= off_variance)) {
        fail_msg("%s of %g and %g between %g and %g: mean %g, variance %g; expected %g to %.1e, %g to %.1e", word, s->a, s->b,
                 s->min, s->max, mean, variance, wanted_mean, off_mean, wanted_variance, off_variance);
    }
}

/* Numbers and values of the distribution, and where it is cut: nowhere, on the left, on the right, on both sides. A discrete one is
 * not: its values are those that are given. */
static void check_distribution(sarrus_distribution_kind kind, const char *word) {
    static char labels[N_CUTS][8] = {"whole", "left", "right", "both"};
    static const double numbers[2] = {0.4, 1.1}, ends[2] = {0.6, 1.05};
    static double values[] = {0.3, 0.5, 0.7, 0.8, 1.2, 1.3}, shares[] = {1 / 6., 2 / 6., 3 / 6., 4 / 6., 5 / 6., 1.0};
    const bool is_triangle = kind == SARRUS_DISTRIBUTION_TRIANGULAR, is_cut = kind != SARRUS_DISTRIBUTION_DISCRETE;
    sarrus_sampled sampled[N_CUTS];
    sarrus_model model = {0};
    sarrus_draws *draws = NULL;
    for (int cut = 0; cut < N_CUTS; ++cut) {
        sampled[cut] = (sarrus_sampled){.label = labels[cut],
                                        .kind = kind,
                                        .a = numbers[0],
                                        .b = numbers[1],
                                        .c = is_triangle ? 1.3 : 0.2,
                                        .d = 1.4,
                                        .n_values = sizeof values / sizeof values[0],
                                        .values = values,
                                        .shares = shares,
                                        .min = is_cut && cut & 1 ? ends[0] : -INFINITY,
                                        .max = is_cut && cut & 2 ? ends[1] : INFINITY};
    }
    model.batch.n_sampled = N_CUTS;
    model.batch.sampled = sampled;
    assert_int_equal(sarrus_draws_create(NULL, &model, 5, N_DRAWS, &draws), SARRUS_OK);
    for (int cut = 0; cut < N_CUTS; ++cut) {
        check_draws(&sampled[cut], word, sarrus_draws_values(draws, cut));
    }
    sarrus_draws_destroy(draws);
}

#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text)                                                 \
    static void has_its_moments_##name(void **state) {                                                                             \
        (void)state;                                                                                                               \
        check_distribution(SARRUS_DISTRIBUTION_##name, word);                                                                      \
    }
#include "sarrus/distribution.def"

int main(void) {
    const struct CMUnitTest tests[] = {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) cmocka_unit_test(has_its_moments_##name),
#include "sarrus/distribution.def"
    };
    return cmocka_run_group_tests_name("conformance.distributions", tests, NULL, NULL);
}
