/* The tree of bodies that pins hang on one another, by which barycentric equations eliminate shifts (S2 19, 22; S3 5.34). */
#ifndef SARRUS_PLAN_PIN_TREE_H
#define SARRUS_PLAN_PIN_TREE_H

#include <stdbool.h>

#include "kernels/body/mechanism.h"

/* Numbers of a body in the tree: itself, the one that it hangs on (−1: ground), the first row of its pin. */
enum { SARRUS_PLAN_PIN_NUMBERS = 3 };

/* tree [n_bodies][3], each body behind the one that it hangs on. False: not all of them hang on ground by pins. */
bool sarrus_plan_pin_tree(const sarrus_mechanism *mech, int32_t *tree);

#endif
