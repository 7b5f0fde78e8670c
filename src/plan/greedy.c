#include "plan/greedy.h"

#include <stdlib.h>
#include <string.h>

/* An elimination under way: the graph of the blocks that are left, and of each the entries that eliminating it would add. Both
 * change only around what is eliminated, so nothing is counted twice. */
typedef struct elimination {
    sarrus_block_graph graph;
    int64_t *fill;  /* [n] pairs of neighbors that do not meet */
    uint64_t *mark; /* [n] of a set that is looked at */
    uint64_t n_marks;
    int *heap, *at; /* [n] blocks, the best first; where a block stands, −1: gone */
    int *degree;    /* [n] that of the graph, as far as the heap knows */
    int n_left;
    bool fill_first;
} elimination;

static void elimination_free(elimination *e) {
    sarrus_block_graph_free(&e->graph);
    free(e->fill);
    free(e->mark);
    free(e->heap);
}

static bool copy_graph(const sarrus_block_graph *from, sarrus_block_graph *to) {
    bool good = sarrus_block_graph_create(to, from->n);
    for (int i = 0; good && i < from->n; ++i) {
        const sarrus_block_set *set = &from->near[i];
        to->near[i].block = malloc(((size_t)set->n + 1) * sizeof *set->block);
        good = to->near[i].block != NULL;
        if (!good)
            break;
        if (set->n > 0)
            memcpy(to->near[i].block, set->block, (size_t)set->n * sizeof *set->block);
        to->near[i].n = set->n;
        to->near[i].capacity = set->n + 1;
    }
    return good;
}

static bool elimination_begin(elimination *e, const sarrus_block_graph *graph) {
    const size_t n = (size_t)graph->n + 1;
    memset(e, 0, sizeof *e);
    e->fill = calloc(n, sizeof *e->fill);
    e->mark = calloc(n, sizeof *e->mark);
    e->heap = calloc(3 * n, sizeof *e->heap);
    if (e->fill && e->mark && e->heap && copy_graph(graph, &e->graph)) {
        e->at = e->heap + n;
        e->degree = e->at + n;
        return true;
    }
    elimination_free(e);
    return false;
}

/* Marks the neighbors of block k. */
static void mark_near(elimination *e, int k) {
    const sarrus_block_set *near = &e->graph.near[k];
    ++e->n_marks;
    for (int i = 0; i < near->n; ++i)
        e->mark[near->block[i]] = e->n_marks;
}

/* Of the neighbors of block k, how many are marked. */
static int count_marked(const elimination *e, int k) {
    const sarrus_block_set *near = &e->graph.near[k];
    int count = 0;
    for (int i = 0; i < near->n; ++i)
        count += e->mark[near->block[i]] == e->n_marks;
    return count;
}

static int64_t fill_of(elimination *e, int k) {
    const sarrus_block_set *near = &e->graph.near[k];
    const int64_t n = near->n;
    int64_t n_met = 0;
    mark_near(e, k);
    for (int i = 0; i < near->n; ++i)
        n_met += count_marked(e, near->block[i]);
    return (n * (n - 1) - n_met) / 2;
}

/* A number for every block, as good as random. */
static uint64_t hash_of(uint64_t k) {
    k = (k + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBu;
    return k ^ (k >> 31);
}

typedef struct twin {
    uint64_t hash;
    int degree, block;
} twin;

static int by_hash(const void *a, const void *b) {
    const twin *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->degree != y->degree)
        return x->degree - y->degree;
    return x->block - y->block;
}

