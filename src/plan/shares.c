/* The shares of the bodies in every entry of S = J M⁻¹ Jᵀ: in the plane whole 2×2 blocks between pins, single entries elsewhere. In
 * relative coordinates those of the speeds, single entries. */
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"

/* What is listed: NULL tables only count. */
typedef struct share_lists {
    sarrus_mech_block_share *block;
    sarrus_mech_share *single;
    const int (*rows)[2]; /* [n_blocks of the factor] the two mechanism rows of a block, −1 for a pad */
    int n_blocks, n_singles;
} share_lists;

/* Whether the rows are the x and y rows of a pin in the plane. In space three rows make a pin, which no block holds. */
static bool is_pin(const sarrus_plan *plan, const int rows[2]) {
    return plan->mech.space == SARRUS_SPACE_PLANAR && !sarrus_plan_is_relative(plan) && rows[1] == rows[0] + 1 &&
           plan->row[rows[0]].kind == SARRUS_ROW_X && plan->row[rows[1]].kind == SARRUS_ROW_Y;
}

static int body_of(const sarrus_mech_row *row, int side) {
    return side ? row->child : row->parent;
}

/* Whether the body on one side of a row is a crank. */
static bool is_crank(const sarrus_plan *plan, int row, int side) {
    const sarrus_mech_joint *joint = &plan->joint[plan->row[row].joint];
    return (side ? joint->child_crank : joint->parent_crank) >= 0;
}

static int32_t share_kind(const sarrus_mech_row *a, const sarrus_mech_row *b, bool opposite) {
    if (a->kind == SARRUS_ROW_ANGLE || b->kind == SARRUS_ROW_ANGLE)
        return SARRUS_SHARE_ROTATION;
    if (a->kind == SARRUS_ROW_GENERAL || b->kind == SARRUS_ROW_GENERAL)
        return SARRUS_SHARE_GENERAL;
    if (a->kind != b->kind)
        return SARRUS_SHARE_ROTATION;
    return opposite ? SARRUS_SHARE_MINUS : SARRUS_SHARE_PLUS;
}

/* Appends the shares of J_i M⁻¹ J_jᵀ for one pair of lines: rows, or parts of rows. */
static void add_lines(const sarrus_plan *plan, int row_i, int row_j, int32_t destination, share_lists *to) {
    const sarrus_mech_row *a = &plan->row[row_i], *b = &plan->row[row_j];
    for (int sides = 0; sides < 4; ++sides) {
        int side_i = sides / 2, side_j = sides % 2, body = body_of(a, side_i);
        if (body < 0 || body != body_of(b, side_j))
            continue;
        if (to->single) {
            const int32_t kind = is_crank(plan, row_i, side_i) ? SARRUS_SHARE_CRANK : share_kind(a, b, side_i != side_j);
            to->single[to->n_singles] =
                (sarrus_mech_share){destination, 2 * row_i + side_i, 2 * row_j + side_j, body, kind, side_i != side_j};
        }
        ++to->n_singles;
    }
}

/* The same in relative coordinates: the speeds that both rows have, which fall in both. */
static void add_speeds(const sarrus_plan *plan, int row_i, int row_j, int32_t destination, share_lists *to) {
    const sarrus_mech_tree *tree = &plan->mech.tree;
    int32_t i = tree->row_start[row_i], j = tree->row_start[row_j];
    while (i < tree->row_start[row_i + 1] && j < tree->row_start[row_j + 1]) {
        const int32_t a = tree->entry[i].speed, b = tree->entry[j].speed;
        if (a == b) {
            if (to->single)
                to->single[to->n_singles] =
                    (sarrus_mech_share){.destination = destination, .side_i = i, .side_j = j, .kind = SARRUS_SHARE_ROTATION};
            ++to->n_singles;
        }
        i += a >= b;
        j += b >= a;
    }
}

