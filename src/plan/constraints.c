/* The constraints beside joints: their rows behind those of the joints, the parts of these rows, and their parameters. Plan and
 * kernels find at the places behind the joints what they ask of the joint of a row. */
#include "plan/constraints.h"

#include <stdlib.h>
#include <string.h>

#include "plan/curve.h"
#include "plan/nonholonomic.h"
#include "plan/spline.h"

static bool has_table(const sarrus_constraint *from) {
    return from->table.n_values > 0;
}

static bool is_curve(const sarrus_constraint *from) {
    return from->type == SARRUS_CONSTRAINT_CURVE;
}

/* Whether two bodies are all that its rows hold. */
static bool is_pair(const sarrus_constraint *from) {
    return !sarrus_constraint_couples(from->type);
}

void sarrus_plan_constraints_count(const sarrus_model *model, sarrus_mechanism *mech) {
    mech->n_constraints = model->n_constraints;
    for (int i = 0; i < model->n_constraints; ++i) {
        mech->n_curves += is_curve(&model->constraints[i]);
        mech->n_parts += !is_pair(&model->constraints[i]);
        mech->m += sarrus_constraint_n_rows(model->space, &model->constraints[i]);
    }
}

size_t sarrus_plan_constraints_knots(const sarrus_model *model) {
    size_t n = 0;
    for (int i = 0; i < model->n_constraints; ++i)
        n += (size_t)model->constraints[i].table.n_values;
    return n;
}

/* Two bodies that a row holds, or none. */
static sarrus_mech_joint pair_of(int32_t parent, int32_t child) {
    return (sarrus_mech_joint){
        .kind = SARRUS_JOINT_DISTANCE, .parent = parent, .child = child, .signal = -1, .parent_crank = -1, .child_crank = -1};
}

/* A, B: a joint's coordinate, or the distance of two points. */
static sarrus_mech_joint coordinate_of(const sarrus_plan *plan, const sarrus_coupled *from, int32_t *p) {
    sarrus_mech_joint out = pair_of(from->body[0], from->body[1]);
    if (from->joint >= 0) {
        const sarrus_mech_joint *joint = &plan->joint[from->joint];
        out.kind = joint->kind;
        out.parent = joint->parent;
        out.child = joint->child;
        out.p = joint->p;
        return out;
    }
    out.p = *p;
    *p += SARRUS_PJ_N;
    return out;
}

static void take_row(sarrus_plan *plan, int i_row, int owner, const sarrus_mech_joint *of) {
    const bool turns = SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_TURN, of->kind);
    plan->row[i_row] = (sarrus_mech_row){.kind = turns ? SARRUS_ROW_ANGLE : SARRUS_ROW_GENERAL,
                                         .parent = of->parent,
                                         .child = of->child,
                                         .joint = owner,
                                         .freedom = -1};
    plan->mech.n_general_rows += !turns;
}

/* The knots of a cam's table, and room for the coefficients between them. */
static void take_table(sarrus_plan *plan, const sarrus_constraint *from, sarrus_mech_constraint *to, int32_t *p, int32_t *i_knot) {
    const sarrus_signal *table = &from->table;
    to->is_periodic = from->is_periodic;
    to->table = (sarrus_mech_signal){.kind = SARRUS_SIGNAL_TABLE, .n = table->n_values - 1, .p = *p, .knots = *i_knot};
    memcpy(plan->knots + *i_knot, table->knots, (size_t)table->n_values * sizeof(double));
    *i_knot += table->n_values;
    *p += 4 * to->table.n;
}

/* The coordinates that a constraint couples, or its two bodies. */
static void take_sides(const sarrus_plan *plan, const sarrus_constraint *from, sarrus_mech_constraint *to, int32_t *p) {
    if (is_pair(from)) {
        to->of[0] = pair_of(from->of[0].body[0], from->of[0].body[1]);
        to->of[1] = pair_of(SARRUS_GROUND, SARRUS_GROUND);
        return;
    }
    for (int k = 0; k < 2; ++k)
        to->of[k] = coordinate_of(plan, &from->of[k], p);
}

/* Its own parameters. */
static void take_numbers(sarrus_plan *plan, const sarrus_constraint *from, sarrus_mech_constraint *to, int32_t *p,
                         int32_t *i_knot) {
    to->p = *p;
    if (has_table(from)) {
        take_table(plan, from, to, p, i_knot);
    } else if (is_curve(from)) {
        to->is_periodic = from->is_periodic;
        to->n_pieces = sarrus_plan_curve_pieces(from);
        *p += sarrus_plan_curve_size(plan->model->space, to->n_pieces);
    } else if (is_pair(from)) {
        to->rolls = sarrus_plan_slip_roll(from);
        to->signal = from->slip.speed;
        *p += sarrus_plan_slip_size(plan->model->space, from);
    } else {
        *p += SARRUS_PC_N_GEAR;
    }
}

