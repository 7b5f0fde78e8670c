#include "study/sketch.h"

#include <math.h>
#include <string.h>

static const int64_t HALF = INT64_C(1) << 32;
enum { DEPTH = 12, MANTISSA = 52, BIAS = 1023, LOWEST = -960 };

/* Steps of doubles from 0 to a magnitude. */
static uint64_t steps_of(double magnitude) {
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return bits & (UINT64_MAX >> 1);
}

/* The interval of a magnitude, from 0 on. */
static int64_t magnitude_bin(const sarrus_sketch_grid *grid, double magnitude) {
    const uint64_t steps = steps_of(magnitude);
    if ((int)(steps >> MANTISSA) < grid->floor + BIAS)
        return (int64_t)ldexp(magnitude, grid->bits - grid->floor);
    return (int64_t)(steps >> (MANTISSA - grid->bits)) - ((int64_t)(grid->floor + BIAS - 1) << grid->bits);
}

static double bin_begin(const sarrus_sketch_grid *grid, int64_t bin) {
    const int64_t n = INT64_C(1) << grid->bits;
    if (bin < n)
        return ldexp((double)bin, grid->floor - grid->bits);
    return ldexp((double)(n + bin % n), grid->floor + (int)(bin / n) - 1 - grid->bits);
}

/* Intervals of numbers below 0 come before those of the others: −1, −2, … */
static int64_t bin_of(const sarrus_sketch_grid *grid, double x) {
    return x < 0.0 ? -1 - magnitude_bin(grid, -x) : magnitude_bin(grid, x);
}

static void bin_ends(const sarrus_sketch_grid *grid, int64_t bin, double *low, double *high) {
    *low = bin < 0 ? -bin_begin(grid, -bin) : bin_begin(grid, bin);
    *high = bin < 0 ? -bin_begin(grid, -1 - bin) : bin_begin(grid, bin + 1);
}

sarrus_sketch_grid sarrus_sketch_grid_of(sarrus_extremes extremes) {
    const double low = extremes.min, high = extremes.max, largest = fmax(fabs(low), fabs(high));
    if (!isfinite(low) || !isfinite(high))
        return (sarrus_sketch_grid){.is_none = true};
    const int exponent = (int)(steps_of(largest) >> MANTISSA) - BIAS, floor_of = exponent - DEPTH;
    sarrus_sketch_grid grid = {.floor = floor_of > LOWEST ? floor_of : LOWEST, .bits = MANTISSA};
    const uint64_t octave = UINT64_C(1) << MANTISSA, a = steps_of(low), b = steps_of(high), most = (DEPTH + 2) * octave;
    const bool is_over = low < 0.0 && high > 0.0;
    uint64_t distance = is_over ? 2 * most : a > b ? a - b : b - a;
    distance = !is_over && distance > most ? most : distance;
    while (grid.bits > 0 && (distance >> (MANTISSA - grid.bits)) + 2 > SARRUS_SKETCH_BINS)
        --grid.bits;
    grid.first = bin_of(&grid, low);
    return grid;
}

void sarrus_sketch_count(const sarrus_sketch_grid *grid, const double *x, uint64_t n, double *counts) {
    const double scale = ldexp(1.0, grid->bits - grid->floor);
    const int64_t above = (int64_t)(grid->floor + BIAS - 1) << grid->bits, first = grid->first;
    const uint64_t least = (uint64_t)(grid->floor + BIAS) << MANTISSA;
    const int shift = MANTISSA - grid->bits;
    for (uint64_t i = 0; i < n; ++i) {
        const double magnitude = fabs(x[i]);
        const uint64_t steps = steps_of(magnitude);
        const int64_t bin = steps < least ? (int64_t)(magnitude * scale) : (int64_t)(steps >> shift) - above;
        counts[(x[i] < 0.0 ? -1 - bin : bin) - first] += 1.0;
    }
}

void sarrus_sketch_put(const sarrus_sketch_grid *grid, const double *x, uint64_t n, double *out) {
    out[0] = grid->is_none ? (double)NAN : (double)grid->floor;
    out[1] = (double)grid->bits;
    /* of 57 bits, which a double has not */
    out[2] = (double)(grid->first / HALF);
    out[3] = (double)(grid->first % HALF);
    memset(out + SARRUS_SKETCH_HEAD, 0, SARRUS_SKETCH_BINS * sizeof *out);
    if (!grid->is_none)
        sarrus_sketch_count(grid, x, n, out + SARRUS_SKETCH_HEAD);
}

void sarrus_sketch_add(const sarrus_sketch_grid *grid, const double *numbers, double *counts) {
    if (isnan(numbers[0]) || grid->is_none)
        return;
    const sarrus_sketch_grid own = {
        .floor = (int)numbers[0], .bits = (int)numbers[1], .first = (int64_t)numbers[2] * HALF + (int64_t)numbers[3]};
    for (int64_t i = 0; i < SARRUS_SKETCH_BINS; ++i) {
        const double count = numbers[SARRUS_SKETCH_HEAD + i];
        if (count == 0.0)
            continue;
        /* the end that is nearer to 0 belongs to an interval */
        const int64_t bin = own.first + i, magnitude = bin < 0 ? -1 - bin : bin;
        const int64_t to = magnitude_bin(grid, bin_begin(&own, magnitude)), place = (bin < 0 ? -1 - to : to) - grid->first;
        if (place >= 0 && place < SARRUS_SKETCH_BINS)
            counts[place] += count;
    }
}

/* The number of a rank, and between which two it is. */
typedef struct ranked {
    double low, value, high;
} ranked;

static double within(double x, sarrus_extremes extremes) {
    return x < extremes.min ? extremes.min : x > extremes.max ? extremes.max : x;
}

static ranked rank_find(const sarrus_sketch_grid *grid, const double *counts, sarrus_extremes extremes, double rank, double n) {
    if (rank <= 0.0)
        return (ranked){extremes.min, extremes.min, extremes.min};
    if (rank >= n - 1.0)
        return (ranked){extremes.max, extremes.max, extremes.max};
    double before = 0.0;
    int i = 0;
    while (before + counts[i] <= rank)
        before += counts[i++];
    ranked found;
    bin_ends(grid, grid->first + i, &found.low, &found.high);
    found.low = within(found.low, extremes);
    found.high = within(found.high, extremes);
    found.value = found.low + (found.high - found.low) * ((rank - before + 0.5) / counts[i]);
    return found;
}

static double between(double a, double b, double t) {
    return a + (b - a) * t;
}

void sarrus_sketch_quantiles(const sarrus_sketch_grid *grid, const double *counts, sarrus_extremes extremes,
                             sarrus_sketch_levels levels, double *out, double *errors) {
    double n = 0.0;
    for (int i = 0; i < SARRUS_SKETCH_BINS && !grid->is_none; ++i)
        n += counts[i];
    for (int i = 0; i < levels.n; ++i) {
        out[i] = errors[i] = (double)NAN;
        if (n == 0.0)
            continue;
        const double place = (n - 1.0) * levels.values[i], rank = floor(place), t = place - rank;
        const ranked a = rank_find(grid, counts, extremes, rank, n), b = rank_find(grid, counts, extremes, rank + 1.0, n);
        out[i] = between(a.value, b.value, t);
        errors[i] = fmax(out[i] - between(a.low, b.low, t), between(a.high, b.high, t) - out[i]);
    }
}
