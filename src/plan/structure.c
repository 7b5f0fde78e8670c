/* From the model to the kernels' tables: joints and their rows, forces, signals, parameter offsets, tile layout. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/body.h"
#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/fields.h"
#include "plan/ground.h"
#include "plan/spline.h"

bool sarrus_plan_value_is_live(const sarrus_model *model, sarrus_value_index i) {
    if (i == SARRUS_NO_VALUE)
        return false;
    return model->values[i].nominal != 0.0 || model->values[i].expression || sarrus_model_draw_find(model, i);
}

static int row_kind(const sarrus_joint *joint, int k) {
    static const int kinds[SARRUS_N_JOINT_TYPES][3] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = {SARRUS_ROW_##row_0, SARRUS_ROW_##row_1, SARRUS_ROW_##row_2},
#include "sarrus/joint.def"
    };
    return kinds[joint->type][k];
}

static void fill_planar_joints(sarrus_plan *plan, int32_t *p) {
    const sarrus_model *model = plan->model;
    int32_t i_row = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *from = &model->joints[i];
        sarrus_mech_joint *joint = &plan->joint[i];
        joint->kind = (int32_t)from->type;
        joint->parent = from->body[0];
        joint->child = from->body[1];
        joint->row = i_row;
        joint->n_rows = sarrus_joint_n_rows(model->space, from);
        joint->p = *p;
        joint->signal = from->drive[0];
        joint->parent_crank = joint->child_crank = -1;
        joint->elastic = sarrus_plan_value_is_live(model, from->stiffness[0]) || sarrus_plan_value_is_live(model, from->damping[0]);
        *p += SARRUS_PJ_N;
        for (int k = 0; k < joint->n_rows; ++k, ++i_row) {
            sarrus_mech_row *row = &plan->row[i_row];
            row->kind = row_kind(from, k);
            row->parent = joint->parent;
            row->child = joint->child;
            row->joint = i;
            row->freedom = -1;
            plan->mech.n_general_rows += row->kind == SARRUS_ROW_GENERAL;
        }
        plan->mech.n_drives += joint->signal >= 0;
    }
}

static void fill_joints(sarrus_plan *plan, int32_t *p) {
    sarrus_mechanism *mech = &plan->mech;
    if (mech->space == SARRUS_SPACE_SPATIAL)
        sarrus_plan_spatial_joints(plan, p);
    else
        fill_planar_joints(plan, p);
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &plan->joint[i];
        mech->n_of_kind[joint->kind] += 1;
        mech->n_elastic += joint->elastic != 0;
        mech->max_joint_rows = joint->n_rows > mech->max_joint_rows ? joint->n_rows : mech->max_joint_rows;
    }
}

static void fill_forces(sarrus_plan *plan, int32_t *p) {
    const sarrus_model *model = plan->model;
    const bool is_spatial = plan->mech.space == SARRUS_SPACE_SPATIAL;
    for (int i = 0; i < model->n_forces; ++i) {
        const sarrus_force *from = &model->forces[i];
        sarrus_mech_force *force = &plan->force[i];
        force->type = (int32_t)from->type;
        force->body[0] = from->body[0];
        force->body[1] = from->body[1];
        force->p = *p;
        force->in_body_frame = from->frame == SARRUS_FRAME_BODY;
        for (int k = 0; k < sarrus_body_sizes_of(plan->mech.space)->dimension; ++k) {
            force->source[k] = (int32_t)from->value[k].kind;
            force->index[k] = from->value[k].kind == SARRUS_SOURCE_VALUE ? 0 : from->value[k].index;
        }
        *p += is_spatial ? SARRUS_SF_N : SARRUS_PF_N;
    }
}

/* Returns the next knot. */
static int32_t fill_signals(sarrus_plan *plan, int32_t *p) {
    const sarrus_model *model = plan->model;
    int32_t i_knot = 0;
    for (int i = 0; i < model->n_signals; ++i) {
        const sarrus_signal *from = &model->signals[i];
        sarrus_mech_signal *signal = &plan->signal[i];
        signal->kind = (int32_t)from->kind;
        signal->n = from->n_values;
        signal->p = *p;
        signal->knots = i_knot;
        if (from->kind == SARRUS_SIGNAL_TABLE) {
            signal->n = from->n_values - 1;
            memcpy(plan->knots + i_knot, from->knots, (size_t)from->n_values * sizeof(double));
            i_knot += from->n_values;
            *p += 4 * signal->n;
        } else {
            *p += from->n_values;
        }
    }
    return i_knot;
}

