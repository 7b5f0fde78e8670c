#include "study/sobol_indices.h"

#include <math.h>
#include <string.h>

#include "study/resample.h"

/* Blocks whose rows a thread turns into columns and sums at a time: their columns stay in its caches, and the error of a sum over
 * n blocks is that of n / TILE additions. */
enum { TILE = 64 };

int sarrus_sobol_rows(int n_parameters, bool has_second_order) {
    return (has_second_order ? 2 : 1) * n_parameters + 2;
}

/* The columns of a tile, the weights, and one product of both. */
uint64_t sarrus_sobol_tile(int n_parameters, bool has_second_order) {
    return (uint64_t)(sarrus_sobol_rows(n_parameters, has_second_order) + 2) * TILE;
}

/* Sums of A + B, of A² + B², of A B; of the first and total indices; of pairs. */
enum { OF_SUM, OF_SQUARES, OF_PRODUCT, N_OF_BLOCK };

static uint64_t n_pairs(int n_parameters, bool has_second_order) {
    return has_second_order ? (uint64_t)n_parameters * (uint64_t)(n_parameters - 1) / 2 : 0;
}

uint64_t sarrus_sobol_estimates(int n_parameters, bool has_second_order) {
    return N_OF_BLOCK + 2 * (uint64_t)n_parameters + n_pairs(n_parameters, has_second_order);
}

/* Where the numbers come from that are summed, which is the same for all resamples: the mean of all rows, and what makes squares
 * neither overflow nor vanish. */
typedef struct scaling {
    double mean, scale;
} scaling;

static scaling scaling_of(const sarrus_sobol_blocks *blocks) {
    const uint64_t n = blocks->n_blocks * (uint64_t)sarrus_sobol_rows(blocks->n_parameters, blocks->has_second_order);
    double mean = 0, largest = 0;
    for (uint64_t i = 0; i < n; ++i)
        mean += (blocks->y[i] - mean) / (double)(i + 1);
    for (uint64_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(blocks->y[i] - mean));
    return (scaling){mean, largest > 0 && isfinite(largest) ? 1.0 / largest : (double)NAN};
}

/* What the threads share. */
typedef struct finding {
    const sarrus_sobol_blocks *blocks;
    scaling how;
} finding;

static void tile_fill(const finding *job, uint64_t i_first, int n, double *columns) {
    const int n_rows = sarrus_sobol_rows(job->blocks->n_parameters, job->blocks->has_second_order);
    const double *y = job->blocks->y + i_first * (uint64_t)n_rows;
    memset(columns, 0, (size_t)n_rows * TILE * sizeof *columns);
    for (int i = 0; i < n; ++i)
        for (int row = 0; row < n_rows; ++row)
            columns[row * TILE + i] = (y[i * n_rows + row] - job->how.mean) * job->how.scale;
}

