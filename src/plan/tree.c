/* The tables of a plan in relative coordinates (kernels/body/tree_plan.h): the links of the tree, the rows that it leaves, the
 * speeds that move a body, and which of them the rows meet. From the model alone. */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"

/* The most numbers that a table may have. */
enum { MOST_NUMBERS = 1 << 25 };

/* The longest chain of speeds whose M is factored; beyond that articulated bodies are faster (docs/performance.md). */
enum { MOST_IN_COMPOSITE = 8 };

/* How a body moves that hangs by a joint of this type; −1: none hangs by it. */
static int32_t link_form(sarrus_joint_type type) {
    switch (type) {
    case SARRUS_JOINT_REVOLUTE:
        return SARRUS_LINK_TURN;
    case SARRUS_JOINT_PRISMATIC:
        return SARRUS_LINK_SLIDE;
    case SARRUS_JOINT_FIXED:
        return SARRUS_LINK_FIXED;
    case SARRUS_JOINT_SPHERICAL:
        return SARRUS_LINK_BALL;
    case SARRUS_JOINT_UNIVERSAL:
        return SARRUS_LINK_UNIVERSAL;
    case SARRUS_JOINT_CYLINDRICAL:
        return SARRUS_LINK_CYLINDER;
    case SARRUS_JOINT_PLANAR:
        return SARRUS_LINK_PLANE;
    case SARRUS_JOINT_SCREW:
        return SARRUS_LINK_SCREW;
    case SARRUS_JOINT_DISTANCE:
    case SARRUS_JOINT_SLOT:
    case SARRUS_JOINT_FREE:
    case SARRUS_JOINT_GENERAL:
    case SARRUS_JOINT_BUSHING:
        break;
    }
    return -1;
}

/* The types of joints that bodies hang by, a bit each. */
static int32_t tree_types(void) {
    int32_t types = 0;
    for (int type = 0; type < SARRUS_N_JOINT_TYPES; ++type)
        types |= link_form((sarrus_joint_type)type) >= 0 ? 1 << type : 0;
    return types;
}

static int32_t count_coordinates(int32_t space, int32_t form) {
    static const int32_t counts[][2] = {
#define SARRUS_LINK(name, value, plane_q, plane_v, space_q, space_v) [value] = {plane_q, space_q},
        SARRUS_LINKS(SARRUS_LINK)
#undef SARRUS_LINK
    };
    return counts[form][space == SARRUS_SPACE_SPATIAL];
}

static int32_t count_speeds(int32_t space, int32_t form) {
    static const int32_t counts[][2] = {
#define SARRUS_LINK(name, value, plane_q, plane_v, space_q, space_v) [value] = {plane_v, space_v},
        SARRUS_LINKS(SARRUS_LINK)
#undef SARRUS_LINK
    };
    return counts[form][space == SARRUS_SPACE_SPATIAL];
}

