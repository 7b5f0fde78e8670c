/* What one random word becomes: uniforms, normal quantiles and those of each distribution of a scenario. No state: draws.c draws,
 * for every instance from its own place in the stream of philox.c. */
#include "study/distribution.h"

#include <math.h>
#include <stdbool.h>

#include "study/beta.h"

double sarrus_uniform_from_bits(uint64_t bits) {
    return (double)(((bits >> 12) << 1) | 1u) * 0x1p-53;
}

/* Numerator and denominator of the three rational approximations of AS 241, highest power first. */
static const double center_numerator[8] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                           45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                           133.14166789178437745, 3.387132872796366608};
static const double center_denominator[8] = {
    5226.495278852545925,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
static const double middle_numerator[8] = {7.7454501427834140764e-4, 2.27238449892691845833e-2, 0.24178072517745061177,
                                           1.27045825245236838258,   3.64784832476320460504,    5.7694972214606914055,
                                           4.6303378461565452959,    1.42343711074968357734};
static const double middle_denominator[8] = {
    1.05075007164441684324e-9, 5.475938084995344946e-4, 1.51986665636164571966e-2, 0.14810397642748007459,
    0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,    1.0};
static const double tail_numerator[8] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.2426609473880784386e-3,
                                         2.6532189526576123093e-2,  0.29656057182850489123,    1.7848265399172913358,
                                         5.4637849111641143699,     6.6579046435011037772};
static const double tail_denominator[8] = {
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    1.48753612908506148525e-2,  0.13692988092273580531,   0.59983220655588793769,   1.0};

static double polynomial(const double coefficients[8], double x) {
    double sum = coefficients[0];
    for (int i = 1; i < 8; ++i)
        sum = sum * x + coefficients[i];
    return sum;
}

/* −z with Φ(z) = p for p < 0.075. */
static double tail_quantile(double p) {
    const double r = sqrt(-log(p));
    if (r <= 5.0)
        return polynomial(middle_numerator, r - 1.6) / polynomial(middle_denominator, r - 1.6);
    return polynomial(tail_numerator, r - 5.0) / polynomial(tail_denominator, r - 5.0);
}

double sarrus_normal_quantile(double p) {
    const double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(center_numerator, r) / polynomial(center_denominator, r);
    }
    if (!(p >= 0.0 && p <= 1.0))
        return NAN;
    if (p == 0.0 || p == 1.0)
        return q < 0.0 ? -INFINITY : INFINITY;
    return q < 0.0 ? -tail_quantile(p) : tail_quantile(1.0 - p);
}

/* Mills' ratio (1 − Φ(z))/φ(z) for z > 30 by its asymptotic series; the first term left out is below 2e-14. */
static double mills_ratio(double z) {
    const double s = 1.0 / (z * z);
    return (1.0 - s * (1.0 - s * (3.0 - s * (15.0 - s * (105.0 - s * 945.0))))) / z;
}

/* The u-quantile on [low, high] with low > 30, where probabilities are close to underflow or below it: solves
 * Q(z)/Q(low) = 1 − u (1 − Q(high)/Q(low)) in logarithms by Newton's method, from the exponential tail. */
static double far_tail_quantile(double u, double low, double high) {
    const double log_low = log(mills_ratio(low));
    double ratio = 0.0; /* Q(high)/Q(low) */
    if (isfinite(high))
        ratio = exp(0.5 * (low - high) * (low + high) + log(mills_ratio(high)) - log_low);
    const double target = log1p(-u * (1.0 - ratio));
    double z = low - target / low;
    for (int i = 0; i < 6; ++i) {
        const double mills = mills_ratio(z);
        const double excess = 0.5 * (low - z) * (low + z) + log(mills) - log_low - target;
        z += excess * mills; /* d log Q/dz = −1/mills */
    }
    return z;
}

static double upper_tail(double z) {
    return 0.5 * erfc(z * M_SQRT1_2);
}

double sarrus_normal_truncated_quantile(double u, double low, double high) {
    if (!(low <= high))
        return NAN;
    if (low == high)
        return low;
    double z;
    if (low > 30.0)
        z = far_tail_quantile(u, low, high);
    else if (high < -30.0)
        z = -far_tail_quantile(1.0 - u, -high, -low);
    else {
        /* Both the lower and the upper probability are formed without subtraction; the smaller is the accurate one. */
        const double below = (1.0 - u) * upper_tail(-low) + u * upper_tail(-high);
        const double above = (1.0 - u) * upper_tail(low) + u * upper_tail(high);
        z = below <= above ? sarrus_normal_quantile(below) : -sarrus_normal_quantile(above);
    }
    return fmin(fmax(z, low), high);
}

