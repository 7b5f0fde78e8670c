/* `sarrus bench sink`: writing result files. The trajectories are those of pendulums in absolute coordinates, every 10 ms, each
 * with its own length and amplitude. Rows: our chunk packing, the same with plain libdeflate, and whole files with HDF5's own
 * filters (zlib) and with ours. Every row is decoded again and compared before its number counts. "Per core" divides by processor
 * time of all threads, filling the blocks included, and so does not depend on what else the machine does. */
#include "bench/benches.h"

#include <errno.h>
#include <libdeflate.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/report/sheet.h"
#include "bench/sink/stream.h"
#include "core/report.h"
#include "sink/chunk.h"
#include "sink/sink.h"

enum { N_INSTANCES = 10000, N_TIMES = 100, WIDTH = 9, CHUNK_INSTANCES = 145, N_REPEATS = 5, BLOCK_BYTES = 18000000 };
enum { N_NUMBERS = N_TIMES * WIDTH }; /* of one instance */

typedef struct bench_row {
    const char *name;
    double seconds, core_seconds; /* medians of the repeats */
    double raw_bytes, packed_bytes;
    bool right; /* decoded to the same bits */
} bench_row;

/* Three bodies of a chain of one angle: x, y, θ each; θ(t) to third order in the amplitude, smooth in every bit. */
static void fill_instance(uint64_t i, double *out) {
    double length = 1.0 + 0.05 * sin(12.9898 * (double)i), amplitude = 0.5 + 0.3 * sin(78.233 * (double)i);
    double omega = sqrt(9.81 / length) * (1.0 - amplitude * amplitude / 16.0);
    for (int t = 0; t < N_TIMES; ++t) {
        double phase = omega * 0.01 * t;
        double angle = amplitude * cos(phase) + amplitude * amplitude * amplitude / 192.0 * (cos(phase) - cos(3.0 * phase));
        for (int b = 0; b < WIDTH / 3; ++b) {
            double *body = out + (size_t)t * WIDTH + 3 * b;
            body[0] = length * (b + 0.5) * sin(angle);
            body[1] = -length * (b + 0.5) * cos(angle);
            body[2] = angle * (1.0 + 0.1 * b);
        }
    }
}

typedef size_t (*packing)(const double *values, size_t n, uint8_t *out, uint32_t *mask, void *user);

static size_t pack_ours(const double *values, size_t n, uint8_t *out, uint32_t *mask, void *user) {
    const sarrus_chunk_numbers numbers = {values, n, sizeof *values, WIDTH};
    return sarrus_packer_pack(user, &numbers, SARRUS_PACK_WELL, out, mask);
}

typedef struct plain_packer {
    struct libdeflate_compressor *compressor;
    uint8_t *shuffled;
} plain_packer;

static size_t pack_plain(const double *values, size_t n, uint8_t *out, uint32_t *mask, void *user) {
    plain_packer *plain = user;
    size_t n_bytes = n * sizeof *values;
    uint8_t *planes[sizeof *values];
    for (size_t p = 0; p < sizeof *values; ++p)
        planes[p] = plain->shuffled + p * n;
    sarrus_shuffle((const uint8_t *)values, n, sizeof *values, planes);
    size_t n_packed = libdeflate_zlib_compress(plain->compressor, plain->shuffled, n_bytes, out, sarrus_packer_bound(n_bytes) - 4);
    uint32_t checksum = sarrus_fletcher32(out, n_packed);
    memcpy(out + n_packed, &checksum, sizeof checksum);
    *mask = 0;
    return n_packed + sizeof checksum;
}

