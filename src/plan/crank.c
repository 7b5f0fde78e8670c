/* Which bodies are cranks: held to ground by a pin whose two rows are independent. Of several such pins of a body the first counts;
 * the rows of the others stay where they are. */
#include "plan/plan.h"

/* Whether row `i` is among the independent ones, which are sorted. */
static bool is_independent(const sarrus_plan *plan, int i) {
    const sarrus_plan_independence *found = &plan->independence;
    for (int k = 0; k < found->n_independent && found->independent[k] <= i; ++k) {
        if (found->independent[k] == i)
            return true;
    }
    return false;
}

static bool can_be_crank_pin(const sarrus_plan *plan, const sarrus_mech_joint *joint) {
    const bool has_pin = joint->kind == SARRUS_KIND_REVOLUTE || joint->kind == SARRUS_KIND_FIXED;
    return has_pin && (joint->parent < 0) != (joint->child < 0) && is_independent(plan, joint->row) &&
           is_independent(plan, joint->row + 1);
}

/* The crank of `body` in all joints that hold it. */
static void mark(sarrus_plan *plan, int body, int32_t crank) {
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        if (plan->joint[i].parent == body)
            plan->joint[i].parent_crank = crank;
        if (plan->joint[i].child == body)
            plan->joint[i].child_crank = crank;
    }
}

void sarrus_plan_cranks(sarrus_plan *plan) {
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        sarrus_mech_joint *joint = &plan->joint[i];
        const int at = joint->child >= 0, body = at ? joint->child : joint->parent;
        if (!can_be_crank_pin(plan, joint) || (at ? joint->child_crank : joint->parent_crank) >= 0)
            continue;
        joint->is_crank_pin = 1;
        mark(plan, body, 2 * joint->row + at);
        ++plan->mech.n_cranks;
    }
}
