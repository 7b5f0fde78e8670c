/* The tree of bodies that pins hang on one another, from ground: for formulations that eliminate shifts along it (S2 19, 22; S3
 * 5.34). A joint with a pin holds two points together, by one row for each direction of the inertial frame. */
#ifndef SARRUS_FORMULATION_PIN_TREE_H
#define SARRUS_FORMULATION_PIN_TREE_H

#include "kernels/body/mechanism.h"
#include "kernels/lane/lane.h"

/* What the tree says of a body: its number, the body that it hangs on (−1: ground), the first of the rows that hold it. */
enum { SARRUS_PIN_BODY, SARRUS_PIN_ON, SARRUS_PIN_ROW, SARRUS_PIN_NUMBERS };

/* Whether the joint's rows begin with those of a pin. */
LANE_FUNCTION int sarrus_joint_pins(const sarrus_mechanism *mech, const sarrus_mech_joint *joint) {
    const sarrus_mech_row *row = &mech->row[joint->row];
    if (mech->space == SARRUS_SPACE_PLANAR)
        return joint->n_rows >= 2 && row[0].kind == SARRUS_ROW_X && row[1].kind == SARRUS_ROW_Y;
    return joint->n_rows >= 3 && row[0].form == SARRUS_SPATIAL_ROW_PIN_X && row[1].form == SARRUS_SPATIAL_ROW_PIN_Y &&
           row[2].form == SARRUS_SPATIAL_ROW_PIN_Z;
}

LANE_FUNCTION int sarrus_pin_tree_has(const int32_t *tree, int32_t n, int32_t body) {
    for (int32_t k = 0; k < n; ++k) {
        if (tree[SARRUS_PIN_NUMBERS * k + SARRUS_PIN_BODY] == body)
            return 1;
    }
    return body < 0;
}

/* tree [n_bodies][SARRUS_PIN_NUMBERS], each body behind the one that it hangs on; returns how many bodies hang on ground. */
LANE_BODY int32_t sarrus_pin_tree_find(const sarrus_mechanism *mech, int32_t *tree) {
    int32_t n = 0;
    for (int32_t before = -1; before != n;) {
        before = n;
        for (int32_t i = 0; i < mech->n_joints; ++i) {
            const sarrus_mech_joint *joint = &mech->joint[i];
            const int has_parent = sarrus_pin_tree_has(tree, n, joint->parent),
                      has_child = sarrus_pin_tree_has(tree, n, joint->child);
            if (has_parent == has_child || !sarrus_joint_pins(mech, joint))
                continue;
            int32_t *entry = tree + SARRUS_PIN_NUMBERS * n++;
            entry[SARRUS_PIN_BODY] = has_parent ? joint->child : joint->parent;
            entry[SARRUS_PIN_ON] = has_parent ? joint->parent : joint->child;
            entry[SARRUS_PIN_ROW] = joint->row;
        }
    }
    return n;
}

#endif
