/* Whether the plan is a constant. In generic kernels the tables of a plan are read at run time, through pointers. In specialised
 * kernels SARRUS_CONSTANT_PLAN is defined, and so are the sizes SARRUS_PLAN_N_*: tables are members of one constant, which a
 * compiler can read. */
#ifndef SARRUS_BODY_PLAN_TABLE_H
#define SARRUS_BODY_PLAN_TABLE_H

#if defined(SARRUS_CONSTANT_PLAN)
#define PLAN_TABLE(type, name, n) type name[n]
#else
#define PLAN_TABLE(type, name, n) const type *name
#endif

#endif
