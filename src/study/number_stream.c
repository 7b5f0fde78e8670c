#include "study/number_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a number that are looked at first, and then each time; ranks that are asked for at once. */
enum { FIRST_BITS = 16, MORE_BITS = 12, ALL_BITS = 64, MOST_RANKS = 2 * SARRUS_SPREAD_LEVELS, BLOCK = SARRUS_STREAM_BLOCK };

bool sarrus_stream_room_make(sarrus_stream_room *room, uint64_t n_instances) {
    const size_t n = n_instances < BLOCK ? (size_t)n_instances : BLOCK;
    *room = (sarrus_stream_room){
        .x = calloc(n + 1, sizeof *room->x), .y = calloc(n + 1, sizeof *room->y), .status = calloc(n + 1, sizeof *room->status)};
    if (n_instances > BLOCK)
        room->counts = calloc((size_t)MOST_RANKS << MORE_BITS, sizeof *room->counts);
    return room->x != NULL && room->y != NULL && room->status != NULL && (n_instances <= BLOCK || room->counts != NULL);
}

void sarrus_stream_room_free(sarrus_stream_room *room) {
    free(room->x);
    free(room->y);
    free(room->status);
    free(room->counts);
    *room = (sarrus_stream_room){0};
}

static uint64_t block_size(const sarrus_number_stream *stream, uint64_t i_first) {
    const uint64_t n_left = stream->n_instances - i_first;
    return n_left < BLOCK ? n_left : BLOCK;
}

uint64_t sarrus_stream_block(const sarrus_number_stream *stream, int i_column, bool is_good, uint64_t i_first,
                             sarrus_stream_room *room) {
    const uint64_t n = block_size(stream, i_first);
    uint64_t n_kept = 0;
    stream->read(stream->user, i_column, i_first, n, room->x, room->status);
    for (uint64_t i = 0; i < n; ++i) {
        const double value = room->x[i];
        room->x[n_kept] = value;
        n_kept += (room->status[i] == 0) == is_good && value == value ? 1 : 0;
    }
    return n_kept;
}

static void extremes_widen(sarrus_extremes *all, const double *x, uint64_t n) {
    const sarrus_extremes own = sarrus_extremes_of(x, n);
    all->min = fmin(all->min, own.min);
    all->max = fmax(all->max, own.max);
}

void sarrus_stream_spreads(const sarrus_number_stream *stream, int i_column, sarrus_stream_room *room,
                           sarrus_streamed_spread out[2]) {
    sarrus_moment_tree tree[2];
    sarrus_extremes extremes[2];
    for (int k = 0; k < 2; ++k) {
        sarrus_moment_tree_begin(&tree[k], 0);
        extremes[k] = (sarrus_extremes){(double)NAN, (double)NAN};
        out[k].n = 0;
    }
    for (uint64_t i = 0; i < stream->n_instances; i += BLOCK) {
        const uint64_t n = block_size(stream, i);
        stream->read(stream->user, i_column, i, n, room->x, room->status);
        for (uint64_t k = 0; k < n; ++k) {
            const bool is_good = room->status[k] == 0;
            room->y[k] = is_good ? (double)NAN : room->x[k];
            room->x[k] = is_good ? room->x[k] : (double)NAN;
        }
        for (int k = 0; k < 2; ++k) {
            double *x = k == 0 ? room->x : room->y;
            const uint64_t n_numbers = sarrus_moment_tree_column(&tree[k], x, n);
            extremes_widen(&extremes[k], x, n_numbers);
            out[k].n += n_numbers;
        }
    }
    for (int k = 0; k < 2; ++k) {
        const sarrus_moments total = sarrus_moment_tree_total(&tree[k]);
        out[k].spread = sarrus_spread_with(&total, extremes[k]);
    }
}

/* ---- ranks ---- */

/* Rises with x; the bits of −0 come before those of 0. */
static uint64_t key_of(double x) {
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return bits >> (ALL_BITS - 1) != 0 ? ~bits : bits | UINT64_C(1) << (ALL_BITS - 1);
}

