/* Cam: f is a cubic spline over a table. A table whose ends agree goes round: x counts up to whole periods. Else the first and the
 * last cubic go on. */
#ifndef SARRUS_BODY_CONSTRAINT_CAM_H
#define SARRUS_BODY_CONSTRAINT_CAM_H

#include "kernels/body/constraint/law.h"
#include "kernels/lane/angle.h"

/* x less whole periods, from the first knot on; rounding may leave it a little before the first or behind the last. */
LANE_FUNCTION real sarrus_cam_within(const sarrus_mechanism *mech, const sarrus_mech_signal *table, real x) {
    const real_scalar first = mech->knots[table->knots], last = mech->knots[table->knots + table->n]; /* plan */
    const real past = x - real_set(0.5 * (first + last));
    return real_fnma(real_nearest(past * real_set(1.0 / (last - first))), real_set(last - first), x);
}

LANE_FUNCTION sarrus_law sarrus_cam_law(const sarrus_mechanism *mech, const sarrus_mech_constraint *constraint, const real *p,
                                        real x) {
    sarrus_law law;
    const real *coefficients = lane_from(p, SARRUS_PC_TABLE);
    if (constraint->is_periodic)
        x = sarrus_cam_within(mech, &constraint->table, x);
    sarrus_table_cubic(mech, &constraint->table, coefficients, x, &law.value, &law.slope, &law.bend);
    return law;
}

#endif
