/* Random permutations of 0 … n − 1 of which any entry is found alone, without a table of n entries. */
#ifndef SARRUS_STUDY_PERMUTATION_H
#define SARRUS_STUDY_PERMUTATION_H

#include <stdint.h>

/* Up to so many entries a permutation is shuffled, each of the n! as likely; beyond, it is a Feistel network of keyed hashes. */
enum { SARRUS_SHUFFLED = 256 };

typedef struct sarrus_permutation {
    uint64_t n, name;
    uint32_t key[2];
    int n_bits;                        /* of the network's numbers, 2^n_bits >= n */
    uint8_t shuffled[SARRUS_SHUFFLED]; /* [n] where n is that small */
} sarrus_permutation;

/* The permutation of 1 <= n <= 2^62 entries that (key, name) stand for. */
void sarrus_permutation_make(const uint32_t key[2], uint64_t name, uint64_t n, sarrus_permutation *out);

/* Where entry i < n goes. */
uint64_t sarrus_permutation_at(const sarrus_permutation *permutation, uint64_t i);

#endif
