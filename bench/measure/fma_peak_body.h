/* The multiply-add loop, expanded once per instruction set: the including file defines SARRUS_BURN (function name) and
 * SARRUS_BURN_LANES, and is compiled with the flags of its set. */
#include "bench/measure/fma_peak.h"

typedef double burn_vector __attribute__((vector_size(SARRUS_BURN_LANES * sizeof(double))));

/* No prototype of the vector type leaves this file, so its calling convention never matters. */
double SARRUS_BURN(uint64_t n_rounds, double factor, double addend) {
    burn_vector chain[SARRUS_BENCH_FMA_CHAINS];
    const burn_vector zero = {0.0};
    const burn_vector f = zero + factor;
    const burn_vector a = zero + addend;
    for (int i = 0; i < SARRUS_BENCH_FMA_CHAINS; ++i)
        chain[i] = zero + (double)i;
    for (uint64_t i_round = 0; i_round < n_rounds; ++i_round) {
        for (int i_unroll = 0; i_unroll < SARRUS_BENCH_FMA_UNROLL; ++i_unroll) {
            for (int i = 0; i < SARRUS_BENCH_FMA_CHAINS; ++i)
                chain[i] = chain[i] * f + a;
        }
    }
    double sum = 0.0;
    for (int i = 0; i < SARRUS_BENCH_FMA_CHAINS; ++i) {
        for (int i_lane = 0; i_lane < SARRUS_BURN_LANES; ++i_lane)
            sum += chain[i][i_lane];
    }
    return sum;
}
