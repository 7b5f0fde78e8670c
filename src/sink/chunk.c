/* Packing of chunks. After the shuffle the low bytes of doubles are noise that no compressor shrinks and every compressor is slow
 * on: such planes are stored blocks of the zlib stream, which the shuffle writes at once where they stay. Of every other plane a
 * block is made that knows what it repeats (sink/repeat_code.h). Any zlib reads it. */
#include "sink/chunk.h"
#include "sink/repeat_code.h"

#include <libdeflate.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLANES_MAX = 8,
    STORED_MAX = 65520, /* bytes of a stored block: whole vectors, at most 65535 (RFC 1951, section 3.2.4) */
    STORED_HEAD = 5,    /* bytes before them */
    ZLIB_HEAD = 2,      /* RFC 1950 */
    ZLIB_TAIL = 4,      /* adler32 */
    CHECKSUM_BYTES = 4,
    N_SEGMENTS = 16, /* sample of a plane: segments spread evenly, so that frozen instances are seen too */
    SEGMENT_BYTES = 256,
    SEGMENT_WORDS = SEGMENT_BYTES / 64 + 2,
    N_DISTANCES = 6,
    SAMPLED_MIN = 64, /* bytes of a segment */
};

/* Bits a byte above which a plane is stored: making it smaller would gain less than it costs. */
static const double STORED_BITS[] = {[SARRUS_PACK_WELL] = 4.0, [SARRUS_PACK_SOON] = 2.0};
/* What a run of matches takes: its length, its distance. */
static const double RUN_BITS = 9.0;
/* Blocks without matches are written twice as fast: they may be larger by a tenth. */
static const double WITHOUT_MATCHES = 0.9;
/* Distances at which planes repeat, beside that of the row: the same number; bodies in the plane; speeds and coordinates of
 * bodies in space; the row before the last. */
static const size_t usual_distances[N_DISTANCES - 2] = {1, 3, 6, 7};

/* What becomes of a plane. */
typedef struct plane_choice {
    bool is_stored;
    size_t distance; /* else; 0: without matches */
} plane_choice;

struct sarrus_packer {
    size_t n_bytes_max;
    uint8_t *shuffled;  /* [n_bytes_max] planes that are not stored at once */
    uint64_t *is_match; /* [sarrus_repeat_words(n_bytes_max)] */
    uint8_t sample[PLANES_MAX][N_SEGMENTS * SEGMENT_BYTES];
};

sarrus_status sarrus_packer_create(size_t n_bytes_max, sarrus_packer **out) {
    sarrus_packer *packer = calloc(1, sizeof *packer);
    if (packer == NULL) {
        return SARRUS_NO_MEMORY;
    }
    packer->n_bytes_max = n_bytes_max;
    packer->shuffled = malloc(n_bytes_max > 0 ? n_bytes_max : 1);
    packer->is_match = malloc(sarrus_repeat_words(n_bytes_max) * sizeof *packer->is_match);
    if (packer->is_match == NULL || packer->shuffled == NULL) {
        sarrus_packer_destroy(packer);
        return SARRUS_NO_MEMORY;
    }
    *out = packer;
    return SARRUS_OK;
}

void sarrus_packer_destroy(sarrus_packer *packer) {
    if (packer == NULL) {
        return;
    }
    free(packer->is_match);
    free(packer->shuffled);
    free(packer);
}

/* Of one plane. */
static size_t stored_size(size_t n_bytes) {
    return n_bytes + STORED_HEAD * ((n_bytes + STORED_MAX - 1) / STORED_MAX);
}

/* A plane is stored where its block would be larger; bits before a stored block are filled up to a byte. */
size_t sarrus_packer_bound(size_t n_bytes) {
    return stored_size(n_bytes) + (size_t)PLANES_MAX * (STORED_HEAD + 1) + ZLIB_HEAD + 2 + ZLIB_TAIL + CHECKSUM_BYTES +
           SARRUS_BIT_WRITER_SLACK;
}

/* Order-0 entropy, bits per byte. That of few bytes is biased low by 255 / (2 n ln 2) bits, which are added. */
static double entropy_of(const uint8_t *bytes, size_t n_bytes) {
    uint32_t count[256] = {0};
    int n_values = 0;
    for (size_t i = 0; i < n_bytes; ++i) {
        ++count[bytes[i]];
    }
    double sum = 0;
    for (int i = 0; i < 256; ++i) {
        n_values += count[i] > 0;
        sum += count[i] > 1 ? count[i] * log2(count[i]) : 0.0;
    }
    return log2((double)n_bytes) - sum / (double)n_bytes + (n_values - 1) / (2.0 * (double)n_bytes * log(2.0));
}

