#include "plan/order.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

bool sarrus_block_graph_create(sarrus_block_graph *graph, int n) {
    graph->n = n;
    graph->n_words = n / WORD_BITS + 1;
    graph->meets = calloc((size_t)n * (size_t)graph->n_words + 1, sizeof *graph->meets);
    return graph->meets != NULL;
}

void sarrus_block_graph_free(sarrus_block_graph *graph) {
    free(graph->meets);
    graph->meets = NULL;
}

static uint64_t *row_of(const sarrus_block_graph *graph, int i) {
    return graph->meets + (size_t)i * (size_t)graph->n_words;
}

static void set_put(uint64_t *set, int i) {
    set[i / WORD_BITS] |= (uint64_t)1 << (i % WORD_BITS);
}

static void set_take(uint64_t *set, int i) {
    set[i / WORD_BITS] &= ~((uint64_t)1 << (i % WORD_BITS));
}

static bool set_has(const uint64_t *set, int i) {
    return (set[i / WORD_BITS] >> (i % WORD_BITS)) & 1;
}

void sarrus_block_graph_join(sarrus_block_graph *graph, int i, int j) {
    set_put(row_of(graph, i), j);
    set_put(row_of(graph, j), i);
}

bool sarrus_block_graph_has(const sarrus_block_graph *graph, int i, int j) {
    return set_has(row_of(graph, i), j);
}

int sarrus_block_set_count(const uint64_t *set, int n_words) {
    int count = 0;
    for (int w = 0; w < n_words; ++w)
        count += __builtin_popcountll(set[w]);
    return count;
}

int sarrus_block_set_next(const uint64_t *set, int n_words, int from) {
    for (int w = from / WORD_BITS; w < n_words; ++w) {
        uint64_t rest = set[w];
        if (w == from / WORD_BITS)
            rest &= ~(uint64_t)0 << (from % WORD_BITS);
        if (rest)
            return WORD_BITS * w + __builtin_ctzll(rest);
    }
    return -1;
}

/* An elimination under way. */
typedef struct elimination {
    sarrus_block_graph *graph; /* fills up; the edges among the blocks that are left are those of the reduced S */
    uint64_t *left;            /* set of the blocks not yet eliminated */
    uint64_t *near;            /* set, scratch: the neighbours of the block that is looked at */
} elimination;

static bool elimination_begin(elimination *e, sarrus_block_graph *graph) {
    e->graph = graph;
    e->left = calloc(2 * (size_t)graph->n_words, sizeof *e->left);
    if (!e->left)
        return false;
    e->near = e->left + graph->n_words;
    for (int k = 0; k < graph->n; ++k)
        set_put(e->left, k);
    return true;
}

/* Neighbours of block k that are left, in e->near; returns how many. */
static int look_near(const elimination *e, int k) {
    const uint64_t *row = row_of(e->graph, k);
    for (int w = 0; w < e->graph->n_words; ++w)
        e->near[w] = row[w] & e->left[w];
    return sarrus_block_set_count(e->near, e->graph->n_words);
}

/* Entries that eliminating block k would add, after look_near(k). */
static int fill_of(const elimination *e) {
    int n_words = e->graph->n_words, missing = 0;
    for (int i = sarrus_block_set_next(e->near, n_words, 0); i >= 0; i = sarrus_block_set_next(e->near, n_words, i + 1)) {
        const uint64_t *row = row_of(e->graph, i);
        for (int w = 0; w < n_words; ++w)
            missing += __builtin_popcountll(e->near[w] & ~row[w]);
        --missing; /* i itself */
    }
    return missing / 2;
}

/* Eliminates block k: its neighbours become a clique. Returns how many there are. */
static int eliminate(elimination *e, int k) {
    int n_words = e->graph->n_words;
    set_take(e->left, k);
    int count = look_near(e, k);
    for (int i = sarrus_block_set_next(e->near, n_words, 0); i >= 0; i = sarrus_block_set_next(e->near, n_words, i + 1)) {
        uint64_t *row = row_of(e->graph, i);
        for (int w = 0; w < n_words; ++w)
            row[w] |= e->near[w];
        set_take(row, i);
    }
    return count;
}

/* At every step the block with the least fill, then the least degree, or the other way round; of equal ones the first. */
static void order_greedily(elimination *e, bool fill_first, int *order) {
    int n = e->graph->n;
    for (int step = 0; step < n; ++step) {
        int best = -1, best_key[2] = {0, 0};
        for (int k = 0; k < n; ++k) {
            if (!set_has(e->left, k))
                continue;
            int degree = look_near(e, k), fill = fill_of(e);
            const int key[2] = {fill_first ? fill : degree, fill_first ? degree : fill};
            if (best < 0 || key[0] < best_key[0] || (key[0] == best_key[0] && key[1] < best_key[1])) {
                best = k;
                memcpy(best_key, key, sizeof key);
            }
        }
        eliminate(e, best);
        order[step] = best;
    }
}