/* Blocks that meet the same blocks and one another have the same fill: it is counted once for all pins on one body. */
static bool count_fills(elimination *e) {
    const int n = e->graph.n;
    twin *twins = calloc((size_t)n + 1, sizeof *twins);
    if (!twins)
        return false;
    for (int k = 0; k < n; ++k) {
        const sarrus_block_set *near = &e->graph.near[k];
        twins[k] = (twin){hash_of((uint64_t)k), near->n, k};
        for (int i = 0; i < near->n; ++i)
            twins[k].hash += hash_of((uint64_t)near->block[i]);
    }
    qsort(twins, (size_t)n, sizeof *twins, by_hash);
    for (int i = 0; i < n; ++i) {
        const bool is_twin = i > 0 && twins[i].hash == twins[i - 1].hash && twins[i].degree == twins[i - 1].degree;
        e->fill[twins[i].block] = is_twin ? e->fill[twins[i - 1].block] : fill_of(e, twins[i].block);
    }
    free(twins);
    return true;
}

static bool is_better(const elimination *e, int a, int b) {
    const int64_t fills[2] = {e->fill[a], e->fill[b]}, degrees[2] = {e->degree[a], e->degree[b]};
    const int64_t *first = e->fill_first ? fills : degrees, *second = e->fill_first ? degrees : fills;
    if (first[0] != first[1])
        return first[0] < first[1];
    return second[0] != second[1] ? second[0] < second[1] : a < b;
}

static void heap_put(elimination *e, int place, int block) {
    e->heap[place] = block;
    e->at[block] = place;
}

/* Brings a block of the heap to where it belongs after its keys have changed: after each change, since one block at a time may be
 * out of place. */
static void heap_settle(elimination *e, int block) {
    int place = e->at[block];
    for (; place > 0 && is_better(e, block, e->heap[(place - 1) / 2]); place = (place - 1) / 2)
        heap_put(e, place, e->heap[(place - 1) / 2]);
    heap_put(e, place, block);
    for (int child = 2 * place + 1; child < e->n_left; child = 2 * place + 1) {
        child += child + 1 < e->n_left && is_better(e, e->heap[child + 1], e->heap[child]);
        if (!is_better(e, e->heap[child], block))
            break;
        heap_put(e, place, e->heap[child]);
        place = child;
    }
    heap_put(e, place, block);
}

static void heap_make(elimination *e) {
    e->n_left = 0;
    for (int k = 0; k < e->graph.n; ++k) {
        e->degree[k] = e->graph.near[k].n;
        heap_put(e, e->n_left++, k);
        heap_settle(e, k);
    }
}

static int heap_take(elimination *e) {
    const int best = e->heap[0], last = e->heap[--e->n_left];
    e->at[best] = -1;
    if (best != last) {
        heap_put(e, 0, last);
        heap_settle(e, last);
    }
    return best;
}

static void set_drop(sarrus_block_set *set, int32_t block) {
    int32_t at = 0;
    while (set->block[at] != block)
        ++at;
    memmove(set->block + at, set->block + at + 1, (size_t)(set->n - at - 1) * sizeof *set->block);
    --set->n;
}

static void change_keys(elimination *e, int block, int64_t fill, int degree) {
    e->fill[block] += fill;
    e->degree[block] += degree;
    if (e->n_left > 0)
        heap_settle(e, block);
}

/* Takes block k away. A pair with k in it is no pair any more. */
static void take_away(elimination *e, int k) {
    const sarrus_block_set *near = &e->graph.near[k];
    const bool is_clique = e->fill[k] == 0;
    if (!is_clique)
        mark_near(e, k);
    for (int i = 0; i < near->n; ++i) {
        const int j = near->block[i], n_met = is_clique ? near->n - 1 : count_marked(e, j);
        const int n_pairs = e->graph.near[j].n - 1 - n_met;
        set_drop(&e->graph.near[j], k);
        change_keys(e, j, -n_pairs, -1);
    }
}

