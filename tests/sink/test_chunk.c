/* Packing against plain versions of the same filters, and against an independent zlib decoder. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <libdeflate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sink/chunk.h"
#include "sink/repeat_code.h"
#include "sink_fixture.h"

/* The algorithm as HDF5 has it (H5checksum.c, H5_checksum_fletcher32), written again without its loop blocking. */
static uint32_t plain_fletcher32(const uint8_t *bytes, size_t n_bytes) {
    uint32_t sum_1 = 0, sum_2 = 0;
    for (size_t i = 0; i < n_bytes; i += 2) {
        sum_1 += (uint32_t)bytes[i] << 8 | (i + 1 < n_bytes ? bytes[i + 1] : 0u);
        sum_1 = (sum_1 & 0xffff) + (sum_1 >> 16);
        sum_2 += sum_1;
        sum_2 = (sum_2 & 0xffff) + (sum_2 >> 16);
    }
    return sum_2 << 16 | sum_1;
}

static void test_fletcher32(void **state) {
    (void)state;
    enum { N = 70001 };
    uint8_t *bytes = malloc(N);
    assert_non_null(bytes);
    static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 5759, 5760, 5761, 5776, 11520, 65535, 65536, N};
    for (int pattern = 0; pattern < 4; ++pattern) {
        for (size_t i = 0; i < N; ++i) {
            bytes[i] = pattern == 0 ? (uint8_t)fixture_noise(i) : pattern == 1 ? 0 : pattern == 2 ? 0xff : (uint8_t)(i % 251);
        }
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            assert_int_equal(sarrus_fletcher32(bytes, sizes[s]), plain_fletcher32(bytes, sizes[s]));
        }
    }
    free(bytes);
}

static void test_shuffle(void **state) {
    (void)state;
    enum { N = 1003 };
    uint8_t in[8 * N], out[8 * N];
    for (size_t i = 0; i < sizeof in; ++i) {
        in[i] = (uint8_t)fixture_noise(i);
    }
    for (size_t size = 2; size <= 8; size += 6) {
        for (size_t n = 0; n < N; n = 2 * n + 1) {
            uint8_t *planes[8];
            for (size_t p = 0; p < size; ++p) {
                planes[p] = out + p * n;
            }
            sarrus_shuffle(in, n, size, planes);
            for (size_t i = 0; i < n; ++i) {
                for (size_t p = 0; p < size; ++p) {
                    assert_int_equal(out[p * n + i], in[i * size + p]);
                }
            }
        }
    }
}

/* Undoes the three filters with other code than ours. */
static void assert_unpacks(const uint8_t *packed, size_t n_packed, uint32_t mask, const uint8_t *wanted, size_t n, size_t size) {
    size_t n_bytes = n * size;
    assert_true(n_packed > 4);
    uint32_t stored = 0;
    memcpy(&stored, packed + n_packed - 4, sizeof stored);
    assert_int_equal(stored, plain_fletcher32(packed, n_packed - 4));
    uint8_t *shuffled = malloc(n_bytes);
    assert_non_null(shuffled);
    if (mask == 0) {
        struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
        assert_int_equal(libdeflate_zlib_decompress(decompressor, packed, n_packed - 4, shuffled, n_bytes, NULL),
                         LIBDEFLATE_SUCCESS);
        libdeflate_free_decompressor(decompressor);
    } else {
        assert_int_equal(mask, SARRUS_CHUNK_NOT_DEFLATED);
        assert_int_equal(n_packed - 4, n_bytes);
        memcpy(shuffled, packed, n_bytes);
    }
    size_t n_wrong = 0;
    for (size_t i = 0; i < n_bytes; ++i) {
        n_wrong += shuffled[i % size * n + i / size] != wanted[i];
    }
    assert_int_equal(n_wrong, 0);
    free(shuffled);
}

static void test_pack(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 1000, 65535, 65536, 131072};
    enum { MAX = 131072 };
    double *values = malloc(MAX * sizeof *values);
    uint8_t *packed = malloc(sarrus_packer_bound(MAX * sizeof *values));
    sarrus_packer *packer = NULL;
    assert_int_equal(sarrus_packer_create(MAX * sizeof *values, &packer), SARRUS_OK);
    assert_true(values != NULL && packed != NULL);
    for (int kind = KIND_SMOOTH; kind <= KIND_RANK; ++kind) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            for (size_t i = 0; i < sizes[s]; ++i) {
                values[i] = fixture_value((fixture_kind)kind, i / 200, i % 200, 0);
            }
            for (size_t element = 2; element <= 8; element += 6) {
                for (int how = SARRUS_PACK_WELL; how <= SARRUS_PACK_SOON; ++how) {
                    uint32_t mask = 99;
                    const sarrus_chunk_numbers numbers = {values, sizes[s], element, how == SARRUS_PACK_WELL ? 200 / 8 : 0};
                    size_t n_packed = sarrus_packer_pack(packer, &numbers, (sarrus_packing)how, packed, &mask);
                    assert_true(n_packed <= sarrus_packer_bound(sizes[s] * element));
                    assert_unpacks(packed, n_packed, mask, (const uint8_t *)values, sizes[s], element);
                }
            }
        }
    }
    sarrus_packer_destroy(packer);
    free(packed);
    free(values);
}