/* Reorders a filled graph without adding to it: in rounds, each taking away as many blocks as it can whose neighbours are a clique
 * and that do not meet one another. A block of a round waits for one of the round before, so rounds are the heights over the leaves
 * of the elimination tree, the least that the fill allows (Jess and Kees, 1982); and the columns of L keep their lengths, only
 * permuted, so the flops stay. The divisions of a round's pivots, the longest latency there is, can run at the same time. */
static void order_by_rounds(elimination *e, uint64_t *blocked, int *order) {
    int n_words = e->graph->n_words, n_done = 0;
    while (n_done < e->graph->n) {
        int n_before = n_done;
        memset(blocked, 0, (size_t)n_words * sizeof *blocked);
        for (int k = sarrus_block_set_next(e->left, n_words, 0); k >= 0; k = sarrus_block_set_next(e->left, n_words, k + 1)) {
            if (set_has(blocked, k))
                continue;
            look_near(e, k);
            if (fill_of(e) > 0)
                continue;
            for (int w = 0; w < n_words; ++w)
                blocked[w] |= e->near[w];
            order[n_done++] = k;
        }
        for (int i = n_before; i < n_done; ++i)
            set_take(e->left, order[i]);
    }
}

/* Eliminates in the given order, and counts what that makes. False: no memory. */
static bool eliminate_all(sarrus_block_graph *graph, const int *order, sarrus_plan_order *facts) {
    elimination e;
    int *height = calloc((size_t)graph->n + 1, sizeof *height); /* [n] of a block over the leaves of the elimination tree */
    bool good = height && elimination_begin(&e, graph);
    facts->n_entries = facts->n_updates = facts->n_levels = 0;
    for (int step = 0; good && step < graph->n; ++step) {
        int k = order[step], count = eliminate(&e, k);
        facts->n_entries += count;
        facts->n_updates += count * (count + 1) / 2;
        facts->n_levels = height[k] >= facts->n_levels ? height[k] + 1 : facts->n_levels;
        for (int i = sarrus_block_set_next(e.near, graph->n_words, 0); i >= 0;
             i = sarrus_block_set_next(e.near, graph->n_words, i + 1))
            height[i] = height[i] > height[k] ? height[i] : height[k] + 1;
    }
    if (good)
        free(e.left);
    free(height);
    facts->flops = sarrus_plan_factor_flops(graph->n, facts->n_entries, facts->n_updates);
    return good;
}

static void copy_edges(const sarrus_block_graph *from, sarrus_block_graph *to) {
    memcpy(to->meets, from->meets, (size_t)from->n * (size_t)from->n_words * sizeof *from->meets);
}

/* The candidate as such; `work` fills up. */
static bool make_order(const sarrus_block_graph *graph, sarrus_order_kind kind, sarrus_block_graph *work, int *order) {
    if (kind == SARRUS_ORDER_DISSECTION)
        return sarrus_order_dissect(graph, order);
    if (kind == SARRUS_ORDER_CUTHILL_MCKEE)
        return sarrus_order_cuthill_mckee(graph, order);
    if (kind == SARRUS_ORDER_GIVEN) {
        for (int k = 0; k < graph->n; ++k)
            order[k] = k;
        return true;
    }
    elimination e;
    if (!elimination_begin(&e, work))
        return false;
    order_greedily(&e, kind == SARRUS_ORDER_FILL, order);
    free(e.left);
    return true;
}

static bool lower_tree(sarrus_block_graph *filled, int *order) {
    elimination e;
    uint64_t *blocked = calloc((size_t)filled->n_words, sizeof *blocked);
    bool good = blocked && elimination_begin(&e, filled);
    if (good) {
        order_by_rounds(&e, blocked, order);
        free(e.left);
    }
    free(blocked);
    return good;
}

bool sarrus_order_try(const sarrus_block_graph *graph, sarrus_order_kind kind, sarrus_order_trial *trial) {
    memset(trial, 0, sizeof *trial);
    trial->order = calloc((size_t)graph->n + 1, sizeof *trial->order);
    bool good = trial->order && sarrus_block_graph_create(&trial->filled, graph->n);
    if (good) {
        copy_edges(graph, &trial->filled);
        good = make_order(graph, kind, &trial->filled, trial->order);
    }
    if (good) {
        copy_edges(graph, &trial->filled);
        good = eliminate_all(&trial->filled, trial->order, &trial->facts) && lower_tree(&trial->filled, trial->order);
    }
    if (good) {
        copy_edges(graph, &trial->filled);
        good = eliminate_all(&trial->filled, trial->order, &trial->facts);
    }
    if (!good)
        sarrus_order_trial_free(trial);
    return good;
}

void sarrus_order_trial_free(sarrus_order_trial *trial) {
    sarrus_block_graph_free(&trial->filled);
    free(trial->order);
    trial->order = NULL;
}

int sarrus_order_choose(const sarrus_plan_order *orders, int n) {
    static const double ALIKE = 1.01;
    double fewest = orders[0].flops;
    int best = -1;
    for (int i = 1; i < n; ++i)
        fewest = orders[i].flops < fewest ? orders[i].flops : fewest;
    for (int i = 0; i < n; ++i) {
        if (orders[i].flops <= ALIKE * fewest && (best < 0 || orders[i].n_levels < orders[best].n_levels))
            best = i;
    }
    return best;
}