/* Lets a and b meet, which they do not yet: `common` [n] is scratch. */
static bool add_edge(elimination *e, int a, int b, int *common) {
    const sarrus_block_set *x = &e->graph.near[a], *y = &e->graph.near[b];
    int n_common = 0;
    for (int i = 0, j = 0; i < x->n && j < y->n;) {
        if (x->block[i] == y->block[j])
            common[n_common++] = x->block[i];
        const int step = x->block[i] - y->block[j];
        i += step <= 0;
        j += step >= 0;
    }
    change_keys(e, a, x->n - n_common, 1);
    change_keys(e, b, y->n - n_common, 1);
    for (int i = 0; i < n_common; ++i)
        change_keys(e, common[i], -1, 0);
    return sarrus_block_graph_join(&e->graph, a, b);
}

/* Eliminates block k: its neighbors become a clique. */
static bool eliminate(elimination *e, int k, int *common) {
    const sarrus_block_set *near = &e->graph.near[k];
    const bool is_clique = e->fill[k] == 0;
    take_away(e, k);
    for (int i = 0; !is_clique && i < near->n; ++i) {
        for (int j = i + 1; j < near->n; ++j) {
            if (!sarrus_block_graph_has(&e->graph, near->block[i], near->block[j]) &&
                !add_edge(e, near->block[i], near->block[j], common))
                return false;
        }
    }
    return true;
}

bool sarrus_order_greedily(const sarrus_block_graph *graph, bool fill_first, int *order) {
    elimination e;
    int *common = calloc((size_t)graph->n + 1, sizeof *common);
    bool good = common && elimination_begin(&e, graph);
    if (!good) {
        free(common);
        return false;
    }
    e.fill_first = fill_first;
    good = count_fills(&e);
    if (good)
        heap_make(&e);
    for (int step = 0; good && step < graph->n; ++step) {
        order[step] = heap_take(&e);
        good = eliminate(&e, order[step], common);
    }
    elimination_free(&e);
    free(common);
    return good;
}

static int ascending(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* One round: of the candidates [n] (ascending, their neighbors cliques) those that meet none of the round go to the end of the
 * order, from `n_done` on; the others stay. Returns how many stay. */
static int take_round(elimination *e, int *candidates, int n, int *order, int *n_done) {
    int n_stay = 0;
    ++e->n_marks;
    const uint64_t mark = e->n_marks;
    for (int i = 0; i < n; ++i) {
        const int k = candidates[i];
        const sarrus_block_set *near = &e->graph.near[k];
        if (e->mark[k] == mark) {
            candidates[n_stay++] = k;
            continue;
        }
        for (int j = 0; j < near->n; ++j)
            e->mark[near->block[j]] = mark;
        order[(*n_done)++] = k;
    }
    return n_stay;
}

bool sarrus_order_by_rounds(const sarrus_block_graph *filled, int *order) {
    elimination e;
    const int n = filled->n;
    int *candidates = calloc((size_t)n + 1, sizeof *candidates), n_candidates = 0, n_done = 0;
    bool *is_candidate = calloc((size_t)n + 1, sizeof *is_candidate);
    const bool is_begun = candidates && is_candidate && elimination_begin(&e, filled), good = is_begun && count_fills(&e);
    for (int k = 0; good && k < n; ++k) {
        is_candidate[k] = e.fill[k] == 0;
        if (is_candidate[k])
            candidates[n_candidates++] = k;
    }
    while (good && n_done < n) {
        const int begin = n_done;
        n_candidates = take_round(&e, candidates, n_candidates, order, &n_done);
        for (int i = begin; i < n_done; ++i) {
            const sarrus_block_set *near = &e.graph.near[order[i]];
            take_away(&e, order[i]);
            for (int j = 0; j < near->n; ++j) {
                const int k = near->block[j];
                if (e.fill[k] > 0 || is_candidate[k])
                    continue;
                is_candidate[k] = true;
                candidates[n_candidates++] = k;
            }
        }
        qsort(candidates, (size_t)n_candidates, sizeof *candidates, ascending);
    }
    if (is_begun)
        elimination_free(&e);
    free(candidates);
    free(is_candidate);
    return good;
}
