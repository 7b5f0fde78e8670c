#include "sink/repeat_code.h"

#include <stdbool.h>

enum {
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    END_OF_BLOCK = 256,
    FIRST_LENGTH = 257,
    N_LENGTHS = 29, /* symbols of lengths */
    N_SYMBOLS = FIRST_LENGTH + N_LENGTHS,
    N_DISTANCES = 30,
    N_CODE_LENGTHS = 19, /* symbols that code lengths are written with: lengths, and repetitions */
    ZEROS = 18,          /* that of 11 to 138 zeros, told by 7 bits */
    HEADER_BITS_MAX = 17 + 3 * N_CODE_LENGTHS + 5 * (N_SYMBOLS + N_DISTANCES),
};

/* The shortest length of each symbol, and how many bits say how much longer a match is (RFC 1951, section 3.2.5). */
static const uint16_t shortest[N_LENGTHS] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t extra_bits[N_LENGTHS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

/* The lengths of code lengths' own codes, always the same: nearly all are of 4 bits. */
static const uint8_t lengths_bits[N_CODE_LENGTHS] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 0, 0, 4};
static const uint8_t lengths_order[N_CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef char chars16 __attribute__((vector_size(16)));

size_t sarrus_repeat_words(size_t n_bytes) {
    return n_bytes / 64 + 2;
}

/* Bit i: a[i] == b[i], of 16 bytes. */
static uint64_t equal_16(const uint8_t *a, const uint8_t *b) {
#if defined(__SSE2__)
    bytes16 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (uint64_t)(uint32_t)__builtin_ia32_pmovmskb128((chars16)(x == y));
#else
    uint64_t bits = 0;
    for (unsigned i = 0; i < 16; ++i)
        bits |= (uint64_t)(a[i] == b[i]) << i;
    return bits;
#endif
}

static uint64_t equal_word(const uint8_t *bytes, size_t n_bytes, size_t distance, size_t i_word) {
    const size_t first = 64 * i_word;
    uint64_t bits = 0;
    if (first >= distance && first + 64 <= n_bytes) {
        for (size_t k = 0; k < 64; k += 16)
            bits |= equal_16(bytes + first + k, bytes + first + k - distance) << k;
        return bits;
    }
    for (size_t i = first; i < first + 64 && i < n_bytes; ++i)
        bits |= (uint64_t)(i >= distance && bytes[i] == bytes[i - distance]) << (i - first);
    return bits;
}

/* Of bits in a row less than three do not make a match: a bit stays when one of the three triples that it is in is all set. */
void sarrus_repeat_mark(const uint8_t *bytes, size_t n_bytes, size_t distance, uint64_t *is_match) {
    const size_t n_words = n_bytes / 64 + 1;
    uint64_t here = equal_word(bytes, n_bytes, distance, 0), triples_before = 0;
    for (size_t w = 0; w < n_words; ++w) {
        const uint64_t next = w + 1 < n_words ? equal_word(bytes, n_bytes, distance, w + 1) : 0;
        const uint64_t triples = here & (here >> 1 | next << 63) & (here >> 2 | next << 62);
        is_match[w] = triples | triples << 1 | triples << 2 | triples_before >> 63 | triples_before >> 62;
        triples_before = triples;
        here = next;
    }
    is_match[n_words] = 0;
}

void sarrus_repeat_count(const uint64_t *is_match, size_t n_bytes, size_t *n_single, size_t *n_runs) {
    size_t n_matched = 0, n_begun = 0;
    uint64_t before = 0;
    for (size_t w = 0; w < n_bytes / 64 + 1; ++w) {
        n_matched += (size_t)__builtin_popcountll(is_match[w]);
        n_begun += (size_t)__builtin_popcountll(is_match[w] & ~(is_match[w] << 1 | before >> 63));
        before = is_match[w];
    }
    *n_single = n_bytes - n_matched;
    *n_runs = n_begun;
}

/* Walks over the places where matches begin and end, in turn. */
typedef struct match_edges {
    const sarrus_repeat_block *block;
    size_t i_word;
    uint64_t left, before; /* edges of the word not yet passed; the word before it */
} match_edges;

static match_edges edges_begin(const sarrus_repeat_block *block) {
    return (match_edges){block, 0, block->is_match[0] ^ block->is_match[0] << 1, block->is_match[0]};
}

/* n_bytes when there is none. */
static inline size_t edges_next(match_edges *edges) {
    const sarrus_repeat_block *block = edges->block;
    while (edges->left == 0) {
        if (64 * ++edges->i_word > block->n_bytes)
            return block->n_bytes;
        const uint64_t word = block->is_match[edges->i_word];
        edges->left = word ^ (word << 1 | edges->before >> 63);
        edges->before = word;
    }
    const size_t at = 64 * edges->i_word + (size_t)__builtin_ctzll(edges->left);
    edges->left &= edges->left - 1;
    return at < block->n_bytes ? at : block->n_bytes;
}

/* How long the next match of a run is: never so that less than a match is left. */
static size_t match_of(size_t n_run) {
    return n_run <= MATCH_MAX ? n_run : n_run < MATCH_MAX + MATCH_MIN ? n_run - MATCH_MIN : MATCH_MAX;
}

/* The symbol of a length, counted from FIRST_LENGTH. */
static int length_symbol(size_t length) {
    if (length <= 10)
        return (int)length - MATCH_MIN;
    if (length == MATCH_MAX)
        return N_LENGTHS - 1;
    const unsigned above = (unsigned)length - MATCH_MIN; /* 8 to 254: two bits below the highest choose among four symbols */
    const unsigned highest = 31 - (unsigned)__builtin_clz(above);
    return (int)(4 * (highest - 1) + (above >> (highest - 2) & 3));
}

/* A distance as a symbol and the bits behind it. */
typedef struct distance_code {
    int symbol;
    unsigned n_extra;
    uint32_t extra;
} distance_code;

/* A block without matches has the code of a distance all the same: not every reader does without. */
static distance_code distance_of(size_t distance) {
    const uint32_t before = distance > 0 ? (uint32_t)distance - 1 : 0;
    if (before < 4)
        return (distance_code){.symbol = (int)before};
    const unsigned highest = 31 - (unsigned)__builtin_clz(before), n_extra = highest - 1;
    return (distance_code){(int)(2 * highest + (before >> n_extra & 1)), n_extra, before & ((1u << n_extra) - 1)};
}

void sarrus_repeat_prepare(sarrus_repeat_block *block) {
    uint32_t count[SARRUS_CODE_SYMBOLS_MAX] = {[END_OF_BLOCK] = 1};
    uint64_t n_matches = 0;
    if (block->distance > 0) {
        sarrus_repeat_mark(block->bytes, block->n_bytes, block->distance, block->is_match);
    } else {
        memset(block->is_match, 0, sarrus_repeat_words(block->n_bytes) * sizeof *block->is_match);
    }
    match_edges edges = edges_begin(block);
    for (size_t at = 0; at < block->n_bytes;) {
        const size_t n_until = edges_next(&edges), end = edges_next(&edges);
        for (; at < n_until; ++at)
            ++count[block->bytes[at]];
        for (; at < end; ++n_matches) {
            const size_t n = match_of(end - at);
            ++count[FIRST_LENGTH + length_symbol(n)];
            at += n;
        }
    }
    sarrus_prefix_code_lengths(count, N_SYMBOLS, block->code.n_bits);
    sarrus_prefix_code_bits(block->code.n_bits, N_SYMBOLS, block->code.bits);
    block->n_bits = HEADER_BITS_MAX + n_matches * (1 + distance_of(block->distance).n_extra);
    for (int i = 0; i < N_SYMBOLS; ++i) {
        const unsigned n_extra = i >= FIRST_LENGTH ? extra_bits[i - FIRST_LENGTH] : 0;
        block->n_bits += (uint64_t)count[i] * (block->code.n_bits[i] + n_extra);
    }
}

/* The lengths of all codes; of the distances there is one, of a bit. */
static void put_header(const sarrus_repeat_block *block, sarrus_bit_writer *writer) {
    uint8_t lengths[N_SYMBOLS + N_DISTANCES] = {0};
    uint16_t bits[N_CODE_LENGTHS];
    int n_symbols = N_SYMBOLS;
    while (block->code.n_bits[n_symbols - 1] == 0) /* the end of the block has a code */
        --n_symbols;
    memcpy(lengths, block->code.n_bits, (size_t)n_symbols);
    const int n_distances = distance_of(block->distance).symbol + 1, n = n_symbols + n_distances;
    lengths[n - 1] = 1;
    sarrus_prefix_code_bits(lengths_bits, N_CODE_LENGTHS, bits);
    sarrus_bits_put(writer, 0 | 2 << 1, 3); /* not the last block, codes of its own */
    sarrus_bits_put(writer, (uint64_t)(n_symbols - FIRST_LENGTH), 5);
    sarrus_bits_put(writer, (uint64_t)(n_distances - 1), 5);
    sarrus_bits_put(writer, N_CODE_LENGTHS - 4, 4);
    for (int i = 0; i < N_CODE_LENGTHS; ++i)
        sarrus_bits_put(writer, lengths_bits[lengths_order[i]], 3);
    for (int i = 0; i < n;) {
        int n_zeros = 0;
        while (i + n_zeros < n && n_zeros < 138 && lengths[i + n_zeros] == 0)
            ++n_zeros;
        if (n_zeros >= 11) {
            sarrus_bits_put(writer, bits[ZEROS] | (uint64_t)(n_zeros - 11) << lengths_bits[ZEROS], lengths_bits[ZEROS] + 7u);
            i += n_zeros;
        } else {
            sarrus_bits_put(writer, bits[lengths[i]], lengths_bits[lengths[i]]);
            ++i;
        }
    }
}

/* Three at a time, of 15 bits at most. */
static inline void put_singles(const sarrus_prefix_code *code, const uint8_t *bytes, size_t n, sarrus_bit_writer *writer) {
    size_t i = 0;
    for (; i + 3 <= n; i += 3) {
        const unsigned n_first = code->n_bits[bytes[i]], n_two = n_first + code->n_bits[bytes[i + 1]];
        const uint64_t bits =
            code->bits[bytes[i]] | (uint64_t)code->bits[bytes[i + 1]] << n_first | (uint64_t)code->bits[bytes[i + 2]] << n_two;
        sarrus_bits_put(writer, bits, n_two + code->n_bits[bytes[i + 2]]);
    }
    for (; i < n; ++i)
        sarrus_bits_put(writer, code->bits[bytes[i]], code->n_bits[bytes[i]]);
}

void sarrus_repeat_put(const sarrus_repeat_block *block, sarrus_bit_writer *writer) {
    const sarrus_prefix_code *code = &block->code;
    const distance_code distance = distance_of(block->distance);
    put_header(block, writer);
    sarrus_bit_writer own = *writer; /* nothing else points to it: it stays in registers */
    match_edges edges = edges_begin(block);
    for (size_t at = 0; at < block->n_bytes;) {
        const size_t n_until = edges_next(&edges), end = edges_next(&edges);
        put_singles(code, block->bytes + at, n_until - at, &own);
        for (at = n_until; at < end;) {
            const size_t n = match_of(end - at);
            const int k = length_symbol(n);
            const unsigned n_code = code->n_bits[FIRST_LENGTH + k], n_length = n_code + extra_bits[k] + 1;
            const uint64_t bits = code->bits[FIRST_LENGTH + k] | (uint64_t)(n - shortest[k]) << n_code |
                                  (uint64_t)distance.extra << n_length; /* the distance's own bit is 0 */
            sarrus_bits_put(&own, bits, n_length + distance.n_extra);
            at += n;
        }
    }
    sarrus_bits_put(&own, code->bits[END_OF_BLOCK], code->n_bits[END_OF_BLOCK]);
    *writer = own;
}
