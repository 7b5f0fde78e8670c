/* What stands in no instance but as 0 or 1 among the numbers that links of a tree in space are made of: components of joint points,
 * axes along those of bodies, products of inertia. Kernels do no arithmetic with them. The values of an instance follow from the
 * model's values alone, by the same operations: where none of those that go in is drawn, what is 0 in one instance is 0 in all. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

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

/* Axes of a joint in its bodies follow from directions alone, so that they are the same where places and lengths are drawn. */
static bool axes_are_fixed(const sarrus_model *model, const sarrus_joint *joint) {
    bool fixed = are_fixed(model, joint->frame, SARRUS_MAX_ORIENTATION);
    for (int k = 0; k < 2; ++k) {
        const int body = joint->body[k];
        fixed = fixed && are_fixed(model, joint->axis[k], 3) &&
                (body < 0 || are_fixed(model, model->bodies[body].orientation, SARRUS_MAX_ORIENTATION));
    }
    return fixed;
}

static bool points_are_fixed(const sarrus_model *model, const sarrus_joint *joint) {
    bool fixed = true;
    for (int k = 0; k < 2; ++k)
        fixed = fixed && body_is_fixed(model, joint->body[k]) && are_fixed(model, joint->at[k], 3) &&
                are_fixed(model, joint->point[k], 3);
    return fixed;
}

/* Which of three numbers are 0: bit k. */
static int32_t zeros_at(const sarrus_tree_rows *rows, int32_t p) {
    int32_t zeros = 0;
    for (int k = 0; k < 3; ++k)
        zeros |= (sarrus_configuration_parameter(&rows->at, p + k) == 0.0) << k;
    return zeros;
}

/* ± (1 + k) of a unit vector along axis k or against it, else 0. What a right angle's rounding leaves beside it turns nothing: it
 * is below the rounding of the vector itself. */
static int32_t axis_at(const sarrus_tree_rows *rows, int32_t p) {
    int32_t axis = 0;
    int n_beside = 0;
    for (int k = 0; k < 3; ++k) {
        const double x = sarrus_configuration_parameter(&rows->at, p + k);
        if (fabs(x) <= DBL_EPSILON)
            ++n_beside;
        else
            axis = x < 0.0 ? -1 - k : 1 + k;
    }
    return n_beside == 2 ? axis : 0;
}

static void note_points(const sarrus_tree_rows *rows, const sarrus_mech_joint *joint, sarrus_mech_link *link) {
    const int32_t in = link->is_reversed ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT, out = SARRUS_SJ_PARENT + SARRUS_SJ_CHILD - in;
    link->inboard_zeros = zeros_at(rows, joint->p + in);
    link->outboard_zeros = zeros_at(rows, joint->p + out);
}

static void note_axes(const sarrus_tree_rows *rows, const sarrus_mech_joint *joint, sarrus_mech_link *link) {
    const int32_t in_axes = link->is_reversed ? SARRUS_SJ_CHILD_AXES : SARRUS_SJ_PARENT_AXES;
    const int32_t out_axes = SARRUS_SJ_PARENT_AXES + SARRUS_SJ_CHILD_AXES - in_axes;
    for (int k = 0; k < 3; ++k) {
        link->inboard_axis[k] = axis_at(rows, joint->p + in_axes + 3 * k);
        link->outboard_axis[k] = axis_at(rows, joint->p + out_axes + 3 * k);
    }
    link->is_against = link->outboard_axis[2] < 0;
    link->axis = link->outboard_axis[2] == 0 ? 0 : abs(link->outboard_axis[2]) - 1;
    bool is_straight = true;
    for (int k = 0; k < 3; ++k)
        is_straight = is_straight && link->outboard_axis[k] == link->inboard_axis[k];
    if (!is_straight)
        link->way = SARRUS_OWN_ASKEW;
    else
        link->way = link->form == SARRUS_LINK_TURN ? SARRUS_OWN_TURN_X + link->axis : SARRUS_OWN_STRAIGHT;
}

/* The longest chain of speeds for which frames of the bodies' own are faster than articulated bodies (docs/performance.md). */
enum { MOST_IN_OWN_FRAMES = 12 };

