/* From random words to numbers of a distribution, always by inverse CDF: one uniform gives one number, monotonically. */
#ifndef SARRUS_STUDY_DISTRIBUTION_H
#define SARRUS_STUDY_DISTRIBUTION_H

#include <stdint.h>

#include "model/model.h"

/* A number strictly between 0 and 1: (2k + 1)/2^53 with k the upper 52 bits of `bits`. Both u and 1 − u are exact
 * doubles, and the lattice is symmetric about 1/2. */
double sarrus_uniform_from_bits(uint64_t bits);

/* z with Φ(z) = p for 0 < p < 1 (−∞ at 0, +∞ at 1), relative error about 1e-16.
 * Source: M. J. Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988) 477-484. */
double sarrus_normal_quantile(double p);

/* The u-quantile of the standard normal truncated to [low, high]; accurate however far out the interval lies.
 * NaN when the interval is empty. */
double sarrus_normal_truncated_quantile(double u, double low, double high);

/* The u-quantile of what the scenario asks for, truncated to its [min, max]; NaN when nothing is left of it. */
double sarrus_sampled_quantile(const sarrus_sampled *sampled, double u);

/* The share of draws below x, and of those not above x: what the quantiles above give, to 1e-16. */
double sarrus_sampled_share_below(const sarrus_sampled *sampled, double x);
double sarrus_sampled_share_to(const sarrus_sampled *sampled, double x);

#endif