/* The joint's first free coordinate in space; they are listed joint by joint. */
static int32_t first_freedom(const sarrus_plan *plan, int32_t joint) {
    int32_t low = 0, high = plan->mech.n_freedoms;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (plan->freedom[middle].joint < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->mech.n_freedoms && plan->freedom[low].joint == joint ? low : -1;
}

/* Whether a link on ground turns its body about its point there, and nothing else. */
static bool turns_purely(int32_t form) {
    return form == SARRUS_LINK_TURN || form == SARRUS_LINK_UNIVERSAL || form == SARRUS_LINK_BALL;
}

static bool slides(int32_t form) {
    return form == SARRUS_LINK_SLIDE || form == SARRUS_LINK_CYLINDER || form == SARRUS_LINK_SCREW || form == SARRUS_LINK_PLANE;
}

/* Where a root's joint has its point on ground among the parameters; −1: it has no joint. */
static int32_t ground_point(const sarrus_plan *plan, int32_t joint, bool is_reversed) {
    if (joint < 0)
        return -1;
    if (plan->mech.space == SARRUS_SPACE_SPATIAL)
        return plan->joint[joint].p + (is_reversed ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT);
    return plan->joint[joint].p + (is_reversed ? SARRUS_PJ_CHILD_X : SARRUS_PJ_PARENT_X);
}

static void list_links(sarrus_plan *plan) {
    sarrus_mechanism *mech = &plan->mech;
    const sarrus_graph *graph = &plan->graph;
    mech->n_q = mech->n_v = 0;
    for (int32_t k = 0; k < mech->n_bodies; ++k) {
        const int32_t body = graph->order[k], inboard = graph->inboard[body], joint = graph->joint[body];
        const int32_t form = joint < 0 ? SARRUS_LINK_FREE : link_form((sarrus_joint_type)plan->joint[joint].kind);
        plan->link_of[body] = k;
        plan->link[k] = (sarrus_mech_link){
            .form = form,
            .body = body,
            .inboard = inboard,
            .root = inboard < 0 ? body : plan->link[plan->link_of[inboard]].root,
            .joint = joint,
            .p = joint < 0 ? 0 : plan->joint[joint].p,
            .origin = inboard < 0 ? ground_point(plan, joint, graph->is_reversed[body]) : plan->link[plan->link_of[inboard]].origin,
            .is_reversed = graph->is_reversed[body],
            .is_pure = inboard < 0 && turns_purely(form),
            .is_on_pure = inboard >= 0 && plan->link[plan->link_of[inboard]].is_pure,
            .freedom = joint < 0 ? -1 : first_freedom(plan, joint),
            .q = mech->n_q,
            .v = mech->n_v,
            .n_v = count_speeds(mech->space, form),
        };
        mech->tree.has_travellers = mech->tree.has_travellers || (inboard < 0 && slides(form));
        mech->n_q += count_coordinates(mech->space, form);
        mech->n_v += plan->link[k].n_v;
        mech->tree.most_speeds = plan->link[k].n_v > mech->tree.most_speeds ? plan->link[k].n_v : mech->tree.most_speeds;
    }
}

/* Keeps the rows of constraints, behind all others, and their parts behind those. */
static void keep_constraints(const sarrus_plan *absolute, sarrus_plan *plan) {
    sarrus_mechanism *mech = &plan->mech;
    for (int32_t i = 0; i < mech->n_constraints; ++i) {
        sarrus_mech_joint *owner = &plan->joint[mech->n_joints + i];
        plan->constraint[i].row = owner->row = mech->m;
        for (int32_t k = 0; k < owner->n_rows; ++k) {
            plan->row[mech->m] = absolute->row[absolute->constraint[i].row + k];
            mech->n_general_rows += plan->row[mech->m++].kind == SARRUS_ROW_GENERAL;
        }
    }
    for (int32_t i = 0; i < mech->n_constraints; ++i) {
        const int32_t part = absolute->constraint[i].part;
        if (part < 0)
            continue;
        plan->constraint[i].part = part - absolute->mech.m + mech->m;
        plan->row[plan->constraint[i].part] = absolute->row[part];
        mech->n_general_rows += absolute->row[part].kind == SARRUS_ROW_GENERAL;
    }
}

/* Keeps the rows of cut joints, of drives and of constraints, in their order. */
static void keep_rows(const sarrus_plan *absolute, sarrus_plan *plan) {
    sarrus_mechanism *mech = &plan->mech;
    mech->m = mech->n_general_rows = mech->max_joint_rows = 0;
    for (int32_t k = 0; k < mech->n_bodies; ++k) {
        if (plan->link[k].joint >= 0)
            plan->joint[plan->link[k].joint].is_within = 1;
    }
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *from = &absolute->joint[i];
        sarrus_mech_joint *joint = &plan->joint[i];
        joint->row = mech->m;
        joint->n_rows = 0;
        for (int32_t row = from->row; row < from->row + from->n_rows; ++row) {
            if (joint->is_within && !sarrus_plan_row_is_drive(absolute, row))
                continue;
            plan->row[mech->m++] = absolute->row[row];
            ++joint->n_rows;
            mech->n_general_rows += absolute->row[row].kind == SARRUS_ROW_GENERAL;
        }
        mech->max_joint_rows = joint->n_rows > mech->max_joint_rows ? joint->n_rows : mech->max_joint_rows;
    }
    keep_constraints(absolute, plan);
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        if (plan->joint[i].is_within && plan->joint[i].n_rows == 0)
            plan->joint[i].row = mech->m;
    }
    for (int32_t row = 0; row < mech->m; ++row) {
        if (plan->row[row].freedom >= 0)
            plan->freedom[plan->row[row].freedom].row = row;
    }
    mech->tree.n_rows_within = absolute->mech.m - mech->m;
}

