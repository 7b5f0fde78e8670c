/* How bodies reach the plan and the arrays of an evaluation; the one place that knows whether the plan is a constant.
 *
 * Generic kernels read a plan at run time: its tables are pointers, the arrays of an evaluation lie in a workspace in memory.
 * Specialised kernels are compiled for one plan: SARRUS_CONSTANT_PLAN is defined and so are its sizes SARRUS_PLAN_N_*. Tables are
 * members of the constant, so that a compiler can read them; loops over the plan unroll; the arrays of an evaluation are members
 * of a local structure and end up in registers. Neither changes an operation or the order of operations: both give the same bits.
 *
 * What a compiler needs for that, found by trying: indices rather than pointers that walk, whatever index an inner loop runs over
 * read from the plan rather than counted along, and no address of an array handed to a function that is not inlined. */
#ifndef SARRUS_BODY_PLAN_ACCESS_H
#define SARRUS_BODY_PLAN_ACCESS_H

#include "kernels/body/mechanism.h"
#include "kernels/lane/lane.h"

#if defined(SARRUS_CONSTANT_PLAN)

/* An array of an evaluation, as a member. */
#define FRAME_ARRAY(name, n) real name[n]
/* Bodies of one evaluation become one piece of code. */
#define PLAN_BODY LANE_FUNCTION
/* A loop over the plan. */
#define PLAN_EACH(i, from, to) LANE_UNROLL for (int32_t i = (from); i < (to); ++i)
#define FRAME_STRIDE 1
/* Element r behind a place of the plan's tables, in an array of an evaluation and among the parameters of a tile. */
#define frame_place(array, place, r) ((array)[(place) + (r)])
#define parameter_place(parameter, place) lane_at(parameter, place)

#else

#define FRAME_ARRAY(name, n) real *name
#define PLAN_BODY LANE_BODY
#define PLAN_EACH(i, from, to) for (int32_t i = (from); i < (to); ++i)
#define FRAME_STRIDE LANE_STRIDE
#define frame_place(array, place, r) lane_place(array, (place) + (r)*LANE_WIDTH)
#define parameter_place(parameter, place) lane_place(parameter, place)

#endif

/* Element i of an array of an evaluation: an lvalue; and the part of it that begins there. */
#define frame_at(array, i) ((array)[(size_t)(i)*FRAME_STRIDE])
#define frame_from(array, i) (&(array)[(size_t)(i)*FRAME_STRIDE])

#endif