static double clamped(double x, double low, double high) {
    return fmin(fmax(x, low), high);
}

/* Nodes and weights on [0, 1] of Gauss's rule of eight points (Abramowitz and Stegun, table 25.4). */
static const double gauss_nodes[8] = {0.01985507175123188, 0.10166676129318663, 0.2372337950418355, 0.4082826787521751,
                                      0.5917173212478249,  0.7627662049581645,  0.8983332387068134, 0.9801449282487681};
static const double gauss_weights[8] = {0.05061426814518813, 0.1111905172266872, 0.1568533229389436, 0.181341891689181,
                                        0.181341891689181,   0.1568533229389436, 0.1111905172266872, 0.05061426814518813};

/* ∫ φ(z + t)/φ(z) dt from 0 to s; where s (1 + |z|) is below 1/2 the rule is exact to round-off (its error is (s (1 + |z|))^16
 * 2e-23). */
static double narrow_share(double z, double s) {
    double sum = 0.0;
    for (int i = 0; i < 8; ++i) {
        const double t = s * gauss_nodes[i];
        sum += gauss_weights[i] * exp(-t * (z + 0.5 * t));
    }
    return s * sum;
}

/* The u-quantile of the standard normal on [z, z + width], as its distance from z: where the interval is narrow, shares of the
 * whole distribution differ in their last digits only. Newton's method, from a uniform density. */
static double narrow_quantile(double u, double z, double width) {
    const double target = u * narrow_share(z, width);
    double s = u * width;
    for (int i = 0; i < 5; ++i)
        s += (target - narrow_share(z, s)) / exp(-s * (z + 0.5 * s));
    return clamped(s, 0.0, width);
}

static double normal_on(double mean, double sd, double low, double high, double u) {
    if (sd == 0.0)
        return mean >= low && mean <= high ? mean : (double)NAN;
    const double from = (low - mean) / sd, width = (high - low) / sd;
    if (width * (1.0 + fabs(from)) < 0.5)
        return clamped(low + sd * narrow_quantile(u, from, width), low, high);
    const double z = sarrus_normal_truncated_quantile(u, (low - mean) / sd, (high - mean) / sd);
    return mean + sd * z;
}

/* Low, mode and high are a, b and c. */
static double triangular_on(const sarrus_sampled *s, double low, double high, double u) {
    const double a = s->a, b = s->b, c = s->c, ends[2] = {fmax(low, a), fmin(high, c)};
    double below[2], above[2];
    for (int i = 0; i < 2; ++i) {
        const double from = ends[i] - a, to = c - ends[i];
        const double rising = from > 0.0 && b > a ? from / (c - a) * (from / (b - a)) : 0.0;
        const double falling = to > 0.0 && c > b ? to / (c - a) * (to / (c - b)) : 0.0;
        below[i] = ends[i] <= b ? rising : 1.0 - falling;
        above[i] = ends[i] <= b ? 1.0 - rising : falling;
    }
    const double p = (1.0 - u) * below[0] + u * below[1], q = (1.0 - u) * above[0] + u * above[1];
    /* No product of two lengths, which could be beyond all numbers; and where the mode is near the low end its distance from there
     * without a difference of roots: y is the square of the part of the triangle above it, from 1. */
    const double y = ((b - a) + p * (c - b)) / (c - a);
    if (p <= (b - a) / (c - a))
        return a + (c - a) * sqrt(p * ((b - a) / (c - a)));
    return y < 0.5 ? a + (c - a) * (y / (1.0 + sqrt(1.0 - y))) : c - (c - a) * sqrt(q * ((c - b) / (c - a)));
}

/* 1 − F(x) is exp(−(x/scale)^shape), which is interpolated in its logarithm: right however far out [low, high] lies. */
static double weibull_on(double scale, double shape, double low, double high, double u) {
    const double at_low = low > 0.0 ? pow(low / scale, shape) : 0.0, at_high = pow(high / scale, shape);
    return scale * pow(at_low - log1p(u * expm1(at_low - at_high)), 1.0 / shape);
}