/* The last speed that moves a body, on the way from ground; −1: none. */
static int32_t last_speed(const sarrus_plan *plan, int32_t body) {
    while (body >= 0) {
        const sarrus_mech_link *link = &plan->link[plan->link_of[body]];
        if (link->n_v > 0)
            return link->v + link->n_v - 1;
        body = link->inboard;
    }
    return -1;
}

/* before [n_v]: the speed that follows in the chain of each, −1. Returns the numbers of all chains. */
static int64_t list_befores(const sarrus_plan *plan, int32_t *before, int32_t *length) {
    int64_t n = 0;
    for (int32_t k = 0; k < plan->mech.n_bodies; ++k) {
        const sarrus_mech_link *link = &plan->link[k];
        for (int32_t i = link->v; i < link->v + link->n_v; ++i) {
            before[i] = i > link->v ? i - 1 : last_speed(plan, link->inboard);
            length[i] = 1 + (before[i] < 0 ? 0 : length[before[i]]);
            n += length[i];
        }
    }
    return n;
}

static void list_chains(sarrus_plan *plan, const int32_t *before) {
    int32_t at = 0;
    for (int32_t i = 0; i < plan->mech.n_v; ++i) {
        plan->chain_start[i] = at;
        for (int32_t k = i; k >= 0; k = before[k])
            plan->chain[at++] = k;
    }
    plan->chain_start[plan->mech.n_v] = at;
}

/* The sides of a row's lines by their bodies: 2·line + (0 parent, 1 child). */
static int32_t side_of(const sarrus_plan *plan, int32_t row, int k) {
    return 2 * (k < 2 ? row : sarrus_plan_row_part(plan, row)) + k % 2;
}

/* The side of a line that moves alone; −1: both or none do. */
static int32_t side_moved(const sarrus_plan *plan, int32_t row, const bool *is_moved, int first) {
    return is_moved[first] == is_moved[first + 1] ? -1 : side_of(plan, row, is_moved[first] ? first : first + 1);
}

/* The speeds that a row meets, falling: those of its bodies' chains, which are one where they have met. Returns how many; entry
 * NULL: only counted, and the numbers that they carry with them. */
static int64_t list_row(const sarrus_plan *plan, int32_t row, const int32_t *before, sarrus_mech_entry *entry) {
    int32_t bodies[SARRUS_ROW_BODIES], last[SARRUS_ROW_BODIES] = {-1, -1, -1, -1};
    const int n_bodies = sarrus_plan_row_bodies(plan, row, bodies);
    int64_t n = 0;
    for (int k = 0; k < n_bodies; ++k)
        last[k] = last_speed(plan, bodies[k]);
    for (;; ++n) {
        bool is_moved[SARRUS_ROW_BODIES];
        int32_t speed = -1;
        for (int k = 0; k < SARRUS_ROW_BODIES; ++k)
            speed = last[k] > speed ? last[k] : speed;
        if (speed < 0)
            return n;
        for (int k = 0; k < SARRUS_ROW_BODIES; ++k) {
            is_moved[k] = last[k] == speed;
            last[k] = is_moved[k] ? before[speed] : last[k];
        }
        const int32_t own = side_moved(plan, row, is_moved, 0), other = side_moved(plan, row, is_moved, 2);
        if (entry)
            entry[n] = (sarrus_mech_entry){.speed = speed,
                                           .side = own < 0 ? other : own,
                                           .row = row,
                                           .way = own < 0 || other < 0 ? SARRUS_ENTRY_NOTHING : SARRUS_ENTRY_SUM + other % 2};
    }
}

static int64_t list_entries(sarrus_plan *plan, const int32_t *before) {
    int64_t n = 0;
    for (int32_t row = 0; row < plan->mech.m; ++row) {
        if (plan->entry)
            plan->row_start[row] = (int32_t)n;
        n += list_row(plan, row, before, plan->entry ? plan->entry + n : NULL);
    }
    if (plan->entry)
        plan->row_start[plan->mech.m] = (int32_t)n;
    return n;
}

/* What every entry hands on: to the speeds that follow in its chain, all of which the row meets. */
static void list_carries(sarrus_plan *plan) {
    int32_t n = 0;
    for (int32_t row = 0; row < plan->mech.m; ++row) {
        for (int32_t from = plan->row_start[row]; from < plan->row_start[row + 1]; ++from) {
            const int32_t speed = plan->entry[from].speed;
            int32_t to = from;
            for (int32_t at = plan->chain_start[speed] + 1; at < plan->chain_start[speed + 1]; ++at) {
                while (plan->entry[to].speed != plan->chain[at])
                    ++to;
                plan->carry[n++] = (sarrus_mech_carry){to, from, at};
            }
        }
    }
}

