/* Numbers of constraints that do not slip. */
#ifndef SARRUS_PLAN_NONHOLONOMIC_H
#define SARRUS_PLAN_NONHOLONOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

/* A sarrus_roll. */
int32_t sarrus_plan_slip_roll(const sarrus_constraint *from);

/* Its parameters. */
int32_t sarrus_plan_slip_size(sarrus_space space, const sarrus_constraint *from);

/* p ← the parameters from SARRUS_PC_POINT_X or SARRUS_SN_POINT on, of the instance with these values; false: a direction is
 * zero, or a radius not positive. */
bool sarrus_plan_slip_fill(sarrus_space space, const sarrus_constraint *from, const double *values, double *p);

#endif
