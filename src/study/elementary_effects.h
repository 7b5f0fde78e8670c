/* Elementary effects of a number that every row of Morris' trajectories has: what a step of one parameter changes, for a step of 1
 * in the unit interval. Their mean, the mean of their amounts, and their standard deviation over trajectories.
 *   e_j = (y(u + δ_j) − y(u)) / δ_j      Morris, Technometrics 33 (1991) 161
 *   μ_j = mean(e_j), μ*_j = mean |e_j|   Campolongo, Cariboni, Saltelli, Environmental Modelling & Software 22 (2007) 1509
 * The interval of μ* by the bootstrap over trajectories (resample.h). */
#ifndef SARRUS_STUDY_ELEMENTARY_EFFECTS_H
#define SARRUS_STUDY_ELEMENTARY_EFFECTS_H

#include <stdint.h>

typedef struct sarrus_trajectories {
    int n_parameters;           /* D */
    uint64_t n_trajectories;    /* < 2^32 */
    const double *y;            /* [n_trajectories][D + 1], no NaN */
    const double *const *units; /* [D] of [all rows] the draws in the unit interval */
    const uint64_t *i_row;      /* [n_trajectories] the row of units with which one begins; its others follow */
    uint64_t seed;              /* of the bootstrap */
    uint32_t *weights;          /* [n_trajectories] scratch */
    double *effects;            /* [D][n_trajectories] scratch */
    double *estimates;          /* [SARRUS_RESAMPLES][D] scratch */
} sarrus_trajectories;

/* [D] each; the deviation and the interval are NaN of a single trajectory, all of none. */
typedef struct sarrus_elementary_effects {
    double *mu, *mu_star, *mu_star_confidence, *sigma;
} sarrus_elementary_effects;

void sarrus_elementary_effects_find(const sarrus_trajectories *trajectories, const sarrus_elementary_effects *out);

#endif
