/* Gear: f(x) = ratio x + offset. */
#ifndef SARRUS_BODY_CONSTRAINT_GEAR_H
#define SARRUS_BODY_CONSTRAINT_GEAR_H

#include "kernels/body/constraint/law.h"

LANE_FUNCTION sarrus_law sarrus_gear_law(const sarrus_mechanism *mech, const sarrus_mech_constraint *constraint, const real *p,
                                         real x) {
    sarrus_law law;
    (void)mech;
    (void)constraint;
    law.slope = lane_at(p, SARRUS_PC_RATIO);
    law.value = real_fma(law.slope, x, lane_at(p, SARRUS_PC_OFFSET));
    law.bend = real_set(0.0);
    return law;
}

#endif
