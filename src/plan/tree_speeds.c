/* What kernels want to know of a tree's speeds and rows without looking for it, and springs and dampers along coordinates of the
 * tree: those need no bodies. */
#include <stdlib.h>

#include "plan/build.h"

/* How an entry of a row is found; the list of entries says where none of it, or both lines of a row, are moved. Only pins of the
 * plane put less than a whole wrench. */
static int32_t entry_way(const sarrus_plan *plan, const sarrus_mech_entry *entry) {
    const sarrus_mech_speed *speed = &plan->speed[entry->speed];
    const bool is_slide =
        speed->form == SARRUS_LINK_SLIDE || (speed->form == SARRUS_LINK_FREE && speed->index < SARRUS_PLANAR_TURN);
    const bool is_y = plan->row[entry->row].kind == SARRUS_ROW_Y, is_child = entry->side & 1;
    if (entry->side < 0 || entry->way >= SARRUS_ENTRY_SUM)
        return entry->way;
    if (!sarrus_plan_joint_is_pin(plan, plan->row[entry->row].joint))
        return SARRUS_ENTRY_POWER;
    if (speed->is_pure)
        return SARRUS_ENTRY_MOMENT;
    return (is_slide ? SARRUS_ENTRY_ALONG_X : SARRUS_ENTRY_TURN_X) + 2 * is_y + !is_child;
}

static void list_speeds(sarrus_plan *plan) {
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        for (int32_t i = 0; i < link->n_v; ++i)
            plan->speed[link->v + i] =
                (sarrus_mech_speed){.body = link->body, .form = link->form, .index = i, .is_pure = link->is_pure};
    }
}

/* Which of a link's speeds is the rate of a free coordinate of its joint, −1: none is. Two turns about axes of two bodies have
 * theirs in the order of the joint. */
static int32_t speed_of_freedom(const sarrus_mech_link *link, int32_t form) {
    const bool is_shift = form >= SARRUS_FREEDOM_SHIFT_1 && form <= SARRUS_FREEDOM_SHIFT_3;
    const bool is_turn = form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_TURN_3;
    if (link->form == SARRUS_LINK_TURN)
        return is_turn ? 0 : -1;
    if (link->form == SARRUS_LINK_SLIDE)
        return is_shift ? 0 : -1;
    if (link->form == SARRUS_LINK_CYLINDER)
        return is_shift ? 0 : is_turn ? 1 : -1;
    return -1;
}

static void add_spring(sarrus_plan *plan, const sarrus_mech_link *link, int32_t index, int32_t p) {
    plan->spring[plan->mech.tree.n_springs++] =
        (sarrus_mech_spring){.q = link->q + index, .speed = link->v + index, .is_against = link->is_reversed, .p = p};
}

static void list_springs_in_space(sarrus_plan *plan, const sarrus_mech_link *link) {
    sarrus_mech_joint *joint = &plan->joint[link->joint];
    bool has_others = false;
    for (int32_t i = link->freedom; i >= 0 && i < plan->mech.n_freedoms && plan->freedom[i].joint == link->joint; ++i) {
        sarrus_mech_freedom *freedom = &plan->freedom[i];
        const int32_t index = freedom->elastic ? speed_of_freedom(link, freedom->form) : -1;
        has_others = has_others || (freedom->elastic && index < 0);
        if (index < 0)
            continue;
        freedom->elastic = SARRUS_ELASTIC_BY_SPEED;
        add_spring(plan, link, index, freedom->p);
    }
    if (joint->elastic && !has_others) {
        joint->elastic = SARRUS_ELASTIC_BY_SPEED;
        --plan->mech.n_elastic;
    }
}

static void list_springs(sarrus_plan *plan) {
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        if (link->joint < 0 || !plan->joint[link->joint].elastic)
            continue;
        if (plan->mech.space == SARRUS_SPACE_SPATIAL) {
            list_springs_in_space(plan, link);
        } else if (link->form == SARRUS_LINK_TURN || link->form == SARRUS_LINK_SLIDE) {
            plan->joint[link->joint].elastic = SARRUS_ELASTIC_BY_SPEED;
            --plan->mech.n_elastic;
            add_spring(plan, link, 0, plan->joint[link->joint].p + SARRUS_PJ_STIFFNESS);
        }
    }
}

bool sarrus_plan_joint_is_pin(const sarrus_plan *plan, int32_t joint) {
    const sarrus_mech_joint *of = &plan->joint[joint];
    return plan->mech.space == SARRUS_SPACE_PLANAR && !of->is_within && of->kind == SARRUS_JOINT_REVOLUTE && of->n_rows == 2;
}

/* Who asks for the speeds of bodies at their centres of mass. */
static void note_askers(sarrus_plan *plan) {
    sarrus_mechanism *mech = &plan->mech;
    mech->tree.has_loads = mech->n_forces > 0 || mech->n_elastic > 0;
    mech->tree.asks_bodies = mech->tree.has_loads || mech->n_constraints > 0;
    mech->tree.follows_turns = mech->n_curves > 0;
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        if (plan->joint[i].n_rows > 0 && !sarrus_plan_joint_is_pin(plan, i))
            mech->tree.asks_bodies = 1;
    }
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const int32_t form = plan->freedom[i].form;
        if (form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_SECOND_3 && !plan->joint[plan->freedom[i].joint].is_within)
            mech->tree.follows_turns = 1;
    }
}

sarrus_status sarrus_plan_tree_speeds(sarrus_plan *plan) {
    plan->speed = calloc((size_t)plan->mech.n_v + 1, sizeof *plan->speed);
    plan->spring = calloc((size_t)plan->mech.n_v + 1, sizeof *plan->spring);
    if (!plan->speed || !plan->spring)
        return SARRUS_NO_MEMORY;
    list_speeds(plan);
    for (int32_t i = 0; i < plan->mech.tree.n_entries; ++i)
        plan->entry[i].way = entry_way(plan, &plan->entry[i]);
    list_springs(plan);
    note_askers(plan);
    return SARRUS_OK;
}
