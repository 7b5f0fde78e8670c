/* How many operations the code of an evaluation has where cost.c has no mirror of the kernels: in space, and over trees. Rough:
 * for the size of the code, and to choose between two formulations of one mechanism. */
#include "plan/cost.h"
#include "sarrus/space.h"

/* Of the rows of space by form, roughly, with what is left of their second derivatives. */
static double row_flops(int32_t form) {
    switch (form) {
    case SARRUS_SPATIAL_ROW_PIN_X:
    case SARRUS_SPATIAL_ROW_PIN_Y:
    case SARRUS_SPATIAL_ROW_PIN_Z:
        return 30;
    case SARRUS_SPATIAL_ROW_ALONG_1:
    case SARRUS_SPATIAL_ROW_ALONG_2:
    case SARRUS_SPATIAL_ROW_ALONG_3:
    case SARRUS_SPATIAL_ROW_LENGTH:
        return 110;
    case SARRUS_SPATIAL_ROW_HELIX:
    case SARRUS_SPATIAL_ROW_DRIVE:
        return 300;
    default: /* p_i·c_j */
        return 70;
    }
}

/* All pieces of the code for space, each once: rows, factor, solution, acceleration with its rows and its solution. Right to a
 * fifth (held against what gcc 12 makes of four-bar, slider-crank and an arm of seven axes). */
double sarrus_plan_spatial_flops(const sarrus_mechanism *mech) {
    const sarrus_mech_factor *f = &mech->factor;
    double n_sides = 0, rows = 30.0 * mech->n_bodies + 70.0 * mech->n_joints, loads = 50.0 * mech->n_bodies + 80.0 * mech->n_forces;
    for (int32_t i = 0; i < mech->m; ++i) {
        n_sides += (mech->row[i].parent >= 0) + (mech->row[i].child >= 0);
        rows += row_flops(mech->row[i].form);
    }
    for (int32_t i = 0; i < mech->n_freedoms; ++i)
        loads += mech->freedom[i].elastic ? 300 : 0;
    const double factor = sarrus_plan_factor_flops(f->n_blocks, f->n_entries, f->n_updates) + 7.0 * f->n_shares + 15.0 * n_sides;
    const double solution = 8.0 * f->n_blocks + 16.0 * f->n_entries + 14.0 * n_sides;
    return factor + 2.0 * rows + 2.0 * solution + loads;
}

double sarrus_plan_tree_flops_of(const sarrus_mechanism *mech, const sarrus_tree_items *n) {
    const sarrus_mech_tree *tree = &mech->tree;
    const sarrus_mech_factor *f = &mech->factor;
    const int is_spatial = mech->space == SARRUS_SPACE_SPATIAL;
    const double of_body = is_spatial ? 300 : 60, of_speed = is_spatial ? 50 : 15, of_row = is_spatial ? 120 : 40;
    const double of_power = is_spatial ? 11 : 5, of_elastic = is_spatial ? 300 : 60;
    double flops = of_body * n->bodies + of_speed * n->speeds + of_row * n->rows + 30.0 * mech->n_forces;
    flops += of_power * (n->chain + n->entries) + 2.0 * (n->steps + n->carries + 4 * n->chain);
    if (tree->is_recursive) { /* articulated inertias, shares of the chains, and the wrenches of rows */
        const double w = is_spatial ? 6 : 3;
        flops += (4 * w * w + 5 * w) * n->speeds + 2 * w * n->chain + 5 * w * n->entries;
    }
    flops += 5.0 * n->entries + 2.0 * n->shares + n->factor * sarrus_plan_factor_flops(f->n_blocks, f->n_entries, f->n_updates);
    for (int32_t i = 0; i < mech->n_joints; ++i)
        flops += mech->joint[i].elastic == SARRUS_ELASTIC_BY_BODIES ? of_elastic : 0;
    return flops;
}

double sarrus_plan_tree_flops(const sarrus_mechanism *mech) {
    const sarrus_mech_tree *tree = &mech->tree;
    const sarrus_tree_items all = {.bodies = mech->n_bodies,
                                   .speeds = mech->n_v,
                                   .rows = mech->m,
                                   .chain = tree->n_chain,
                                   .entries = tree->n_entries,
                                   .steps = tree->n_steps,
                                   .carries = tree->n_carries,
                                   .shares = mech->factor.n_shares,
                                   .factor = 1.0};
    return sarrus_plan_tree_flops_of(mech, &all);
}
