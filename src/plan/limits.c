/* What an instance that is ok keeps to: the scenario's numbers, or what follows from the methods. */
#include <math.h>

#include "plan/build.h"

/* ‖Φ‖ relative to the mechanism. Projected every step it is round-off (1e-14), up to 1e-7 while a change point is crossed from
 * rest, or a loop that does not close. Without, it is what the method drifts by: of the linkages that are run without
 * (docs/verification.md) the worst come to 1e-5 of their size, and a joint that stands open by a thousandth of its mechanism is no
 * joint. Semi-implicit Euler leaves the constraints by ½ h v² a second. Of floats round-off is 1e-6. */
static double auto_violation(const sarrus_plan *plan) {
    if (plan->mech.project == SARRUS_PROJECTION_EVERY_STEP)
        return plan->mech.is_single ? 1e-4 : 1e-6;
    return plan->mech.integrator.method == SARRUS_INTEGRATOR_SEMI_IMPLICIT ? 0.05 : 1e-3;
}

/* Relative to the energies that the motion turns over. Adaptive methods drift by some hundred times their tolerance in a long run;
 * semi-implicit Euler keeps its energy to the order of a step only. */
static double auto_energy(const sarrus_plan *plan) {
    const sarrus_mech_integrator *how = &plan->mech.integrator;
    if (how->method == SARRUS_INTEGRATOR_SEMI_IMPLICIT)
        return 0.1;
    /* The power of gains that follow the step jumps with it, so their work is only a rough estimate. */
    if (how->has_step_gains)
        return SARRUS_NO_LIMIT;
    /* Round-off of floats in E and W, ε each step and as often up as down. */
    if (plan->mech.is_single)
        return fmax(1e-3, 8.0 * 0x1p-23 * sqrt((double)plan->n_steps));
    return how->is_adaptive ? fmin(fmax(1e-3, 1e4 * how->rtol), 0.1) : 1e-3;
}

/* J, round-off of floats in the weights' energy, which may cancel to nothing: 64 ε of what the bodies have at the ends of the
 * mechanism. */
static double single_floor(const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    double gravity = 0.0, mass = 0.0;
    for (int k = 0; k < (model->space == SARRUS_SPACE_SPATIAL ? 3 : 2); ++k)
        gravity += fabs(model->values[model->gravity[k]].nominal);
    for (int i = 0; i < model->n_bodies; ++i)
        mass += model->values[model->bodies[i].mass].nominal;
    return 64.0 * 0x1p-23 * mass * gravity * plan->mech.size;
}

static double chosen(double given, double automatic) {
    if (isnan(given))
        return automatic;
    return isinf(given) ? SARRUS_NO_LIMIT : given;
}

void sarrus_plan_limits(sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_mechanism *mech = &plan->mech;
    bool has_angles = false;
    if (model->integrator.is_single)
        mech->energy_floor += single_floor(plan);
    for (int i = 0; i < mech->m; ++i)
        has_angles = has_angles || sarrus_plan_row_is_angle(plan, i);
    /* One norm for lengths and angles: an angle is held against one radian at least. */
    mech->violation_unit = has_angles ? fmin(mech->size, 1.0) : mech->size;
    const double violation = chosen(model->limits.violation, auto_violation(plan));
    mech->limit_violation = violation < SARRUS_NO_LIMIT ? violation * mech->violation_unit : SARRUS_NO_LIMIT;
    /* A projection above a tolerance leaves what is below it. */
    if (isnan(model->limits.violation) && mech->project == SARRUS_PROJECTION_TOLERANCE)
        mech->limit_violation = fmax(mech->limit_violation, 10.0 * mech->project_tolerance);
    mech->limit_energy = chosen(model->limits.energy, auto_energy(plan));
    mech->limit_error = mech->integrator.is_adaptive ? SARRUS_NO_LIMIT : chosen(model->limits.error, 1e-2);
}
