/* Word layout of the generator, for an independent number: counter = { number (low 32 bits), number (high), hash of the label
 * (low), hash (high) }, key = { seed (low), seed (high) }, uniform from words 0 (low half) and 1 (high half) of the result.
 * Permutations of Latin hypercubes, scramblings of Sobol' sequences and trajectories have keys of their own, from the seed. */
#include "study/points.h"

#include <math.h>

#include "core/report.h"
#include "core/stop.h"
#include "model/grid.h"
#include "study/distribution.h"
#include "study/label_hash.h"
#include "study/permutation.h"
#include "study/philox.h"
#include "study/sobol.h"

/* One coordinate of the base points, which a design makes instances of. */
typedef struct coordinate {
    sarrus_sampling sampling;
    uint64_t seed, hash, n_base;
    bool is_scrambled;
    sarrus_sobol sobol;
    sarrus_permutation strata;     /* lhs */
    uint64_t n_levels, n_repeated; /* grid: of the coordinate, and points after which its level changes */
} coordinate;

double sarrus_point_random(uint64_t label_hash, uint64_t seed, uint64_t number) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)label_hash, (uint32_t)(label_hash >> 32)};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, key, words);
    return sarrus_uniform_from_bits((uint64_t)words[1] << 32 | words[0]);
}

/* The key of everything else; words 2 and 3 of the counter, "sampling", keep it apart from the numbers above. */
static void key_make(uint64_t seed, uint32_t use, uint32_t key[2]) {
    const uint32_t own[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)}, counter[4] = {use, 0, 0x73616d70u, 0x6c696e67u};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, own, words);
    key[0] = words[0];
    key[1] = words[1];
}

/* Rows of the design that one base point gives, base points, and their coordinates. */
static uint64_t rows_of(const sarrus_points *points) {
    return points->is_plain ? 1 : sarrus_model_study_size(points->model, 1);
}
static int n_coordinates(const sarrus_points *points) {
    const int n = points->model->batch.n_sampled;
    return !points->is_plain && points->model->batch.design == SARRUS_DESIGN_SALTELLI ? 2 * n : n;
}

static uint64_t levels_of(const sarrus_points *points, int i_sampled) {
    const int *levels = points->model->batch.levels;
    return levels != NULL ? (uint64_t)levels[i_sampled] : sarrus_grid_levels(points->n_study, points->model->batch.n_sampled);
}

/* Points of the grid, or of the largest of equal levels that has no more than the study. */
static uint64_t grid_points(const sarrus_points *points) {
    uint64_t n = 1;
    for (int i = 0; i < points->model->batch.n_sampled; ++i)
        if (__builtin_mul_overflow(n, levels_of(points, i), &n))
            return UINT64_MAX;
    return n;
}

static sarrus_status grid_check(sarrus_context *context, const sarrus_points *points) {
    const unsigned long long n = points->n_study, n_grid = grid_points(points);
    const int d = points->model->batch.n_sampled;
    if (n == n_grid)
        return SARRUS_OK;
    if (points->model->batch.levels != NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a grid of %llu points for %llu instances; expected as many", n_grid, n);
    const unsigned long long k = sarrus_grid_levels(n, d);
    return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                         "%llu instances are no grid of %d parameters; expected a number k^%d, as %llu = %llu^%d or %llu = %llu^%d",
                         n, d, d, n_grid, k, d, (unsigned long long)sarrus_grid_points(k + 1, d), k + 1, d);
}

/* As scenarios may ask for. */
static const uint64_t most_instances = UINT64_C(1) << 40;

sarrus_status sarrus_points_check(sarrus_context *context, const sarrus_points *points) {
    const sarrus_model *model = points->model;
    if (points->is_plain || model->batch.n_sampled == 0)
        return SARRUS_OK;
    if (points->n_study > most_instances)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%llu instances; expected at most %llu",
                             (unsigned long long)points->n_study, (unsigned long long)most_instances);
    if (points->n_study % rows_of(points) != 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "%llu instances in a design of %llu a point; expected a multiple of that",
                             (unsigned long long)points->n_study, (unsigned long long)rows_of(points));
    if (model->batch.sampling == SARRUS_SAMPLING_SOBOL && n_coordinates(points) > SARRUS_SOBOL_DIMENSIONS)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%d coordinates of a Sobol' sequence; expected at most %d",
                             n_coordinates(points), (int)SARRUS_SOBOL_DIMENSIONS);
    return model->batch.sampling == SARRUS_SAMPLING_GRID ? grid_check(context, points) : SARRUS_OK;
}

/* Coordinate i < n_coordinates: those from n_sampled on are the second of each parameter in a Saltelli design. */
static void coordinate_make(const sarrus_points *points, int i, coordinate *out) {
    const sarrus_model *model = points->model;
    const int n_sampled = model->batch.n_sampled;
    uint32_t key[2];
    *out = (coordinate){.sampling = points->is_plain ? SARRUS_SAMPLING_RANDOM : model->batch.sampling,
                        .seed = points->seed,
                        .hash = sarrus_label_hash(model->batch.sampled[i % n_sampled].label),
                        .n_base = points->n_study / rows_of(points),
                        .is_scrambled = model->batch.is_scrambled};
    if (i >= n_sampled) /* one byte more, which no label has */
        out->hash = (out->hash ^ 1u) * UINT64_C(0x100000001b3);
    key_make(points->seed, (uint32_t)out->sampling, key);
    switch (out->sampling) {
    case SARRUS_SAMPLING_RANDOM:
        break;
    case SARRUS_SAMPLING_LHS:
        sarrus_permutation_make(key, out->hash, out->n_base, &out->strata);
        break;
    case SARRUS_SAMPLING_SOBOL:
        sarrus_sobol_make(i, &out->sobol);
        if (out->is_scrambled)
            sarrus_sobol_scramble(&out->sobol, key, i);
        break;
    case SARRUS_SAMPLING_GRID:
        out->n_levels = levels_of(points, i);
        out->n_repeated = 1;
        for (int k = i + 1; k < n_sampled; ++k)
            out->n_repeated *= levels_of(points, k);
        break;
    }
}