/* Appends the shares of J_i M⁻¹ J_jᵀ for one pair of rows. */
static void add_singles(const sarrus_plan *plan, int row_i, int row_j, int32_t destination, share_lists *to) {
    const int part_i = sarrus_plan_row_part(plan, row_i), part_j = sarrus_plan_row_part(plan, row_j);
    add_lines(plan, row_i, row_j, destination, to);
    if (part_j >= 0)
        add_lines(plan, row_i, part_j, destination, to);
    if (part_i >= 0)
        add_lines(plan, part_i, row_j, destination, to);
    if (part_i >= 0 && part_j >= 0)
        add_lines(plan, part_i, part_j, destination, to);
}

/* Appends the shares of a 2×2 block between two pins. */
static void add_block(const sarrus_plan *plan, int row_i, int row_j, int32_t destination, share_lists *to) {
    const sarrus_mech_row *a = &plan->row[row_i], *b = &plan->row[row_j];
    for (int sides = 0; sides < 4; ++sides) {
        int side_i = sides / 2, side_j = sides % 2, body = body_of(a, side_i);
        if (body < 0 || body != body_of(b, side_j))
            continue;
        if (to->block) {
            to->block[to->n_blocks] = (sarrus_mech_block_share){destination, 2 * row_i + side_i, 2 * row_j + side_j,
                                                                body,        side_i != side_j,   is_crank(plan, row_i, side_i)};
        }
        ++to->n_blocks;
    }
}

/* The block of S between block rows i ≥ j, stored in block place `place`. */
static void add_pair(const sarrus_plan *plan, int i, int j, int32_t place, share_lists *to) {
    const int *rows_i = to->rows[i], *rows_j = to->rows[j];
    if (is_pin(plan, rows_i) && is_pin(plan, rows_j)) {
        add_block(plan, rows_i[0], rows_j[0], place, to);
        return;
    }
    for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
            const int32_t destination = 4 * place + (i == j ? r + c : 2 * r + c);
            if (rows_i[r] < 0 || rows_j[c] < 0 || (i == j && c > r))
                continue;
            if (sarrus_plan_is_relative(plan))
                add_speeds(plan, rows_i[r], rows_j[c], destination, to);
            else
                add_singles(plan, rows_i[r], rows_j[c], destination, to);
        }
    }
}

static void add_all(const sarrus_plan *plan, share_lists *to) {
    const sarrus_mech_factor *f = &plan->mech.factor;
    for (int k = 0; k < f->n_blocks; ++k) {
        add_pair(plan, k, k, k, to);
        for (int p = plan->column[k]; p < plan->column[k + 1]; ++p)
            add_pair(plan, plan->entry_row[p], k, f->n_blocks + p, to);
    }
}

/* Marks the lane arrays of the factor that something begins; true when `i` had not been begun. */
static bool begin_place(bool *begun, int32_t i) {
    bool is_first = !begun[i];
    begun[i] = true;
    return is_first;
}

/* Stable: first the shares that begin their destinations, then those that add. Returns the number of first ones. */
static int split_singles(sarrus_mech_share *share, int n, sarrus_mech_share *scratch, bool *begun) {
    int n_first = 0, n_later = 0;
    for (int i = 0; i < n; ++i) {
        if (begin_place(begun, share[i].destination))
            share[n_first++] = share[i];
        else
            scratch[n_later++] = share[i];
    }
    memcpy(share + n_first, scratch, (size_t)n_later * sizeof *share);
    return n_first;
}

static int split_blocks(sarrus_mech_block_share *share, int n, sarrus_mech_block_share *scratch, bool *begun) {
    int n_first = 0, n_later = 0;
    for (int i = 0; i < n; ++i) {
        bool is_first = begin_place(begun, 4 * share[i].destination);
        for (int k = 1; k < 4; ++k)
            begun[4 * share[i].destination + k] = true;
        if (is_first)
            share[n_first++] = share[i];
        else
            scratch[n_later++] = share[i];
    }
    memcpy(share + n_first, scratch, (size_t)n_later * sizeof *share);
    return n_first;
}

