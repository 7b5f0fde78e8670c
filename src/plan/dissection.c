/* Orders by the shape of the graph of blocks: nested dissection and reverse Cuthill-McKee. Both walk it in breadth from a block at
 * its rim. */
#include <stdlib.h>

#include "plan/dissection.h"

typedef struct walk {
    const sarrus_block_graph *graph;
    int *part;    /* [n] number of the part of the graph that a block belongs to at present */
    int *level;   /* [n] steps from the start, −1 not reached */
    int *queue;   /* [n] blocks in the order in which they are reached */
    int *scratch; /* [n] */
    int n_parts;
} walk;

static bool walk_begin(walk *w, const sarrus_block_graph *graph) {
    size_t n = (size_t)graph->n;
    int *block = calloc(4 * n + 1, sizeof *block);
    if (!block)
        return false;
    *w = (walk){.graph = graph, .part = block, .level = block + n, .queue = block + 2 * n, .scratch = block + 3 * n};
    return true;
}

static int degree_of(const walk *w, int block) {
    return w->graph->near[block].n;
}

/* Walks the part of `start` in breadth; the part's levels must be −1. Neighbors are reached in ascending order. Returns how many
 * blocks were reached: w->queue, with their levels. */
static int walk_from(walk *w, int start) {
    int n_reached = 0;
    w->queue[n_reached++] = start;
    w->level[start] = 0;
    for (int head = 0; head < n_reached; ++head) {
        int block = w->queue[head];
        const sarrus_block_set *near = &w->graph->near[block];
        for (int k = 0; k < near->n; ++k) {
            const int i = near->block[k];
            if (w->part[i] != w->part[start] || w->level[i] >= 0)
                continue;
            w->level[i] = w->level[block] + 1;
            w->queue[n_reached++] = i;
        }
    }
    return n_reached;
}

static void forget_levels(const walk *w, int n_reached) {
    for (int i = 0; i < n_reached; ++i)
        w->level[w->queue[i]] = -1;
}

/* Walks from a block as far from the others as can be found by walking to and fro, beginning at `start`. Leaves the levels of that
 * last walk; returns how many blocks were reached. */
static int walk_from_rim(walk *w, int start) {
    int n_reached = walk_from(w, start);
    for (int farthest = -1;;) {
        int last = w->level[w->queue[n_reached - 1]], rim = w->queue[n_reached - 1];
        if (last <= farthest)
            return n_reached;
        farthest = last;
        for (int i = n_reached - 1; i >= 0 && w->level[w->queue[i]] == last; --i) {
            if (degree_of(w, w->queue[i]) <= degree_of(w, rim))
                rim = w->queue[i];
        }
        forget_levels(w, n_reached);
        n_reached = walk_from(w, rim);
    }
}

static bool meets_level(const walk *w, int block, int level) {
    const sarrus_block_set *near = &w->graph->near[block];
    for (int k = 0; k < near->n; ++k) {
        if (w->part[near->block[k]] == w->part[block] && w->level[near->block[k]] == level)
            return true;
    }
    return false;
}

/* The level whose blocks that meet the next level are the best separator: the fewest with at least a quarter of the part on either
 * side (any, when there is no such level), of equal ones the one nearest to the middle. 0: there are no two sides. */
static int separating_level(const walk *w, int n_reached) {
    int n_levels = w->level[w->queue[n_reached - 1]] + 1, best = 0, best_size = 0, best_slope = 0;
    bool best_is_even = false;
    for (int level = 1, at = 1; level + 1 < n_levels; ++level) {
        int size = 0;
        for (; at < n_reached && w->level[w->queue[at]] == level; ++at)
            size += meets_level(w, w->queue[at], level + 1);
        int n_inside = at - size, n_outside = n_reached - at, slope = abs(n_inside - n_outside);
        bool is_even = 4 * n_inside >= n_reached && 4 * n_outside >= n_reached;
        bool is_better = is_even != best_is_even ? is_even : size != best_size ? size < best_size : slope < best_slope;
        if (best == 0 || is_better) {
            best = level;
            best_size = size;
            best_slope = slope;
            best_is_even = is_even;
        }
    }
    return best;
}

