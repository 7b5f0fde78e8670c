/* Which bodies of the plane are cranks: held by a pin, whose two rows are independent, to a ground that is at rest, and by no
 * constraint beside joints. Of several such pins of a body the first counts; the rows of the others stay where they are. */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"

/* Whether row `i` is among the independent ones, which are sorted. */
static bool is_independent(const sarrus_plan *plan, int i) {
    const sarrus_plan_independence *found = &plan->independence;
    int low = 0, high = found->n_independent;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (found->independent[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < found->n_independent && found->independent[low] == i;
}

/* Its closed form is that of a body with a mass and an inertia. */
static bool has_all(const sarrus_plan *plan, int body) {
    return !plan->lack || (plan->lack[body].mass == 0.0 && plan->lack[body].inertia == 0.0);
}

static bool can_be_crank_pin(const sarrus_plan *plan, const sarrus_mech_joint *joint) {
    const bool has_pin = plan->mech.space == SARRUS_SPACE_PLANAR && SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_PIN, joint->kind);
    return has_pin && !plan->mech.moves_ground && (joint->parent < 0) != (joint->child < 0) && is_independent(plan, joint->row) &&
           is_independent(plan, joint->row + 1);
}

sarrus_status sarrus_plan_cranks(sarrus_context *context, sarrus_plan *plan) {
    const int n_bodies = plan->mech.n_bodies, n_joints = plan->mech.n_joints;
    int32_t *crank = malloc(((size_t)n_bodies + 1) * sizeof *crank);
    enum { none = -1, never = -2 };
    if (!crank)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the cranks of %d bodies", n_bodies);
    for (int b = 0; b < n_bodies; ++b)
        crank[b] = none;
    for (int i = plan->mech.m - plan->mech.n_constraints; i < plan->mech.m; ++i) {
        int32_t bodies[SARRUS_ROW_BODIES];
        const int n = sarrus_plan_row_bodies(plan, i, bodies);
        for (int k = 0; k < n; ++k) {
            if (bodies[k] >= 0)
                crank[bodies[k]] = never;
        }
    }
    for (int i = 0; i < n_joints; ++i) {
        sarrus_mech_joint *joint = &plan->joint[i];
        const int at = joint->child >= 0, body = at ? joint->child : joint->parent;
        if (!can_be_crank_pin(plan, joint) || crank[body] != none || !has_all(plan, body))
            continue;
        joint->is_crank_pin = 1;
        crank[body] = 2 * joint->row + at;
        ++plan->mech.n_cranks;
    }
    for (int i = 0; i < n_joints; ++i) {
        sarrus_mech_joint *joint = &plan->joint[i];
        joint->parent_crank = joint->parent < 0 || crank[joint->parent] < 0 ? -1 : crank[joint->parent];
        joint->child_crank = joint->child < 0 || crank[joint->child] < 0 ? -1 : crank[joint->child];
    }
    free(crank);
    return SARRUS_OK;
}