/* Inflates and unshuffles with code that is not the packer's. */
static bool unpacks(const uint8_t *packed, size_t n_packed, uint32_t mask, const double *wanted, size_t n, uint8_t *scratch) {
    size_t n_bytes = n * sizeof *wanted;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    bool ok = decompressor != NULL;
    if (ok && mask == 0) {
        ok = libdeflate_zlib_decompress(decompressor, packed, n_packed - 4, scratch, n_bytes, NULL) == LIBDEFLATE_SUCCESS;
    } else if (ok) {
        memcpy(scratch, packed, n_bytes);
    }
    libdeflate_free_decompressor(decompressor);
    const uint8_t *bytes = (const uint8_t *)wanted;
    for (size_t i = 0; ok && i < n_bytes; ++i)
        ok = scratch[i % 8 * n + i / 8] == bytes[i];
    return ok;
}

/* Packs all instances chunk by chunk, N_REPEATS times. */
static void measure_packing(bench_row *row, packing pack, void *user, const double *values, uint8_t *packed, uint8_t *scratch) {
    double seconds[N_REPEATS], core_seconds[N_REPEATS];
    row->right = true;
    for (int r = 0; r < N_REPEATS; ++r) {
        row->raw_bytes = row->packed_bytes = 0;
        seconds[r] = core_seconds[r] = 0;
        for (size_t i = 0; i + CHUNK_INSTANCES <= N_INSTANCES; i += CHUNK_INSTANCES) {
            const double *from = values + i * N_NUMBERS;
            const size_t n = (size_t)CHUNK_INSTANCES * N_NUMBERS;
            uint32_t mask = 0;
            double since = sarrus_bench_now(), core_since = sarrus_bench_core_now();
            size_t n_packed = pack(from, n, packed, &mask, user);
            core_seconds[r] += sarrus_bench_core_now() - core_since;
            seconds[r] += sarrus_bench_now() - since;
            row->raw_bytes += (double)(n * sizeof *from);
            row->packed_bytes += (double)n_packed;
            row->right = row->right && (r > 0 || unpacks(packed, n_packed, mask, from, n, scratch));
        }
    }
    row->seconds = sarrus_bench_median(seconds, N_REPEATS);
    row->core_seconds = sarrus_bench_median(core_seconds, N_REPEATS);
}

static void fill_times(const void *user, uint64_t i_first, uint64_t n, double *out) {
    (void)user;
    for (uint64_t i = 0; i < n; ++i)
        out[i] = 0.01 * (double)(i_first + i);
}

static sarrus_sink_description describe(int n_threads) {
    static const sarrus_sink_field field = {.path = "state/q", .long_name = "coordinates", .units = "m | rad", .width = WIDTH};
    return (sarrus_sink_description){.n_instances = N_INSTANCES,
                                     .n_times = N_TIMES,
                                     .times = fill_times,
                                     .n_fields = 1,
                                     .fields = &field,
                                     .scenario = "",
                                     .backend = "",
                                     .device = "",
                                     .block_bytes = BLOCK_BYTES,
                                     .n_compress_threads = n_threads};
}

/* The whole way in several blocks: acquire, fill by copying, submit, close. */
static bool write_sink(const char *path, const double *values, int n_threads, bench_row *row) {
    const sarrus_sink_description description = describe(n_threads);
    sarrus_sink *sink = NULL;
    if (sarrus_sink_create(NULL, path, &description, &sink) != SARRUS_OK)
        return false;
    bool ok = true;
    for (uint64_t t = 0; ok && t < N_TIMES;) {
        sarrus_sink_block block;
        ok = sarrus_sink_acquire(sink, 0, &block) == SARRUS_OK;
        for (uint64_t i = 0; ok && i < N_INSTANCES; ++i) {
            memcpy(block.data[0] + i * block.n_times * WIDTH, values + i * N_NUMBERS + t * WIDTH,
                   block.n_times * WIDTH * sizeof *values);
        }
        t += ok ? block.n_times : 0;
        ok = ok && sarrus_sink_submit(sink, 0, block.n_times, NULL) == SARRUS_OK;
    }
    ok = sarrus_sink_close(sink, NULL, &(sarrus_sink_outcome){.complete = true}) == SARRUS_OK && ok;
    row->packed_bytes = (double)sarrus_sink_bytes(sink);
    sarrus_sink_destroy(sink);
    return ok;
}