/* A table of n entries, at least one, so that an empty plan has valid pointers. */
static void *table(size_t n, size_t size) {
    return calloc(n ? n : 1, size);
}

/* Whether something sets the mechanism going: drives, a ground that moves, loads, or what slips at a given speed. */
static bool is_moved(const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    bool moves = plan->mech.moves_ground;
    for (int i = 0; i < SARRUS_MAX_FREEDOMS * model->n_joints; ++i)
        moves = moves || model->joints[i / SARRUS_MAX_FREEDOMS].drive[i % SARRUS_MAX_FREEDOMS] >= 0;
    for (int i = 0; i < model->n_constraints; ++i)
        moves = moves || (model->constraints[i].type == SARRUS_CONSTRAINT_NONHOLONOMIC && model->constraints[i].slip.speed >= 0);
    for (int i = 0; i < model->n_forces; ++i)
        moves = moves || model->forces[i].type != SARRUS_FORCE_SPRING;
    return moves;
}

/* Whether something else than gravity and springs may do work: a damper, a load, a drive, a ground that moves, a constraint that
 * slips at a given speed, or Baumgarte's terms. */
static bool has_work(const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    if (plan->mech.has_baumgarte || is_moved(plan))
        return true;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *joint = &model->joints[i];
        bool unused[SARRUS_MAX_FREEDOMS];
        const int n = sarrus_joint_coordinates(model->space, joint, unused);
        for (int k = 0; k < n; ++k) {
            if (sarrus_plan_value_is_live(model, joint->damping[k]))
                return true;
        }
    }
    for (int i = 0; i < model->n_forces; ++i) {
        if (sarrus_plan_value_is_live(model, model->forces[i].damping))
            return true;
    }
    return false;
}

/* The direction of a bend at the distance x is known to ε/x² by methods that square the condition, and to (τ/σ)² = (1e-7/x)² by
 * Tikhonov's with the threshold of a bend; other thresholds are the larger. Seven digits of it are asked for, with a margin. */
static double weak_distance(const sarrus_model *model) {
    const sarrus_pinv_method method = model->dynamics.pinv;
    const bool is_squared = method == SARRUS_PINV_NORMAL || method == SARRUS_PINV_CHOLESKY || method == SARRUS_PINV_CUSOLVER_SYEV;
    if (is_squared || (method == SARRUS_PINV_TIKHONOV && model->dynamics.rank_method == SARRUS_RANK_AUTO))
        return 1e-3;
    return method == SARRUS_PINV_TIKHONOV ? fmax(1e-3, 3e3 * model->dynamics.rank_tolerance) : 0.0;
}

static void fill_options(sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_mechanism *mech = &plan->mech;
    mech->formulation = model->dynamics.formulation == SARRUS_FORMULATION_AUTO ? SARRUS_FORMULATION_UDWADIA_KALABA
                                                                               : (int32_t)model->dynamics.formulation;
    mech->method = (int32_t)model->dynamics.pinv;
    mech->solve = model->dynamics.pinv == SARRUS_PINV_AUTO                  ? SARRUS_SOLVE_AUTO
                  : model->dynamics.pinv == SARRUS_PINV_LAPACK              ? SARRUS_SOLVE_EXTERNAL
                  : (int)model->dynamics.pinv >= SARRUS_N_PINV_HOST_METHODS ? SARRUS_SOLVE_EXTERNAL
                                                                            : SARRUS_SOLVE_METHOD;
    mech->rank = (sarrus_rank_rule){(int32_t)model->dynamics.rank_method, model->dynamics.rank_tolerance, 0};
    mech->is_single = model->integrator.is_single;
    mech->guard = 1e-5;
    mech->weak_distance = weak_distance(model);
    /* A decomposition that is cut at a count cannot let go of a direction: what is left of it is round-off, ε/x. */
    mech->weak_crossing = model->dynamics.pinv == SARRUS_PINV_TRUNCATED ? 3e-4 : 0.0;
    mech->is_judged = !isinf(model->limits.error);
    /* Changes of rank are rare; more of them between two looks only make the tile come back sooner. */
    mech->rank_change_capacity = model->output.channels & SARRUS_CHANNEL_RANK ? 4 : 0;
    mech->project = (int32_t)model->dynamics.projection;
    mech->project_tolerance = model->dynamics.projection_tolerance;
    mech->has_baumgarte = model->dynamics.has_step_gains || sarrus_plan_value_is_live(model, model->dynamics.alpha) ||
                          sarrus_plan_value_is_live(model, model->dynamics.beta);
    sarrus_plan_integrator(plan);
    mech->has_work = has_work(plan);
    mech->has_swing = !isnan(model->limits.energy)                                                    ? 0
                      : model->integrator.method == SARRUS_INTEGRATOR_SEMI_IMPLICIT && is_moved(plan) ? SARRUS_SWING_OF_WORK
                                                                                                      : SARRUS_SWING_OF_MOTION;
    mech->ordinary = mech->size = mech->violation_unit = 1.0;
    mech->limit_violation = mech->limit_energy = mech->limit_error = SARRUS_NO_LIMIT;
    const bool is_rk4 = model->integrator.method == SARRUS_INTEGRATOR_RK4;
    mech->wants_error = is_rk4 && (model->integrator.has_substeps || !isinf(model->limits.error));
    mech->has_parts = !mech->integrator.is_adaptive && model->integrator.has_substeps;
    mech->is_watched = mech->m > 0;
}