static double number_of(uint64_t key) {
    const uint64_t bits = key >> (ALL_BITS - 1) != 0 ? key & ~(UINT64_C(1) << (ALL_BITS - 1)) : ~key;
    double x = 0.0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Numbers whose keys begin alike, among which there are asked ranks. */
typedef struct interval {
    uint64_t begin;       /* the first `n_bits` bits of the keys */
    uint64_t n, n_before; /* numbers in it, and below */
} interval;

typedef struct search {
    const sarrus_number_stream *stream;
    int i_column;
    sarrus_stream_room *room;
    const uint64_t *ranks;
    int n_ranks, n_bits, n_intervals;
    interval intervals[MOST_RANKS]; /* ascending */
    int of_rank[MOST_RANKS];
} search;

/* −1: in none. */
static int interval_of(const search *work, uint64_t key) {
    const uint64_t begin = work->n_bits > 0 ? key >> (ALL_BITS - work->n_bits) : 0;
    int low = 0, high = work->n_intervals;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (work->intervals[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->n_intervals && work->intervals[low].begin == begin ? low : -1;
}

static uint64_t numbers_left(const search *work) {
    uint64_t n = 0;
    for (int i = 0; i < work->n_intervals; ++i)
        n += work->intervals[i].n;
    return n;
}

/* Counts the numbers of the intervals by more of their bits, and keeps of these shorter intervals those with asked ranks. */
static void intervals_cut(search *work) {
    const int more = work->n_bits == 0 ? FIRST_BITS : MORE_BITS, n_bits = work->n_bits + more;
    const uint64_t n_each = UINT64_C(1) << more;
    uint64_t *counts = work->room->counts;
    memset(counts, 0, (size_t)work->n_intervals * n_each * sizeof *counts);
    for (uint64_t i = 0; i < work->stream->n_instances; i += BLOCK) {
        const uint64_t n = sarrus_stream_block(work->stream, work->i_column, true, i, work->room);
        for (uint64_t k = 0; k < n; ++k) {
            const uint64_t key = key_of(work->room->x[k]);
            const int own = interval_of(work, key);
            if (own >= 0)
                ++counts[(uint64_t)own * n_each + (key >> (ALL_BITS - n_bits)) % n_each];
        }
    }
    interval cut[MOST_RANKS];
    int n_cut = 0;
    for (int i = 0; i < work->n_ranks; ++i) {
        const int of = work->of_rank[i];
        const uint64_t *own = counts + (uint64_t)of * n_each;
        interval next = {work->intervals[of].begin << more, own[0], work->intervals[of].n_before};
        for (uint64_t k = 0; next.n_before + next.n <= work->ranks[i]; next.n = own[++k]) {
            next.n_before += next.n;
            ++next.begin;
        }
        if (n_cut == 0 || cut[n_cut - 1].begin != next.begin)
            cut[n_cut++] = next;
        work->of_rank[i] = n_cut - 1;
    }
    memcpy(work->intervals, cut, (size_t)n_cut * sizeof *cut);
    work->n_intervals = n_cut;
    work->n_bits = n_bits;
}

static int numbers_compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Takes the numbers that are left, at most a block, and puts them in order. */
static void numbers_take(search *work, double *out) {
    double *place[MOST_RANKS], *begin[MOST_RANKS], *free_place = work->room->y;
    for (int i = 0; i < work->n_intervals; ++i) {
        place[i] = begin[i] = free_place;
        free_place += work->intervals[i].n;
    }
    for (uint64_t i = 0; i < work->stream->n_instances; i += BLOCK) {
        const uint64_t n = sarrus_stream_block(work->stream, work->i_column, true, i, work->room);
        for (uint64_t k = 0; k < n; ++k) {
            const int own = interval_of(work, key_of(work->room->x[k]));
            if (own >= 0)
                *place[own]++ = work->room->x[k];
        }
    }
    for (int i = 0; i < work->n_intervals; ++i)
        qsort(begin[i], (size_t)work->intervals[i].n, sizeof(double), numbers_compare);
    for (int i = 0; i < work->n_ranks; ++i)
        out[i] = begin[work->of_rank[i]][work->ranks[i] - work->intervals[work->of_rank[i]].n_before];
}

void sarrus_stream_ranks(const sarrus_number_stream *stream, int i_column, const sarrus_streamed_spread *of, const uint64_t *ranks,
                         int n_ranks, sarrus_stream_room *room, double *out) {
    if (stream->n_instances <= BLOCK) {
        const uint64_t n = sarrus_stream_block(stream, i_column, true, 0, room);
        sarrus_spread_ranks(room->x, n, &of->spread, ranks, n_ranks, room->y, out);
        return;
    }
    search work = {.stream = stream, .i_column = i_column, .room = room, .ranks = ranks, .n_ranks = n_ranks, .n_intervals = 1};
    work.intervals[0] = (interval){.n = of->n};
    while (work.n_bits < ALL_BITS && numbers_left(&work) > BLOCK)
        intervals_cut(&work);
    if (work.n_bits < ALL_BITS)
        numbers_take(&work, out);
    for (int i = 0; work.n_bits == ALL_BITS && i < n_ranks; ++i)
        out[i] = number_of(work.intervals[work.of_rank[i]].begin);
}

static int ranks_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sarrus_stream_quantiles(const sarrus_number_stream *stream, int i_column, const sarrus_streamed_spread *of,
                             const double *levels, int n_levels, sarrus_stream_room *room, double *out) {
    uint64_t ranks[MOST_RANKS];
    double found[MOST_RANKS];
    if (stream->n_instances <= BLOCK) {
        const uint64_t n = sarrus_stream_block(stream, i_column, true, 0, room);
        sarrus_spread_quantiles(room->x, n, &of->spread, levels, n_levels, room->y, out);
        return;
    }
    if (of->n == 0 || of->spread.min == of->spread.max) {
        for (int i = 0; i < n_levels; ++i)
            out[i] = of->spread.min;
        return;
    }
    for (int i = 0; i < n_levels; ++i) {
        const sarrus_quantile_place place = sarrus_quantile_place_of(of->n, levels[i]);
        ranks[2 * i] = place.low;
        ranks[2 * i + 1] = place.high;
    }
    qsort(ranks, (size_t)(2 * n_levels), sizeof *ranks, ranks_compare);
    sarrus_stream_ranks(stream, i_column, of, ranks, 2 * n_levels, room, found);
    for (int i = 0; i < n_levels; ++i) {
        const sarrus_quantile_place place = sarrus_quantile_place_of(of->n, levels[i]);
        int low = 0, high = 0;
        while (ranks[low] != place.low)
            ++low;
        while (ranks[high] != place.high)
            ++high;
        out[i] = sarrus_quantile_between(&place, found[low], found[high]);
    }
}
