/* Sobol' indices of a number that every row of a Saltelli design has: which share of its variance a parameter makes alone (first),
 * with all others (total), and with one other beyond what both make alone (second order).
 *   S_j  = mean(B (AB_j − A)) / V        Saltelli et al., Computer Physics Communications 181 (2010) 259, table 2 (b)
 *   T_j  = mean((A − AB_j)²) / (2 V)     Jansen, as there, table 2 (f)
 *   S_jk = mean(BA_j AB_k − A B) / V − S_j − S_k          Saltelli, Computer Physics Communications 145 (2002) 280, (27)
 * with V the variance of the rows A and B together, numbers taken from their mean, as SALib has it. Intervals by the bootstrap over
 * blocks, the rows of one base point (resample.h). */
#ifndef SARRUS_STUDY_SOBOL_INDICES_H
#define SARRUS_STUDY_SOBOL_INDICES_H

#include <stdbool.h>

#include "core/crew.h"

typedef struct sarrus_sobol_blocks {
    int n_parameters; /* D */
    bool has_second_order;
    uint64_t n_blocks;  /* < 2^32 */
    const double *y;    /* [n_blocks][rows], rows as study/points.h has them: 2 D + 2, or D + 2; no NaN */
    uint64_t seed;      /* of the bootstrap */
    sarrus_crew *crew;  /* that shares the resamples; no bit depends on it */
    int n_members;      /* of it */
    uint32_t **weights; /* [n_members] of [n_blocks] scratch */
    double **tiles;     /* [n_members] of [sarrus_sobol_tile] scratch */
    double *estimates;  /* [1 + SARRUS_RESAMPLES][sarrus_sobol_estimates] scratch */
} sarrus_sobol_blocks;

/* Rows of a block; numbers of one thread's scratch; estimates of one resample. */
int sarrus_sobol_rows(int n_parameters, bool has_second_order);
uint64_t sarrus_sobol_tile(int n_parameters, bool has_second_order);
uint64_t sarrus_sobol_estimates(int n_parameters, bool has_second_order);

/* [n_parameters], and [n_parameters][n_parameters] of second order, NaN but above the diagonal (NULL without); with half the width
 * of 95 % intervals beside each. NaN where there is no variance, intervals of a single block too. */
typedef struct sarrus_sobol_indices {
    double *first, *first_confidence, *total, *total_confidence, *second, *second_confidence;
} sarrus_sobol_indices;

void sarrus_sobol_indices_find(const sarrus_sobol_blocks *blocks, const sarrus_sobol_indices *out);

#endif