/* How many there are of everything. Returns the knots of all tables. */
static size_t count_all(const sarrus_model *model, sarrus_mechanism *mech) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    size_t n_knots = 0;
    mech->space = (int32_t)model->space;
    mech->n_bodies = model->n_bodies;
    mech->n_joints = model->n_joints;
    mech->n_forces = model->n_forces;
    mech->n_signals = model->n_signals;
    mech->n_inputs = model->n_inputs;
    mech->n_q = sizes->n_q * model->n_bodies;
    mech->n_v = sizes->n_v * model->n_bodies;
    for (int i = 0; i < model->n_joints; ++i) {
        sarrus_freedom unused[SARRUS_MAX_FREEDOMS];
        mech->m += sarrus_joint_n_rows(model->space, &model->joints[i]);
        mech->n_freedoms += model->space == SARRUS_SPACE_SPATIAL ? sarrus_joint_freedoms(&model->joints[i], unused) : 0;
    }
    for (int i = 0; i < model->n_signals; ++i)
        n_knots += model->signals[i].knots ? (size_t)model->signals[i].n_values : 0;
    mech->n_joint_numbers = sarrus_model_n_joint_numbers(model, model->n_joints);
    sarrus_plan_constraints_count(model, mech);
    return n_knots + sarrus_plan_constraints_knots(model);
}

sarrus_status sarrus_plan_structure(sarrus_context *context, sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_mechanism *mech = &plan->mech;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    const size_t n_knots = count_all(model, mech);
    plan->joint = table((size_t)(model->n_joints + model->n_constraints), sizeof *plan->joint);
    plan->constraint = table((size_t)model->n_constraints, sizeof *plan->constraint);
    plan->freedom = table((size_t)mech->n_freedoms, sizeof *plan->freedom);
    plan->force = table((size_t)model->n_forces, sizeof *plan->force);
    plan->signal = table((size_t)model->n_signals, sizeof *plan->signal);
    plan->row = table((size_t)(mech->m + mech->n_parts), sizeof *plan->row);
    plan->knots = table(n_knots, sizeof *plan->knots);
    if (!plan->joint || !plan->constraint || !plan->freedom || !plan->force || !plan->signal || !plan->row || !plan->knots) {
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the plan's tables");
    }
    int32_t p = 0;
    mech->p_gravity = p, p += sizes->dimension;
    mech->p_baumgarte = p, p += 2;
    mech->p_body = p, p += sizes->n_parameters * mech->n_bodies;
    sarrus_plan_ground_take(plan, &p);
    fill_joints(plan, &p);
    fill_forces(plan, &p);
    const int32_t i_knot = fill_signals(plan, &p);
    sarrus_plan_constraints_fill(plan, &p, i_knot);
    mech->n_parameters = p;
    mech->joint = plan->joint;
    mech->constraint = mech->n_constraints > 0 ? plan->constraint : NULL; /* devices have no place for them */
    mech->freedom = plan->freedom;
    mech->force = plan->force;
    mech->signal = plan->signal;
    mech->row = plan->row;
    mech->knots = plan->knots;
    fill_options(plan);
    sarrus_plan_layout(mech);
    return SARRUS_OK;
}
