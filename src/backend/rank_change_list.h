/* Changes of rank on their way from the tiles to the user: a list per thread, filled between steps. */
#ifndef SARRUS_BACKEND_RANK_CHANGE_LIST_H
#define SARRUS_BACKEND_RANK_CHANGE_LIST_H

#include <stdbool.h>

#include "kernels/body/mechanism.h"
#include "sarrus/batch.h"

typedef struct sarrus_rank_change_list {
    sarrus_rank_event *items; /* [n_items] */
    uint64_t n_items, n_reserved;
    bool has_lost; /* memory ran out */
} sarrus_rank_change_list;

/* Empties the tile's own store of changes and, unless `list` is NULL, appends them. Lanes at or beyond n_instances are padding. */
void sarrus_rank_change_list_fetch(sarrus_rank_change_list *list, const sarrus_mechanism *mech, double *tile,
                                   uint64_t i_first_instance, int32_t width, uint64_t n_instances);

/* Room for n_more items; false: no memory. */
bool sarrus_rank_change_list_reserve(sarrus_rank_change_list *list, uint64_t n_more);

/* Moves all items of `from` to the end of `to`. */
void sarrus_rank_change_list_move(sarrus_rank_change_list *from, sarrus_rank_change_list *to);

/* By time, then by instance: an order that no schedule of threads and no cut of the run into calls can change. */
void sarrus_rank_change_list_sort(sarrus_rank_change_list *list);

void sarrus_rank_change_list_free(sarrus_rank_change_list *list);

#endif
