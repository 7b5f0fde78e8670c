/* Byte shuffle and Fletcher checksum, the two filters of HDF5 that are worth vectorizing by hand. What is done is the same for
 * every processor; where there is AVX2 it is compiled a second time for that, which halves its instructions. */
#include <string.h>

#include "sink/chunk.h"

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* into functions for other instructions */

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef uint32_t sums8 __attribute__((vector_size(32)));

static ALWAYS_INLINE bytes16 low_bytes(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

static ALWAYS_INLINE bytes16 high_bytes(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

static ALWAYS_INLINE bytes16 low_quads(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
}

static ALWAYS_INLINE bytes16 high_quads(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
}

static ALWAYS_INLINE bytes16 low_halves(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

static ALWAYS_INLINE bytes16 high_halves(bytes16 a, bytes16 b) {
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
}

/* Two rounds of byte interleaving: v[2k] holds bytes 0-3 of elements 4k … 4k+3, byte places together; v[2k + 1] bytes 4-7. */
static ALWAYS_INLINE void interleave(bytes16 v[8]) {
    for (int i_round = 0; i_round < 2; ++i_round) {
        bytes16 w[8];
        for (int i = 0; i < 8; i += 2) {
            w[i] = low_bytes(v[i], v[i + 1]);
            w[i + 1] = high_bytes(v[i], v[i + 1]);
        }
        memcpy(v, w, sizeof w);
    }
}

/* 16 elements of 8 bytes → 16 bytes for each of the 8 planes, from `at` on. */
static ALWAYS_INLINE void transpose_16x8(const uint8_t *elements, uint8_t *const planes[8], size_t at) {
    bytes16 v[8];
    memcpy(v, elements, sizeof v);
    interleave(v);
    bytes16 w[8];
    for (int i = 0; i < 8; i += 4) {
        w[i] = low_quads(v[i], v[i + 2]);
        w[i + 1] = high_quads(v[i], v[i + 2]);
        w[i + 2] = low_quads(v[i + 1], v[i + 3]);
        w[i + 3] = high_quads(v[i + 1], v[i + 3]);
    }
    for (size_t i = 0; i < 4; ++i) {
        bytes16 even = low_halves(w[i], w[i + 4]), odd = high_halves(w[i], w[i + 4]);
        memcpy(planes[2 * i] + at, &even, sizeof even);
        memcpy(planes[2 * i + 1] + at, &odd, sizeof odd);
    }
}

static ALWAYS_INLINE void shuffle(const uint8_t *elements, size_t n_elements, size_t element_size, uint8_t *const *planes) {
    size_t i = 0;
    if (element_size == 8) {
        for (; i + 16 <= n_elements; i += 16) {
            transpose_16x8(elements + 8 * i, planes, i);
        }
    }
    for (; i < n_elements; ++i) {
        for (size_t p = 0; p < element_size; ++p) {
            planes[p][i] = elements[i * element_size + p];
        }
    }
}

/* Both sums live modulo 65535 = 2^16 − 1. HDF5's folding never turns a non-zero sum into 0, so that the multiple 65535
 * itself stands for it. */
static uint32_t fold(uint64_t sum, uint64_t scale) {
    uint64_t rest = sum % 65535 * scale % 65535;
    return rest == 0 && sum != 0 ? 65535u : (uint32_t)rest;
}

enum { FLETCHER_ROWS = 360, FLETCHER_LANES = 8 }; /* 65535 · 360 · 361 / 2 < 2^32: a lane cannot overflow within a block */

/* Adds up to FLETCHER_ROWS rows of 8 words: sum_1 += Σ w_i; sum_2 += Σ of all partial sums. */
static ALWAYS_INLINE void fletcher_rows(const uint8_t *bytes, size_t n_rows, uint64_t *sum_1, uint64_t *sum_2) {
    sums8 a = {0}, b = {0};
    for (size_t r = 0; r < n_rows; ++r) {
        words8 w;
        memcpy(&w, bytes + 16 * r, sizeof w);
        a += __builtin_convertvector(w, sums8);
        b += a;
    }
    uint64_t total = *sum_2 + FLETCHER_LANES * (uint64_t)n_rows * *sum_1;
    for (uint64_t l = 0; l < FLETCHER_LANES; ++l) {
        total += FLETCHER_LANES * (uint64_t)b[l] - l * a[l]; /* b counts the row itself: lane l came l words later */
        *sum_1 += a[l];
    }
    *sum_2 = total;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void shuffle_avx2(const uint8_t *elements, size_t n_elements, size_t element_size,
                                                         uint8_t *const *planes) {
    shuffle(elements, n_elements, element_size, planes);
}

__attribute__((target("avx2"))) static void fletcher_rows_avx2(const uint8_t *bytes, size_t n_rows, uint64_t *sum_1,
                                                               uint64_t *sum_2) {
    fletcher_rows(bytes, n_rows, sum_1, sum_2);
}
#endif

void sarrus_shuffle(const uint8_t *elements, size_t n_elements, size_t element_size, uint8_t *const *planes) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        shuffle_avx2(elements, n_elements, element_size, planes);
        return;
    }
#endif
    shuffle(elements, n_elements, element_size, planes);
}

static void fletcher_block(const uint8_t *bytes, size_t n_rows, uint64_t *sum_1, uint64_t *sum_2) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        fletcher_rows_avx2(bytes, n_rows, sum_1, sum_2);
        return;
    }
#endif
    fletcher_rows(bytes, n_rows, sum_1, sum_2);
}

/* Words are read in the machine's order; swapping the bytes of a word multiplies it by 256 modulo 65535, so the big-endian
 * sums that HDF5 wants follow from one multiplication at the end. */
uint32_t sarrus_fletcher32(const uint8_t *bytes, size_t n_bytes) {
    uint64_t sum_1 = 0, sum_2 = 0;
    size_t n_words = n_bytes / 2, i = 0;
    while (i + FLETCHER_LANES <= n_words) {
        size_t n_rows = (n_words - i) / FLETCHER_LANES;
        n_rows = n_rows < FLETCHER_ROWS ? n_rows : FLETCHER_ROWS;
        fletcher_block(bytes + 2 * i, n_rows, &sum_1, &sum_2);
        /* a multiple of 65535 stays a non-zero one */
        sum_1 = sum_1 > 65535 ? (sum_1 - 1) % 65535 + 1 : sum_1;
        sum_2 = sum_2 > 65535 ? (sum_2 - 1) % 65535 + 1 : sum_2;
        i += n_rows * FLETCHER_LANES;
    }
    for (; i < n_words; ++i) {
        uint16_t w;
        memcpy(&w, bytes + 2 * i, sizeof w);
        sum_1 += w;
        sum_2 += sum_1;
    }
    static const uint16_t one = 1;
    int little_endian = *(const uint8_t *)&one == 1;
    if (n_bytes % 2 != 0) { /* the odd byte is the high half of a big-endian word */
        sum_1 += little_endian ? bytes[n_bytes - 1] : (uint64_t)bytes[n_bytes - 1] << 8;
        sum_2 += sum_1;
    }
    uint64_t scale = little_endian ? 256 : 1;
    return fold(sum_2, scale) << 16 | fold(sum_1, scale);
}
