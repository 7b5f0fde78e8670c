#include "plan/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/body.h"
#include "plan/rotation.h"

static const double turn = 2.0 * M_PI;

/* A table at t = 0: the cubic of the interval that holds it, the first or the last one where none does. */
static double table_begin(const sarrus_plan *plan, const sarrus_mech_signal *signal, const double *parameters) {
    const double *knots = plan->knots + signal->knots, *c = parameters + signal->p;
    int k = 0;
    while (k < signal->n - 1 && knots[k + 1] <= 0.0)
        ++k;
    const double x = -knots[k];
    c += (ptrdiff_t)4 * k;
    return ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
}

double sarrus_plan_signal_begin(const sarrus_plan *plan, int i_signal, const double *parameters) {
    const sarrus_mech_signal *signal = &plan->signal[i_signal];
    const double *p = parameters + signal->p;
    switch ((sarrus_signal_kind)signal->kind) {
    case SARRUS_SIGNAL_CONSTANT:
    case SARRUS_SIGNAL_POLYNOMIAL:
        return p[0];
    case SARRUS_SIGNAL_RAMP:
        return p[0] + p[1] * fmax(0.0, -p[2]);
    case SARRUS_SIGNAL_SINE:
        return p[3] + p[0] * sin(p[2]);
    case SARRUS_SIGNAL_TABLE:
        return table_begin(plan, signal, parameters);
    }
    return 0.0;
}

static double turns_of(const sarrus_plan *plan, int i_signal, const double *parameters) {
    return nearbyint(sarrus_plan_signal_begin(plan, i_signal, parameters) / turn);
}

/* By how many turns more the child of every planar joint turns than its parent, NAN where that is open. Returns whether any is not
 * 0. of_joint: [n_joints] */
static bool find_turns(const sarrus_plan *plan, const double *parameters, double *of_joint) {
    bool is_any = false;
    for (int32_t i = 0; i < plan->mech.n_joints; ++i) {
        const sarrus_mech_joint *joint = &plan->joint[i];
        of_joint[i] = SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_HOLD_ANGLE, joint->kind) ? 0.0 : (double)NAN;
        if (joint->signal >= 0 && SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_TURN, joint->kind))
            of_joint[i] = turns_of(plan, joint->signal, parameters);
        is_any = is_any || fabs(of_joint[i]) > 0.0;
    }
    return is_any;
}

/* of_body [n_bodies + 1], ground first: from bodies whose turns are known to those beside them. Returns whether any was reached. */
static bool spread_turns(const sarrus_plan *plan, const double *of_joint, double *of_body) {
    bool is_any = false;
    for (int32_t i = 0; i < plan->mech.n_joints; ++i) {
        double *parent = of_body + plan->joint[i].parent + 1, *child = of_body + plan->joint[i].child + 1;
        if (isnan(of_joint[i]) || isnan(*parent) == isnan(*child))
            continue;
        if (isnan(*child))
            *child = *parent + of_joint[i];
        else
            *parent = *child - of_joint[i];
        is_any = true;
    }
    return is_any;
}

/* Where no way leads to ground, a first body stays. */
static bool begin_elsewhere(const sarrus_plan *plan, const double *of_joint, double *of_body) {
    for (int32_t i = 0; i < plan->mech.n_joints; ++i) {
        if (!isnan(of_joint[i]) && isnan(of_body[plan->joint[i].parent + 1])) {
            of_body[plan->joint[i].parent + 1] = 0.0;
            return true;
        }
    }
    return false;
}

static bool take_planar(const sarrus_plan *plan, const double *parameters, double *q) {
    const int32_t n_joints = plan->mech.n_joints, n_bodies = plan->mech.n_bodies;
    double *of_joint = malloc(((size_t)n_joints + (size_t)n_bodies + 1) * sizeof *of_joint);
    if (!of_joint)
        return false;
    if (find_turns(plan, parameters, of_joint)) {
        double *of_body = of_joint + n_joints;
        of_body[0] = 0.0;
        for (int32_t b = 0; b < n_bodies; ++b)
            of_body[b + 1] = (double)NAN;
        do {
            while (spread_turns(plan, of_joint, of_body)) {
            }
        } while (begin_elsewhere(plan, of_joint, of_body));
        for (int32_t b = 0; b < n_bodies; ++b)
            q[SARRUS_PLANAR_NQ * b + SARRUS_PLANAR_TURN] += isnan(of_body[b + 1]) ? 0.0 : turn * of_body[b + 1];
    }
    free(of_joint);
    return true;
}

/* The screw's way along its axis, with all that hangs on it by the tree; of a cut joint one body goes alone. */
static void drive_screw(const sarrus_plan *plan, int32_t i_joint, double angle, const double *parameters, double *q) {
    const sarrus_mech_joint *joint = &plan->joint[i_joint];
    const sarrus_graph *graph = &plan->graph;
    const double *p = parameters + joint->p;
    double frame[3][3], way[3];
    int32_t body = joint->child;
    if (body < 0 || (joint->parent >= 0 && graph->joint[joint->parent] == i_joint))
        body = joint->parent;
    memcpy(way, p + SARRUS_SJ_PARENT_AXES + 6, sizeof way);
    if (joint->parent >= 0) {
        sarrus_rotation_of(q + SARRUS_SPATIAL_NQ * joint->parent + SARRUS_SPATIAL_TURN, frame);
        sarrus_rotate((const double(*)[3])frame, p + SARRUS_SJ_PARENT_AXES + 6, way);
    }
    const double scale = (body == joint->child ? angle : -angle) * p[SARRUS_SJ_PITCH];
    const int32_t n = graph->joint[body] == i_joint ? graph->n_branch[body] : 1;
    for (int32_t k = 0; k < n; ++k) {
        double *r = q + SARRUS_SPATIAL_NQ * (n > 1 ? graph->order[graph->label[body] + k] : body);
        for (int x = 0; x < 3; ++x)
            r[x] += scale * way[x];
    }
}

static void take_screws(const sarrus_plan *plan, const double *parameters, double *q) {
    for (int32_t i = 0; i < plan->mech.n_freedoms; ++i) {
        const sarrus_mech_freedom *freedom = &plan->freedom[i];
        if (freedom->form != SARRUS_FREEDOM_SCREW || freedom->signal < 0)
            continue;
        const double angle = turn * turns_of(plan, freedom->signal, parameters);
        if (fabs(angle) > 0.0)
            drive_screw(plan, freedom->joint, angle, parameters, q);
    }
}

bool sarrus_plan_turns_take(const sarrus_plan *plan, const double *parameters, double *q) {
    if (plan->mech.n_drives == 0)
        return true;
    if (plan->mech.space == SARRUS_SPACE_PLANAR)
        return take_planar(plan, parameters, q);
    take_screws(plan, parameters, q);
    return true;
}
