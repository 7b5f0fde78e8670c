/* The part of a plan's text that plans in relative coordinates have. */
#ifndef SARRUS_JIT_PLAN_TEXT_TREE_H
#define SARRUS_JIT_PLAN_TEXT_TREE_H

#include <stdio.h>

#include "kernels/body/mechanism.h"

/* Nothing is written of a mechanism in absolute coordinates. */
void sarrus_plan_text_tree_sizes_write(FILE *out, const sarrus_mechanism *mech);
void sarrus_plan_text_tree_write(FILE *out, const sarrus_mechanism *mech);

#endif
