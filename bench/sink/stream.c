#include "bench/sink/stream.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure/measure.h"
#include "sink/chunk.h"
#include "sink/layout.h"
#include "sink/result_file.h"

enum { N_REPEATS = 7 };

/* All chunks of all blocks, in the order in which they are written. */
typedef struct packed_chunks {
    sarrus_layout layout;
    uint64_t n_blocks, n_chunks;
    sarrus_compress_slot *chunks; /* [n_chunks] */
} packed_chunks;

static uint64_t block_times(const packed_chunks *all, uint64_t i_block) {
    const uint64_t n_left = all->layout.n_times - i_block * all->layout.block_times;
    return n_left < all->layout.block_times ? n_left : all->layout.block_times;
}

static bool pack_block(packed_chunks *all, uint64_t i_block, const double *values, sarrus_compress_slot *work) {
    double *data[] = {(double *)(uintptr_t)values + i_block * all->layout.block_times * all->layout.fields[0].width};
    const sarrus_layout_block block = {
        .layout = &all->layout, .data = data, .n_times_stride = all->layout.n_times, .n_times = block_times(all, i_block)};
    for (uint64_t j = 0; j < all->layout.n_jobs; ++j) {
        sarrus_layout_pack(&block, j, work);
        sarrus_compress_slot *chunk = &all->chunks[all->n_chunks++];
        *chunk = (sarrus_compress_slot){.n_packed = work->n_packed, .filter_mask = work->filter_mask};
        chunk->packed = malloc(work->n_packed);
        if (chunk->packed == NULL)
            return false;
        memcpy(chunk->packed, work->packed, work->n_packed);
    }
    return true;
}

static bool pack_all(packed_chunks *all, const double *values) {
    const size_t n_bytes = all->layout.chunk_bytes_max;
    sarrus_compress_slot work = {.staging = malloc(n_bytes), .packed = malloc(sarrus_packer_bound(n_bytes))};
    all->n_blocks = (all->layout.n_times + all->layout.block_times - 1) / all->layout.block_times;
    all->chunks = calloc(all->n_blocks * all->layout.n_jobs, sizeof *all->chunks);
    bool ok = work.staging != NULL && work.packed != NULL && all->chunks != NULL &&
              sarrus_packer_create(n_bytes, &work.packer) == SARRUS_OK;
    for (uint64_t b = 0; ok && b < all->n_blocks; ++b)
        ok = pack_block(all, b, values, &work);
    sarrus_packer_destroy(work.packer);
    free(work.packed);
    free(work.staging);
    return ok;
}

/* What the writer of a sink does, with chunks that are there. */
static bool write_result(const packed_chunks *all, const sarrus_sink_description *description, const char *path) {
    const sarrus_layout *layouts[] = {&all->layout};
    const sarrus_sink_outcome outcome = {.complete = true};
    sarrus_result_file file = {.n_groups = 1};
    bool ok = sarrus_result_file_create(&file, path, layouts, description) == SARRUS_OK;
    const sarrus_compress_slot *next = all->chunks;
    for (uint64_t b = 0; ok && b < all->n_blocks; ++b) {
        const uint64_t i_time = b * all->layout.block_times, n_times = i_time + block_times(all, b);
        ok = sarrus_result_file_reach(&file, 0, n_times) == SARRUS_OK;
        for (uint64_t j = 0; ok && j < all->layout.n_jobs; ++j) {
            const sarrus_result_chunk chunk = {.i_instance = j * all->layout.fields[0].chunk_instances, .i_time = i_time};
            ok = sarrus_result_file_put(&file, chunk, next++) == SARRUS_OK;
        }
        ok = ok && sarrus_result_file_commit(&file, 0, n_times, NULL) == SARRUS_OK;
    }
    ok = ok && sarrus_result_file_finish(&file, 0, all->layout.n_times, &outcome, true) == SARRUS_OK &&
         sarrus_result_file_complete(&file) == SARRUS_OK;
    ok = sarrus_result_file_close(&file, ok ? SARRUS_RESULT_NAMED : SARRUS_RESULT_REMOVED) == SARRUS_OK && ok;
    sarrus_result_place_free(&file.place);
    return ok;
}

static bool write_plain(const packed_chunks *all, const char *path) {
    const int descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    bool ok = descriptor >= 0;
    for (uint64_t i = 0; ok && i < all->n_chunks; ++i)
        ok = write(descriptor, all->chunks[i].packed, all->chunks[i].n_packed) == (ssize_t)all->chunks[i].n_packed;
    ok = ok && fsync(descriptor) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return ok;
}

static bool measure(const packed_chunks *all, const sarrus_sink_description *description, const char *path,
                    sarrus_bench_stream *out) {
    double wall[2][N_REPEATS], core[2][N_REPEATS], ratio[2][N_REPEATS];
    bool ok = true;
    for (int r = 0; ok && r < N_REPEATS; ++r) {
        for (int is_plain = 0; ok && is_plain < 2; ++is_plain) {
            const double since = sarrus_bench_now(), core_since = sarrus_bench_core_now();
            ok = is_plain ? write_plain(all, path) : write_result(all, description, path);
            core[is_plain][r] = sarrus_bench_core_now() - core_since;
            wall[is_plain][r] = sarrus_bench_now() - since;
            unlink(path);
        }
        ratio[0][r] = wall[1][r] / wall[0][r];
        ratio[1][r] = core[1][r] / core[0][r];
    }
    if (!ok)
        return false;
    out->streamed = sarrus_bench_median(wall[0], N_REPEATS);
    out->streamed_core = sarrus_bench_median(core[0], N_REPEATS);
    out->plain = sarrus_bench_median(wall[1], N_REPEATS);
    out->plain_core = sarrus_bench_median(core[1], N_REPEATS);
    out->streamed_ratio = sarrus_bench_median(ratio[0], N_REPEATS);
    out->core_ratio = sarrus_bench_median(ratio[1], N_REPEATS);
    return true;
}

bool sarrus_bench_stream_measure(const sarrus_sink_description *description, const double *values, const char *path,
                                 sarrus_bench_stream *out) {
    packed_chunks all = {.n_chunks = 0};
    *out = (sarrus_bench_stream){0};
    if (sarrus_layout_make(description, &all.layout) != SARRUS_OK)
        return false;
    bool ok = pack_all(&all, values);
    for (uint64_t i = 0; i < all.n_chunks; ++i)
        out->bytes += (double)all.chunks[i].n_packed;
    ok = ok && measure(&all, description, path, out);
    for (uint64_t i = 0; i < all.n_chunks; ++i)
        free(all.chunks[i].packed);
    free(all.chunks);
    sarrus_layout_clear(&all.layout);
    return ok;
}
