#include "study/elementary_effects.h"

#include <math.h>
#include <stddef.h>

#include "study/resample.h"
#include "study/spread.h"

/* The largest amount of y: effects in units of it neither overflow nor vanish when they are squared. */
static double scale_of(const sarrus_trajectories *of) {
    double largest = 0;
    for (uint64_t i = 0; i < of->n_trajectories * (uint64_t)(of->n_parameters + 1); ++i)
        largest = fmax(largest, fabs(of->y[i]));
    return largest > 0 ? largest : 1.0;
}

/* Each step of a trajectory is one of a parameter of its own. */
static void effects_find(const sarrus_trajectories *of, double scale, uint64_t i_trajectory) {
    const uint64_t d = (uint64_t)of->n_parameters;
    const double *y = of->y + i_trajectory * (d + 1);
    for (uint64_t j = 0; j < d; ++j) {
        const double *u = of->units[j] + of->i_row[i_trajectory];
        for (uint64_t k = 0; k < d; ++k)
            if (u[k + 1] != u[k])
                of->effects[j * of->n_trajectories + i_trajectory] = (y[k + 1] / scale - y[k] / scale) / (u[k + 1] - u[k]);
    }
}

static double mean_amount(const double *effects, const uint32_t *weights, uint64_t n) {
    double sum = 0;
    for (uint64_t i = 0; i < n; ++i)
        sum += (weights != NULL ? (double)weights[i] : 1.0) * fabs(effects[i]);
    return sum / (double)n;
}

void sarrus_elementary_effects_find(const sarrus_trajectories *of, const sarrus_elementary_effects *out) {
    const uint64_t n = of->n_trajectories, d = (uint64_t)of->n_parameters;
    const double scale = scale_of(of);
    for (uint64_t i = 0; i < n; ++i)
        effects_find(of, scale, i);
    for (int r = 0; r < SARRUS_RESAMPLES; ++r) {
        sarrus_resample(of->seed, r, n, of->weights);
        for (uint64_t j = 0; j < d; ++j)
            of->estimates[(uint64_t)r * d + j] = mean_amount(of->effects + j * n, of->weights, n);
    }
    for (uint64_t j = 0; j < d; ++j) {
        const sarrus_spread spread = sarrus_spread_of(of->effects + j * n, n);
        out->mu[j] = scale * spread.mean + 0.0; /* no -0 */
        out->sigma[j] = scale * spread.sd;
        out->mu_star[j] = scale * mean_amount(of->effects + j * n, NULL, n);
        out->mu_star_confidence[j] = n > 1 ? scale * sarrus_resample_half_width(of->estimates + j, d) : (double)NAN;
    }
}
