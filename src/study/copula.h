/* Gaussian copula: makes independent numbers of the unit interval those of correlated normal ones. */
#ifndef SARRUS_STUDY_COPULA_H
#define SARRUS_STUDY_COPULA_H

#include <stdint.h>

/* units[i * stride], i = 0 … n − 1, each in (0, 1): u becomes Φ(C Φ⁻¹(u)), C = factor[n][n] lower triangular with rows of length 1.
 * A coordinate that depends on no other keeps its bits. scores[n] is room. */
void sarrus_copula_apply(const double *factor, int n, double *scores, double *units, uint64_t stride);

#endif
