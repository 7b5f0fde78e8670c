/* One block with the fixed codes of RFC 1951, section 3.2.6. The only match is that with the byte before, at distance 1. */
#include "sink/run_length.h"

#include <stdbool.h>
#include <string.h>

enum {
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    N_LENGTHS = 29, /* symbols of lengths, from 257 on */
    FIRST_LENGTH = 257,
    FIRST_LONG = 280,  /* symbols from here on have codes of 8 bits instead of 7 */
    DISTANCE_BITS = 5, /* of distance 1: all zero */
};

/* The shortest length of each symbol; what is above it follows in extra bits. */
static const uint16_t shortest[N_LENGTHS] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t extra_bits[N_LENGTHS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

/* Bits fill bytes from the lowest on. */
typedef struct bit_writer {
    uint64_t bits;
    unsigned n_bits; /* below 32 between calls */
    uint8_t *at;
    size_t n_left; /* bytes of room */
    bool is_full;
} bit_writer;

static void put(bit_writer *writer, uint32_t bits, unsigned n_bits) {
    writer->bits |= (uint64_t)bits << writer->n_bits;
    writer->n_bits += n_bits;
    if (writer->n_bits < 32) {
        return;
    }
    writer->is_full = writer->is_full || writer->n_left < 4;
    if (!writer->is_full) {
        for (unsigned i = 0; i < 4; ++i) {
            writer->at[i] = (uint8_t)(writer->bits >> 8 * i);
        }
        writer->at += 4;
        writer->n_left -= 4;
    }
    writer->bits >>= 32;
    writer->n_bits -= 32;
}

static void put_rest(bit_writer *writer) {
    writer->is_full = writer->is_full || writer->n_left < (writer->n_bits + 7) / 8;
    while (!writer->is_full && writer->n_bits > 0) {
        *writer->at++ = (uint8_t)writer->bits;
        writer->bits >>= 8;
        writer->n_bits -= writer->n_bits < 8 ? writer->n_bits : 8;
    }
}

/* Codes go in from their highest bit on. */
static uint32_t reversed(uint32_t code, unsigned n_bits) {
    uint32_t result = 0;
    for (unsigned i = 0; i < n_bits; ++i) {
        result |= (code >> i & 1u) << (n_bits - 1 - i);
    }
    return result;
}

typedef struct fixed_code {
    uint32_t bits;
    unsigned n_bits;
} fixed_code;

/* Of the 256 bytes, and of matches at distance 1 by their length. */
typedef struct fixed_codes {
    fixed_code byte[256], match[MATCH_MAX + 1];
} fixed_codes;

static void make_codes(fixed_codes *codes) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
        const unsigned n_bits = byte < 144 ? 8 : 9;
        codes->byte[byte] = (fixed_code){reversed(byte < 144 ? 0x30 + byte : 0x190 + (byte - 144), n_bits), n_bits};
    }
    for (uint32_t length = MATCH_MIN, k = 0; length <= MATCH_MAX; ++length) {
        k += k + 1 < N_LENGTHS && length == shortest[k + 1];
        const uint32_t symbol = FIRST_LENGTH + k;
        const unsigned n_bits = symbol < FIRST_LONG ? 7 : 8;
        const uint32_t code = reversed(symbol < FIRST_LONG ? symbol - 256 : 0xc0 + (symbol - FIRST_LONG), n_bits);
        codes->match[length] = (fixed_code){code | (length - shortest[k]) << n_bits, n_bits + extra_bits[k] + DISTANCE_BITS};
    }
}

/* How many bytes from `at` on are the byte before it. */
static size_t run_at(const uint8_t *bytes, size_t at, size_t n_bytes) {
    uint64_t wanted = 0x0101010101010101u * bytes[at - 1], here = 0;
    size_t end = at;
    for (; end + sizeof here <= n_bytes; end += sizeof here) {
        memcpy(&here, bytes + end, sizeof here);
        if (here != wanted) {
            break;
        }
    }
    while (end < n_bytes && bytes[end] == bytes[at - 1]) {
        ++end;
    }
    return end - at;
}

static void put_code(bit_writer *writer, const fixed_code *code) {
    put(writer, code->bits, code->n_bits);
}

/* Writes matches for as much of a run as they can take; returns how much is left. */
static size_t put_run(bit_writer *writer, const fixed_codes *codes, size_t n_run) {
    while (n_run >= MATCH_MIN) {
        const size_t n = n_run < MATCH_MAX ? n_run : MATCH_MAX;
        put_code(writer, &codes->match[n]);
        n_run -= n;
    }
    return n_run;
}

size_t sarrus_run_length_deflate(const uint8_t *bytes, size_t n_bytes, uint8_t *out, size_t n_out) {
    bit_writer writer = {.at = out, .n_left = n_out};
    fixed_codes codes;
    make_codes(&codes);
    put(&writer, 1 | 1 << 1, 3); /* the last block, fixed codes */
    for (size_t at = 0; at < n_bytes && !writer.is_full;) {
        if (at > 0 && bytes[at] == bytes[at - 1]) {
            size_t n_run = run_at(bytes, at, n_bytes), n_left = put_run(&writer, &codes, n_run);
            for (at += n_run; n_left > 0; --n_left) {
                put_code(&writer, &codes.byte[bytes[at - 1]]);
            }
        } else {
            put_code(&writer, &codes.byte[bytes[at]]);
            ++at;
        }
    }
    put(&writer, 0, 7); /* end of block */
    put_rest(&writer);
    return writer.is_full ? 0 : (size_t)(writer.at - out);
}
