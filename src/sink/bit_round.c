#include "sink/bit_round.h"

#include <stdbool.h>
#include <string.h>

enum { SIGNIFICAND_BITS = SARRUS_SIGNIFICAND_BITS };

int sarrus_bit_round_bits(double error) {
    int n_bits = 1;
    for (double worst = 0.25; worst > error && n_bits < SIGNIFICAND_BITS; worst *= 0.5)
        ++n_bits;
    return n_bits;
}

/* Half of what is cut off is added, a little less where the last bit that stays is even, and a carry goes on into the exponent. */
void sarrus_bit_round(const double *from, uint64_t n, int n_bits, double *to) {
    const unsigned n_cut = (unsigned)(SIGNIFICAND_BITS - n_bits);
    const uint64_t infinite = UINT64_C(0x7ff) << SIGNIFICAND_BITS, kept = ~UINT64_C(0) << n_cut;
    const uint64_t nearly_half = n_cut > 0 ? (UINT64_C(1) << (n_cut - 1)) - 1 : 0, odd = n_cut > 0;
    for (uint64_t i = 0; i < n; ++i) {
        uint64_t bits = 0;
        memcpy(&bits, &from[i], sizeof bits);
        const uint64_t rounded = (bits + nearly_half + (bits >> n_cut & odd)) & kept;
        const bool stays = (bits & infinite) == infinite || (rounded & infinite) == infinite;
        bits = stays ? bits : rounded;
        memcpy(&to[i], &bits, sizeof bits);
    }
}
