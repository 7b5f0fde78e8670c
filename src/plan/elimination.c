/* The elimination of the independent rows, without those of crank pins, by blocks of two rows of one joint: the graph of the
 * blocks, the order that is taken of those that order.c tries, and the symbolic LDLᵀ. Two blocks meet in S = J M⁻¹ Jᵀ when their
 * joints hold a common body, or in relative coordinates bodies of a common tree that one speed at least moves. What stands in S is
 * shares.c's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/order.h"

/* The blocks, and the order that is taken. */
typedef struct block_list {
    int n;
    int (*rows)[2]; /* [n] rows of the mechanism; the second is −1 for a pad */
    sarrus_block_graph graph;
    sarrus_order_trial trial;
} block_list;

/* Whether the row is one of the two of a crank's pin, which are not in the factor. */
static bool is_of_crank_pin(const sarrus_plan *plan, int row) {
    const sarrus_mech_joint *joint = &plan->joint[plan->row[row].joint];
    return joint->is_crank_pin && row < joint->row + 2;
}

/* Two independent rows of a joint make a block; a row left over gets a pad. */
static void make_blocks(block_list *g, const sarrus_plan *plan) {
    const sarrus_plan_independence *found = &plan->independence;
    for (int i = 0; i < found->n_independent;) {
        int row = found->independent[i++];
        if (is_of_crank_pin(plan, row))
            continue;
        g->rows[g->n][0] = row;
        g->rows[g->n][1] = -1;
        if (i < found->n_independent && plan->row[found->independent[i]].joint == plan->row[row].joint) {
            g->rows[g->n][1] = found->independent[i++];
        }
        ++g->n;
    }
}

/* Lets the blocks at every place meet. at_place: [n_places + 1] where the blocks of a place begin in `block`. */
static bool join_blocks(block_list *g, int n_places, const int *at_place, const int *block) {
    for (int b = 0; b < n_places; ++b) {
        for (int i = at_place[b]; i < at_place[b + 1]; ++i) {
            for (int j = at_place[b]; j < i; ++j) {
                if (!sarrus_block_graph_join(&g->graph, block[i], block[j]))
                    return false;
            }
        }
    }
    return true;
}

/* Whether a body stands earlier in the list: a block is on every body once. */
static bool is_there_before(const int32_t *bodies, int side) {
    for (int k = 0; k < side; ++k) {
        if (bodies[k] == bodies[side])
            return true;
    }
    return false;
}

/* The places where a row meets others, −1: none. Returns how many: its bodies or, in relative coordinates, the last speeds of their
 * chains: what has any speed of a chain has that one. */
static int find_places(const sarrus_plan *plan, int i_row, int32_t places[SARRUS_ROW_BODIES]) {
    const sarrus_mech_tree *tree = &plan->mech.tree;
    int n = 0;
    if (!sarrus_plan_is_relative(plan))
        return sarrus_plan_row_bodies(plan, i_row, places);
    for (int32_t e = tree->row_start[i_row]; e < tree->row_start[i_row + 1]; ++e) {
        const int32_t speed = tree->entry[e].speed;
        if (tree->chain_start[speed + 1] == tree->chain_start[speed] + 1)
            places[n++] = speed;
    }
    return n;
}

static bool find_neighbors(block_list *g, const sarrus_plan *plan) {
    const int n_places = sarrus_plan_is_relative(plan) ? plan->mech.n_v : plan->mech.n_bodies;
    int *at_place = calloc((size_t)n_places + 2, sizeof *at_place),
        *block = calloc(SARRUS_ROW_BODIES * (size_t)g->n + 1, sizeof *block);
    bool good = at_place && block;
    for (int pass = 0; good && pass < 2; ++pass) {
        for (int k = 0; k < g->n; ++k) {
            int32_t places[SARRUS_ROW_BODIES];
            const int n_sides = find_places(plan, g->rows[k][0], places);
            for (int side = 0; side < n_sides; ++side) {
                if (is_there_before(places, side))
                    continue;
                if (places[side] >= 0 && pass == 0)
                    ++at_place[places[side] + 2];
                else if (places[side] >= 0)
                    block[at_place[places[side] + 1]++] = k;
            }
        }
        for (int b = 0; pass == 0 && b < n_places; ++b)
            at_place[b + 1] += at_place[b];
    }
    good = good && join_blocks(g, n_places, at_place, block);
    free(at_place);
    free(block);
    return good;
}

static bool blocks_create(block_list *g, const sarrus_plan *plan) {
    memset(g, 0, sizeof *g);
    g->rows = calloc((size_t)plan->independence.n_independent + 1, sizeof *g->rows);
    if (!g->rows)
        return false;
    make_blocks(g, plan);
    return sarrus_block_graph_create(&g->graph, g->n) && find_neighbors(g, plan);
}

static void blocks_free(block_list *g) {
    free(g->rows);
    sarrus_block_graph_free(&g->graph);
    sarrus_order_trial_free(&g->trial);
}