static double beta_on(const sarrus_sampled *s, double low, double high, double u) {
    const double from = fmax((low - s->c) / (s->d - s->c), 0.0), to = fmin((high - s->c) / (s->d - s->c), 1.0);
    const double x = from < to ? sarrus_beta_quantile(s->a, s->b, from, to, u) : from;
    return (1.0 - x) * s->c + x * s->d;
}

/* The first value with a share of u at least. */
static double discrete_quantile(const sarrus_sampled *s, double u) {
    int first = 0, last = s->n_values - 1;
    while (first < last) {
        const int middle = first + (last - first) / 2;
        if (s->shares[middle] >= u)
            last = middle;
        else
            first = middle + 1;
    }
    return s->values[first];
}

/* How many steps from value to value lie below x, a part of one counted as such; of equal values, below the first, or with them. */
static double steps_below(const sarrus_sampled *s, double x, bool with_equal) {
    int first = 0, last = s->n_values; /* of the values that are not counted */
    while (first < last) {
        const int middle = first + (last - first) / 2;
        if (s->values[middle] < x || (with_equal && s->values[middle] <= x))
            first = middle + 1;
        else
            last = middle;
    }
    if (first == 0 || first == s->n_values)
        return first == 0 ? 0.0 : s->n_values - 1;
    return first - 1 + (x - s->values[first - 1]) / (s->values[first] - s->values[first - 1]);
}

/* Values are quantiles of 0, 1/(n − 1) … 1, straight lines between them, as numpy.quantile has it. */
static double empirical_on(const sarrus_sampled *s, double low, double high, double u) {
    const double step = (1.0 - u) * steps_below(s, low, false) + u * steps_below(s, high, true), whole = floor(step);
    const int k = (int)whole;
    if (k >= s->n_values - 1)
        return s->values[s->n_values - 1];
    return s->values[k] + (step - whole) * (s->values[k + 1] - s->values[k]);
}

double sarrus_sampled_quantile(const sarrus_sampled *sampled, double u) {
    const double a = sampled->a, b = sampled->b;
    const double low = sampled->min, high = sampled->max;
    double x = (double)NAN;
    if (!(low <= high))
        return x;
    switch (sampled->kind) {
    case SARRUS_DISTRIBUTION_NORMAL:
        x = normal_on(a, b, low, high, u);
        break;
    case SARRUS_DISTRIBUTION_UNIFORM: {
        const double from = fmax(a, low), to = fmin(b, high);
        if (from <= to)
            x = clamped((1.0 - u) * from + u * to, from, to);
        break;
    }
    case SARRUS_DISTRIBUTION_LOGNORMAL:
        if (high > 0.0)
            x = exp(normal_on(a, b, low > 0.0 ? log(low) : -INFINITY, log(high), u));
        break;
    case SARRUS_DISTRIBUTION_TRIANGULAR:
        x = triangular_on(sampled, low, high, u);
        break;
    case SARRUS_DISTRIBUTION_WEIBULL:
        if (high > 0.0)
            x = weibull_on(a, b, low, high, u);
        break;
    case SARRUS_DISTRIBUTION_BETA:
        x = beta_on(sampled, low, high, u);
        break;
    case SARRUS_DISTRIBUTION_DISCRETE:
        return discrete_quantile(sampled, u);
    case SARRUS_DISTRIBUTION_EMPIRICAL:
        x = empirical_on(sampled, low, high, u);
        break;
    }
    return isnan(x) ? x : clamped(x, low, high); /* the last rounding may step over a bound */
}

/* The u at which quantiles pass x: they never fall, so halving finds it. */
static double share(const sarrus_sampled *sampled, double x, bool with_x) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; ++i) {
        const double u = 0.5 * (low + high), quantile = sarrus_sampled_quantile(sampled, u);
        if (quantile < x || (with_x && quantile <= x))
            low = u;
        else
            high = u;
    }
    return high < 1.0 ? low : 1.0;
}

double sarrus_sampled_share_below(const sarrus_sampled *sampled, double x) {
    return share(sampled, x, false);
}

double sarrus_sampled_share_to(const sarrus_sampled *sampled, double x) {
    return share(sampled, x, true);
}
