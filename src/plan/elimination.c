/* The elimination of the independent rows, without those of crank pins, by blocks of two rows of one joint: the graph of the
 * blocks, the order that is taken of those that order.c tries, and the symbolic LDLᵀ. Two blocks meet in S = J M⁻¹ Jᵀ when their
 * joints hold a common body. What stands in S is shares.c's. */
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/order.h"

/* The blocks, and the order that is taken. */
typedef struct block_list {
    int n;
    int (*rows)[2]; /* [n] rows of the mechanism; the second is −1 for a pad */
    sarrus_block_graph graph;
    sarrus_order_trial trial;
} block_list;

static bool share_a_body(const sarrus_mech_row *a, const sarrus_mech_row *b) {
    return (a->parent >= 0 && (a->parent == b->parent || a->parent == b->child)) ||
           (a->child >= 0 && (a->child == b->parent || a->child == b->child));
}

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

static bool blocks_create(block_list *g, const sarrus_plan *plan) {
    memset(g, 0, sizeof *g);
    g->rows = calloc((size_t)plan->independence.n_independent + 1, sizeof *g->rows);
    if (!g->rows)
        return false;
    make_blocks(g, plan);
    if (!sarrus_block_graph_create(&g->graph, g->n))
        return false;
    for (int i = 0; i < g->n; ++i) {
        for (int j = 0; j < i; ++j) {
            if (share_a_body(&plan->row[g->rows[i][0]], &plan->row[g->rows[j][0]]))
                sarrus_block_graph_join(&g->graph, i, j);
        }
    }
    return true;
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

/* Columns of L in elimination order, and the blocks that the updates go to. */
static bool list_entries(sarrus_plan *plan, const block_list *g) {
    const int *order = g->trial.order;
    int n = g->n, n_entries = g->trial.facts.n_entries, n_updates = g->trial.facts.n_updates;
    plan->column = calloc((size_t)n + 1, sizeof *plan->column);
    plan->entry_row = calloc((size_t)n_entries + 1, sizeof *plan->entry_row);
    plan->update = calloc((size_t)n_updates + 1, sizeof *plan->update);
    int32_t *entry_at = calloc((size_t)n * (size_t)n + 1, sizeof *entry_at);
    bool good = plan->column && plan->entry_row && plan->update && entry_at;
    int at = 0;
    for (int k = 0; good && k < n; ++k) {
        plan->column[k] = at;
        entry_at[k * n + k] = k;
        for (int i = k + 1; i < n; ++i) {
            if (!sarrus_block_graph_has(&g->trial.filled, order[k], order[i]))
                continue;
            entry_at[i * n + k] = n + at;
            plan->entry_row[at++] = i;
        }
    }
    if (good)
        plan->column[n] = at;
    at = 0;
    for (int k = 0; good && k < n; ++k) {
        for (int b = plan->column[k]; b < plan->column[k + 1]; ++b) {
            for (int a = b; a < plan->column[k + 1]; ++a)
                plan->update[at++] = entry_at[plan->entry_row[a] * n + plan->entry_row[b]];
        }
    }
    free(entry_at);
    plan->mech.factor.n_entries = n_entries;
    plan->mech.factor.n_updates = n_updates;
    return good;
}

sarrus_status sarrus_plan_elimination(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    block_list g;
    bool good = blocks_create(&g, plan) && find_order(plan, &g, wanted) && list_rows(plan, &g) && list_entries(plan, &g);
    blocks_free(&g);
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
