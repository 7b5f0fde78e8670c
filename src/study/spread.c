#include "study/spread.h"

#include <math.h>
#include <stdlib.h>

/* Side by side, so that no comparison waits for the one before. */
enum { LANES = 8 };

sarrus_extremes sarrus_extremes_of(const double *x, uint64_t n) {
    if (n == 0)
        return (sarrus_extremes){(double)NAN, (double)NAN};
    double low[LANES], high[LANES];
    uint64_t i = 0;
    for (int k = 0; k < LANES; ++k)
        low[k] = high[k] = x[0];
    for (; i + LANES <= n; i += LANES) {
        for (int k = 0; k < LANES; ++k) {
            const double value = x[i + (uint64_t)k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    sarrus_extremes out = {x[0], x[0]};
    for (; i < n; ++i) {
        out.min = x[i] < out.min ? x[i] : out.min;
        out.max = x[i] > out.max ? x[i] : out.max;
    }
    for (int k = 0; k < LANES; ++k) {
        out.min = low[k] < out.min ? low[k] : out.min;
        out.max = high[k] > out.max ? high[k] : out.max;
    }
    return out;
}

/* Numbers that are alike have no spread, whatever the rounding of their sum. */
sarrus_spread sarrus_spread_with(const sarrus_moments *total, sarrus_extremes extremes) {
    const double nan = (double)NAN;
    sarrus_spread out = {.mean = nan, .sd = nan, .skewness = nan, .min = extremes.min, .max = extremes.max};
    if (total->n == 0.0)
        return out;
    out.mean = total->mean + total->mean_rest;
    if (extremes.min == extremes.max) {
        out.mean = extremes.min;
        out.sd = total->n > 1.0 ? 0.0 : nan;
        return out;
    }
    if (!isfinite(extremes.min) || !isfinite(extremes.max)) {
        out.mean = extremes.min + extremes.max;
        return out;
    }
    const double squares = total->squares > 0.0 || isnan(total->squares) ? total->squares : 0.0;
    out.sd = sqrt(squares / (total->n - 1.0));
    const double variance = squares / total->n;
    if (squares > 0.0)
        out.skewness = total->cubes / total->n / (variance * sqrt(variance));
    return out;
}

sarrus_spread sarrus_spread_of(const double *x, uint64_t n) {
    enum { LEAF = SARRUS_MOMENTS_LEAF };
    sarrus_moment_tree tree;
    uint64_t i = 0;
    sarrus_moment_tree_begin(&tree, 0);
    for (; i + LEAF <= n; i += LEAF) {
        const sarrus_moments leaf = sarrus_moments_of(x + i, LEAF);
        sarrus_moment_tree_node(&tree, 0, &leaf);
    }
    for (; i < n; ++i)
        sarrus_moment_tree_number(&tree, x[i]);
    const sarrus_moments total = sarrus_moment_tree_total(&tree);
    return sarrus_spread_with(&total, sarrus_extremes_of(x, n));
}

/* ---- quantiles ---- */

static int numbers_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void swap(double *a, double *b) {
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* The middle one of three goes to the middle place. */
static void median_place(double *low, double *middle, double *high) {
    if (*middle < *low)
        swap(middle, low);
    if (*high < *middle) {
        swap(high, middle);
        if (*middle < *low)
            swap(middle, low);
    }
}

/* The number of rank k among x[n], 0 ≤ k < n, which are reordered: Hoare's selection; where it does not halve its part often enough
 * the part is sorted. */
static double select_rank(double *x, uint64_t n, uint64_t k) {
    uint64_t low = 0, high = n - 1;
    for (int n_passes = 0; high > low + 16 && n_passes < 200; ++n_passes) {
        median_place(&x[low], &x[low + (high - low) / 2], &x[high]);
        const double pivot = x[low + (high - low) / 2];
        uint64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                ++i;
            while (pivot < x[j])
                --j;
            if (i > j)
                break;
            swap(&x[i], &x[j]);
            ++i;
            if (j == 0)
                break;
            --j;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return x[k];
    }
    qsort(x + low, high - low + 1, sizeof *x, numbers_compare);
    return x[k];
}

enum { MOST_BUCKETS = 2048, MOST_RANKS = 2 * SARRUS_SPREAD_LEVELS };

/* The numbers by equal intervals of their range. */
typedef struct buckets {
    double min, scale;
    uint64_t n;
    uint64_t count[MOST_BUCKETS];
    uint8_t slot[MOST_BUCKETS]; /* 0: nobody asks for its numbers; else 1 + which of those that somebody does */
} buckets;

/* Never falls when x rises, as each of its steps does not, so that ranks go with buckets. */
static uint64_t bucket_of(const buckets *all, double x) {
    const uint64_t i = (uint64_t)(int64_t)((x - all->min) * all->scale); /* signed: one instruction */
    return i < all->n ? i : all->n - 1;
}

/* A bucket that is asked for. */
typedef struct slot {
    uint64_t bucket, n_before; /* numbers of the buckets before it */
    double *numbers;
} slot;

/* Reads the numbers of asked ranks, ascending, out of their buckets, which alone are copied. */
static void ranks_find(const double *x, uint64_t n, buckets *all, const uint64_t *ranks, int n_ranks, double *scratch,
                       double *found) {
    slot slots[MOST_RANKS + 1];
    int n_slots = 0, slot_of[MOST_RANKS];
    uint64_t n_before = 0, i_bucket = 0;
    for (int i = 0; i < n_ranks; ++i) {
        while (n_before + all->count[i_bucket] <= ranks[i])
            n_before += all->count[i_bucket++];
        if (all->slot[i_bucket] == 0) {
            slots[++n_slots] = (slot){i_bucket, n_before, scratch};
            scratch += all->count[i_bucket];
            all->slot[i_bucket] = (uint8_t)n_slots;
        }
        slot_of[i] = n_slots;
    }
    double *place[MOST_RANKS + 1];
    for (int i = 1; i <= n_slots; ++i)
        place[i] = slots[i].numbers;
    for (uint64_t i = 0; i < n; ++i) {
        const uint8_t k = all->slot[bucket_of(all, x[i])];
        if (k != 0) /* seldom */
            *place[k]++ = x[i];
    }
    for (int i = 0; i < n_ranks; ++i) {
        const slot *from = &slots[slot_of[i]];
        found[i] = select_rank(from->numbers, all->count[from->bucket], ranks[i] - from->n_before);
    }
}

void sarrus_spread_ranks(const double *x, uint64_t n, const sarrus_spread *spread, const uint64_t *ranks, int n_ranks,
                         double *scratch, double *out) {
    buckets all = {.min = spread->min, .n = n / 4 < MOST_BUCKETS ? n / 4 : MOST_BUCKETS};
    all.scale = (double)all.n / (spread->max - spread->min);
    if (all.n < 16 || !isfinite(spread->max - spread->min) || !isfinite(all.scale)) {
        for (uint64_t i = 0; i < n; ++i)
            scratch[i] = x[i];
        for (int i = 0; i < n_ranks; ++i)
            out[i] = select_rank(scratch, n, ranks[i]);
        return;
    }
    for (uint64_t i = 0; i < n; ++i)
        ++all.count[bucket_of(&all, x[i])];
    ranks_find(x, n, &all, ranks, n_ranks, scratch, out);
}

static int ranks_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Where a rank stands among those that were asked for. */
static int rank_place(const uint64_t *ranks, uint64_t rank) {
    int i = 0;
    while (ranks[i] != rank)
        ++i;
    return i;
}

sarrus_quantile_place sarrus_quantile_place_of(uint64_t n, double level) {
    const double place = (double)(n - 1) * level;
    const uint64_t low = (uint64_t)place < n - 1 ? (uint64_t)place : n - 1;
    return (sarrus_quantile_place){low, low + 1 < n ? low + 1 : n - 1, place - (double)low};
}

double sarrus_quantile_between(const sarrus_quantile_place *place, double a, double b) {
    const double t = place->share, d = b - a;
    return a == b ? a : t < 0.5 ? a + d * t : b - d * (1.0 - t); /* both may be infinite */
}

void sarrus_spread_quantiles(const double *x, uint64_t n, const sarrus_spread *spread, const double *levels, int n_levels,
                             double *scratch, double *out) {
    uint64_t ranks[MOST_RANKS];
    double found[MOST_RANKS];
    if (n == 0 || spread->min == spread->max) {
        for (int i = 0; i < n_levels; ++i)
            out[i] = spread->min;
        return;
    }
    for (int i = 0; i < n_levels; ++i) {
        const sarrus_quantile_place place = sarrus_quantile_place_of(n, levels[i]);
        ranks[2 * i] = place.low;
        ranks[2 * i + 1] = place.high;
    }
    qsort(ranks, (size_t)(2 * n_levels), sizeof *ranks, ranks_compare);
    sarrus_spread_ranks(x, n, spread, ranks, 2 * n_levels, scratch, found);
    for (int i = 0; i < n_levels; ++i) {
        const sarrus_quantile_place place = sarrus_quantile_place_of(n, levels[i]);
        out[i] = sarrus_quantile_between(&place, found[rank_place(ranks, place.low)], found[rank_place(ranks, place.high)]);
    }
}
