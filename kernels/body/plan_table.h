/* Whether the plan is a constant. In generic kernels the tables of a plan are read at run time, through pointers. In specialised
 * kernels SARRUS_CONSTANT_PLAN is defined, and so are the sizes SARRUS_PLAN_N_*: tables are members of one constant, which a
 * compiler can read. When SARRUS_PLAN_IN_RUNS is defined too, loops over the tables go by runs (plan_runs.h), whose places are
 * computed with signed numbers: those may not wrap, so a compiler may step pointers instead. */
#ifndef SARRUS_BODY_PLAN_TABLE_H
#define SARRUS_BODY_PLAN_TABLE_H

#include <stdint.h>

#if defined(SARRUS_CONSTANT_PLAN)
#define PLAN_TABLE(type, name, n) type name[n]
#else
#define PLAN_TABLE(type, name, n) const type *name
#endif

/* A place in a lane array, as the hot loops want it: index × lanes of a tile, so that no multiplication is left to do. */
#if defined(SARRUS_PLAN_IN_RUNS)
typedef int32_t sarrus_lane_offset;
#else
typedef uint32_t sarrus_lane_offset;
#endif

#endif
