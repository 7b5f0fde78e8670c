/* Loops over the tables of the plan, item by item, and the items.
 *
 * Long mechanisms repeat themselves: a run of the table of joints, shares or columns is n_laps laps of `period` items each, and
 * whatever number an item holds grows by the same step from lap to lap,
 *
 *     item(i, lap) = item(i) + lap · step(i),   first ≤ i < first + period,   0 ≤ lap < n_laps.
 *
 * Kernels that are specialised in runs (SARRUS_PLAN_IN_RUNS) have the code of one lap, in which items are constants, and go around
 * it; the arrays of an evaluation stay in memory. All other kernels go through the whole table, where lap is 0. The order is the
 * same, so are the bits. src/plan/runs.c finds the runs, SARRUS_PLAN_RUNS_<table> lists them. */
#ifndef SARRUS_BODY_PLAN_RUNS_H
#define SARRUS_BODY_PLAN_RUNS_H

#include "kernels/body/workspace.h"

#if defined(SARRUS_PLAN_IN_RUNS)

/* `call` for the items from … to − 1 of a table, in their order; and from the last to the first. */
#define PLAN_RUNS(table, i, lap, from, to, call) SARRUS_PLAN_RUNS_##table(PLAN_RUN, i, lap, from, to, call)
#define PLAN_RUNS_BACK(table, i, lap, from, to, call) SARRUS_PLAN_RUNS_BACK_##table(PLAN_RUN_BACK, i, lap, from, to, call)
#define PLAN_RUN(i, lap, from, to, first, period, n_laps, call)                                                                    \
    if ((first) >= (from) && (first) < (to))                                                                                       \
        LANE_ROLLED for (int32_t lap = 0; lap < (n_laps); ++lap) {                                                                 \
            LANE_UNROLL for (int32_t i = (first); i < (first) + (period); ++i) call;                                               \
        }
#define PLAN_RUN_BACK(i, lap, from, to, first, period, n_laps, call)                                                               \
    if ((first) >= (from) && (first) < (to))                                                                                       \
        LANE_ROLLED for (int32_t lap = (n_laps)-1; lap >= 0; --lap) {                                                              \
            LANE_UNROLL for (int32_t i = (first) + (period)-1; i >= (first); --i) call;                                            \
        }
/* What item i of a table of numbers holds in a lap. */
#define PLAN_AT(mech, table, i, lap) ((mech)->lane.table[i] + (lap)*sarrus_constant_steps.table[i])

#else

#define PLAN_RUNS(table, i, lap, from, to, call)                                                                                   \
    PLAN_EACH (i, from, to) {                                                                                                      \
        enum { lap = 0 };                                                                                                          \
        call;                                                                                                                      \
    }
#define PLAN_RUNS_BACK(table, i, lap, from, to, call)                                                                              \
    PLAN_EACH (n_done, from, to) {                                                                                                 \
        enum { lap = 0 };                                                                                                          \
        const int32_t i = (from) + (to)-1 - n_done;                                                                                \
        call;                                                                                                                      \
    }
#define PLAN_AT(mech, table, i, lap) ((mech)->lane.table[i])

#endif

/* Joint, share, block share and scale i: in the table or, in a lap, in `now`. */
LANE_FUNCTION const sarrus_mech_joint *sarrus_joint_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                       sarrus_mech_joint *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    *now = mech->joint[i];
    now->parent += lap * sarrus_constant_steps.joint[i].parent;
    now->child += lap * sarrus_constant_steps.joint[i].child;
    now->lap_rows = lap * sarrus_constant_steps.joint[i].row;
    now->row += now->lap_rows;
    now->p += lap * sarrus_constant_steps.joint[i].p;
    now->signal += lap * sarrus_constant_steps.joint[i].signal;
    now->parent_crank += lap * sarrus_constant_steps.joint[i].parent_crank;
    now->child_crank += lap * sarrus_constant_steps.joint[i].child_crank;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->joint[i];
#endif
}

LANE_FUNCTION const sarrus_lane_share *sarrus_share_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                       sarrus_lane_share *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_lane_share *step = &sarrus_constant_steps.share[i];
    *now = mech->lane.share[i];
    now->destination += lap * step->destination;
    now->push += lap * step->push;
    now->turn += lap * step->turn;
    now->mass += lap * step->mass;
    now->direction_i += lap * step->direction_i;
    now->direction_j += lap * step->direction_j;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->lane.share[i];
#endif
}