/* Somewhere in a stratum of its own: the last rounding may step out of it. */
static double stratum_point(const coordinate *c, uint64_t i) {
    const double n = (double)c->n_base, stratum = (double)sarrus_permutation_at(&c->strata, i);
    const double u = (stratum + sarrus_point_random(c->hash, c->seed, i)) / n;
    return fmin(fmax(u, nextafter(stratum / n, 1.0)), nextafter((stratum + 1.0) / n, 0.0));
}

static double coordinate_at(const coordinate *c, uint64_t i) {
    switch (c->sampling) {
    case SARRUS_SAMPLING_RANDOM:
        break;
    case SARRUS_SAMPLING_LHS:
        return stratum_point(c, i);
    case SARRUS_SAMPLING_SOBOL:
        /* As it is, the sequence begins at 0, exactly as elsewhere; scrambled, points are the midpoints of cells, never 0 or 1. */
        return c->is_scrambled ? (double)(2 * sarrus_sobol_bits(&c->sobol, i) + 1) * 0x1p-53
                               : (double)sarrus_sobol_bits(&c->sobol, i) * 0x1p-52;
    case SARRUS_SAMPLING_GRID:
        return ((double)(i / c->n_repeated % c->n_levels) + 0.5) / (double)c->n_levels;
    }
    return sarrus_point_random(c->hash, c->seed, i);
}

/* Rows of one base point, of its coordinates A and B of every parameter: A, A with one coordinate of B for each parameter, for
 * second order B with one of A, and B. */
static bool is_from_b(const sarrus_model *model, int i_sampled, uint64_t row) {
    const uint64_t n = (uint64_t)model->batch.n_sampled, own = (uint64_t)i_sampled + 1;
    if (row <= n)
        return row == own;
    return row != n + own || !model->batch.has_second_order;
}

static uint64_t order_key(const uint32_t words[4]) {
    return (uint64_t)words[1] << 32 | words[0];
}

/* A trajectory on levels 0 … p − 1 of which each parameter takes its step of p/2, up or down, in a place of a random order. */
static double trajectory_point(const sarrus_points *points, const uint32_t key[2], int i_sampled, uint64_t number) {
    const sarrus_model *model = points->model;
    const uint64_t n_rows = (uint64_t)model->batch.n_sampled + 1, trajectory = number / n_rows, row = number % n_rows;
    const uint32_t p = (uint32_t)model->batch.n_levels;
    uint32_t own[4], other[4];
    uint64_t place = 0;
    for (int pass = 0; pass <= model->batch.n_sampled; ++pass) {
        const int i = pass == 0 ? i_sampled : pass - 1; /* its own words come first */
        const uint64_t hash = sarrus_label_hash(model->batch.sampled[i].label);
        const uint32_t counter[4] = {(uint32_t)trajectory, (uint32_t)(trajectory >> 32), (uint32_t)hash, (uint32_t)(hash >> 32)};
        sarrus_philox4x32_run(counter, key, pass == 0 ? own : other);
        if (pass > 0 && i != i_sampled)
            place += order_key(other) < order_key(own) || (order_key(other) == order_key(own) && i < i_sampled);
    }
    const uint32_t low = (uint32_t)((uint64_t)own[2] * (p / 2) >> 32);
    const bool is_up = (own[3] & 1u) != 0, is_stepped = row > place;
    return (double)(low + (is_up == is_stepped ? p / 2 : 0)) / (double)(p - 1);
}

void sarrus_points_fill(const sarrus_points *points, int i_sampled, uint64_t i_first, uint64_t n, const volatile int32_t *stop,
                        double *units) {
    const sarrus_model *model = points->model;
    const sarrus_design design = points->is_plain ? SARRUS_DESIGN_PLAIN : model->batch.design;
    const uint64_t n_rows = rows_of(points);
    coordinate a, b;
    uint32_t key[2];
    key_make(points->seed, 0x6d6f7272u, key); /* "morr" */
    coordinate_make(points, i_sampled, &a);
    coordinate_make(points, design == SARRUS_DESIGN_SALTELLI ? model->batch.n_sampled + i_sampled : i_sampled, &b);
    for (uint64_t k = 0; k < n && !sarrus_stop_is_asked(stop); ++k) {
        const uint64_t i = i_first + k;
        if (design == SARRUS_DESIGN_MORRIS)
            units[k] = trajectory_point(points, key, i_sampled, i);
        else
            units[k] =
                coordinate_at(design == SARRUS_DESIGN_SALTELLI && is_from_b(model, i_sampled, i % n_rows) ? &b : &a, i / n_rows);
    }
}
