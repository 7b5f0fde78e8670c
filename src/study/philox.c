#include "study/philox.h"

/* Multipliers and Weyl increments of section 3.3 of the paper. */
static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static const uint32_t increment[2] = {0x9E3779B9u, 0xBB67AE85u};
enum { N_ROUNDS = 10 };

void sarrus_philox4x32_run(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int i_round = 0; i_round < N_ROUNDS; ++i_round) {
        const uint64_t product_0 = (uint64_t)multiplier[0] * x[0];
        const uint64_t product_1 = (uint64_t)multiplier[1] * x[2];
        const uint32_t next[4] = {
            (uint32_t)(product_1 >> 32) ^ x[1] ^ k[0],
            (uint32_t)product_1,
            (uint32_t)(product_0 >> 32) ^ x[3] ^ k[1],
            (uint32_t)product_0,
        };
        for (int i = 0; i < 4; ++i)
            x[i] = next[i];
        k[0] += increment[0];
        k[1] += increment[1];
    }
    for (int i = 0; i < 4; ++i)
        out[i] = x[i];
}