/* A sample of a plane: segments one after another. */
typedef struct plane_sample {
    const uint8_t *bytes;
    size_t n_segments, n_each;
} plane_sample;

/* Bits a byte that a plane would take with matches at a distance: single bytes by their entropy, and the runs. */
static double bits_at(const plane_sample *sample, double entropy, size_t distance) {
    uint64_t is_match[SEGMENT_WORDS];
    size_t n_single = 0, n_runs = 0;
    for (size_t s = 0; s < sample->n_segments; ++s) {
        size_t single = 0, runs = 0;
        sarrus_repeat_mark(sample->bytes + s * sample->n_each, sample->n_each, distance, is_match);
        sarrus_repeat_count(is_match, sample->n_each, &single, &runs);
        n_single += single - distance; /* what begins a segment has nothing before it */
        n_runs += runs;
    }
    const size_t n_judged = sample->n_segments * (sample->n_each - distance);
    return ((double)n_single * entropy + (double)n_runs * RUN_BITS) / (double)n_judged;
}

static plane_choice plane_choose(const plane_sample *sample, size_t row, sarrus_packing how) {
    const double entropy = entropy_of(sample->bytes, sample->n_segments * sample->n_each);
    size_t distances[N_DISTANCES] = {[N_DISTANCES - 2] = row, [N_DISTANCES - 1] = 2 * row};
    memcpy(distances, usual_distances, sizeof usual_distances);
    double least = fmax(entropy, 1.0) * WITHOUT_MATCHES; /* a code has a bit at least */
    plane_choice choice = {.distance = 0};
    for (int i = 0; i < N_DISTANCES; ++i) {
        if (distances[i] < 1 || 2 * distances[i] > sample->n_each)
            continue;
        const double bits = bits_at(sample, entropy, distances[i]);
        choice.distance = bits < least ? distances[i] : choice.distance;
        least = bits < least ? bits : least;
    }
    choice.is_stored = least > STORED_BITS[how];
    return choice;
}

/* What becomes of each plane, from a sample of the numbers. Of few numbers nothing is stored unseen. */
static void planes_choose(sarrus_packer *packer, const sarrus_chunk_numbers *numbers, sarrus_packing how, plane_choice *choices) {
    const size_t stride = numbers->n_elements / N_SEGMENTS, n_each = stride < SEGMENT_BYTES ? stride : SEGMENT_BYTES;
    const size_t size = numbers->element_size;
    uint8_t *planes[PLANES_MAX];
    for (size_t s = 0; s < N_SEGMENTS; ++s) {
        for (size_t p = 0; p < size; ++p) {
            planes[p] = packer->sample[p] + s * n_each;
        }
        sarrus_shuffle((const uint8_t *)numbers->elements + s * stride * size, n_each, size, planes);
    }
    for (size_t p = 0; p < size; ++p) {
        const plane_sample sample = {packer->sample[p], N_SEGMENTS, n_each};
        choices[p] = n_each < SAMPLED_MIN ? (plane_choice){.distance = 1} : plane_choose(&sample, numbers->row, how);
    }
}

/* The five bytes before n_bytes of a stored block that begins with a byte: not the last block, type 00. */
static void put_stored_head(size_t n_bytes, uint8_t *out) {
    out[0] = 0;
    out[1] = (uint8_t)(n_bytes & 0xff);
    out[2] = (uint8_t)(n_bytes >> 8);
    out[3] = (uint8_t)(~n_bytes & 0xff);
    out[4] = (uint8_t)(~n_bytes >> 8 & 0xff);
}

static size_t piece_of(size_t n_left) {
    return n_left < STORED_MAX ? n_left : STORED_MAX;
}

/* Shuffles the numbers: the first n_direct planes into stored blocks at `out`, the others into packer->shuffled. */
static void shuffle_apart(const sarrus_packer *packer, const sarrus_chunk_numbers *numbers, size_t n_direct, uint8_t *out) {
    const size_t n = numbers->n_elements, size = numbers->element_size;
    uint8_t *planes[PLANES_MAX];
    for (size_t i = 0, i_block = 0; i < n; i += STORED_MAX, ++i_block) {
        const size_t n_piece = piece_of(n - i);
        for (size_t p = 0; p < size; ++p) {
            uint8_t *block = out + p * stored_size(n) + i_block * (STORED_HEAD + STORED_MAX);
            planes[p] = p < n_direct ? block + STORED_HEAD : packer->shuffled + (p - n_direct) * n + i;
            if (p < n_direct) {
                put_stored_head(n_piece, block);
            }
        }
        sarrus_shuffle((const uint8_t *)numbers->elements + i * size, n_piece, size, planes);
    }
}