/* Orders the shares and lists the places that none of them begins. */
static bool split(sarrus_plan *plan) {
    sarrus_mech_factor *f = &plan->mech.factor;
    size_t n_places = 4 * ((size_t)f->n_blocks + (size_t)f->n_entries);
    bool *begun = calloc(n_places + 1, sizeof *begun);
    sarrus_mech_share *singles = calloc((size_t)f->n_shares + 1, sizeof *singles);
    sarrus_mech_block_share *blocks = calloc((size_t)f->n_block_shares + 1, sizeof *blocks);
    plan->fill = calloc(n_places + 1, sizeof *plan->fill);
    bool good = begun && singles && blocks && plan->fill;
    if (good) {
        f->n_first_block_shares = split_blocks(plan->block_share, f->n_block_shares, blocks, begun);
        f->n_first = split_singles(plan->share, f->n_shares, singles, begun);
        for (int i = 0; i < f->n_pads; ++i)
            begun[plan->pad[i]] = true;
        for (size_t i = 0; i < n_places; ++i) {
            if (!begun[i])
                plan->fill[f->n_fill++] = (int32_t)i;
        }
    }
    free(begun);
    free(singles);
    free(blocks);
    return good;
}

/* The dependent rows, and the scales of the rows on cranks. */
static bool list_rest(sarrus_plan *plan) {
    sarrus_mech_factor *f = &plan->mech.factor;
    f->n_dependent = plan->mech.m - f->n_independent;
    plan->dependent = calloc((size_t)f->n_dependent + 1, sizeof *plan->dependent);
    plan->scale = calloc(2 * (size_t)f->n_rows + 1, sizeof *plan->scale);
    if (!plan->dependent || !plan->scale)
        return false;
    memcpy(plan->dependent, plan->independence.dependent, (size_t)f->n_dependent * sizeof *plan->dependent);
    for (int k = 0; k < f->n_rows; ++k) {
        const sarrus_mech_row *row = &plan->row[plan->row_of[k]];
        for (int side = 0; side < 2 && row->kind != SARRUS_ROW_ANGLE; ++side) {
            if (is_crank(plan, plan->row_of[k], side))
                plan->scale[f->n_scales++] = (sarrus_mech_scale){plan->at[k], body_of(row, side)};
        }
    }
    return true;
}

/* The rows of the blocks; NULL: no memory. */
static int (*rows_of_blocks(const sarrus_plan *plan))[2] {
    const sarrus_mech_factor *f = &plan->mech.factor;
    int(*rows)[2] = malloc(((size_t)f->n_blocks + 1) * sizeof *rows);
    for (int k = 0; rows && k < f->n_blocks; ++k)
        rows[k][0] = rows[k][1] = -1;
    for (int i = 0; rows && i < f->n_rows; ++i)
        rows[plan->at[i] / 2][plan->at[i] % 2] = plan->row_of[i];
    return rows;
}

static bool make_shares(sarrus_plan *plan) {
    sarrus_mech_factor *f = &plan->mech.factor;
    int(*rows)[2] = rows_of_blocks(plan);
    share_lists lists = {.rows = (const int(*)[2])rows};
    if (!rows)
        return false;
    add_all(plan, &lists);
    f->n_block_shares = lists.n_blocks;
    f->n_shares = lists.n_singles;
    lists.block = plan->block_share = calloc((size_t)lists.n_blocks + 1, sizeof *plan->block_share);
    lists.single = plan->share = calloc((size_t)lists.n_singles + 1, sizeof *plan->share);
    lists.n_blocks = lists.n_singles = 0;
    bool good = plan->block_share && plan->share;
    if (good) {
        add_all(plan, &lists);
        good = split(plan) && list_rest(plan);
    }
    free(rows);
    return good;
}

sarrus_status sarrus_plan_shares(sarrus_context *context, sarrus_plan *plan) {
    sarrus_mech_factor *f = &plan->mech.factor;
    if (!make_shares(plan))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the plan's tables of S");
    f->block_share = plan->block_share;
    f->share = plan->share;
    f->fill = plan->fill;
    f->scale = plan->scale;
    f->dependent = plan->dependent;
    return SARRUS_OK;
}