/* Noise is left alone; a constant shrinks by deflate's largest ratio; smooth numbers gain their sign, exponent and top bits. */
static void test_ratios(void **state) {
    (void)state;
    enum { N = 131072 };
    static double values[N];
    static uint8_t packed[N * 9];
    sarrus_packer *packer = NULL;
    assert_int_equal(sarrus_packer_create(sizeof values, &packer), SARRUS_OK);
    size_t n_packed[3];
    uint32_t mask[3];
    for (int kind = 0; kind < 3; ++kind) {
        for (size_t i = 0; i < N; ++i) {
            values[i] = kind == KIND_RANDOM ? 0 : fixture_value((fixture_kind)kind, i / 200, i % 200, 0);
            uint64_t noise = fixture_noise(i);
            if (kind == KIND_RANDOM) {
                memcpy(&values[i], &noise, sizeof noise);
            }
        }
        n_packed[kind] =
            sarrus_packer_pack(packer, &(sarrus_chunk_numbers){values, N, 8, 1}, SARRUS_PACK_WELL, packed, &mask[kind]);
    }
    assert_int_equal(mask[KIND_RANDOM], SARRUS_CHUNK_NOT_DEFLATED);
    assert_int_equal(n_packed[KIND_RANDOM], sizeof values + 4);
    assert_int_equal(mask[KIND_CONSTANT], 0);
    assert_true(n_packed[KIND_CONSTANT] < sizeof values / 500);
    assert_int_equal(mask[KIND_SMOOTH], 0);
    assert_true(n_packed[KIND_SMOOTH] < sizeof values * 7 / 8); /* at least one byte of eight */
    sarrus_packer_destroy(packer);
}

/* Counts of all kinds: the codes are prefix codes (Kraft), no longer than they may be, shorter for what is more frequent, and, as
 * long as none was cut, within a bit of the entropy (Huffman). Fibonacci's numbers make the deepest tree there is. */
static void test_prefix_code(void **state) {
    (void)state;
    uint32_t count[SARRUS_CODE_SYMBOLS_MAX];
    for (int kind = 0; kind < 6; ++kind) {
        const int n = kind == 5 ? 40 : SARRUS_CODE_SYMBOLS_MAX;
        double total = 0.0, bits = 0.0, cost = 0.0, kraft = 0.0;
        sarrus_prefix_code code;
        for (int i = 0; i < n; ++i) {
            const uint32_t noise = (uint32_t)(fixture_noise((uint64_t)i) % 1000);
            count[i] = kind == 0 ? 1 : kind == 1 ? noise : kind == 2 ? noise * noise : kind == 3 ? (i % 7 == 0) * noise : i == 9;
            if (kind == 5) {
                count[i] = i < 2 ? 1 : count[i - 1] + count[i - 2];
            }
            total += count[i];
        }
        sarrus_prefix_code_lengths(count, n, code.n_bits);
        for (int i = 0; i < n; ++i) {
            assert_true(code.n_bits[i] <= SARRUS_CODE_BITS_MAX);
            assert_int_equal(code.n_bits[i] > 0, count[i] > 0);
            kraft += code.n_bits[i] > 0 ? ldexp(1.0, -code.n_bits[i]) : 0.0;
            bits += code.n_bits[i] * (double)count[i];
            cost += count[i] > 0 ? count[i] * log2(total / count[i]) : 0.0;
            for (int k = 0; k < i; ++k) {
                assert_true(count[i] == 0 || count[k] <= count[i] || code.n_bits[k] <= code.n_bits[i]);
            }
        }
        assert_true(kind == 4 ? kraft == 0.5 : kraft == 1.0);
        assert_true(bits >= cost && (kind == 5 || bits <= cost + total));
    }
}

/* Bytes that repeat at a distance in runs of every length up to more than twice the longest match, with noise between them. */
static size_t fill_repeating(uint8_t *bytes, size_t distance) {
    size_t n = 0;
    for (size_t i = 0; i < distance; ++i) {
        bytes[n++] = (uint8_t)fixture_noise(i);
    }
    for (size_t run = 0; run <= 530; ++run) {
        for (size_t i = 0; i < run; ++i, ++n) {
            bytes[n] = bytes[n - distance];
        }
        for (size_t i = 0; i < run % 5; ++i, ++n) {
            bytes[n] = (uint8_t)fixture_noise(n);
        }
    }
    return n;
}

/* An independent decoder gets them back, at distances of every kind; the size that was told is not passed, and what could match is
 * not left as it is. */
