/* The rows of constraints beside joints in space: points on curves, and bodies that do not slip. */
#ifndef SARRUS_BODY_SPATIAL_CONSTRAINTS_H
#define SARRUS_BODY_SPATIAL_CONSTRAINTS_H

#include "kernels/body/spatial/curve.h"
#include "kernels/body/spatial/nonholonomic.h"

/* A constraint at a state: one of them, by its type. */
typedef struct sarrus_constraint_here {
    sarrus_curve_here curve;
    sarrus_slip_here slip;
    int32_t n_rows;
} sarrus_constraint_here;

LANE_FUNCTION void sarrus_constraint_look(const sarrus_workspace *ws, const real *parameter,
                                          const sarrus_mech_constraint *constraint, const real *q, const real *v,
                                          sarrus_constraint_here *here) {
    if (constraint->type == SARRUS_CONSTRAINT_CURVE) {
        here->n_rows = SARRUS_CURVE_ROWS;
        sarrus_curve_look(ws, parameter, constraint, q, v, &here->curve);
    } else {
        here->n_rows = constraint->rolls == SARRUS_ROLL_NONE ? 1 : SARRUS_ROLL_ROWS;
        sarrus_slip_look(ws, parameter, constraint, q, v, &here->slip);
    }
}

/* All its rows. A piece of code of its own: mechanisms without constraints do not pay for it. */
LANE_PHASE void sarrus_constraint_row(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_constraint *constraint,
                                      const real *q, const real *v, sarrus_workspace *ws, int wanted) {
    sarrus_constraint_here here;
    sarrus_constraint_look(ws, parameter, constraint, q, v, &here);
    for (int32_t k = 0; k < here.n_rows; ++k) {
        sarrus_row_value row = constraint->type == SARRUS_CONSTRAINT_CURVE ? sarrus_row_curve(&here.curve, k)
                                                                           : sarrus_slip_row(constraint, ws, &here.slip, k);
        if (sarrus_ground_moves(ws))
            sarrus_row_drag(mech, ws, constraint->row + k, &row);
        sarrus_row_store(&mech->row[constraint->row + k], ws, constraint->row + k, &row, wanted);
    }
}

/* Σ Φ̇² of constraints that hold speeds; the poses are there. */
LANE_BODY real sarrus_slips_squared(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *q,
                                    const real *v) {
    real sum = real_set(0.0);
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        sarrus_constraint_here here;
        if (mech->constraint[i].type != SARRUS_CONSTRAINT_NONHOLONOMIC)
            continue;
        sarrus_constraint_look(ws, parameter, &mech->constraint[i], q, v, &here);
        for (int32_t k = 0; k < here.n_rows; ++k) {
            const real slip = sarrus_slip_row(&mech->constraint[i], ws, &here.slip, k).phi_dot;
            sum = real_fma(slip, slip, sum);
        }
    }
    return sum;
}

/* sum + the squares of their Φ. */
LANE_PHASE real sarrus_constraint_violation_squared(const real *parameter, const sarrus_mech_constraint *constraint, const real *q,
                                                    const real *v, const sarrus_workspace *ws, real sum) {
    sarrus_constraint_here here;
    sarrus_constraint_look(ws, parameter, constraint, q, v, &here);
    for (int32_t k = 0; k < here.n_rows; ++k) {
        const real phi = constraint->type == SARRUS_CONSTRAINT_CURVE ? space_dot(here.curve.normal[k], here.curve.at.d)
                                                                     : sarrus_slip_row(constraint, ws, &here.slip, k).phi;
        sum = real_fma(phi, phi, sum);
    }
    return sum;
}

#endif
