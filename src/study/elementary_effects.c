#include "study/elementary_effects.h"

#include <math.h>
#include <stddef.h>

#include "study/resample.h"
#include "study/spread.h"

/* Each step of a trajectory is one of a parameter of its own. */
static void effects_find(const sarrus_trajectories *of, uint64_t i_trajectory) {
    const uint64_t d = (uint64_t)of->n_parameters;
    const double *y = of->y + i_trajectory * (d + 1);
    for (uint64_t j = 0; j < d; ++j) {
        const double *u = of->units[j] + of->i_row[i_trajectory];
        for (uint64_t k = 0; k < d; ++k)
            if (u[k + 1] != u[k])
                of->effects[j * of->n_trajectories + i_trajectory] = (y[k + 1] - y[k]) / (u[k + 1] - u[k]);
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
    for (uint64_t i = 0; i < n; ++i)
        effects_find(of, i);
    for (int r = 0; r < SARRUS_RESAMPLES; ++r) {
        sarrus_resample(of->seed, r, n, of->weights);
        for (uint64_t j = 0; j < d; ++j)
            of->estimates[(uint64_t)r * d + j] = mean_amount(of->effects + j * n, of->weights, n);
    }
    for (uint64_t j = 0; j < d; ++j) {
        const sarrus_spread spread = sarrus_spread_of(of->effects + j * n, n);
        out->mu[j] = spread.mean;
        out->sigma[j] = spread.sd;
        out->mu_star[j] = mean_amount(of->effects + j * n, NULL, n);
        out->mu_star_confidence[j] = n > 1 ? sarrus_resample_half_width(of->estimates + j, d) : (double)NAN;
    }
}
