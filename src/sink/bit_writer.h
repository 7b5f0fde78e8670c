/* Bits that fill bytes from the lowest on, as deflate has them (RFC 1951, section 3.1.1). */
#ifndef SARRUS_SINK_BIT_WRITER_H
#define SARRUS_SINK_BIT_WRITER_H

#include <stdint.h>
#include <string.h>

/* Writes up to this many bytes beyond those that are filled. */
enum { SARRUS_BIT_WRITER_SLACK = 8 };

typedef struct sarrus_bit_writer {
    uint64_t bits;
    unsigned n_bits; /* below 8 between calls */
    uint8_t *at;
} sarrus_bit_writer;

/* Appends the low n_bits (at most 56) of `bits`; the others are 0. Whoever calls knows that there is room. */
static inline void sarrus_bits_put(sarrus_bit_writer *writer, uint64_t bits, unsigned n_bits) {
    writer->bits |= bits << writer->n_bits;
    writer->n_bits += n_bits;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(writer->at, &writer->bits, sizeof writer->bits);
#else
    for (unsigned i = 0; i < 8; ++i)
        writer->at[i] = (uint8_t)(writer->bits >> 8 * i);
#endif
    const unsigned n_whole = writer->n_bits / 8;
    writer->at += n_whole;
    writer->bits >>= 8 * n_whole; /* n_whole is at most 7 */
    writer->n_bits %= 8;
}

/* Fills the byte that was begun with zeros. */
static inline void sarrus_bits_align(sarrus_bit_writer *writer) {
    if (writer->n_bits > 0)
        sarrus_bits_put(writer, 0, 8 - writer->n_bits);
}

#endif