/* The same dataset through H5Dwrite and HDF5's filters. */
static bool write_hdf5(const char *path, const double *values, bench_row *row) {
    const hsize_t dims[3] = {N_INSTANCES, N_TIMES, WIDTH}, chunk[3] = {CHUNK_INSTANCES, N_TIMES, WIDTH};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, dims, NULL), properties = H5Pcreate(H5P_DATASET_CREATE), group = -1, dataset = -1;
    bool ok = file >= 0 && H5Pset_chunk(properties, 3, chunk) >= 0 && H5Pset_shuffle(properties) >= 0 &&
              H5Pset_deflate(properties, 1) >= 0 && H5Pset_fletcher32(properties) >= 0;
    group = ok ? H5Gcreate2(file, "state", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    dataset = group >= 0 ? H5Dcreate2(group, "q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    ok = dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0) {
        row->packed_bytes = (double)H5Dget_storage_size(dataset);
        H5Dclose(dataset);
    }
    if (group >= 0)
        H5Gclose(group);
    H5Pclose(properties);
    H5Sclose(space);
    if (file >= 0)
        ok = H5Fclose(file) >= 0 && ok;
    return ok;
}

/* Reads the file back through HDF5, checksums verified, and compares every bit. */
static bool reads_back(const char *path, const double *values) {
    size_t n_bytes = (size_t)N_INSTANCES * N_NUMBERS * sizeof *values;
    double *read = malloc(n_bytes);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = file >= 0 ? H5Dopen2(file, "state/q", H5P_DEFAULT) : -1;
    bool ok = read != NULL && dataset >= 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0 &&
              memcmp(read, values, n_bytes) == 0;
    if (dataset >= 0)
        H5Dclose(dataset);
    if (file >= 0)
        H5Fclose(file);
    free(read);
    return ok;
}

/* Rows of whole files; `n_threads` 0: HDF5's own filters. */
static void measure_file(bench_row *row, const char *path, const double *values, int n_threads) {
    double seconds[N_REPEATS], core_seconds[N_REPEATS];
    row->raw_bytes = (double)N_INSTANCES * N_NUMBERS * sizeof *values;
    row->right = true;
    int n_repeats = n_threads == 0 ? 1 : N_REPEATS; /* zlib takes seconds */
    for (int r = 0; r < n_repeats; ++r) {
        double since = sarrus_bench_now(), core_since = sarrus_bench_core_now();
        bool ok = n_threads == 0 ? write_hdf5(path, values, row) : write_sink(path, values, n_threads, row);
        core_seconds[r] = sarrus_bench_core_now() - core_since;
        seconds[r] = sarrus_bench_now() - since;
        row->right = row->right && ok && (r > 0 || reads_back(path, values));
        unlink(path);
    }
    row->seconds = sarrus_bench_median(seconds, n_repeats);
    row->core_seconds = sarrus_bench_median(core_seconds, n_repeats);
}

static void show(sarrus_sheet *sheet, const bench_row *row) {
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "", -44, "name", row->name);
    sarrus_sheet_number(sheet, "MB/s", 10, "%.0f", "megabytes_per_second", row->raw_bytes / row->seconds * 1e-6);
    sarrus_sheet_number(sheet, "per core", 10, "%.0f", "megabytes_per_core_second", row->raw_bytes / row->core_seconds * 1e-6);
    sarrus_sheet_number(sheet, "ratio", 8, "%.3f", "ratio", row->raw_bytes / row->packed_bytes);
    sarrus_sheet_text(sheet, " checked", 0, NULL, row->right ? " same bits" : " WRONG");
    sarrus_sheet_flag(sheet, "right", row->right);
    sarrus_sheet_row_end(sheet);
}

