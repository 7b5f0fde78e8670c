/* Rows over the tree's speeds a block at a time (sarrus_mech_row_block), for kernels that read a plan at run time: what rows.h and
 * gram_relative.h say of single rows, in the order that sums have there, so that bits are the same. With i row r of a block and j
 * row c of another one:
 *   reach_i ← J_i,   reach_i[to] ← reach_i[to] − L[at]·reach_i[from],   over_i = D⁻¹ reach_i,   S_ij = Σ over_i reach_j */
#ifndef SARRUS_BODY_RELATIVE_ROW_BLOCKS_H
#define SARRUS_BODY_RELATIVE_ROW_BLOCKS_H

#include "kernels/body/relative/articulated.h"

#if !defined(SARRUS_CONSTANT_PLAN)

/* Of an array [n_entries] over all rows: the first row's numbers of a block, which are counted from its own entry, and those of the
 * rows behind it as if they stood there. */
typedef struct sarrus_block_rows {
    real *row[SARRUS_MOST_IN_BLOCK];
} sarrus_block_rows;

LANE_FUNCTION sarrus_block_rows sarrus_block_rows_of(real *array, const sarrus_mech_row_block *block, int32_t n) {
    sarrus_block_rows out = {{array, array, array}};
    LANE_EACH (r, n)
        out.row[r] = frame_from(array, r * block->n_entries);
    return out;
}

/* What a block's rows do to the factor of M: reach and over. n: block->n_rows as a constant, here and below. */
LANE_FUNCTION void sarrus_block_reach(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_row_block *block,
                                      int32_t n) {
    const sarrus_mech_tree *tree = &mech->tree;
    const int32_t end = block->entry + block->n_entries;
    const sarrus_block_rows leg = sarrus_block_rows_of(ws->leg, block, n), reach = sarrus_block_rows_of(ws->reach, block, n);
    const sarrus_block_rows over = sarrus_block_rows_of(ws->over, block, n);
    for (int32_t e = block->entry; e < end; ++e) {
        LANE_EACH (r, n)
            frame_at(reach.row[r], e) = frame_at(leg.row[r], e);
    }
    for (int32_t k = block->carry; k < block->carry + block->n_carries; ++k) {
        const sarrus_mech_carry *carry = &tree->carry[k];
        const int32_t to = carry->to, from = carry->from;
        const real share = frame_at(ws->share, carry->at);
        LANE_EACH (r, n)
            frame_at(reach.row[r], to) = real_fnma(share, frame_at(reach.row[r], from), frame_at(reach.row[r], to));
    }
    for (int32_t e = block->entry; e < end; ++e) {
        const real lightness = frame_at(ws->lightness, tree->entry[e].speed);
        LANE_EACH (r, n)
            frame_at(over.row[r], e) = lightness * frame_at(reach.row[r], e);
    }
}

PLAN_BODY void sarrus_blocks_reach(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    for (int32_t b = 0; b < mech->tree.n_row_blocks; ++b) {
        const sarrus_mech_row_block *block = &mech->tree.row_block[b];
        if (block->n_rows == 3)
            sarrus_block_reach(mech, ws, block, 3);
        else if (block->n_rows == 2)
            sarrus_block_reach(mech, ws, block, 2);
        else
            sarrus_block_reach(mech, ws, block, 1);
    }
}

/* out_i ← out_i − J_i x of a block's rows, and x ← x + Σ over_i μ_i. */
LANE_FUNCTION void sarrus_block_subtract_rows(const sarrus_mechanism *mech, sarrus_workspace *ws,
                                              const sarrus_mech_row_block *block, int32_t n, const real *x, real *out) {
    const sarrus_block_rows leg = sarrus_block_rows_of(ws->leg, block, n);
    real sum[SARRUS_MOST_IN_BLOCK];
    LANE_EACH (r, n)
        sum[r] = frame_beyond(out, block->row, r);
    for (int32_t e = block->entry; e < block->entry + block->n_entries; ++e) {
        const sarrus_mech_entry *entry = &mech->tree.entry[e];
        if (entry->side < 0)
            continue;
        const real rate = frame_at(x, entry->speed);
        LANE_EACH (r, n)
            sum[r] = real_fnma(frame_at(leg.row[r], e), rate, sum[r]);
    }
    LANE_EACH (r, n)
        frame_beyond(out, block->row, r) = sum[r];
}
LANE_FUNCTION void sarrus_block_push_rows(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_row_block *block,
                                          int32_t n, const real *mu, real *x) {
    const sarrus_block_rows over = sarrus_block_rows_of(ws->over, block, n);
    real own[SARRUS_MOST_IN_BLOCK];
    LANE_EACH (r, n)
        own[r] = frame_beyond(mu, block->row, r);
    for (int32_t e = block->entry; e < block->entry + block->n_entries; ++e) {
        const int32_t speed = mech->tree.entry[e].speed;
        real sum = frame_at(x, speed);
        LANE_EACH (r, n)
            sum = real_fma(frame_at(over.row[r], e), own[r], sum);
        frame_at(x, speed) = sum;
    }
}