static void test_repeat_code(void **state) {
    (void)state;
    enum { MAX = 1 << 18 };
    uint8_t *bytes = malloc(MAX), *packed = malloc(MAX), *unpacked = malloc(MAX);
    uint64_t *is_match = malloc(sarrus_repeat_words(MAX) * sizeof *is_match);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    assert_true(bytes != NULL && packed != NULL && unpacked != NULL && is_match != NULL && decompressor != NULL);
    static const size_t distances[] = {0, 1, 2, 3, 4, 5, 7, 12, 63, 64, 65, 1000, 32768};
    for (size_t d = 0; d < sizeof distances / sizeof distances[0]; ++d) {
        const size_t n = fill_repeating(bytes, distances[d] > 0 ? distances[d] : 1);
        assert_true(n < MAX);
        for (size_t part = n; part > 0; part = part > 700 ? part / 2 : part > 80 ? part - 61 : part - 1) {
            size_t n_back = 0;
            sarrus_repeat_block block = {.bytes = bytes, .n_bytes = part, .distance = distances[d], .is_match = is_match};
            sarrus_repeat_prepare(&block);
            sarrus_bit_writer writer = {.at = packed};
            sarrus_repeat_put(&block, &writer);
            assert_true(8 * (size_t)(writer.at - packed) + writer.n_bits <= block.n_bits);
            sarrus_bits_put(&writer, 1 | 1 << 1, 3 + 7);
            sarrus_bits_align(&writer);
            const size_t n_packed = (size_t)(writer.at - packed);
            assert_int_equal(libdeflate_deflate_decompress(decompressor, packed, n_packed, unpacked, MAX, &n_back),
                             LIBDEFLATE_SUCCESS);
            assert_int_equal(n_back, part);
            assert_memory_equal(unpacked, bytes, part);
            /* 1060 bytes of noise, and of each run at most three matches of at most 35 bits */
            assert_true(part < n || distances[d] == 0 || n_packed <= distances[d] + 1200 + 531 * 3 * 35 / 8 + 200);
        }
    }
    libdeflate_free_decompressor(decompressor);
    free(is_match);
    free(unpacked);
    free(packed);
    free(bytes);
}

/* Numbers as output.precision leaves them: zeros in the low bytes, noise in the middle, order at the top. Each plane gets what it
 * needs, and an independent decoder all of them. */
static void test_planes_of_all_kinds(void **state) {
    (void)state;
    enum { N = 131040 };
    double *values = malloc(N * sizeof *values);
    uint8_t *packed = malloc(sarrus_packer_bound(N * sizeof *values));
    sarrus_packer *packer = NULL;
    uint32_t mask = 99;
    assert_int_equal(sarrus_packer_create(N * sizeof *values, &packer), SARRUS_OK);
    assert_true(values != NULL && packed != NULL);
    for (size_t i = 0; i < N; ++i) {
        const uint64_t bits = (fixture_noise(i) >> 12 & ~UINT64_C(0xffffff)) | UINT64_C(0x3ff) << 52;
        memcpy(&values[i], &bits, sizeof bits);
    }
    const size_t n_packed = sarrus_packer_pack(packer, &(sarrus_chunk_numbers){values, N, 8, 12}, SARRUS_PACK_WELL, packed, &mask);
    assert_int_equal(mask, 0);
    assert_unpacks(packed, n_packed, mask, (const uint8_t *)values, N, 8);
    /* Three planes of zeros and one of 0x3f are nothing, three of noise and half of one are themselves. */
    assert_true(n_packed < (size_t)(3.5 * N) + N / 50);
    sarrus_packer_destroy(packer);
    free(packed);
    free(values);
}

/* A chunk with two of 400 times shrinks to little more than these. */
static void test_sparse(void **state) {
    (void)state;
    enum { N_ROWS = 300, N_TIMES = 400, N = N_ROWS * N_TIMES };
    static double values[N];
    static uint8_t packed[N * 9];
    sarrus_packer *packer = NULL;
    uint32_t mask = 99;
    assert_int_equal(sarrus_packer_create(sizeof values, &packer), SARRUS_OK);
    for (size_t i = 0; i < N; ++i) {
        values[i] = i % N_TIMES < 2 ? fixture_value(KIND_SMOOTH, i / N_TIMES, i % N_TIMES, 0) : (double)NAN;
    }
    size_t n_packed = sarrus_packer_pack(packer, &(sarrus_chunk_numbers){values, N, 8, 1}, SARRUS_PACK_WELL, packed, &mask);
    assert_int_equal(mask, 0);
    assert_unpacks(packed, n_packed, mask, (const uint8_t *)values, N, 8);
    /* Each plane of each row: two numbers of at most nine bits, and a run of 398: one more, and matches of 258 and 139 of 13
     * and 18. */
    assert_true(n_packed <= 8 * N_ROWS * (3 * 9 + 13 + 18) / 8 + 64);
    sarrus_packer_destroy(packer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fletcher32),
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_pack),
        cmocka_unit_test(test_ratios),
        cmocka_unit_test(test_prefix_code),
        cmocka_unit_test(test_repeat_code),
        cmocka_unit_test(test_planes_of_all_kinds),
        cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
