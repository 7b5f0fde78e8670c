/* The part of a plan's text that plans in relative coordinates have. */
#ifndef SARRUS_JIT_PLAN_TEXT_TREE_H
#define SARRUS_JIT_PLAN_TEXT_TREE_H

#include <stdio.h>

#include "kernels/body/mechanism.h"

/* Nothing is written of a mechanism in absolute coordinates. */
void sarrus_plan_text_tree_sizes_write(FILE *out, const sarrus_mechanism *mech);
void sarrus_plan_text_tree_write(FILE *out, const sarrus_mechanism *mech);

/* Flops of an evaluation over the tree, roughly: what the size of its code is told by. */
double sarrus_plan_text_tree_flops(const sarrus_mechanism *mech);

#endif