/* Looks at every candidate and keeps the one that is taken. */
static bool find_order(sarrus_plan *plan, block_list *g, sarrus_order_kind wanted) {
    static const char *const names[SARRUS_N_ORDERS] = {
        [SARRUS_ORDER_FILL] = "least fill",
        [SARRUS_ORDER_DEGREE] = "least degree",
        [SARRUS_ORDER_DISSECTION] = "nested dissection",
        [SARRUS_ORDER_CUTHILL_MCKEE] = "reverse Cuthill-McKee",
        [SARRUS_ORDER_GIVEN] = "joints as given",
    };
    sarrus_order_trial trials[SARRUS_N_ORDERS] = {0};
    bool good = true;
    for (int kind = 0; good && kind < SARRUS_N_ORDERS; ++kind) {
        good = sarrus_order_try(&g->graph, (sarrus_order_kind)kind, &trials[kind]);
        plan->order[kind] = trials[kind].facts;
        plan->order[kind].name = names[kind];
    }
    int taken = 0;
    if (good) {
        taken = wanted == SARRUS_ORDER_BEST ? sarrus_order_choose(plan->order, SARRUS_N_ORDERS) : (int)wanted;
        plan->order[taken].is_chosen = 1;
    }
    for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
        if (good && kind == taken)
            g->trial = trials[kind];
        else
            sarrus_order_trial_free(&trials[kind]);
    }
    return good;
}

/* Rows in elimination order and the pads. */
static bool list_rows(sarrus_plan *plan, const block_list *g) {
    sarrus_mech_factor *f = &plan->mech.factor;
    size_t n = (size_t)plan->independence.n_independent;
    plan->row_of = calloc(n + 1, sizeof *plan->row_of);
    plan->at = calloc(n + 1, sizeof *plan->at);
    plan->pad = calloc((size_t)g->n + 1, sizeof *plan->pad);
    if (!plan->row_of || !plan->at || !plan->pad)
        return false;
    for (int k = 0; k < g->n; ++k) {
        for (int r = 0; r < 2; ++r) {
            int row = g->rows[g->trial.order[k]][r];
            if (row < 0) {
                plan->pad[f->n_pads++] = 4 * k + 2;
            } else {
                plan->row_of[f->n_rows] = row;
                plan->at[f->n_rows++] = 2 * k + r;
            }
        }
    }
    f->n_blocks = g->n;
    f->n_independent = plan->independence.n_independent;
    return true;
}

static int ascending(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Columns of L in elimination order; `place` [n] of the blocks in it. */
static void list_columns(sarrus_plan *plan, const block_list *g, const int *place) {
    int32_t at = 0;
    for (int k = 0; k < g->n; ++k) {
        const sarrus_block_set *near = &g->trial.filled.near[g->trial.order[k]];
        plan->column[k] = at;
        for (int i = 0; i < near->n; ++i) {
            if (place[near->block[i]] > k)
                plan->entry_row[at++] = place[near->block[i]];
        }
        qsort(plan->entry_row + plan->column[k], (size_t)(at - plan->column[k]), sizeof *plan->entry_row, ascending);
    }
    plan->column[g->n] = at;
}

/* The blocks that the updates go to: of column k, to what stands in column entry_row[b] at entry_row[a]. The rows of a column's
 * entries are all in the column of the first of them, so one walk along that column finds them. */
static void list_updates(sarrus_plan *plan, int n) {
    const int32_t *column = plan->column, *row = plan->entry_row;
    int32_t at = 0;
    for (int k = 0; k < n; ++k) {
        for (int32_t b = column[k]; b < column[k + 1]; ++b) {
            int32_t entry = column[row[b]];
            plan->update[at++] = row[b];
            for (int32_t a = b + 1; a < column[k + 1]; ++a) {
                while (row[entry] < row[a])
                    ++entry;
                plan->update[at++] = n + entry;
            }
        }
    }
}

static bool list_entries(sarrus_plan *plan, const block_list *g) {
    const int n = g->n, n_entries = g->trial.facts.n_entries, n_updates = g->trial.facts.n_updates;
    plan->column = calloc((size_t)n + 1, sizeof *plan->column);
    plan->entry_row = calloc((size_t)n_entries + 1, sizeof *plan->entry_row);
    plan->update = calloc((size_t)n_updates + 1, sizeof *plan->update);
    int *place = calloc((size_t)n + 1, sizeof *place);
    const bool good = plan->column && plan->entry_row && plan->update && place;
    for (int k = 0; good && k < n; ++k)
        place[g->trial.order[k]] = k;
    if (good) {
        list_columns(plan, g, place);
        list_updates(plan, n);
    }
    free(place);
    plan->mech.factor.n_entries = n_entries;
    plan->mech.factor.n_updates = n_updates;
    return good;
}

sarrus_status sarrus_plan_elimination(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    block_list g;
    bool good = blocks_create(&g, plan) && find_order(plan, &g, wanted);
    const bool is_too_large = good && isinf(g.trial.facts.flops);
    good = good && !is_too_large && list_rows(plan, &g) && list_entries(plan, &g);
    blocks_free(&g);
    if (is_too_large)
        return sarrus_report(context, SARRUS_BAD_INPUT,
                             "the mechanism is connected too densely: its factor would have more than %d blocks or %d updates in "
                             "every order; expected fewer joints on one body, or fewer loops",
                             SARRUS_MOST_ENTRIES, SARRUS_MOST_UPDATES);
    if (!good)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the plan's elimination tables");
    sarrus_mech_factor *f = &plan->mech.factor;
    f->row_of = plan->row_of;
    f->at = plan->at;
    f->pad = plan->pad;
    f->column = plan->column;
    f->entry_row = plan->entry_row;
    f->update = plan->update;
    return SARRUS_OK;
}
