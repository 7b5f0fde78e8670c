#include "plan/block_graph.h"

#include <stdlib.h>
#include <string.h>

bool sarrus_block_graph_create(sarrus_block_graph *graph, int n) {
    graph->n = n;
    graph->near = calloc((size_t)n + 1, sizeof *graph->near);
    return graph->near != NULL;
}

void sarrus_block_graph_free(sarrus_block_graph *graph) {
    for (int i = 0; graph->near && i < graph->n; ++i)
        free(graph->near[i].block);
    free(graph->near);
    graph->near = NULL;
}

/* Where the block stands in the set, or would. */
static int32_t place_in(const sarrus_block_set *set, int32_t block) {
    int32_t low = 0, high = set->n;
    if (high > 0 && set->block[high - 1] < block)
        return high;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (set->block[middle] < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool set_has(const sarrus_block_set *set, int32_t block) {
    const int32_t at = place_in(set, block);
    return at < set->n && set->block[at] == block;
}

bool sarrus_block_graph_has(const sarrus_block_graph *graph, int i, int j) {
    return set_has(&graph->near[i], j);
}

static bool set_put(sarrus_block_set *set, int32_t block) {
    const int32_t at = place_in(set, block);
    if (at < set->n && set->block[at] == block)
        return true;
    if (set->n == set->capacity) {
        const int32_t capacity = set->capacity > 0 ? 2 * set->capacity : 4;
        int32_t *larger = realloc(set->block, (size_t)capacity * sizeof *larger);
        if (!larger)
            return false;
        set->block = larger;
        set->capacity = capacity;
    }
    memmove(set->block + at + 1, set->block + at, (size_t)(set->n - at) * sizeof *set->block);
    set->block[at] = block;
    ++set->n;
    return true;
}

bool sarrus_block_graph_join(sarrus_block_graph *graph, int i, int j) {
    return set_put(&graph->near[i], j) && set_put(&graph->near[j], i);
}
