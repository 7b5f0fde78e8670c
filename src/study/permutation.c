#include "study/permutation.h"

#include "study/philox.h"

/* Of a Feistel network: four are indistinguishable from a random permutation for large numbers (Luby and Rackoff 1988), small and
 * uneven halves want more. */
enum { N_ROUNDS = 8 };

/* A random word of `number` in `round`; of the shuffle, which has no rounds, that of round N_ROUNDS. */
static uint32_t word_of(const sarrus_permutation *permutation, uint32_t number, int round) {
    const uint32_t counter[4] = {number, (uint32_t)round, (uint32_t)permutation->name, (uint32_t)(permutation->name >> 32)};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, permutation->key, words);
    return words[0];
}

/* Fisher and Yates. Multiplication picks a place; how likely places are then differs by less than one part in 2^24. */
static void shuffle(sarrus_permutation *permutation) {
    for (uint32_t i = 0; i < permutation->n; ++i) {
        const uint32_t j = (uint32_t)((uint64_t)word_of(permutation, i, N_ROUNDS) * (i + 1) >> 32);
        permutation->shuffled[i] = permutation->shuffled[j];
        permutation->shuffled[j] = (uint8_t)i;
    }
}

void sarrus_permutation_make(const uint32_t key[2], uint64_t name, uint64_t n, sarrus_permutation *out) {
    *out = (sarrus_permutation){.n = n, .name = name, .key = {key[0], key[1]}};
    while (n > UINT64_C(1) << out->n_bits)
        out->n_bits += 1;
    if (n <= SARRUS_SHUFFLED)
        shuffle(out);
}

/* One pass through the network: halves of n_bits/2 bits, the right one the longer, change each other in turn. */
static uint64_t network_run(const sarrus_permutation *permutation, uint64_t x) {
    const int n_right = permutation->n_bits - permutation->n_bits / 2, n_left = permutation->n_bits / 2;
    uint32_t right = (uint32_t)(x & ((UINT64_C(1) << n_right) - 1)), left = (uint32_t)(x >> n_right);
    for (int round = 0; round < N_ROUNDS; round += 2) {
        left ^= word_of(permutation, right, round) & (uint32_t)((UINT64_C(1) << n_left) - 1);
        right ^= word_of(permutation, left, round + 1) & (uint32_t)((UINT64_C(1) << n_right) - 1);
    }
    return (uint64_t)left << n_right | right;
}

uint64_t sarrus_permutation_at(const sarrus_permutation *permutation, uint64_t i) {
    if (permutation->n <= SARRUS_SHUFFLED)
        return permutation->shuffled[i];
    /* Walking its cycle until it comes back below n permutes those numbers among themselves; less than two steps on the average. */
    do
        i = network_run(permutation, i);
    while (i >= permutation->n);
    return i;
}
