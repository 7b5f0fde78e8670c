/* What stands in no instance but as 0 or 1 among the numbers that links of a tree in space are made of: components of joint points,
 * axes along those of bodies, products of inertia. Kernels do no arithmetic with them. The values of an instance follow from the
 * model's values alone, by the same operations: where none of those that go in is drawn, what is 0 in one instance is 0 in all. */
#include "plan/build.h"
#include "plan/tree_rows.h"

static bool is_fixed(const sarrus_model *model, sarrus_value_index i) {
    if (i == SARRUS_NO_VALUE || model->batch.n_sampled == 0)
        return true;
    return model->values[i].expression == NULL && sarrus_model_draw_find(model, i) == NULL;
}

static bool are_fixed(const sarrus_model *model, const sarrus_value_index *i, int n) {
    bool all = true;
    for (int k = 0; k < n; ++k)
        all = all && is_fixed(model, i[k]);
    return all;
}

static bool body_is_fixed(const sarrus_model *model, int body) {
    return body < 0 || (are_fixed(model, model->bodies[body].position, 3) &&
                        are_fixed(model, model->bodies[body].orientation, SARRUS_MAX_ORIENTATION));
}

static bool joint_is_fixed(const sarrus_model *model, const sarrus_joint *joint) {
    bool fixed = are_fixed(model, joint->frame, SARRUS_MAX_ORIENTATION);
    for (int k = 0; k < 2; ++k)
        fixed = fixed && body_is_fixed(model, joint->body[k]) && are_fixed(model, joint->at[k], 3) &&
                are_fixed(model, joint->point[k], 3) && are_fixed(model, joint->axis[k], 3);
    return fixed;
}

/* Which of three numbers are 0: bit k. */
static int32_t zeros_at(const sarrus_tree_rows *rows, int32_t p) {
    int32_t zeros = 0;
    for (int k = 0; k < 3; ++k)
        zeros |= (sarrus_configuration_parameter(&rows->at, p + k) == 0.0) << k;
    return zeros;
}

/* ± (1 + k) of a unit vector along axis k or against it, else 0. */
static int32_t axis_at(const sarrus_tree_rows *rows, int32_t p) {
    const int32_t zeros = zeros_at(rows, p), k = zeros == 6 ? 0 : zeros == 5 ? 1 : zeros == 3 ? 2 : -1;
    const double x = k < 0 ? 0.0 : sarrus_configuration_parameter(&rows->at, p + k);
    return x == 1.0 ? 1 + k : x == -1.0 ? -1 - k : 0;
}

static void note_link(const sarrus_tree_rows *rows, const sarrus_mech_joint *joint, sarrus_mech_link *link) {
    const int32_t in = link->is_reversed ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT, out = SARRUS_SJ_PARENT + SARRUS_SJ_CHILD - in;
    const int32_t in_axes = link->is_reversed ? SARRUS_SJ_CHILD_AXES : SARRUS_SJ_PARENT_AXES;
    const int32_t out_axes = SARRUS_SJ_PARENT_AXES + SARRUS_SJ_CHILD_AXES - in_axes;
    link->inboard_zeros = zeros_at(rows, joint->p + in);
    link->outboard_zeros = zeros_at(rows, joint->p + out);
    for (int k = 0; k < 3; ++k) {
        link->inboard_axis[k] = axis_at(rows, joint->p + in_axes + 3 * k);
        link->outboard_axis[k] = axis_at(rows, joint->p + out_axes + 3 * k);
    }
}

void sarrus_plan_tree_zeros(sarrus_plan *plan, const sarrus_tree_rows *rows) {
    const sarrus_model *model = plan->model;
    if (plan->mech.space != SARRUS_SPACE_SPATIAL)
        return;
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        sarrus_mech_link *link = &plan->link[k];
        const int32_t tensor = plan->mech.p_body + SARRUS_SB_N * link->body + SARRUS_SB_INERTIA;
        link->is_diagonal = are_fixed(model, model->bodies[link->body].inertia + 3, 3) && zeros_at(rows, tensor + 3) == 7;
        const int32_t rotor = plan->mech.p_body + SARRUS_SB_N * link->body + SARRUS_SB_ROTOR;
        link->has_rotor = !are_fixed(model, model->bodies[link->body].rotor, 3) || zeros_at(rows, rotor) != 7;
        if (link->joint >= 0 && joint_is_fixed(model, &model->joints[link->joint]))
            note_link(rows, &plan->joint[link->joint], link);
    }
}