/* Whether accelerations need no poses, and frames of the bodies' own cost less (kernels/body/relative/own_frames.h). */
static bool can_be_in_own_frames(const sarrus_plan *plan) {
    const sarrus_mechanism *mech = &plan->mech;
    bool can = mech->m == 0 && mech->n_lacking == 0 && !mech->moves_ground && mech->n_elastic == 0 &&
               plan->model->dynamics.formulation != SARRUS_FORMULATION_RECURSIVE;
    for (int32_t i = 0; i < mech->n_v; ++i)
        can = can && plan->chain_start[i + 1] - plan->chain_start[i] <= MOST_IN_OWN_FRAMES;
    for (int32_t i = 0; i < mech->n_forces; ++i) {
        const sarrus_mech_force *force = &plan->force[i];
        can = can && force->type == SARRUS_FORCE_TORQUE && force->in_body_frame && force->body[0] >= 0;
    }
    for (int32_t k = 0; k < mech->n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        can = can && (link->form == SARRUS_LINK_TURN || link->form == SARRUS_LINK_SLIDE);
        for (int i = 0; i < 3; ++i)
            can = can && link->inboard_axis[i] != 0 && link->outboard_axis[i] != 0;
    }
    return can;
}

static void note_spans(sarrus_plan *plan) {
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        sarrus_mech_link *link = &plan->link[k];
        link->inboard_link = link->inboard < 0 ? 0 : plan->link_of[link->inboard];
        link->span_zeros = link->inboard < 0 ? 0 : link->inboard_zeros & plan->link[link->inboard_link].outboard_zeros;
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
        if (link->joint >= 0 && points_are_fixed(model, &model->joints[link->joint]))
            note_points(rows, &plan->joint[link->joint], link);
        if (link->joint >= 0 && axes_are_fixed(model, &model->joints[link->joint]))
            note_axes(rows, &plan->joint[link->joint], link);
    }
    note_spans(plan);
    plan->mech.tree.in_own_frames = can_be_in_own_frames(plan);
    plan->mech.tree.is_articulated = plan->mech.tree.is_articulated && !plan->mech.tree.in_own_frames;
}

/* Whether two links are of one kind but for the zeros of their points. */
static bool are_alike(const sarrus_mech_link *a, const sarrus_mech_link *b) {
    bool are = a->form == b->form && a->is_reversed == b->is_reversed && a->is_pure == b->is_pure &&
               a->is_on_pure == b->is_on_pure && (a->inboard < 0) == (b->inboard < 0) && a->is_diagonal == b->is_diagonal &&
               a->has_rotor == b->has_rotor;
    for (int k = 0; k < 3; ++k)
        are = are && a->inboard_axis[k] == b->inboard_axis[k] && a->outboard_axis[k] == b->outboard_axis[k];
    return are;
}

bool sarrus_plan_tree_level(sarrus_plan *plan) {
    const int32_t n = plan->mech.n_bodies;
    int32_t *first = calloc((size_t)n + 1, sizeof *first), n_kinds = 0; /* link that each kind begins with */
    for (int32_t k = 0; first != NULL && k < n; ++k) {
        int32_t kind = 0;
        while (kind < n_kinds && !are_alike(&plan->link[first[kind]], &plan->link[k]))
            ++kind;
        if (kind == n_kinds)
            first[n_kinds++] = k;
        sarrus_mech_link *of = &plan->link[first[kind]];
        of->inboard_zeros &= plan->link[k].inboard_zeros;
        of->outboard_zeros &= plan->link[k].outboard_zeros;
    }
    for (int32_t k = 0; first != NULL && k < n; ++k) {
        int32_t kind = 0;
        while (!are_alike(&plan->link[first[kind]], &plan->link[k]))
            ++kind;
        plan->link[k].inboard_zeros = plan->link[first[kind]].inboard_zeros;
        plan->link[k].outboard_zeros = plan->link[first[kind]].outboard_zeros;
    }
    if (first != NULL)
        note_spans(plan);
    const bool is_done = first != NULL;
    free(first);
    return is_done;
}