static int64_t count_carries(const sarrus_plan *plan) {
    int64_t n = 0;
    for (int32_t e = 0; e < plan->mech.tree.n_entries; ++e) {
        const int32_t speed = plan->entry[e].speed;
        n += plan->chain_start[speed + 1] - plan->chain_start[speed] - 1;
    }
    return n;
}

static sarrus_status refuse_size(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_location where = sarrus_plan_formulation_place(plan->model);
    return sarrus_report_at(
        context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
        "the bodies hang on one another in chains that are too long for relative coordinates: a table of the plan "
        "would have more than %d numbers; expected absolute coordinates",
        MOST_NUMBERS);
}

static int32_t longest(const int32_t *length, int32_t n) {
    int32_t most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = length[i] > most ? length[i] : most;
    return most;
}

/* before, length [n_v] are scratch. */
static sarrus_status fill_tables(sarrus_context *context, sarrus_plan *plan, int32_t *before, int32_t *length) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    const int64_t n_chain = list_befores(plan, before, length), n_entries = list_entries(plan, before);
    if (n_chain > MOST_NUMBERS || n_entries > MOST_NUMBERS)
        return refuse_size(context, plan);
    tree->n_chain = (int32_t)n_chain;
    tree->n_entries = (int32_t)n_entries;
    plan->chain = calloc((size_t)n_chain + 1, sizeof *plan->chain);
    plan->chain_start = calloc((size_t)plan->mech.n_v + 1, sizeof *plan->chain_start);
    plan->entry = calloc((size_t)n_entries + 1, sizeof *plan->entry);
    plan->row_start = calloc((size_t)plan->mech.m + 1, sizeof *plan->row_start);
    if (!plan->chain || !plan->chain_start || !plan->entry || !plan->row_start)
        return SARRUS_NO_MEMORY;
    list_chains(plan, before);
    (void)list_entries(plan, before);
    const bool is_asked = plan->model->dynamics.formulation == SARRUS_FORMULATION_RECURSIVE;
    tree->is_articulated = plan->mech.m == 0 && (is_asked || longest(length, plan->mech.n_v) > MOST_IN_COMPOSITE);
    tree->is_recursive = plan->mech.m > 0 && is_asked;
    const int64_t n_carries = tree->is_recursive ? 0 : count_carries(plan);
    if (n_carries > MOST_NUMBERS)
        return refuse_size(context, plan);
    tree->n_carries = (int32_t)n_carries;
    plan->carry = calloc((size_t)n_carries + 1, sizeof *plan->carry);
    if (!plan->carry)
        return SARRUS_NO_MEMORY;
    if (!tree->is_recursive)
        list_carries(plan);
    return sarrus_plan_tree_speeds(plan);
}

sarrus_status sarrus_plan_tree(sarrus_context *context, const sarrus_plan *absolute, sarrus_plan *plan) {
    sarrus_mech_tree *tree = &plan->mech.tree;
    sarrus_status status = sarrus_graph_make_of(context, plan->model, tree_types(), &plan->graph);
    if (status != SARRUS_OK)
        return status;
    const size_t n_bodies = (size_t)plan->mech.n_bodies;
    plan->link = calloc(n_bodies + 1, sizeof *plan->link);
    plan->link_of = calloc(n_bodies + 1, sizeof *plan->link_of);
    int32_t *scratch = calloc(2 * (size_t)absolute->mech.n_v + 2, sizeof *scratch); /* no tree has more speeds */
    status = plan->link && plan->link_of && scratch ? SARRUS_OK : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK) {
        list_links(plan);
        keep_rows(absolute, plan);
        status = fill_tables(context, plan, scratch, scratch + plan->mech.n_v);
    }
    free(scratch);
    if (status != SARRUS_OK)
        return status == SARRUS_NO_MEMORY ? sarrus_report(context, status, "out of memory for the plan's tree") : status;
    tree->n_links = plan->mech.n_bodies;
    tree->link = plan->link;
    tree->link_of = plan->link_of;
    tree->speed = plan->speed;
    tree->spring = plan->spring;
    tree->chain = plan->chain;
    tree->chain_start = plan->chain_start;
    tree->entry = plan->entry;
    tree->row_start = plan->row_start;
    tree->carry = plan->carry;
    return SARRUS_OK;
}
