/* How bodies reach the plan and the arrays of an evaluation; the one place that knows whether the plan is a constant.
 *
 * Generic kernels read a plan at run time: its tables are pointers, the arrays of an evaluation lie in a workspace in memory.
 * Specialised kernels are compiled for one plan: SARRUS_CONSTANT_PLAN is defined and so are its sizes SARRUS_PLAN_N_*. Tables are
 * members of the constant, so that a compiler can read them; loops over the plan unroll; the arrays of an evaluation are members
 * of a local structure and end up in registers. Neither changes an operation or the order of operations: both give the same bits.
 *
 * The arrays of an evaluation are its frame (FRAME_ARRAY, frame_at; workspace.def lists them), after the frame of a function's
 * locals on the stack: one evaluation writes and reads them, and nobody needs them behind it. The arrays of a tile are what an
 * instance keeps (lane_at; field.def).
 *
 * What a compiler needs for that, found by trying: indices rather than pointers that walk, whatever index an inner loop runs over
 * read from the plan rather than counted along, and no address of an array handed to a function that is not inlined. */
#ifndef SARRUS_BODY_PLAN_ACCESS_H
#define SARRUS_BODY_PLAN_ACCESS_H

#include "kernels/body/mechanism.h"
#include "kernels/lane/lane.h"
#include "kernels/space/space.h"

#if defined(SARRUS_CONSTANT_PLAN)

/* Bodies of one evaluation become one piece of code. */
#define PLAN_BODY LANE_FUNCTION
/* A call for every entry of a column. Their number becomes a constant only when the loop around has been unrolled: a loop would be
 * unrolled too late or, for as many as there could be, too often. So the call is written out for the longest column of the plan,
 * SARRUS_PLAN_LONGEST_COLUMN, which is LOOP when that is too long. */
#define PLAN_EACH_ENTRY(i, from, to, call) PLAN_WRITE_OUT(SARRUS_PLAN_LONGEST_COLUMN, i, from, to, call)
#define PLAN_WRITE_OUT(n, i, from, to, call) PLAN_WRITE_OUT_AS(n, i, from, to, call)
#define PLAN_WRITE_OUT_AS(n, i, from, to, call) PLAN_ENTRIES_##n(i, from, to, call)
#define PLAN_ENTRY(i, r, from, to, call)                                                                                           \
    {                                                                                                                              \
        const int32_t i = (from) + (r);                                                                                            \
        if (i < (to))                                                                                                              \
            call;                                                                                                                  \
    }
#define PLAN_ENTRIES_1(i, from, to, call) PLAN_ENTRY(i, 0, from, to, call)
#define PLAN_ENTRIES_2(i, from, to, call) PLAN_ENTRIES_1(i, from, to, call) PLAN_ENTRY(i, 1, from, to, call)
#define PLAN_ENTRIES_3(i, from, to, call) PLAN_ENTRIES_2(i, from, to, call) PLAN_ENTRY(i, 2, from, to, call)
#define PLAN_ENTRIES_4(i, from, to, call) PLAN_ENTRIES_3(i, from, to, call) PLAN_ENTRY(i, 3, from, to, call)
#define PLAN_ENTRIES_5(i, from, to, call) PLAN_ENTRIES_4(i, from, to, call) PLAN_ENTRY(i, 4, from, to, call)
#define PLAN_ENTRIES_6(i, from, to, call) PLAN_ENTRIES_5(i, from, to, call) PLAN_ENTRY(i, 5, from, to, call)
#define PLAN_ENTRIES_7(i, from, to, call) PLAN_ENTRIES_6(i, from, to, call) PLAN_ENTRY(i, 6, from, to, call)
#define PLAN_ENTRIES_8(i, from, to, call) PLAN_ENTRIES_7(i, from, to, call) PLAN_ENTRY(i, 7, from, to, call)
#define PLAN_ENTRIES_9(i, from, to, call) PLAN_ENTRIES_8(i, from, to, call) PLAN_ENTRY(i, 8, from, to, call)
#define PLAN_ENTRIES_10(i, from, to, call) PLAN_ENTRIES_9(i, from, to, call) PLAN_ENTRY(i, 9, from, to, call)
#define PLAN_ENTRIES_11(i, from, to, call) PLAN_ENTRIES_10(i, from, to, call) PLAN_ENTRY(i, 10, from, to, call)
#define PLAN_ENTRIES_12(i, from, to, call) PLAN_ENTRIES_11(i, from, to, call) PLAN_ENTRY(i, 11, from, to, call)
#define PLAN_ENTRIES_LOOP(i, from, to, call)                                                                                       \
    for (int32_t i = (from); i < (to); ++i)                                                                                        \
        call;
#define parameter_at_offset(parameter, place) lane_at(parameter, place)

#else

#define PLAN_BODY LANE_BODY
#define PLAN_EACH_ENTRY(i, from, to, call)                                                                                         \
    for (int32_t i = (from); i < (to); ++i)                                                                                        \
        call;
#define parameter_at_offset(parameter, place) lane_at_offset(parameter, place)

#endif

#if defined(SARRUS_CONSTANT_PLAN) && !defined(SARRUS_PLAN_IN_RUNS)

