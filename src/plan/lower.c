/* Lowering, as a compiler lowers a program: from tables that count rows, sides, bodies and blocks, which hold for every width, to
 * tables of places in the lane arrays of tiles of one width, which the kernels add to a base without multiplying (`place`). Shares
 * are sorted by what they do, so that each loop of a kernel does one thing; within a kind they keep the plan's order, and with it
 * sums keep their bits. */
#include "plan/lower.h"

#include <stdlib.h>
#include <string.h>

#include "plan/body.h"

static int32_t lane_kind(const sarrus_mech_share *share) {
    switch (share->kind) {
    case SARRUS_SHARE_PLUS:
        return SARRUS_LANE_PLUS;
    case SARRUS_SHARE_MINUS:
        return SARRUS_LANE_MINUS;
    case SARRUS_SHARE_CRANK:
        return SARRUS_LANE_CRANK;
    case SARRUS_SHARE_GENERAL:
        return share->opposite ? SARRUS_LANE_GENERAL_MINUS : SARRUS_LANE_GENERAL_PLUS;
    default:
        return SARRUS_LANE_ROTATION;
    }
}

static sarrus_lane_offset place(int32_t index, int32_t width) {
    return (sarrus_lane_offset)index * (sarrus_lane_offset)width;
}

/* The 1/m of a body among the parameters. */
static sarrus_lane_offset mass_of(const sarrus_mechanism *mech, int32_t body, int32_t width) {
    return place(mech->p_body + sarrus_body_sizes_of(mech->space)->n_parameters * body + SARRUS_PB_MINV, width);
}

static sarrus_lane_share lane_share(const sarrus_mechanism *mech, const sarrus_mech_share *share, int32_t width) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(mech->space);
    const int32_t n_turn = mech->tree.n_links > 0 ? 1 : sizes->n_turn; /* an entry over the tree's speeds is one number */
    return (sarrus_lane_share){
        .destination = place(share->destination, width),
        .push = place(share->side_i * n_turn, width),
        .turn = place(share->side_j * n_turn, width),
        .mass = mass_of(mech, share->body, width),
        .direction_i = place(share->side_i / 2 * sizes->dimension, width),
        .direction_j = place(share->side_j / 2 * sizes->dimension, width),
    };
}

/* Segment by segment, in the order of the plan within each: sums keep their order. */
static void lower_shares(const sarrus_mechanism *from, sarrus_lane_tables *lane, sarrus_lane_share *share) {
    int32_t at = 0;
    for (int32_t segment = 0; segment < 2 * SARRUS_N_LANE_KINDS; ++segment) {
        bool is_first = segment < SARRUS_N_LANE_KINDS;
        int32_t begin = is_first ? 0 : from->factor.n_first, end = is_first ? from->factor.n_first : from->factor.n_shares;
        lane->segment[segment] = at;
        for (int32_t i = begin; i < end; ++i) {
            if (lane_kind(&from->factor.share[i]) != segment % SARRUS_N_LANE_KINDS)
                continue;
            share[at++] = lane_share(from, &from->factor.share[i], lane->width);
        }
    }
    lane->segment[2 * SARRUS_N_LANE_KINDS] = at;
}

static int32_t lane_block_kind(const sarrus_mechanism *mech, const sarrus_mech_block_share *share) {
    const bool is_diagonal = share->destination < mech->factor.n_blocks;
    if (share->is_crank)
        return is_diagonal ? SARRUS_LANE_CRANK_DIAGONAL : SARRUS_LANE_CRANK_BLOCK;
    if (is_diagonal)
        return SARRUS_LANE_DIAGONAL;
    return share->opposite ? SARRUS_LANE_OPPOSITE : SARRUS_LANE_SAME;
}

