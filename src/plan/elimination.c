/* The elimination order of the independent rows, by blocks of two rows of one joint (least fill, then least degree), and the
 * symbolic LDLᵀ. Two blocks meet in S = J M⁻¹ Jᵀ when their joints hold a common body. What stands in S is shares.c's. */
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/plan.h"

/* Adjacency of the blocks not yet eliminated, dense: n is at most a few hundred. */
typedef struct block_graph {
    int n;
    int (*rows)[2]; /* [n] rows of the mechanism; the second is −1 for a pad */
    bool *meets;    /* [n][n] */
    bool *is_done;  /* [n] */
    int *order;     /* [n] */
} block_graph;

static bool share_a_body(const sarrus_mech_row *a, const sarrus_mech_row *b) {
    return (a->parent >= 0 && (a->parent == b->parent || a->parent == b->child)) ||
           (a->child >= 0 && (a->child == b->parent || a->child == b->child));
}

/* Entries that eliminating block k would add. */
static int fill_of(const block_graph *g, int k) {
    int fill = 0;
    for (int i = 0; i < g->n; ++i) {
        if (i == k || g->is_done[i] || !g->meets[k * g->n + i])
            continue;
        for (int j = i + 1; j < g->n; ++j) {
            if (j == k || g->is_done[j] || !g->meets[k * g->n + j])
                continue;
            fill += !g->meets[i * g->n + j];
        }
    }
    return fill;
}

static int degree_of(const block_graph *g, int k) {
    int degree = 0;
    for (int i = 0; i < g->n; ++i)
        degree += i != k && !g->is_done[i] && g->meets[k * g->n + i];
    return degree;
}

/* Eliminates block k: its neighbours become a clique. The pattern of L stays in `meets`. */
static void eliminate(block_graph *g, int k) {
    g->is_done[k] = true;
    for (int i = 0; i < g->n; ++i) {
        if (g->is_done[i] || !g->meets[k * g->n + i])
            continue;
        for (int j = 0; j < g->n; ++j) {
            if (!g->is_done[j] && g->meets[k * g->n + j])
                g->meets[i * g->n + j] = true;
        }
    }
}

static void order_blocks(block_graph *g) {
    for (int step = 0; step < g->n; ++step) {
        int best = -1, best_fill = 0, best_degree = 0;
        for (int k = 0; k < g->n; ++k) {
            if (g->is_done[k])
                continue;
            int fill = fill_of(g, k), degree = degree_of(g, k);
            if (best < 0 || fill < best_fill || (fill == best_fill && degree < best_degree)) {
                best = k;
                best_fill = fill;
                best_degree = degree;
            }
        }
        eliminate(g, best);
        g->order[step] = best;
    }
}

/* Height of block `step` over the leaves of the elimination tree: one more than any block that updates it. */
static int height_of(const block_graph *g, const int *height, int step) {
    int highest = -1;
    for (int earlier = 0; earlier < step; ++earlier) {
        if (g->meets[g->order[earlier] * g->n + g->order[step]] && height[earlier] > highest)
            highest = height[earlier];
    }
    return highest + 1;
}

/* Puts blocks that do not wait for one another side by side: a stable sort by height over the leaves of the elimination tree. The
 * fill stays as it is (any order in which children come before parents has the same), and the pivots' divisions, the longest
 * latency there is, run at the same time. */
static bool sort_by_height(block_graph *g) {
    int *height = calloc((size_t)g->n + 1, sizeof *height), *sorted = calloc((size_t)g->n + 1, sizeof *sorted);
    bool good = height && sorted;
    int at = 0;
    for (int step = 0; good && step < g->n; ++step)
        height[step] = height_of(g, height, step);
    for (int h = 0; good && h < g->n; ++h) {
        for (int step = 0; step < g->n; ++step) {
            if (height[step] == h)
                sorted[at++] = g->order[step];
        }
    }
    if (good)
        memcpy(g->order, sorted, (size_t)g->n * sizeof *sorted);
    free(height);
    free(sorted);
    return good;
}

/* Two independent rows of a joint make a block; a row left over gets a pad. */
static void make_blocks(block_graph *g, const sarrus_plan *plan) {
    const sarrus_plan_independence *found = &plan->independence;
    for (int i = 0; i < found->n_independent; ++g->n) {
        int row = found->independent[i++];
        g->rows[g->n][0] = row;
        g->rows[g->n][1] = -1;
        if (i < found->n_independent && plan->row[found->independent[i]].joint == plan->row[row].joint) {
            g->rows[g->n][1] = found->independent[i++];
        }
    }
}

static bool graph_create(block_graph *g, const sarrus_plan *plan) {
    size_t most = (size_t)plan->independence.n_independent;
    memset(g, 0, sizeof *g);
    g->rows = calloc(most + 1, sizeof *g->rows);
    g->meets = calloc(most * most + 1, sizeof *g->meets);
    g->is_done = calloc(most + 1, sizeof *g->is_done);
    g->order = calloc(most + 1, sizeof *g->order);
    if (!g->rows || !g->meets || !g->is_done || !g->order)
        return false;
    make_blocks(g, plan);
    for (int i = 0; i < g->n; ++i) {
        for (int j = 0; j < g->n; ++j)
            g->meets[i * g->n + j] = share_a_body(&plan->row[g->rows[i][0]], &plan->row[g->rows[j][0]]);
    }
    return true;
}

static void graph_free(block_graph *g) {
    free(g->rows);
    free(g->meets);
    free(g->is_done);
    free(g->order);
}

/* Rows in elimination order and the pads. */
static bool list_rows(sarrus_plan *plan, const block_graph *g) {
    sarrus_mech_factor *f = &plan->mech.factor;
    size_t n = (size_t)plan->independence.n_independent;
    plan->row_of = calloc(n + 1, sizeof *plan->row_of);
    plan->at = calloc(n + 1, sizeof *plan->at);
    plan->pad = calloc((size_t)g->n + 1, sizeof *plan->pad);
    if (!plan->row_of || !plan->at || !plan->pad)
        return false;
    for (int k = 0; k < g->n; ++k) {
        for (int r = 0; r < 2; ++r) {
            int row = g->rows[g->order[k]][r];
            if (row < 0) {
                plan->pad[f->n_pads++] = 4 * k + 2;
            } else {
                plan->row_of[f->n_independent] = row;
                plan->at[f->n_independent++] = 2 * k + r;
            }
        }
    }
    f->n_blocks = g->n;
    return true;
}

/* Columns of L in elimination order, and the blocks that the updates go to. */
static bool list_entries(sarrus_plan *plan, const block_graph *g) {
    int n = g->n, n_entries = 0, n_updates = 0;
    for (int k = 0; k < n; ++k) {
        int count = 0;
        for (int i = k + 1; i < n; ++i)
            count += g->meets[g->order[k] * n + g->order[i]];
        n_entries += count;
        n_updates += count * (count + 1) / 2;
    }
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
            if (!g->meets[g->order[k] * n + g->order[i]])
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

sarrus_status sarrus_plan_elimination(sarrus_context *context, sarrus_plan *plan) {
    block_graph g;
    bool good = graph_create(&g, plan);
    if (good) {
        order_blocks(&g);
        good = sort_by_height(&g) && list_rows(plan, &g) && list_entries(plan, &g);
    }
    graph_free(&g);
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
