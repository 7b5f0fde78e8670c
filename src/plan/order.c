#include "plan/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/cost.h"
#include "plan/dissection.h"
#include "plan/greedy.h"

/* The pattern of L by places: column k holds the later places that it meets, ascending. */
typedef struct symbolic {
    int n;
    int *place;           /* [n] of a block in the order */
    sarrus_block_set *of; /* [n] by place */
    int *height;          /* [n] of a place over the leaves of the elimination tree */
    int *first_child;     /* [n] of the tree, −1: none */
    int *next_child;      /* [n] of the same parent, −1: none */
    int *seen;            /* [n] the last column that a place was put into */
} symbolic;

static void symbolic_free(symbolic *s) {
    for (int k = 0; s->of && k < s->n; ++k)
        free(s->of[k].block);
    free(s->of);
    free(s->place);
}

static bool symbolic_begin(symbolic *s, const int *order, int n) {
    s->n = n;
    s->of = calloc((size_t)n + 1, sizeof *s->of);
    s->place = calloc(5 * (size_t)n + 1, sizeof *s->place);
    if (!s->of || !s->place) {
        symbolic_free(s);
        return false;
    }
    s->height = s->place + n;
    s->first_child = s->height + n;
    s->next_child = s->first_child + n;
    s->seen = s->next_child + n;
    for (int k = 0; k < n; ++k) {
        s->place[order[k]] = k;
        s->first_child[k] = s->next_child[k] = s->seen[k] = -1;
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void put_once(symbolic *s, int k, int place, int32_t *found, int *n) {
    if (place <= k || s->seen[place] == k)
        return;
    s->seen[place] = k;
    found[(*n)++] = place;
}

/* Column k: the later blocks that it meets, and what its children in the tree leave. `found` [n] is scratch. */
static bool make_column(symbolic *s, const sarrus_block_set *near, int k, int32_t *found) {
    int n = 0;
    for (int i = 0; i < near->n; ++i)
        put_once(s, k, s->place[near->block[i]], found, &n);
    for (int child = s->first_child[k]; child >= 0; child = s->next_child[child]) {
        for (int i = 0; i < s->of[child].n; ++i)
            put_once(s, k, s->of[child].block[i], found, &n);
        s->height[k] = s->height[child] >= s->height[k] ? s->height[child] + 1 : s->height[k];
    }
    if (n == 0)
        return true;
    qsort(found, (size_t)n, sizeof *found, ascending);
    s->of[k] = (sarrus_block_set){malloc((size_t)n * sizeof *found), n, n};
    if (!s->of[k].block)
        return false;
    memcpy(s->of[k].block, found, (size_t)n * sizeof *found);
    s->next_child[k] = s->first_child[found[0]];
    s->first_child[found[0]] = k;
    return true;
}

/* The pattern in the given order, and what it makes. False: no memory. */
static bool eliminate_all(const sarrus_block_graph *graph, const int *order, symbolic *s, sarrus_plan_order *facts) {
    const int n = graph->n;
    int32_t *found = malloc(((size_t)n + 1) * sizeof *found);
    double n_entries = 0.0, n_updates = 0.0;
    bool good = found != NULL;
    facts->n_levels = 0;
    for (int k = 0; good && k < n; ++k) {
        good = make_column(s, &graph->near[order[k]], k, found);
        const double count = s->of[k].n;
        n_entries += count;
        n_updates += 0.5 * count * (count + 1.0);
        facts->n_levels = s->height[k] >= facts->n_levels ? s->height[k] + 1 : facts->n_levels;
        if (n_entries > SARRUS_MOST_ENTRIES || n_updates > SARRUS_MOST_UPDATES)
            break;
    }
    free(found);
    const bool is_too_much = n_entries > SARRUS_MOST_ENTRIES || n_updates > SARRUS_MOST_UPDATES;
    facts->n_entries = is_too_much ? 0 : (int)n_entries;
    facts->n_updates = is_too_much ? 0 : (int)n_updates;
    facts->flops = is_too_much ? (double)INFINITY : sarrus_plan_factor_flops(n, facts->n_entries, facts->n_updates);
    return good;
}

/* L + Lᵀ by block. */
static bool make_filled(const symbolic *s, const int *order, sarrus_block_graph *filled) {
    bool good = sarrus_block_graph_create(filled, s->n);
    for (int k = 0; good && k < s->n; ++k) {
        for (int i = 0; good && i < s->of[k].n; ++i)
            good = sarrus_block_graph_join(filled, order[k], order[s->of[k].block[i]]);
    }
    return good;
}

/* The candidate as such. */
static bool make_order(const sarrus_block_graph *graph, sarrus_order_kind kind, int *order) {
    if (kind == SARRUS_ORDER_DISSECTION)
        return sarrus_order_dissect(graph, order);
    if (kind == SARRUS_ORDER_CUTHILL_MCKEE)
        return sarrus_order_cuthill_mckee(graph, order);
    if (kind == SARRUS_ORDER_GIVEN) {
        for (int k = 0; k < graph->n; ++k)
            order[k] = k;
        return true;
    }
    return sarrus_order_greedily(graph, kind == SARRUS_ORDER_FILL, order);
}

/* Counts in the trial's order; with `filled`, makes the pattern as well. */
static bool count(const sarrus_block_graph *graph, sarrus_order_trial *trial, sarrus_block_graph *filled) {
    symbolic s = {0};
    if (!symbolic_begin(&s, trial->order, graph->n))
        return false;
    bool good = eliminate_all(graph, trial->order, &s, &trial->facts);
    if (good)
        good = isinf(trial->facts.flops) ? sarrus_block_graph_create(filled, graph->n) : make_filled(&s, trial->order, filled);
    symbolic_free(&s);
    return good;
}

bool sarrus_order_try(const sarrus_block_graph *graph, sarrus_order_kind kind, sarrus_order_trial *trial) {
    sarrus_block_graph filled = {0};
    memset(trial, 0, sizeof *trial);
    trial->order = calloc((size_t)graph->n + 1, sizeof *trial->order);
    bool good = trial->order && make_order(graph, kind, trial->order) && count(graph, trial, &filled);
    if (good && !isinf(trial->facts.flops))
        good = sarrus_order_by_rounds(&filled, trial->order);
    sarrus_block_graph_free(&filled);
    if (!good || !count(graph, trial, &trial->filled)) {
        sarrus_order_trial_free(trial);
        return false;
    }
    return true;
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