LANE_FUNCTION const sarrus_lane_block_share *sarrus_block_share_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                                   sarrus_lane_block_share *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_lane_block_share *step = &sarrus_constant_steps.block_share[i];
    *now = mech->lane.block_share[i];
    now->destination += lap * step->destination;
    now->push += lap * step->push;
    now->turn += lap * step->turn;
    now->mass += lap * step->mass;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->lane.block_share[i];
#endif
}

LANE_FUNCTION const sarrus_lane_scale *sarrus_scale_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                       sarrus_lane_scale *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    *now = mech->lane.scale[i];
    now->at += lap * sarrus_constant_steps.scale[i].at;
    now->mass += lap * sarrus_constant_steps.scale[i].mass;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->lane.scale[i];
#endif
}

/* What stands in the tables of a tree (tree_plan.h) in a lap; and the number of an item there. */
#if defined(SARRUS_KERNELS_RELATIVE)
#if defined(SARRUS_PLAN_IN_RUNS)
#define TREE_AT(mech, table, i, lap) ((mech)->tree.table[i] + (lap)*sarrus_constant_steps.tree.table[i])
#define TREE_NUMBER(table, i, lap) ((i) + (lap)*sarrus_constant_steps.tree.table##_laps[i])
#define SPEED_BODY(mech, i, lap) ((mech)->tree.speed[i].body + (lap)*sarrus_constant_steps.tree.speed_body[i])
#else
#define TREE_AT(mech, table, i, lap) ((void)(lap), (mech)->tree.table[i])
#define TREE_NUMBER(table, i, lap) ((void)(lap), (i))
#define SPEED_BODY(mech, i, lap) ((void)(lap), (mech)->tree.speed[i].body)
#endif

LANE_FUNCTION const sarrus_mech_link *sarrus_link_at(const sarrus_mechanism *mech, int32_t i, int32_t lap, sarrus_mech_link *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_mech_link *step = &sarrus_constant_steps.tree.link[i];
    *now = mech->tree.link[i];
    now->body += lap * step->body;
    now->inboard += lap * step->inboard;
    now->root += lap * step->root;
    now->joint += lap * step->joint;
    now->p += lap * step->p;
    now->origin += lap * step->origin;
    now->freedom += lap * step->freedom;
    now->q += lap * step->q;
    now->v += lap * step->v;
    now->inboard_link += lap * step->inboard_link;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->tree.link[i];
#endif
}

LANE_FUNCTION const sarrus_mech_entry *sarrus_entry_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                       sarrus_mech_entry *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_mech_entry *step = &sarrus_constant_steps.tree.entry[i];
    *now = mech->tree.entry[i];
    now->speed += lap * step->speed;
    now->side += lap * step->side;
    now->row += lap * step->row;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->tree.entry[i];
#endif
}

LANE_FUNCTION const sarrus_mech_carry *sarrus_carry_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                       sarrus_mech_carry *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_mech_carry *step = &sarrus_constant_steps.tree.carry[i];
    *now = mech->tree.carry[i];
    now->to += lap * step->to;
    now->from += lap * step->from;
    now->at += lap * step->at;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->tree.carry[i];
#endif
}

LANE_FUNCTION const sarrus_mech_tree_step *sarrus_tree_step_at(const sarrus_mechanism *mech, int32_t i, int32_t lap,
                                                               sarrus_mech_tree_step *now) {
#if defined(SARRUS_PLAN_IN_RUNS)
    const sarrus_mech_tree_step *step = &sarrus_constant_steps.tree.step[i];
    *now = mech->tree.step[i];
    now->to += lap * step->to;
    now->a += lap * step->a;
    now->b += lap * step->b;
    return now;
#else
    (void)lap;
    (void)now;
    return &mech->tree.step[i];
#endif
}
#endif

/* Block column k of the factor in a lap: its number, and how far its entries lie behind those of lap 0. */
LANE_FUNCTION int32_t sarrus_column_number(int32_t k, int32_t lap) {
#if defined(SARRUS_PLAN_IN_RUNS)
    return k + lap * sarrus_constant_steps.block[k];
#else
    (void)lap;
    return k;
#endif
}
LANE_FUNCTION int32_t sarrus_column_shift(int32_t k, int32_t lap) {
#if defined(SARRUS_PLAN_IN_RUNS)
    return lap * sarrus_constant_steps.column[k];
#else
    (void)k;
    (void)lap;
    return 0;
#endif
}

#endif
