/* Prefix codes of deflate: lengths of least redundancy from counts, and their bits (RFC 1951, section 3.2.2). */
#ifndef SARRUS_SINK_PREFIX_CODE_H
#define SARRUS_SINK_PREFIX_CODE_H

#include <stdint.h>

enum { SARRUS_CODE_SYMBOLS_MAX = 288, SARRUS_CODE_BITS_MAX = 15 };

typedef struct sarrus_prefix_code {
    uint8_t n_bits[SARRUS_CODE_SYMBOLS_MAX]; /* 0: the symbol does not occur */
    uint16_t bits[SARRUS_CODE_SYMBOLS_MAX];  /* in the order in which they are written: the first is the lowest */
} sarrus_prefix_code;

/* Lengths of at most SARRUS_CODE_BITS_MAX for n symbols that occur count[n] times; one alone has a bit. Huffman's, shortened where
 * they are too long (Kraft's sum is kept at 1). Depends on the counts alone. */
void sarrus_prefix_code_lengths(const uint32_t *count, int n, uint8_t *n_bits);

/* The bits of n symbols from their lengths. */
void sarrus_prefix_code_bits(const uint8_t *n_bits, int n, uint16_t *bits);

#endif