/* Stable: puts the slice of `order` into three runs, of the blocks with side 0, 1 and 2; `n_of` receives their lengths. */
static void split_slice(const walk *w, const int *side, int *order, int n, int n_of[3]) {
    int at = 0;
    for (int s = 0; s < 3; ++s) {
        int begin = at;
        for (int i = 0; i < n; ++i) {
            if (side[order[i]] == s)
                w->scratch[at++] = order[i];
        }
        n_of[s] = at - begin;
    }
    for (int i = 0; i < n; ++i)
        order[i] = w->scratch[i];
}

/* Sides of the slice's blocks, in w->level: 0 and 1 apart, 2 the separator. False: the slice cannot be split. */
static bool find_sides(walk *w, const int *order, int n) {
    int part = ++w->n_parts;
    for (int i = 0; i < n; ++i) {
        w->part[order[i]] = part;
        w->level[order[i]] = -1;
    }
    int n_reached = walk_from_rim(w, order[0]);
    if (n_reached < n) { /* nothing need separate what does not hang together */
        for (int i = 0; i < n; ++i)
            w->level[order[i]] = w->level[order[i]] < 0;
        return true;
    }
    int middle = separating_level(w, n_reached);
    if (middle == 0)
        return false;
    for (int i = 0; i < n_reached; ++i) {
        int block = w->queue[i], level = w->level[block];
        w->scratch[i] = level > middle ? 1 : level == middle && meets_level(w, block, middle + 1) ? 2 : 0;
    }
    for (int i = 0; i < n_reached; ++i)
        w->level[w->queue[i]] = w->scratch[i];
    return true;
}

/* Orders a slice: one side, the other, what separates them. The smaller side is called for: calls nest no deeper than log₂ n. */
static void dissect(walk *w, int *order, int n) {
    int n_of[3];
    while (n > 2 && find_sides(w, order, n)) {
        split_slice(w, w->level, order, n, n_of);
        const bool first_is_less = n_of[0] < n_of[1];
        int *rest = order + n_of[0];
        dissect(w, first_is_less ? order : rest, first_is_less ? n_of[0] : n_of[1]);
        order = first_is_less ? rest : order;
        n = first_is_less ? n_of[1] : n_of[0];
    }
}

static void begin_natural(const walk *w, int *order) {
    for (int k = 0; k < w->graph->n; ++k) {
        order[k] = k;
        w->level[k] = -1;
    }
}

bool sarrus_order_dissect(const sarrus_block_graph *graph, int *order) {
    walk w;
    if (!walk_begin(&w, graph))
        return false;
    begin_natural(&w, order);
    dissect(&w, order, graph->n);
    free(w.part);
    return true;
}

/* Sorts by degree, stable, a run of blocks reached from one other. */
static void sort_by_degree(const walk *w, int *blocks, int n) {
    for (int i = 1; i < n; ++i) {
        int block = blocks[i], degree = degree_of(w, block), at = i;
        for (; at > 0 && degree_of(w, blocks[at - 1]) > degree; --at)
            blocks[at] = blocks[at - 1];
        blocks[at] = block;
    }
}

/* Each component from its rim in breadth, neighbors of one block by ascending degree; the whole backwards. */
bool sarrus_order_cuthill_mckee(const sarrus_block_graph *graph, int *order) {
    walk w;
    if (!walk_begin(&w, graph))
        return false;
    begin_natural(&w, order);
    int n_ordered = 0, n = graph->n;
    for (int first = 0; first < n; ++first) {
        if (w.level[first] >= 0)
            continue;
        int n_reached = walk_from_rim(&w, first), start = w.queue[0], end = n_ordered;
        forget_levels(&w, n_reached);
        w.level[start] = 0;
        w.scratch[end++] = start;
        for (int head = n_ordered; head < end; ++head) {
            int begin = end;
            const sarrus_block_set *near = &graph->near[w.scratch[head]];
            for (int k = 0; k < near->n; ++k) {
                if (w.level[near->block[k]] < 0) {
                    w.level[near->block[k]] = 0;
                    w.scratch[end++] = near->block[k];
                }
            }
            sort_by_degree(&w, w.scratch + begin, end - begin);
        }
        n_ordered = end;
    }
    for (int k = 0; k < n; ++k)
        order[k] = w.scratch[n - 1 - k];
    free(w.part);
    return true;
}
