/* The independent rows of a plan in relative coordinates. */
#ifndef SARRUS_PLAN_RELATIVE_ROWS_H
#define SARRUS_PLAN_RELATIVE_ROWS_H

#include "plan/tree_rows.h"

/* Fills the independence of absolute->relative but for singular values, from that of `absolute`. `rows` is moved to configurations
 * of it. NO_MEMORY, INTERRUPTED; BAD_INPUT when more rows of a loop seem to be dependent than close it: those of a tree never are,
 * so that it is the masses which hide them. */
SARRUS_MUST_USE sarrus_status sarrus_plan_relative_rows(const sarrus_plan *absolute, sarrus_tree_rows *rows);

#endif
