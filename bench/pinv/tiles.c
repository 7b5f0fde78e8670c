/* The methods alone: one thread, tiles that lie in cache as they do inside a simulation, no packing of matrices into lanes. The
 * copy that restores a destroyed tile is timed apart and taken off. */
#include "bench/pinv/pinv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa.h"
#include "bench/measure/measure.h"

enum { SIDE = 12, RANK = 11, N_TILES = 16, N_CALLS = 64 };

/* Singular values between 1/100 and 1, as in the rest of the benchmark. */
static const double matrix_condition = 100.0;

/* The arrays of one call, in one block. */
typedef struct tiles {
    double *block;
    double *source_a, *source_b; /* [N_TILES][SIDE][SIDE][width], [N_TILES][SIDE][width] */
    size_t n_a, n_b;             /* doubles of a tile */
    sarrus_pinv_call call;
} tiles;

static double *part(double *block, size_t *at, size_t n) {
    double *begin = block == NULL ? NULL : block + *at;
    *at += (n + 7) / 8 * 8;
    return begin;
}

/* Cuts `block` (NULL: only counts) and returns its length in doubles. */
static size_t tiles_cut(const sarrus_pinv_kernels *kernels, double *block, tiles *out) {
    const size_t width = (size_t)kernels->width;
    size_t at = 0;
    out->block = block;
    out->n_a = SIDE * SIDE * width;
    out->n_b = SIDE * width;
    out->source_a = part(block, &at, N_TILES * out->n_a);
    out->source_b = part(block, &at, N_TILES * out->n_b);
    out->call.a = part(block, &at, out->n_a);
    out->call.b = part(block, &at, out->n_b);
    out->call.x = part(block, &at, out->n_a);
    out->call.max_rank = part(block, &at, width);
    out->call.violation = part(block, &at, width);
    out->call.rank = part(block, &at, width);
    out->call.kept = part(block, &at, width);
    out->call.dropped = part(block, &at, width);
    out->call.n_sweeps = part(block, &at, width);
    out->call.work = part(block, &at, kernels->work(&out->call) * width);
    return at;
}

/* Lanes that are alike hold one matrix with rows and columns scaled by 1 ± 1e-4, which leaves its rank. */
static void tiles_fill(const sarrus_pinv_kernels *kernels, bool is_alike, tiles *at) {
    const int width = kernels->width;
    double a[SIDE * SIDE], *max_rank = at->block + (at->call.max_rank - at->block);
    for (int i = 0; i < N_TILES * width; ++i) {
        const int i_tile = i / width, lane = i % width;
        sarrus_bench_matrix_random(SIDE, SIDE, RANK, matrix_condition, 7000 + (uint64_t)(is_alike ? i_tile : i), a);
        for (int k = 0; k < SIDE * SIDE; ++k) {
            const uint64_t row = (uint64_t)(i * SIDE + k / SIDE), column = (uint64_t)(i * SIDE + k % SIDE);
            const double scale = (1.0 + 1e-4 * sarrus_bench_normal(9, row)) * (1.0 + 1e-4 * sarrus_bench_normal(10, column));
            at->source_a[(size_t)i_tile * at->n_a + (size_t)(k * width + lane)] = is_alike ? scale * a[k] : a[k];
        }
        for (int k = 0; k < SIDE; ++k)
            at->source_b[(size_t)i_tile * at->n_b + (size_t)(k * width + lane)] = sarrus_bench_normal(8, (uint64_t)(i * SIDE + k));
        max_rank[lane] = RANK;
    }
}

/* Seconds of N_CALLS rounds of copying, and of running when `kernels` is not NULL; sums the sweeps of the last round. */
static double round_time(const sarrus_pinv_kernels *kernels, tiles *at, double *n_sweeps) {
    const double start = sarrus_bench_now();
    for (int i = 0; i < N_CALLS; ++i) {
        memcpy(at->call.a, at->source_a + (size_t)(i % N_TILES) * at->n_a, at->n_a * sizeof(double));
        memcpy(at->call.b, at->source_b + (size_t)(i % N_TILES) * at->n_b, at->n_b * sizeof(double));
        __asm__ volatile("" : : "r"(at->call.a), "r"(at->call.b) : "memory");
        if (kernels != NULL) {
            kernels->run(&at->call);
            *n_sweeps += at->call.n_sweeps[0] / N_CALLS;
        }
    }
    return sarrus_bench_now() - start;
}

static sarrus_status measure(const sarrus_bench_pinv_report *report, sarrus_pinv_method method, sarrus_bench_form form,
                             bool is_alike, sarrus_bench_tile_rate *out) {
    const sarrus_pinv_kernels *kernels = sarrus_isa_find_pinv(report->isa->name);
    const bool is_explicit = form == SARRUS_BENCH_EXPLICIT;
    tiles at = {.call = {.method = (int32_t)method,
                         .m = SIDE,
                         .n = SIDE,
                         .n_rhs = is_explicit ? 0 : 1,
                         .is_explicit = is_explicit,
                         .rank_method = SARRUS_RANK_RELATIVE,
                         .rank_tolerance = sarrus_bench_speed_tolerance_of(method)}};
    const size_t n_doubles = tiles_cut(kernels, NULL, &at);
    double *block = aligned_alloc(64, n_doubles * sizeof *block), rates[SARRUS_BENCH_PINV_REPETITIONS];
    if (block == NULL)
        return SARRUS_NO_MEMORY;
    memset(block, 0, n_doubles * sizeof *block);
    (void)tiles_cut(kernels, block, &at);
    tiles_fill(kernels, is_alike, &at);
    double sweeps = 0.0;
    (void)round_time(kernels, &at, &sweeps); /* warm */
    for (int r = 0; r < SARRUS_BENCH_PINV_REPETITIONS; ++r) {
        double seconds = 0.0, n_rounds = 0.0;
        while (seconds < 0.2 * report->options->seconds || n_rounds == 0.0) {
            sweeps = 0.0;
            seconds += round_time(kernels, &at, &sweeps) - round_time(NULL, &at, &sweeps);
            n_rounds++;
        }
        rates[r] = n_rounds * N_CALLS * kernels->width / seconds;
    }
    out->rate = sarrus_bench_median(rates, SARRUS_BENCH_PINV_REPETITIONS);
    out->flops = kernels->flops(&at.call, RANK, sweeps);
    free(block);
    return SARRUS_OK;
}

sarrus_status sarrus_bench_pinv_tiles(sarrus_bench_pinv_report *report) {
    double peaks[SARRUS_BENCH_N_SHOWN];
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
        peaks[i] = sarrus_bench_fma_peak(report->isa, 1, 0.02);
        for (int k = 0; k < 2 * SARRUS_BENCH_N_FORMS && status == SARRUS_OK; ++k) {
            const int form = k / 2, is_alike = k % 2;
            if (sarrus_bench_methods[i] != SARRUS_PINV_LAPACK)
                status = measure(report, sarrus_bench_methods[i], (sarrus_bench_form)form, is_alike == 1,
                                 &report->tiles[i][form][is_alike]);
        }
    }
    report->tile_peak = sarrus_bench_median(peaks, SARRUS_BENCH_N_SHOWN);
    return status;
}
