#include "plan/plan.h"

#include <stdlib.h>

static void free_names(char **names, int n) {
    for (int i = 0; names && i < n; ++i)
        free(names[i]);
    free(names);
}

void sarrus_plan_destroy(sarrus_plan *plan) {
    if (!plan)
        return;
    free(plan->joint);
    free(plan->constraint);
    free(plan->freedom);
    free(plan->force);
    free(plan->signal);
    free(plan->row);
    free(plan->knots);
    free(plan->row_of);
    free(plan->at);
    free(plan->pad);
    free(plan->column);
    free(plan->entry_row);
    free(plan->update);
    free(plan->fill);
    free(plan->dependent);
    free(plan->guard);
    free(plan->row_weight);
    free(plan->share);
    free(plan->block_share);
    free(plan->scale);
    free(plan->independence.independent);
    free(plan->independence.dependent);
    free(plan->independence.row_is_unique);
    free(plan->independence.configurations);
    free(plan->independence.is_asked);
    free(plan->lack);
    free(plan->start.q_given);
    free(plan->start.v_given);
    free(plan->start.q);
    free(plan->start.v);
    sarrus_graph_free(&plan->graph);
    sarrus_plan_parts_free(&plan->parts);
    free_names(plan->coordinate_names, plan->mech.n_q);
    free_names(plan->speed_names, plan->mech.n_v);
    free(plan->report);
    free(plan->link);
    free(plan->link_of);
    free(plan->chain);
    free(plan->chain_start);
    free(plan->row_start);
    free(plan->entry);
    free(plan->carry);
    free(plan->speed);
    free(plan->spring);
    free(plan->owner);
    free(plan->tree_step);
    free(plan->row_block);
    free(plan->meeting);
    free(plan->meet);
    sarrus_plan_destroy(plan->relative);
    free(plan);
}

bool sarrus_plan_is_relative(const sarrus_plan *plan) {
    return plan->mech.tree.n_links > 0;
}

int sarrus_plan_row_in_absolute(const sarrus_plan *plan, int i_row) {
    const int32_t i_joint = plan->relative->row[i_row].joint;
    const sarrus_mech_joint *joint = &plan->joint[i_joint], *of = &plan->relative->joint[i_joint];
    return i_row - of->row + joint->row + joint->n_rows - of->n_rows; /* its last ones are kept */
}

const sarrus_plan *sarrus_plan_stepped(const sarrus_plan *plan) {
    return plan->relative ? plan->relative : plan;
}

bool sarrus_plan_row_is_angle(const sarrus_plan *plan, int i_row) {
    const sarrus_mech_row *row = &plan->row[i_row];
    return row->kind == SARRUS_ROW_ANGLE ||
           (row->freedom >= 0 && sarrus_freedom_turns((sarrus_freedom)plan->freedom[row->freedom].form));
}

bool sarrus_plan_row_is_of_speeds(const sarrus_plan *plan, int i_row) {
    const int i_constraint = plan->row[i_row].joint - plan->mech.n_joints;
    return i_constraint >= 0 && plan->model->constraints[i_constraint].type == SARRUS_CONSTRAINT_NONHOLONOMIC;
}

void sarrus_plan_sizes_get(const sarrus_plan *plan, sarrus_plan_sizes *out) {
    if (!out)
        return;
    *out = (sarrus_plan_sizes){.n_bodies = 0};
    if (!plan)
        return;
    out->n_bodies = plan->mech.n_bodies;
    out->n_joints = plan->mech.n_joints;
    out->n_constraints = plan->mech.n_constraints;
    out->n_coordinates = plan->mech.n_q;
    out->n = plan->mech.n_v;
    out->m = plan->mech.m;
    out->rank = plan->independence.n_independent;
    out->rank_at_t0 = plan->independence.rank_at_t0;
    out->n_dof = out->n - out->rank;
    out->n_redundant = out->m - out->rank;
    out->n_inputs = plan->mech.n_inputs;
    out->bytes_per_instance = sarrus_plan_stepped(plan)->cost.bytes_per_instance;
    out->flops_per_evaluation = plan->cost.flops_per_evaluation;
    out->divisions_per_evaluation = plan->cost.divisions_per_evaluation;
    out->size = plan->start.size;
    out->flops_per_step = plan->cost.flops_per_step;
    out->algebra_flops_per_evaluation = plan->cost.algebra_flops_per_evaluation;
    out->dense_algebra_flops_per_evaluation = plan->cost.dense_algebra_flops_per_evaluation;
}