void sarrus_plan_constraints_fill(sarrus_plan *plan, int32_t *p, int32_t i_knot) {
    const sarrus_model *model = plan->model;
    const sarrus_mechanism *mech = &plan->mech;
    int32_t n_parts = 0, n_curves = 0, row = mech->m;
    for (int i = 0; i < model->n_constraints; ++i)
        row -= sarrus_constraint_n_rows(model->space, &model->constraints[i]);
    for (int i = 0; i < model->n_constraints; ++i) {
        const sarrus_constraint *from = &model->constraints[i];
        sarrus_mech_constraint *to = &plan->constraint[i];
        const int owner = mech->n_joints + i;
        to->type = (int32_t)from->type;
        to->row = row;
        to->signal = -1;
        to->part = is_pair(from) ? -1 : mech->m + n_parts++;
        to->seen = is_curve(from) ? mech->n_free + n_curves++ : -1;
        take_sides(plan, from, to, p);
        for (int n = sarrus_constraint_n_rows(model->space, from); n > 0; --n)
            take_row(plan, row++, owner, &to->of[0]);
        if (to->part >= 0)
            take_row(plan, to->part, owner, &to->of[1]);
        plan->joint[owner] = pair_of(to->of[0].parent, to->of[0].child); /* no pin, nothing free */
        plan->joint[owner].row = to->row;
        plan->joint[owner].n_rows = row - to->row;
        plan->joint[owner].p = *p;
        take_numbers(plan, from, to, p, &i_knot);
    }
}

static bool fill_table(const sarrus_constraint *from, const double *values, double *p) {
    const int n = from->table.n_values;
    double *y = malloc((size_t)n * sizeof *y);
    if (!y)
        return false;
    for (int k = 0; k < n; ++k)
        y[k] = values[from->table.values[k]];
    const bool good = from->is_periodic ? sarrus_spline_periodic(n, from->table.knots, y, p)
                                        : sarrus_spline(n, from->table.knots, y, from->table.is_linear, p);
    free(y);
    return good;
}

static bool fill_one(const sarrus_plan *plan, int i, const double *values, double *parameters) {
    const sarrus_model *model = plan->model;
    const sarrus_constraint *from = &model->constraints[i];
    const sarrus_mech_constraint *to = &plan->constraint[i];
    double *p = parameters + to->p;
    if (is_curve(from))
        return sarrus_plan_curve_fill(model->space, from, values, p);
    if (is_pair(from))
        return sarrus_plan_slip_fill(model->space, from, values, p);
    for (int k = 0; k < 2; ++k) {
        for (int x = 0; from->of[k].joint < 0 && x < 4; ++x)
            parameters[to->of[k].p + SARRUS_PJ_PARENT_X + x] = values[from->of[k].point[x / 2][x % 2]];
    }
    if (has_table(from))
        return fill_table(from, values, p);
    p[SARRUS_PC_RATIO] = values[from->ratio];
    p[SARRUS_PC_OFFSET] = values[from->offset];
    return true;
}

bool sarrus_plan_constraints_parameters(const sarrus_plan *plan, const double *values, double *parameters) {
    bool good = true;
    for (int i = 0; i < plan->model->n_constraints; ++i)
        good = fill_one(plan, i, values, parameters) && good;
    return good;
}

int sarrus_plan_constraint_without_meaning(const sarrus_plan *plan, const double *values, double *parameters) {
    int i = 0;
    while (i < plan->model->n_constraints && fill_one(plan, i, values, parameters))
        ++i;
    return i;
}

int sarrus_plan_row_part(const sarrus_plan *plan, int i_row) {
    const int i_constraint = plan->row[i_row].joint - plan->mech.n_joints;
    return i_constraint < 0 ? -1 : plan->constraint[i_constraint].part;
}

int sarrus_plan_row_bodies(const sarrus_plan *plan, int i_row, int32_t bodies[SARRUS_ROW_BODIES]) {
    const int part = sarrus_plan_row_part(plan, i_row);
    bodies[0] = plan->row[i_row].parent;
    bodies[1] = plan->row[i_row].child;
    if (part < 0)
        return 2;
    bodies[2] = plan->row[part].parent;
    bodies[3] = plan->row[part].child;
    return 4;
}

const char *sarrus_plan_owner_name(const sarrus_plan *plan, int i_joint) {
    const int n_joints = plan->mech.n_joints;
    return i_joint < n_joints ? plan->model->joints[i_joint].name : plan->model->constraints[i_joint - n_joints].name;
}

const sarrus_place *sarrus_plan_owner_place(const sarrus_plan *plan, int i_joint) {
    const int n_joints = plan->mech.n_joints;
    return i_joint < n_joints ? &plan->model->joints[i_joint].place : &plan->model->constraints[i_joint - n_joints].place;
}
