/* Rows over a tree's speeds in blocks, and what of S is between two of them: the tables of sarrus_mech_row_block and
 * sarrus_mech_meeting. They say nothing that entries, carries and shares do not say one by one, for several rows at once. */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"

/* Whether two rows meet the same speeds by the same sides of their joint. */
static bool rows_are_alike(const sarrus_plan *plan, int32_t a, int32_t b) {
    const int32_t n = plan->row_start[a + 1] - plan->row_start[a];
    bool alike = plan->row[a].joint == plan->row[b].joint && plan->row_start[b + 1] - plan->row_start[b] == n;
    for (int32_t e = 0; alike && e < n; ++e) {
        const sarrus_mech_entry *x = &plan->entry[plan->row_start[a] + e], *y = &plan->entry[plan->row_start[b] + e];
        alike = x->speed == y->speed && y->side == (x->side < 0 ? -1 : x->side + 2 * (b - a));
    }
    return alike;
}

/* What the entries of a row carry. */
static int32_t count_row_carries(const sarrus_plan *plan, int32_t row) {
    int32_t n = 0;
    for (int32_t e = plan->row_start[row]; !plan->mech.tree.is_recursive && e < plan->row_start[row + 1]; ++e) {
        const int32_t speed = plan->entry[e].speed;
        n += plan->chain_start[speed + 1] - plan->chain_start[speed] - 1;
    }
    return n;
}

/* block_of [m]: the block of each row. */
static void list_blocks(sarrus_plan *plan, int32_t *block_of) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    int32_t carry = 0;
    for (int32_t row = 0; row < plan->mech.m; row += plan->row_block[tree->n_row_blocks++].n_rows) {
        sarrus_mech_row_block *block = &plan->row_block[tree->n_row_blocks];
        *block = (sarrus_mech_row_block){.row = row,
                                         .n_rows = 1,
                                         .entry = plan->row_start[row],
                                         .n_entries = plan->row_start[row + 1] - plan->row_start[row],
                                         .carry = carry,
                                         .n_carries = count_row_carries(plan, row)};
        while (block->n_rows < SARRUS_MOST_IN_BLOCK && row + block->n_rows < plan->mech.m &&
               rows_are_alike(plan, row, row + block->n_rows))
            ++block->n_rows;
        carry += block->n_rows * block->n_carries;
        for (int32_t r = 0; r < block->n_rows; ++r)
            block_of[row + r] = tree->n_row_blocks;
    }
}

/* A place of the factor that shares go to, and between which rows of which blocks. */
typedef struct met_place {
    int32_t block[2], r, c, destination;
} met_place;

static int met_place_compare(const void *a, const void *b) {
    const met_place *x = a, *y = b;
    for (int k = 0; k < 2; ++k) {
        if (x->block[k] != y->block[k])
            return x->block[k] < y->block[k] ? -1 : 1;
    }
    return (x->destination > y->destination) - (x->destination < y->destination);
}

/* Every place once: its first share is among the first ones. */
static void list_places(const sarrus_plan *plan, const int32_t *block_of, met_place *place) {
    for (int32_t k = 0; k < plan->mech.factor.n_first; ++k) {
        const sarrus_mech_share *share = &plan->share[k];
        const int32_t i = plan->entry[share->side_i].row, j = plan->entry[share->side_j].row;
        place[k] = (met_place){.block = {block_of[i], block_of[j]},
                               .r = i - plan->row_block[block_of[i]].row,
                               .c = j - plan->row_block[block_of[j]].row,
                               .destination = share->destination};
    }
    qsort(place, (size_t)plan->mech.factor.n_first, sizeof *place, met_place_compare);
}

/* The speeds that the first rows of two blocks both meet, which fall in both; meet NULL: only counted. */
static int32_t list_meets(const sarrus_plan *plan, const int32_t block[2], sarrus_mech_meet *meet) {
    const sarrus_mech_row_block *a = &plan->row_block[block[0]], *b = &plan->row_block[block[1]];
    int32_t i = a->entry, j = b->entry, n = 0;
    while (i < a->entry + a->n_entries && j < b->entry + b->n_entries) {
        const int32_t x = plan->entry[i].speed, y = plan->entry[j].speed;
        if (x == y && meet)
            meet[n] = (sarrus_mech_meet){{i, j}};
        n += x == y;
        i += x >= y;
        j += y >= x;
    }
    return n;
}

/* The meetings of sorted places; their meets are counted in n_meets, and listed where plan->meet is there. */
static void list_meetings(sarrus_plan *plan, const met_place *place) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    tree->n_meetings = tree->n_meets = 0;
    for (int32_t k = 0; k < plan->mech.factor.n_first; ++k) {
        const bool is_new = k == 0 || place[k].block[0] != place[k - 1].block[0] || place[k].block[1] != place[k - 1].block[1];
        if (is_new) {
            sarrus_mech_meeting *meeting = &plan->meeting[tree->n_meetings++];
            *meeting = (sarrus_mech_meeting){.block = {place[k].block[0], place[k].block[1]}, .first = tree->n_meets};
            meeting->n = list_meets(plan, meeting->block, plan->meet ? plan->meet + tree->n_meets : NULL);
            tree->n_meets += meeting->n;
            for (int at = 0; at < SARRUS_MOST_IN_BLOCK * SARRUS_MOST_IN_BLOCK; ++at)
                meeting->destination[at] = -1;
        }
        plan->meeting[tree->n_meetings - 1].destination[SARRUS_MOST_IN_BLOCK * place[k].r + place[k].c] = place[k].destination;
    }
}

sarrus_status sarrus_plan_row_blocks(sarrus_context *context, sarrus_plan *plan) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    const size_t n_rows = (size_t)plan->mech.m, n_places = (size_t)plan->mech.factor.n_first;
    int32_t *block_of = calloc(n_rows + 1, sizeof *block_of);
    met_place *place = calloc(n_places + 1, sizeof *place);
    plan->row_block = calloc(n_rows + 1, sizeof *plan->row_block);
    plan->meeting = calloc(n_places + 1, sizeof *plan->meeting);
    if (block_of && place && plan->row_block && plan->meeting) {
        list_blocks(plan, block_of);
        list_places(plan, block_of, place);
        list_meetings(plan, place);
        plan->meet = calloc((size_t)tree->n_meets + 1, sizeof *plan->meet);
        if (plan->meet)
            list_meetings(plan, place);
    }
    free(block_of);
    free(place);
    if (!plan->meet)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the plan's rows in blocks");
    tree->row_block = plan->row_block;
    tree->meeting = plan->meeting;
    tree->meet = plan->meet;
    return SARRUS_OK;
}
