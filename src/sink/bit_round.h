/* Numbers rounded to fewer bits, so that they pack better: BitRound of netCDF (NC_QUANTIZE_BITROUND) and Klöwer et al.,
 * Nature Computational Science 1, 713 (2021). */
#ifndef SARRUS_SINK_BIT_ROUND_H
#define SARRUS_SINK_BIT_ROUND_H

#include <stdint.h>

enum { SARRUS_SIGNIFICAND_BITS = 52 }; /* of a double, behind the leading one */

/* The least number of bits behind the leading one, 1 to 52, with which no number is off by more than `error` (> 0) of itself: the
 * error is at most 2^-(bits + 1). 52: they are all, and nothing is off. */
int sarrus_bit_round_bits(double error);

/* to[n] ← from[n], which may be the same, rounded to `n_bits` bits behind the leading one, ties to even. NaN and infinities stay to
 * the bit, as does what would round to infinity; of numbers below 2^-1022 the error is that of 2^-1022. */
void sarrus_bit_round(const double *from, uint64_t n, int n_bits, double *to);

#endif