/* The checksum of zlib, taken further over a plane in stored blocks. */
static uint32_t stored_adler(uint32_t adler, const uint8_t *blocks, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i += STORED_MAX) {
        blocks += STORED_HEAD;
        adler = libdeflate_adler32(adler, blocks, piece_of(n_bytes - i));
        blocks += piece_of(n_bytes - i);
    }
    return adler;
}

/* A plane in stored blocks, wherever the writer stands. */
static void put_stored(const uint8_t *bytes, size_t n_bytes, sarrus_bit_writer *writer) {
    for (size_t i = 0; i < n_bytes; i += STORED_MAX) {
        sarrus_bits_put(writer, 0, 3);
        sarrus_bits_align(writer);
        uint8_t *head = writer->at - 1; /* what its bits have begun */
        const uint8_t begun = *head;
        put_stored_head(piece_of(n_bytes - i), head);
        *head = begun;
        memcpy(head + STORED_HEAD, bytes + i, piece_of(n_bytes - i));
        writer->at = head + STORED_HEAD + piece_of(n_bytes - i);
    }
}

/* One of packer->shuffled: as a block of its own where that is smaller. */
static void put_plane(const sarrus_packer *packer, const uint8_t *bytes, size_t n_bytes, const plane_choice *choice,
                      sarrus_bit_writer *writer) {
    sarrus_repeat_block block = {.bytes = bytes, .n_bytes = n_bytes, .distance = choice->distance, .is_match = packer->is_match};
    if (!choice->is_stored) {
        sarrus_repeat_prepare(&block);
    }
    if (choice->is_stored || block.n_bits >= 8 * (uint64_t)stored_size(n_bytes)) {
        put_stored(bytes, n_bytes, writer);
    } else {
        sarrus_repeat_put(&block, writer);
    }
}

/* The zlib stream of the shuffled numbers; 0 when it would not be smaller than them. */
static size_t put_zlib(sarrus_packer *packer, const sarrus_chunk_numbers *numbers, sarrus_packing how, uint8_t *out) {
    const size_t n = numbers->n_elements, n_planes = numbers->element_size;
    plane_choice choices[PLANES_MAX];
    size_t n_direct = 0;
    planes_choose(packer, numbers, how, choices);
    while (n_direct < n_planes && choices[n_direct].is_stored) {
        ++n_direct;
    }
    if (n_direct == n_planes || n == 0) {
        return 0;
    }
    uint8_t *at = out;
    uint32_t adler = 1;
    *at++ = 0x78; /* deflate, 32 KiB window */
    *at++ = 0x01; /* fastest; makes the 16 bits a multiple of 31 */
    shuffle_apart(packer, numbers, n_direct, at);
    for (size_t p = 0; p < n_direct; ++p, at += stored_size(n)) {
        adler = stored_adler(adler, at, n);
    }
    sarrus_bit_writer writer = {.at = at};
    for (size_t p = n_direct; p < n_planes; ++p) {
        const uint8_t *plane = packer->shuffled + (p - n_direct) * n;
        adler = libdeflate_adler32(adler, plane, n);
        put_plane(packer, plane, n, &choices[p], &writer);
    }
    sarrus_bits_put(&writer, 1 | 1 << 1, 3 + 7); /* the last block: the fixed codes' end, of 7 zeros */
    sarrus_bits_align(&writer);
    for (int shift = 24; shift >= 0; shift -= 8) {
        *writer.at++ = (uint8_t)(adler >> shift & 0xff);
    }
    const size_t n_packed = (size_t)(writer.at - out);
    return n_packed < n * n_planes ? n_packed : 0;
}

size_t sarrus_packer_pack(sarrus_packer *packer, const sarrus_chunk_numbers *numbers, sarrus_packing how, uint8_t *out,
                          uint32_t *filter_mask) {
    size_t n = put_zlib(packer, numbers, how, out);
    *filter_mask = 0;
    if (n == 0) {
        uint8_t *planes[PLANES_MAX];
        for (size_t p = 0; p < numbers->element_size; ++p) {
            planes[p] = out + p * numbers->n_elements;
        }
        sarrus_shuffle(numbers->elements, numbers->n_elements, numbers->element_size, planes);
        n = numbers->n_elements * numbers->element_size;
        *filter_mask = SARRUS_CHUNK_NOT_DEFLATED;
    }
    uint32_t checksum = sarrus_fletcher32(out, n);
    for (int shift = 0; shift < 32; shift += 8) {
        out[n++] = (uint8_t)(checksum >> shift & 0xff);
    }
    return n;
}
