/* The joints of a mechanism in space. A joint's own rows come first, then those of its drives, in the order of what they drive. */
#include "plan/build.h"

/* What is known of the direction of a row. */
static int32_t row_kind(sarrus_spatial_row form) {
    static const int32_t kinds[] = {
#define SARRUS_SPATIAL_ROW(name, value, kind, label) [value] = SARRUS_ROW_##kind,
#include "sarrus/spatial_row.def"
    };
    return kinds[form];
}

static void put_row(sarrus_plan *plan, int i_joint, sarrus_spatial_row form, int32_t freedom) {
    sarrus_mech_joint *joint = &plan->joint[i_joint];
    plan->row[joint->row + joint->n_rows++] = (sarrus_mech_row){
        .kind = row_kind(form),
        .parent = joint->parent,
        .child = joint->child,
        .joint = i_joint,
        .form = (int32_t)form,
        .freedom = freedom,
    };
    plan->mech.n_general_rows += row_kind(form) == SARRUS_ROW_GENERAL;
}

/* The free coordinates of a joint, of which the first is number `first`. Returns that of the next joint. */
static int32_t fill_freedoms(sarrus_plan *plan, int i_joint, int32_t first, int32_t *p) {
    const sarrus_model *model = plan->model;
    const sarrus_joint *from = &model->joints[i_joint];
    sarrus_mech_joint *joint = &plan->joint[i_joint];
    sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_freedoms(from, forms);
    for (int k = 0; k < n; ++k) {
        sarrus_mech_freedom *freedom = &plan->freedom[first + k];
        freedom->form = (int32_t)forms[k];
        freedom->joint = i_joint;
        freedom->p = *p;
        freedom->elastic =
            sarrus_plan_value_is_live(model, from->stiffness[k]) || sarrus_plan_value_is_live(model, from->damping[k]);
        freedom->signal = from->drive[k];
        freedom->row = freedom->signal < 0 ? -1 : joint->row + joint->n_rows;
        freedom->at = plan->mech.n_free;
        if (freedom->signal >= 0)
            put_row(plan, i_joint, SARRUS_SPATIAL_ROW_DRIVE, first + k);
        joint->elastic = joint->elastic || freedom->elastic;
        plan->mech.n_drives += freedom->signal >= 0;
        plan->mech.n_free += sarrus_freedom_n_numbers(forms[k]);
        *p += SARRUS_SQ_N;
    }
    return first + n;
}

void sarrus_plan_spatial_joints(sarrus_plan *plan, int32_t *p) {
    const sarrus_model *model = plan->model;
    int32_t first_freedom = 0, i_row = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *from = &model->joints[i];
        sarrus_spatial_row forms[SARRUS_MAX_SPATIAL_ROWS];
        const int n_rows = sarrus_joint_row_forms(from, forms);
        plan->joint[i] = (sarrus_mech_joint){
            .kind = (int32_t)from->type,
            .parent = from->body[0],
            .child = from->body[1],
            .row = i_row,
            .p = *p,
            .signal = -1,
            .parent_crank = -1,
            .child_crank = -1,
        };
        *p += SARRUS_SJ_N;
        for (int k = 0; k < n_rows; ++k)
            put_row(plan, i, forms[k], -1);
        first_freedom = fill_freedoms(plan, i, first_freedom, p);
        i_row += plan->joint[i].n_rows;
    }
}
