/* Quantiles of the beta distribution, by Boost.Math. */
#ifndef SARRUS_STUDY_BETA_H
#define SARRUS_STUDY_BETA_H

#ifdef __cplusplus
extern "C" {
#endif

/* The u-quantile of the beta distribution with exponents alpha − 1, beta − 1 on [0, 1], truncated to 0 <= low < high <= 1. Where
 * nothing of it is left that a double tells from 0, an end of [low, high]; NaN without memory. */
double sarrus_beta_quantile(double alpha, double beta, double low, double high, double u);

#ifdef __cplusplus
}
#endif

#endif