/* How near the file comes to plain writes of the same bytes. */
static void show_stream(sarrus_sheet *sheet, const sarrus_bench_stream *stream) {
    const double megabytes = 1e-6 * stream->bytes;
    sarrus_sheet_note(
        sheet, "\n%.0f MB of packed chunks, to the disk: as a result %.0f MB/s, %.0f per core; by plain writes %.0f and %.0f\n",
        megabytes, megabytes / stream->streamed, megabytes / stream->streamed_core, megabytes / stream->plain,
        megabytes / stream->plain_core);
    sarrus_sheet_note(sheet, "streaming has %.0f %% of the speed of plain writes by the clock, %.0f %% per core\n",
                      1e2 * stream->streamed_ratio, 1e2 * stream->core_ratio);
    const double ratios[] = {stream->streamed_ratio, stream->core_ratio};
    sarrus_sheet_numbers(sheet, "streamed_to_plain", ratios, 2);
}

static bool measure_all(bench_row rows[5], const char *path, sarrus_bench_stream *stream) {
    size_t chunk_bytes = (size_t)CHUNK_INSTANCES * N_NUMBERS * sizeof(double);
    double *values = malloc((size_t)N_INSTANCES * N_NUMBERS * sizeof *values);
    uint8_t *packed = malloc(sarrus_packer_bound(chunk_bytes)), *scratch = malloc(chunk_bytes);
    sarrus_packer *packer = NULL;
    plain_packer plain = {.compressor = libdeflate_alloc_compressor(1), .shuffled = malloc(chunk_bytes)};
    bool ok = values != NULL && packed != NULL && scratch != NULL && plain.compressor != NULL && plain.shuffled != NULL &&
              sarrus_packer_create(chunk_bytes, &packer) == SARRUS_OK;
    if (ok) {
        for (uint64_t i = 0; i < N_INSTANCES; ++i)
            fill_instance(i, values + i * N_NUMBERS);
        measure_packing(&rows[0], pack_ours, packer, values, packed, scratch);
        measure_packing(&rows[1], pack_plain, &plain, values, packed, scratch);
        measure_file(&rows[2], path, values, 0);
        measure_file(&rows[3], path, values, 1);
        measure_file(&rows[4], path, values, 2);
        const sarrus_sink_description description = describe(1);
        ok = sarrus_bench_stream_measure(&description, values, path, stream);
    }
    sarrus_packer_destroy(packer);
    if (plain.compressor != NULL)
        libdeflate_free_compressor(plain.compressor);
    free(plain.shuffled);
    free(scratch);
    free(packed);
    free(values);
    return ok;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    char path[] = "/tmp/sarrus_bench_XXXXXX";
    const int descriptor = mkstemp(path);
    if (descriptor < 0)
        return sarrus_report(context, SARRUS_IO, "no file can be made in /tmp: %s", strerror(errno));
    close(descriptor);
    bench_row rows[] = {{.name = "pack: noise stored, rest deflated"},
                        {.name = "pack: libdeflate level 1 on all"},
                        {.name = "file: HDF5's own filters, zlib level 1"},
                        {.name = "file: sink, 1 compression thread"},
                        {.name = "file: sink, 2 compression threads"}};
    sarrus_bench_stream stream;
    const bool is_measured = measure_all(rows, path, &stream);
    unlink(path);
    if (!is_measured)
        return SARRUS_NO_MEMORY;
    const bool *json = user;
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, *json ? NULL : stdout, *json ? stdout : NULL, "sink");
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); ++i) {
        show(&sheet, &rows[i]);
        *n_failures += !rows[i].right;
    }
    sarrus_sheet_table_end(&sheet);
    show_stream(&sheet, &stream);
    sarrus_sheet_end(&sheet);
    return SARRUS_OK;
}

int sarrus_bench_sink(int argc, char **argv) {
    bool json = false;
    const sarrus_bench_option known[] = {{"json", NULL, "machine-readable output", .flag = &json}};
    const int code = sarrus_bench_options_read(argc, argv, known, 1);
    return code >= 0 ? code : sarrus_bench_carry_out("sink", NULL, work, &json);
}
