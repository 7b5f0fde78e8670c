#include "plan/pin_tree.h"

/* The text of the kernels; lanes are not used. */
#define SARRUS_LANE_WIDTH 2
#include "kernels/formulation/pin_tree.h"

_Static_assert((int)SARRUS_PLAN_PIN_NUMBERS == (int)SARRUS_PIN_NUMBERS, "a body of the tree has as many numbers here and there");

bool sarrus_plan_pin_tree(const sarrus_mechanism *mech, int32_t *tree) {
    return sarrus_pin_tree_find(mech, tree) == mech->n_bodies;
}
