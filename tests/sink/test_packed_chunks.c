/* A chunk that takes the place of one of the same size, stored with another mask of filters, is read with its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "sink/hdf5_object.h"
#include "sink/packed_chunks.h"

enum { N = 64, N_CHECKSUM = 4 };

/* Bits without any order, which deflate cannot make smaller. */
static void noise_fill(uint64_t *x) {
    uint64_t state = 1;
    for (int i = 0; i < N; ++i) {
        state += 0x9e3779b97f4a7c15u;
        uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        x[i] = z ^ z >> 31;
    }
}

static void test_same_size(void **state) {
    char path[] = "/tmp/sarrus_packed_XXXXXX";
    const hsize_t dims = N, start = 0;
    uint64_t values[N], found[N];
    uint8_t before[sizeof values + N_CHECKSUM] = {0};
    sarrus_packed_chunks chunks;
    (void)state;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    noise_fill(values);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const sarrus_hdf5_shape shape = {.n_dims = 1, .dims = &dims, .chunk = &dims};
    hid_t dataset = sarrus_hdf5_create_dataset(file, "x", H5T_NATIVE_UINT64, &shape);
    /* as if all filters had made exactly as many bytes as the numbers and their checksum are */
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &start, sizeof before, before) >= 0);
    assert_true(sarrus_packed_chunks_open(&chunks, dataset) && chunks.is_packed);
    assert_true(sarrus_packed_chunks_rows_put(&chunks, 0, N, values));
    sarrus_packed_chunks_close(&chunks);
    H5Dclose(dataset);
    H5Fclose(file);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    dataset = H5Dopen2(file, "x", H5P_DEFAULT);
    uint32_t mask = 0;
    hsize_t n_stored = 0;
    uint8_t stored[2 * sizeof before];
    assert_true(H5Dget_chunk_storage_size(dataset, &start, &n_stored) >= 0 && n_stored == sizeof before);
    assert_true(H5Dread_chunk(dataset, H5P_DEFAULT, &start, &mask, stored) >= 0 && mask == SARRUS_CHUNK_NOT_DEFLATED);
    assert_true(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0);
    assert_memory_equal(values, found, sizeof values);
    H5Dclose(dataset);
    H5Fclose(file);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