static void lower_block_shares(const sarrus_mechanism *from, sarrus_lane_tables *lane, sarrus_lane_block_share *out) {
    const sarrus_mech_factor *f = &from->factor;
    int32_t at = 0, width = lane->width;
    for (int32_t segment = 0; segment < 2 * SARRUS_N_LANE_BLOCK_KINDS; ++segment) {
        bool is_first = segment < SARRUS_N_LANE_BLOCK_KINDS;
        int32_t begin = is_first ? 0 : f->n_first_block_shares, end = is_first ? f->n_first_block_shares : f->n_block_shares;
        lane->block_segment[segment] = at;
        for (int32_t i = begin; i < end; ++i) {
            const sarrus_mech_block_share *share = &f->block_share[i];
            if (lane_block_kind(from, share) != segment % SARRUS_N_LANE_BLOCK_KINDS)
                continue;
            out[at++] = (sarrus_lane_block_share){
                .destination = place(4 * share->destination, width),
                .push = place(share->side_i, width),
                .turn = place(share->side_j, width),
                .mass = mass_of(from, share->body, width),
            };
        }
    }
    lane->block_segment[2 * SARRUS_N_LANE_BLOCK_KINDS] = at;
}

static void lower_scales(const sarrus_mechanism *from, int32_t width, sarrus_lane_scale *out) {
    for (int32_t i = 0; i < from->factor.n_scales; ++i) {
        const sarrus_mech_scale *scale = &from->factor.scale[i];
        out[i] = (sarrus_lane_scale){
            .at = place(scale->at, width),
            .mass = mass_of(from, scale->body, width),
        };
    }
}

/* Indices as places, each index counting for `step` lane arrays. */
static sarrus_lane_offset *lower_indices(const int32_t *from, int32_t n, int32_t step, sarrus_lane_offset **next) {
    sarrus_lane_offset *out = *next;
    for (int32_t i = 0; i < n; ++i)
        out[i] = place(from[i], step);
    *next += n;
    return out;
}

/* update[] runs over the pairs a ≥ b of a column's entries, b by b. */
static void lower_first_updates(const sarrus_mech_factor *f, int32_t *first) {
    int32_t at = 0;
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        for (int32_t p = f->column[k]; p < f->column[k + 1]; ++p) {
            first[p] = at;
            at += f->column[k + 1] - p;
        }
    }
}

bool sarrus_plan_lower(const sarrus_plan *plan, int32_t width, sarrus_lowered *out) {
    const sarrus_mechanism *from = &plan->mech;
    const sarrus_mech_factor *f = &from->factor;
    size_t n_places = (size_t)f->n_fill + (size_t)f->n_pads + 2 * (size_t)f->n_rows + (size_t)f->n_dependent +
                      (size_t)f->n_entries + (size_t)f->n_updates;
    out->mech = *from;
    out->block =
        malloc((size_t)f->n_shares * sizeof(sarrus_lane_share) + (size_t)f->n_block_shares * sizeof(sarrus_lane_block_share) +
               (size_t)f->n_scales * sizeof(sarrus_lane_scale) + n_places * sizeof(sarrus_lane_offset) +
               (size_t)f->n_entries * sizeof(int32_t) + 64);
    if (!out->block)
        return false;
    sarrus_lane_tables *lane = &out->mech.lane;
    sarrus_lane_share *share = out->block;
    sarrus_lane_block_share *block_share = (sarrus_lane_block_share *)(void *)(share + f->n_shares);
    sarrus_lane_scale *scale = (sarrus_lane_scale *)(void *)(block_share + f->n_block_shares);
    sarrus_lane_offset *next = (sarrus_lane_offset *)(void *)(scale + f->n_scales);
    lane->width = width;
    lane->share = share;
    lane->block_share = block_share;
    lane->scale = scale;
    lower_shares(from, lane, share);
    lower_block_shares(from, lane, block_share);
    lower_scales(from, width, scale);
    lane->fill = lower_indices(f->fill, f->n_fill, width, &next);
    lane->pad = lower_indices(f->pad, f->n_pads, width, &next);
    lane->row = lower_indices(f->row_of, f->n_rows, width, &next);
    lane->at = lower_indices(f->at, f->n_rows, width, &next);
    lane->dependent = lower_indices(f->dependent, f->n_dependent, width, &next);
    lane->entry_row = lower_indices(f->entry_row, f->n_entries, 2 * width, &next);
    lane->update = lower_indices(f->update, f->n_updates, 4 * width, &next);
    int32_t *first_update = (int32_t *)(void *)next;
    lower_first_updates(f, first_update);
    lane->first_update = first_update;
    return true;
}

void sarrus_lowered_free(sarrus_lowered *lowered) {
    free(lowered->block);
    memset(lowered, 0, sizeof *lowered);
}
