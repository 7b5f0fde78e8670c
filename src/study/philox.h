/* Philox 4x32-10, a counter-based generator: the same counter and key give the same words, anywhere, in any order.
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11 (2011). */
#ifndef SARRUS_STUDY_PHILOX_H
#define SARRUS_STUDY_PHILOX_H

#include <stdint.h>

/* out[4] = ten rounds of Philox on counter[4] with key[2]. */
void sarrus_philox4x32_run(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