/* An array of an evaluation, as a member. */
#define FRAME_ARRAY(name, n) real name[n]
#define SARRUS_PLAN_N_ONE 1
#define FRAME_STRIDE 1
/* A loop over the plan. Where a bound is a choice between two it is made before the loop: with a branch in its condition gcc
 * forgets that it was to be unrolled. */
#define PLAN_EACH(i, from, to) LANE_UNROLL for (int32_t i = (from); i < (to); ++i)

#else

#define FRAME_ARRAY(name, n) real *name
#define FRAME_STRIDE LANE_STRIDE
#define PLAN_EACH(i, from, to) for (int32_t i = (from); i < (to); ++i)

#endif

/* A body that stands once in kernels that are specialised in runs over a tree, for all who ask for it: its arrays lie in memory
 * anyway. It begins with sarrus_plan_here and sarrus_workspace_here (workspace.h). */
#if defined(SARRUS_PLAN_IN_RUNS) && defined(SARRUS_KERNELS_RELATIVE)
#define PLAN_PIECE LANE_PHASE
#else
#define PLAN_PIECE PLAN_BODY
#endif

/* A loop within an item of the plan, of a length that the item says. */
#if defined(SARRUS_CONSTANT_PLAN)
#define PLAN_WITHIN(i, from, to) LANE_UNROLL for (int32_t i = (from); i < (to); ++i)
#else
#define PLAN_WITHIN(i, from, to) for (int32_t i = (from); i < (to); ++i)
#endif

/* The index of a place. */
#if defined(SARRUS_CONSTANT_PLAN)
#define PLAN_INDEX(place) ((int32_t)(place))
#else
#define PLAN_INDEX(place) ((int32_t)((place) / LANE_WIDTH))
#endif

/* Element r behind a place of the plan's tables, in an array of an evaluation and among the parameters of a tile. */
#if defined(SARRUS_CONSTANT_PLAN)
#define frame_at_offset(array, place, r) ((array)[(size_t)((place) + (r)) * FRAME_STRIDE])
#else
#define frame_at_offset(array, place, r) lane_at_offset(array, (place) + (r)*LANE_WIDTH)
#endif

/* Whether a joint is of a kind, and whether it has a row `r` (0 … 2) or a drive. A constant plan that has no such joint, or no
 * other, says so before a loop over the joints unrolls: what is not there is never written out. */
LANE_FUNCTION int sarrus_joint_is(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t kind) {
#if defined(SARRUS_CONSTANT_PLAN)
    if (mech->n_of_kind[kind] == 0 || mech->n_of_kind[kind] == mech->n_joints)
        return mech->n_of_kind[kind] > 0;
#endif
    (void)mech;
    return joint->kind == kind;
}
LANE_FUNCTION int sarrus_joint_has_row(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t r) {
#if defined(SARRUS_CONSTANT_PLAN)
    if (r >= mech->max_joint_rows)
        return 0;
#endif
    (void)mech;
    return r < joint->n_rows;
}

/* Constraints beside joints. Kernels of devices are not made for them, and carry no code that would hold registers for them. */
LANE_FUNCTION int32_t sarrus_constraints_count(const sarrus_mechanism *mech) {
    return LANE_IS_THREAD ? 0 : mech->n_constraints;
}

/* Whether some of them hold speeds and say nothing of positions. */
LANE_FUNCTION int sarrus_holds_speeds(const sarrus_mechanism *mech) {
    int holds = 0;
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i)
        holds = holds || mech->constraint[i].type == SARRUS_CONSTRAINT_NONHOLONOMIC;
    return holds;
}

/* Whether a row does. */
LANE_FUNCTION int sarrus_row_holds_speed(const sarrus_mechanism *mech, int32_t i) {
    const int32_t constraint = sarrus_constraints_count(mech) > 0 ? mech->row[i].joint - mech->n_joints : -1;
    return constraint >= 0 && mech->constraint[constraint].type == SARRUS_CONSTRAINT_NONHOLONOMIC;
}

/* Whether constraints depend on time: by drives, because ground moves, or by the speed of one that is nonholonomic. */
LANE_FUNCTION int sarrus_is_rheonomic(const sarrus_mechanism *mech) {
    int is_paced = 0;
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i)
        is_paced = is_paced || mech->constraint[i].signal >= 0;
    return is_paced || mech->n_drives > 0 || mech->moves_ground;
}

LANE_FUNCTION int sarrus_joint_has_drive(const sarrus_mechanism *mech, const sarrus_mech_joint *joint) {
#if defined(SARRUS_CONSTANT_PLAN)
    if (mech->n_drives == 0)
        return 0;
#endif
    (void)mech;
    return joint->signal >= 0;
}

/* Element i of an array of an evaluation: an lvalue; the part of it that begins there; and element i + k, where k is a constant
 * that an address takes in. */
#define frame_at(array, i) ((array)[(size_t)(i)*FRAME_STRIDE])
#define frame_beyond(array, i, k) ((array)[((size_t)(i) + (size_t)(k)) * FRAME_STRIDE])
#define frame_from(array, i) (&(array)[(size_t)(i)*FRAME_STRIDE])

/* to[n], an array of an evaluation, ← from[n], one of a tile or of the workspace, whose numbers may lie further apart. */
LANE_FUNCTION void sarrus_frame_take(const real *from, int32_t n, real *to) {
    PLAN_EACH (i, 0, n)
        frame_at(to, i) = lane_at(from, i);
}

#endif
