/* How steps are made: what the scenario says of the integrator, and the constants of its method. */
#include "plan/build.h"

void sarrus_plan_integrator(sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_mech_integrator *how = &plan->mech.integrator;
    how->method = (int32_t)model->integrator.method;
    how->across = 0.5;
    how->is_adaptive = sarrus_integrator_is_adaptive(model->integrator.method);
    how->is_tangential = plan->mech.has_baumgarte || plan->mech.project != SARRUS_PROJECT_NONE;
    how->has_step_gains = model->dynamics.has_step_gains;
    how->dt = model->integrator.dt;
    how->rtol = model->integrator.rtol;
    how->atol = model->integrator.atol;
    how->max_steps = model->integrator.max_steps > 0 ? (double)model->integrator.max_steps : 1e7;
    how->max_order = model->integrator.max_order > 0 && model->integrator.max_order < SARRUS_MAX_ORDER
                         ? (int32_t)model->integrator.max_order
                         : SARRUS_MAX_ORDER;
    sarrus_plan_tableau(how);
}
