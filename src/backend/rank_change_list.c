#include "backend/rank_change_list.h"

#include <stdlib.h>
#include <string.h>

bool sarrus_rank_change_list_reserve(sarrus_rank_change_list *list, uint64_t n_more) {
    if (list->n_items + n_more <= list->n_reserved)
        return true;
    uint64_t n = 2 * list->n_reserved + n_more + 64;
    sarrus_rank_event *items = n <= SIZE_MAX / sizeof *items ? realloc(list->items, n * sizeof *items) : NULL;
    if (!items)
        return false;
    list->items = items;
    list->n_reserved = n;
    return true;
}

void sarrus_rank_change_list_fetch(sarrus_rank_change_list *list, const sarrus_mechanism *mech, double *tile,
                                   uint64_t i_first_instance, int32_t width, uint64_t n_instances) {
    const sarrus_tile_layout *layout = &mech->layout;
    const int32_t n_within = mech->tree.n_rows_within; /* that no decision is about */
    double *n_events = tile + (size_t)layout->n_waiting_changes * (size_t)width;
    for (int32_t lane = 0; lane < width; ++lane) {
        const int n = (int)n_events[lane];
        n_events[lane] = 0.0;
        if (!list || i_first_instance + (uint64_t)lane >= n_instances || n == 0)
            continue;
        if (!sarrus_rank_change_list_reserve(list, (uint64_t)n)) {
            list->has_lost = true;
            continue;
        }
        for (int k = 0; k < n; ++k) {
            const double *event = tile + (size_t)(layout->waiting_change + 3 * k) * (size_t)width + lane;
            list->items[list->n_items++] = (sarrus_rank_event){.instance = i_first_instance + (uint64_t)lane,
                                                               .time = event[0],
                                                               .rank_before = n_within + (int32_t)event[width],
                                                               .rank_after = n_within + (int32_t)event[2 * width]};
        }
    }
}

void sarrus_rank_change_list_move(sarrus_rank_change_list *from, sarrus_rank_change_list *to) {
    to->has_lost = to->has_lost || from->has_lost;
    if (from->n_items > 0 && !sarrus_rank_change_list_reserve(to, from->n_items)) {
        to->has_lost = true;
    } else if (from->n_items > 0) {
        memcpy(to->items + to->n_items, from->items, from->n_items * sizeof *from->items);
        to->n_items += from->n_items;
    }
    from->n_items = 0;
    from->has_lost = false;
}

static int compare(const void *x, const void *y) {
    const sarrus_rank_event *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->instance < b->instance ? -1 : a->instance > b->instance;
}

void sarrus_rank_change_list_sort(sarrus_rank_change_list *list) {
    if (list->n_items > 1)
        qsort(list->items, list->n_items, sizeof *list->items, compare);
}

void sarrus_rank_change_list_free(sarrus_rank_change_list *list) {
    free(list->items);
    memset(list, 0, sizeof *list);
}