PLAN_BODY void sarrus_blocks_subtract_rows(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *x, real *out) {
    for (int32_t b = 0; b < mech->tree.n_row_blocks; ++b) {
        const sarrus_mech_row_block *block = &mech->tree.row_block[b];
        if (block->n_rows == 3)
            sarrus_block_subtract_rows(mech, ws, block, 3, x, out);
        else if (block->n_rows == 2)
            sarrus_block_subtract_rows(mech, ws, block, 2, x, out);
        else
            sarrus_block_subtract_rows(mech, ws, block, 1, x, out);
    }
}
PLAN_BODY void sarrus_blocks_push_rows(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *mu, real *x) {
    for (int32_t b = 0; b < mech->tree.n_row_blocks; ++b) {
        const sarrus_mech_row_block *block = &mech->tree.row_block[b];
        if (block->n_rows == 3)
            sarrus_block_push_rows(mech, ws, block, 3, mu, x);
        else if (block->n_rows == 2)
            sarrus_block_push_rows(mech, ws, block, 2, mu, x);
        else
            sarrus_block_push_rows(mech, ws, block, 1, mu, x);
    }
}

/* The numbers of S between n_i rows of a block and n_j of another one: sums stay in registers. */
LANE_FUNCTION void sarrus_meeting_sum(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_meeting *meeting,
                                      int32_t n_i, int32_t n_j) {
    const sarrus_mech_row_block *of = mech->tree.row_block;
    const sarrus_block_rows over = sarrus_block_rows_of(ws->over, &of[meeting->block[0]], n_i);
    const sarrus_block_rows reach = sarrus_block_rows_of(ws->reach, &of[meeting->block[1]], n_j);
    const sarrus_mech_meet *meet = &mech->tree.meet[meeting->first];
    real sum[SARRUS_MOST_IN_BLOCK][SARRUS_MOST_IN_BLOCK];
    LANE_EACH (r, n_i) {
        LANE_EACH (c, n_j)
            sum[r][c] = frame_at(over.row[r], meet->entry[0]) * frame_at(reach.row[c], meet->entry[1]);
    }
    for (int32_t k = 1; k < meeting->n; ++k) {
        const int32_t i = meet[k].entry[0], j = meet[k].entry[1];
        LANE_EACH (r, n_i) {
            LANE_EACH (c, n_j)
                sum[r][c] = real_fma(frame_at(over.row[r], i), frame_at(reach.row[c], j), sum[r][c]);
        }
    }
    LANE_EACH (r, n_i) {
        LANE_EACH (c, n_j) {
            const int32_t destination = meeting->destination[SARRUS_MOST_IN_BLOCK * r + c];
            if (destination >= 0)
                frame_at(ws->factor, destination) = sum[r][c];
        }
    }
}
LANE_FUNCTION void sarrus_meeting_with(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_meeting *meeting,
                                       int32_t n_i) {
    const int32_t n_j = mech->tree.row_block[meeting->block[1]].n_rows;
    if (n_j == 3)
        sarrus_meeting_sum(mech, ws, meeting, n_i, 3);
    else if (n_j == 2)
        sarrus_meeting_sum(mech, ws, meeting, n_i, 2);
    else
        sarrus_meeting_sum(mech, ws, meeting, n_i, 1);
}

/* All shares of the factor. */
PLAN_BODY void sarrus_blocks_meet(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    for (int32_t k = 0; k < mech->tree.n_meetings; ++k) {
        const sarrus_mech_meeting *meeting = &mech->tree.meeting[k];
        const int32_t n_i = mech->tree.row_block[meeting->block[0]].n_rows;
        if (n_i == 3)
            sarrus_meeting_with(mech, ws, meeting, 3);
        else if (n_i == 2)
            sarrus_meeting_with(mech, ws, meeting, 2);
        else
            sarrus_meeting_with(mech, ws, meeting, 1);
    }
}

#endif

#endif