int sarrus_plan_n_orders(const sarrus_plan *plan) {
    return plan ? (int)(sizeof plan->order / sizeof plan->order[0]) : 0;
}

void sarrus_plan_order_get(const sarrus_plan *plan, int i, sarrus_plan_order *out) {
    if (!out)
        return;
    *out = i >= 0 && i < sarrus_plan_n_orders(plan) ? plan->order[i] : (sarrus_plan_order){.name = ""};
}

uint64_t sarrus_plan_hash(const sarrus_plan *plan) {
    return plan ? plan->hash : 0;
}

const char *sarrus_plan_coordinate_name(const sarrus_plan *plan, int i) {
    return plan && i >= 0 && i < plan->mech.n_q ? plan->coordinate_names[i] : NULL;
}

const char *sarrus_plan_speed_name(const sarrus_plan *plan, int i) {
    return plan && i >= 0 && i < plan->mech.n_v ? plan->speed_names[i] : NULL;
}

const char *sarrus_plan_joint_name(const sarrus_plan *plan, int i) {
    return plan && i >= 0 && i < plan->model->n_joints ? plan->model->joints[i].name : NULL;
}

static int body_of_joint(const sarrus_plan *plan, int i, int side) {
    if (!plan || i < 0 || i >= plan->model->n_joints)
        return -2;
    const int body = plan->model->joints[i].body[side];
    return body < 0 ? -1 : body;
}

int sarrus_plan_joint_parent(const sarrus_plan *plan, int i) {
    return body_of_joint(plan, i, 0);
}

int sarrus_plan_joint_child(const sarrus_plan *plan, int i) {
    return body_of_joint(plan, i, 1);
}

int sarrus_plan_joint_coordinates(const sarrus_plan *plan, int i, int *driven) {
    if (!plan || i < 0 || i >= plan->model->n_joints)
        return -1;
    bool is_angle[SARRUS_MAX_FREEDOMS];
    const sarrus_joint *joint = &plan->model->joints[i];
    const int n = sarrus_joint_coordinates(plan->model->space, joint, is_angle); /* a rotation vector is one here */
    int n_driven = 0;
    for (int k = 0; k < n; ++k)
        n_driven += joint->drive[k] >= 0;
    if (driven)
        *driven = n_driven;
    return sarrus_joint_n_numbers(plan->model->space, joint);
}

const char *sarrus_plan_report(const sarrus_plan *plan) {
    return plan ? plan->report : NULL;
}

bool sarrus_plan_reaction_is_unique(const sarrus_plan *plan, int i_joint) {
    const sarrus_mech_joint *joint = &plan->joint[i_joint];
    for (int i = joint->row; i < joint->row + joint->n_rows; ++i) {
        if (!plan->independence.row_is_unique[i])
            return false;
    }
    return true;
}

int sarrus_plan_row_signal(const sarrus_plan *plan, int i_row) {
    const sarrus_mech_row *row = &plan->row[i_row];
    const sarrus_mech_joint *joint = &plan->joint[row->joint];
    if (plan->mech.space == SARRUS_SPACE_SPATIAL)
        return row->freedom >= 0 ? plan->freedom[row->freedom].signal : -1;
    return i_row == joint->row + joint->n_rows - 1 ? joint->signal : -1;
}

bool sarrus_plan_row_is_drive(const sarrus_plan *plan, int i_row) {
    return sarrus_plan_row_signal(plan, i_row) >= 0;
}
