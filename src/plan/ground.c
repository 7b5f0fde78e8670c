#include "plan/ground.h"

#include <math.h>
#include <string.h>

#include "plan/body.h"
#include "plan/turns.h"

void sarrus_plan_ground_take(sarrus_plan *plan, int32_t *p) {
    const sarrus_ground_motion *from = &plan->model->ground;
    sarrus_mechanism *mech = &plan->mech;
    for (int k = 0; k < SARRUS_MOST_GROUND_SIGNALS; ++k)
        mech->ground_signal[k] = from->is_given ? from->signal[k] : -1;
    mech->moves_ground = from->is_given;
    mech->p_ground = *p;
    if (from->is_given)
        *p += mech->space == SARRUS_SPACE_SPATIAL ? SARRUS_SG_N : SARRUS_PG_N;
}

bool sarrus_plan_ground_fill(const sarrus_plan *plan, const double *values, double *parameters) {
    const sarrus_ground_motion *from = &plan->model->ground;
    double *p = parameters + plan->mech.p_ground, length = 0.0;
    if (!from->is_given)
        return true;
    if (plan->mech.space == SARRUS_SPACE_PLANAR) {
        p[SARRUS_PG_ABOUT_X] = values[from->about[0]];
        p[SARRUS_PG_ABOUT_Y] = values[from->about[1]];
        return true;
    }
    for (int k = 0; k < 3; ++k) {
        p[SARRUS_SG_ABOUT + k] = values[from->about[k]];
        p[SARRUS_SG_AXIS + k] = from->axis[k] == SARRUS_NO_VALUE ? (double)(k == 2) : values[from->axis[k]];
        length = hypot(length, p[SARRUS_SG_AXIS + k]);
    }
    for (int k = 0; k < 3; ++k)
        p[SARRUS_SG_AXIS + k] /= length;
    return length > 0.0;
}

void sarrus_plan_ground_begin(const sarrus_plan *plan, const double *parameters, double q[SARRUS_GROUND_COORDINATES]) {
    const sarrus_mechanism *mech = &plan->mech;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of(mech->space);
    const bool is_spatial = mech->space == SARRUS_SPACE_SPATIAL;
    const double *p = parameters + mech->p_ground;
    double s[SARRUS_MOST_GROUND_SIGNALS] = {0.0}, turned[3] = {0.0};
    memset(q, 0, SARRUS_GROUND_COORDINATES * sizeof *q);
    q[sizes->turn] = is_spatial ? 1.0 : 0.0;
    if (!mech->moves_ground)
        return;
    for (int k = 0; k <= sizes->dimension; ++k)
        s[k] = mech->ground_signal[k] < 0 ? 0.0 : sarrus_plan_signal_begin(plan, mech->ground_signal[k], parameters);
    const double angle = s[sizes->dimension], *about = p + (is_spatial ? (int)SARRUS_SG_ABOUT : (int)SARRUS_PG_ABOUT_X);
    q[sizes->turn] = is_spatial ? cos(0.5 * angle) : angle;
    for (int k = 0; is_spatial && k < 3; ++k)
        q[sizes->turn + 1 + k] = sin(0.5 * angle) * p[SARRUS_SG_AXIS + k];
    sarrus_body_point(mech->space, q, about, turned); /* A o: its origin still is that of the inertial frame */
    for (int k = 0; k < sizes->dimension; ++k)
        q[k] = s[k] + (about[k] - turned[k]);
}
