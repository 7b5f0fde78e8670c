/* Constraints beside joints, in the plan. Owner i of a row is joint i, or constraint i − n_joints. */
#ifndef SARRUS_PLAN_CONSTRAINTS_H
#define SARRUS_PLAN_CONSTRAINTS_H

#include "plan/plan.h"

/* How many there are, their rows and the parts of these; and how many knots their tables have. */
void sarrus_plan_constraints_count(const sarrus_model *model, sarrus_mechanism *mech);
size_t sarrus_plan_constraints_knots(const sarrus_model *model);

/* Their rows and tables, behind the joints'; *p: the next parameter, i_knot: the next knot. */
void sarrus_plan_constraints_fill(sarrus_plan *plan, int32_t *p, int32_t i_knot);

/* Their parameters of the instance with these values; false: no memory. */
bool sarrus_plan_constraints_parameters(const sarrus_plan *plan, const double *values, double *parameters);

/* The first constraint of which that is false, their number when there is none; its parameters are written. */
int sarrus_plan_constraint_without_meaning(const sarrus_plan *plan, const double *values, double *parameters);

/* The part of a row, −1: there is none. */
int sarrus_plan_row_part(const sarrus_plan *plan, int i_row);

/* The bodies that a row holds, −1: ground; a body may be there twice. Returns how many. */
enum { SARRUS_ROW_BODIES = 4 };
int sarrus_plan_row_bodies(const sarrus_plan *plan, int i_row, int32_t bodies[SARRUS_ROW_BODIES]);

/* The name of an owner, and where it stands. */
const char *sarrus_plan_owner_name(const sarrus_plan *plan, int i_owner);
const sarrus_place *sarrus_plan_owner_place(const sarrus_plan *plan, int i_owner);

#endif
