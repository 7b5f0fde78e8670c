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
#include "sink/run_length.h"
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
            sarrus_shuffle(in, n, size, out);
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
                    size_t n_packed = sarrus_packer_pack(packer, values, sizes[s], element, (sarrus_packing)how, packed, &mask);
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
        n_packed[kind] = sarrus_packer_pack(packer, values, N, 8, SARRUS_PACK_WELL, packed, &mask[kind]);
    }
    assert_int_equal(mask[KIND_RANDOM], SARRUS_CHUNK_NOT_DEFLATED);
    assert_int_equal(n_packed[KIND_RANDOM], sizeof values + 4);
    assert_int_equal(mask[KIND_CONSTANT], 0);
    assert_true(n_packed[KIND_CONSTANT] < sizeof values / 500);
    assert_int_equal(mask[KIND_SMOOTH], 0);
    assert_true(n_packed[KIND_SMOOTH] < sizeof values * 7 / 8); /* at least one byte of eight */
    sarrus_packer_destroy(packer);
}

/* Runs of every length up to twice the longest match, of all bytes, with what is no run between them: an independent decoder gets
 * them back, and room that is too small by a byte is not enough. */
static void test_run_length(void **state) {
    (void)state;
    enum { MAX = 1 << 18 };
    uint8_t *bytes = malloc(MAX), *packed = malloc(MAX), *unpacked = malloc(MAX);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    assert_true(bytes != NULL && packed != NULL && unpacked != NULL && decompressor != NULL);
    size_t n = 0;
    for (size_t run = 0; run <= 600; ++run) {
        for (size_t i = 0; i < run; ++i) {
            bytes[n++] = (uint8_t)(37 * run);
        }
        for (size_t i = 0; i < run % 5; ++i) {
            bytes[n] = (uint8_t)fixture_noise(n);
            ++n;
        }
    }
    assert_true(n < MAX);
    for (size_t part = n; part > 0; part = part > 700 ? part / 2 : part - 1) {
        size_t n_back = 0, n_packed = sarrus_run_length_deflate(bytes, part, packed, MAX);
        assert_true(n_packed > 0);
        assert_int_equal(libdeflate_deflate_decompress(decompressor, packed, n_packed, unpacked, MAX, &n_back), LIBDEFLATE_SUCCESS);
        assert_int_equal(n_back, part);
        assert_memory_equal(unpacked, bytes, part);
        assert_int_equal(sarrus_run_length_deflate(bytes, part, packed, n_packed), n_packed);
        assert_int_equal(sarrus_run_length_deflate(bytes, part, packed, n_packed - 1), 0);
    }
    libdeflate_free_decompressor(decompressor);
    free(unpacked);
    free(packed);
    free(bytes);
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
    size_t n_packed = sarrus_packer_pack(packer, values, N, 8, SARRUS_PACK_SPARSE, packed, &mask);
    assert_int_equal(mask, 0);
    assert_unpacks(packed, n_packed, mask, (const uint8_t *)values, N, 8);
    /* Each plane of each row: two numbers of at most nine bits, and a run of 398: one more, and matches of 258 and 139 of 13
     * and 18. */
    assert_true(n_packed <= 8 * N_ROWS * (3 * 9 + 13 + 18) / 8 + 64);
    sarrus_packer_destroy(packer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fletcher32), cmocka_unit_test(test_shuffle),    cmocka_unit_test(test_pack),
        cmocka_unit_test(test_ratios),     cmocka_unit_test(test_run_length), cmocka_unit_test(test_sparse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
