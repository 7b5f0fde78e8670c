/* Sobol' sequences in base 2, by the direction numbers of Joe and Kuo, in the order of the Gray code, as SciPy has them. */
#ifndef SARRUS_STUDY_SOBOL_H
#define SARRUS_STUDY_SOBOL_H

#include <stdint.h>

/* Bits of a coordinate, and dimensions that there are directions for. */
enum { SARRUS_SOBOL_BITS = 52, SARRUS_SOBOL_DIMENSIONS = 1024 };

/* One coordinate of the sequence. */
typedef struct sarrus_sobol {
    uint64_t directions[SARRUS_SOBOL_BITS]; /* of bit 0, 1 … of a point's number, each of SARRUS_SOBOL_BITS bits */
    uint64_t shift;
} sarrus_sobol;

/* Coordinate `dimension` < SARRUS_SOBOL_DIMENSIONS of the sequence as it is. */
void sarrus_sobol_make(int dimension, sarrus_sobol *out);

/* Scrambles it: its bits by a random lower triangular matrix, then by a random shift. Both are functions of (key, dimension) alone.
 * Source: J. Matousek, "On the L2-discrepancy for anchored boxes", J. Complexity 14 (1998) 527-556. */
void sarrus_sobol_scramble(sarrus_sobol *sobol, const uint32_t key[2], int dimension);

/* The bits of point i < 2^SARRUS_SOBOL_BITS, the first behind the point being the highest. */
uint64_t sarrus_sobol_bits(const sarrus_sobol *sobol, uint64_t i);

#endif