static double product_sum(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < TILE; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* Adds a tile of weighted blocks to the sums of one resample. */
static void tile_add(const sarrus_sobol_blocks *blocks, const double *columns, const double *w, double *product, double *sums) {
    const int d = blocks->n_parameters, n_rows = sarrus_sobol_rows(d, blocks->has_second_order);
    const double *a = columns, *b = columns + (n_rows - 1) * TILE;
    for (int i = 0; i < TILE; ++i) {
        sums[OF_SUM] += w[i] * (a[i] + b[i]);
        sums[OF_SQUARES] += w[i] * (a[i] * a[i] + b[i] * b[i]);
        sums[OF_PRODUCT] += w[i] * a[i] * b[i];
    }
    for (int j = 0; j < d; ++j) {
        const double *ab = columns + (1 + j) * TILE;
        double first = 0, total = 0;
        for (int i = 0; i < TILE; ++i) {
            const double change = ab[i] - a[i];
            first += w[i] * b[i] * change;
            total += w[i] * change * change;
        }
        sums[N_OF_BLOCK + j] += first;
        sums[N_OF_BLOCK + d + j] += total;
    }
    double *pair = sums + N_OF_BLOCK + 2 * d;
    for (int j = 0; blocks->has_second_order && j < d; ++j) {
        const double *ba = columns + (1 + d + j) * TILE;
        for (int i = 0; i < TILE; ++i)
            product[i] = w[i] * ba[i];
        for (int k = j + 1; k < d; ++k)
            *pair++ += product_sum(product, columns + (1 + k) * TILE);
    }
}

/* The indices of one resample from its sums, in their place. */
static void indices_make(const sarrus_sobol_blocks *blocks, double *sums) {
    const int d = blocks->n_parameters;
    const double n = (double)blocks->n_blocks, mean = sums[OF_SUM] / (2 * n);
    const double variance = sums[OF_SQUARES] / (2 * n) - mean * mean;
    /* Below this it is the round-off of a resample whose rows A and B are all alike: there is nothing to share. */
    const double share = variance > 1e-12 * sums[OF_SQUARES] / (2 * n) ? 1.0 / (n * variance) : (double)NAN;
    double *first = sums + N_OF_BLOCK, *total = first + d, *pair = total + d;
    for (int j = 0; j < d; ++j) {
        first[j] *= share;
        total[j] *= 0.5 * share;
    }
    for (int j = 0; blocks->has_second_order && j < d; ++j)
        for (int k = j + 1; k < d; ++k, ++pair)
            *pair = (*pair - sums[OF_PRODUCT]) * share - first[j] - first[k];
}

/* Resample −1 is the sample itself. */
static void resample_take(const finding *job, int i_resample, uint32_t *weights, double *tile) {
    const sarrus_sobol_blocks *blocks = job->blocks;
    const int d = blocks->n_parameters, n_rows = sarrus_sobol_rows(d, blocks->has_second_order);
    const uint64_t n_estimates = sarrus_sobol_estimates(d, blocks->has_second_order);
    double *sums = blocks->estimates + (uint64_t)(i_resample + 1) * n_estimates;
    double *columns = tile, *w = tile + n_rows * TILE;
    memset(sums, 0, (size_t)n_estimates * sizeof *sums);
    if (i_resample >= 0)
        sarrus_resample(blocks->seed, i_resample, blocks->n_blocks, weights);
    for (uint64_t i = 0; i < blocks->n_blocks; i += TILE) {
        const uint64_t n_left = blocks->n_blocks - i;
        const int n = n_left < TILE ? (int)n_left : TILE;
        tile_fill(job, i, n, columns);
        for (int k = 0; k < TILE; ++k)
            w[k] = k >= n ? 0.0 : i_resample < 0 ? 1.0 : (double)weights[i + (uint64_t)k];
        tile_add(blocks, columns, w, w + TILE, sums);
    }
    indices_make(blocks, sums);
}

static void resamples_take(void *user, int i_member, int n_members) {
    const finding *job = user;
    const sarrus_crew_share share = sarrus_crew_share_of(1 + SARRUS_RESAMPLES, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i)
        resample_take(job, (int)i - 1, job->blocks->weights[i_member], job->blocks->tiles[i_member]);
}

/* Estimate i of the sample, and its interval; a single block is always drawn as it is. */
static void estimate_put(const sarrus_sobol_blocks *blocks, uint64_t i, double *out, double *confidence) {
    const uint64_t n = sarrus_sobol_estimates(blocks->n_parameters, blocks->has_second_order);
    *out = blocks->estimates[i];
    *confidence = blocks->n_blocks > 1 ? sarrus_resample_half_width(blocks->estimates + n + i, n) : (double)NAN;
}

void sarrus_sobol_indices_find(const sarrus_sobol_blocks *blocks, const sarrus_sobol_indices *out) {
    const uint64_t d = (uint64_t)blocks->n_parameters;
    finding job = {blocks, scaling_of(blocks)};
    sarrus_crew_run(blocks->crew, blocks->n_members, resamples_take, &job);
    for (uint64_t j = 0; j < d; ++j) {
        estimate_put(blocks, N_OF_BLOCK + j, &out->first[j], &out->first_confidence[j]);
        estimate_put(blocks, N_OF_BLOCK + d + j, &out->total[j], &out->total_confidence[j]);
    }
    uint64_t i_pair = N_OF_BLOCK + 2 * d;
    for (uint64_t j = 0; blocks->has_second_order && j < d; ++j)
        for (uint64_t k = 0; k < d; ++k) {
            out->second[j * d + k] = out->second_confidence[j * d + k] = (double)NAN;
            if (k > j)
                estimate_put(blocks, i_pair++, &out->second[j * d + k], &out->second_confidence[j * d + k]);
        }
}
