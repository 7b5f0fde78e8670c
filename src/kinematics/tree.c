/* The tree of pairs of a mechanism, and the numbers of its instances at q = 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "kinematics/kinematics.h"
#include "model/draws.h"
#include "model/evaluator.h"
#include "plan/body.h"
#include "plan/graph.h"
#include "plan/plan.h"
#include "plan/rotation.h"

enum { MOST_PAIRS = 6 };

/* Slides and turns of a joint or of a body that floats (joint −1), slides first; −1: it is none of pairs. */
static int pairs_of(const sarrus_model *model, int joint, sarrus_pair_kind kinds[MOST_PAIRS]) {
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    int n_slides = is_spatial ? 3 : 2, n_turns = is_spatial ? 3 : 1;
    bool is_screw = false;
    if (joint >= 0) {
        n_slides = n_turns = 0;
        switch (model->joints[joint].type) {
        case SARRUS_JOINT_REVOLUTE:
            n_turns = 1;
            break;
        case SARRUS_JOINT_PRISMATIC:
            n_slides = 1;
            break;
        case SARRUS_JOINT_CYLINDRICAL:
            n_slides = n_turns = 1;
            break;
        case SARRUS_JOINT_PLANAR:
            n_slides = 2;
            n_turns = 1;
            break;
        case SARRUS_JOINT_UNIVERSAL:
            n_turns = 2;
            break;
        case SARRUS_JOINT_SPHERICAL:
            n_turns = 3;
            break;
        case SARRUS_JOINT_SCREW:
            n_turns = 1;
            is_screw = true;
            break;
        case SARRUS_JOINT_FIXED:
            break;
        default:
            return -1;
        }
    }
    for (int k = 0; k < n_slides + n_turns; ++k)
        kinds[k] = k < n_slides ? SARRUS_PAIR_SLIDE : is_screw ? SARRUS_PAIR_SCREW : SARRUS_PAIR_TURN;
    return n_slides + n_turns;
}

static int32_t types_of_pairs(void) {
    static const sarrus_joint_type types[] = {SARRUS_JOINT_REVOLUTE,  SARRUS_JOINT_PRISMATIC, SARRUS_JOINT_FIXED,
                                              SARRUS_JOINT_SPHERICAL, SARRUS_JOINT_UNIVERSAL, SARRUS_JOINT_CYLINDRICAL,
                                              SARRUS_JOINT_PLANAR,    SARRUS_JOINT_SCREW};
    int32_t bits = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        bits |= 1 << types[i];
    return bits;
}

/* --- The tree --------------------------------------------------------------------------------------------------------------- */

static bool arrays_make(sarrus_kinematics *k) {
    const size_t n_bodies = (size_t)k->n_bodies, n_most = MOST_PAIRS * n_bodies + 1;
    k->order = calloc(n_bodies, sizeof *k->order);
    k->inboard = calloc(n_bodies, sizeof *k->inboard);
    k->first_pair = calloc(n_bodies, sizeof *k->first_pair);
    k->n_pairs = calloc(n_bodies, sizeof *k->n_pairs);
    k->start = calloc(n_bodies + 1, sizeof *k->start);
    k->pair = calloc(n_most, sizeof *k->pair);
    return k->order && k->inboard && k->first_pair && k->n_pairs && k->start && k->pair;
}

/* Pairs in the order of the tree, and how many are on the path of every body. */
static int pairs_list(const sarrus_graph *graph, sarrus_kinematics *k, int *last) {
    int n_on_paths = 0;
    for (int i = 0; i < k->n_bodies; ++i) {
        const int body = graph->order[i], inboard = graph->inboard[body];
        sarrus_pair_kind kinds[MOST_PAIRS];
        const int n = pairs_of(k->plan->model, graph->joint[body], kinds);
        int before = inboard < 0 ? -1 : last[inboard], length = inboard < 0 ? 0 : k->start[inboard + 1];
        k->order[i] = body;
        k->inboard[body] = inboard < 0 ? -1 : inboard;
        k->first_pair[body] = k->n;
        k->n_pairs[body] = n;
        for (int m = 0; m < n; ++m) {
            k->pair[k->n] = (sarrus_kinematics_pair){kinds[m], body, graph->joint[body], before};
            before = k->n++;
        }
        last[body] = before;
        k->start[body + 1] = length + n; /* for now: its length */
        n_on_paths += length + n;
    }
    return n_on_paths;
}

static bool paths_list(sarrus_kinematics *k, int n_on_paths, const int *last) {
    k->path = calloc((size_t)n_on_paths + 1, sizeof *k->path);
    if (!k->path)
        return false;
    for (int b = 0; b < k->n_bodies; ++b) {
        const int length = k->start[b + 1];
        int at = k->start[b + 1] = k->start[b] + length;
        for (int i = last[b]; i >= 0; i = k->pair[i].before)
            k->path[--at] = i;
    }
    return true;
}

static bool tree_make(const sarrus_graph *graph, sarrus_kinematics *k) {
    int *last = calloc((size_t)k->n_bodies, sizeof *last);
    const bool good = last && arrays_make(k) && paths_list(k, pairs_list(graph, k, last), last);
    free(last);
    return good;
}

/* --- Instances -------------------------------------------------------------------------------------------------------------- */

/* What the numbers of one instance are made of. */
typedef struct instance_source {
    const sarrus_kinematics *k;
    const sarrus_graph *graph;
    const double *values;
    double *parameters, *q, *v;
    double *shift; /* [n_bodies][3] by which a body is moved so that its joint closes */
} instance_source;

/* A point of the joint: as a body sees it, where the scenario gives it in the bodies' frames. */
static void point_find(const instance_source *from, const sarrus_joint *joint, int side, double out[3]) {
    const int n = from->k->plan->mech.space == SARRUS_SPACE_SPATIAL ? 3 : 2, body = joint->body[side];
    const sarrus_value_index *index = joint->has_at ? joint->at[side] : joint->point[side];
    double given[3] = {0, 0, 0}, pose[12];
    for (int i = 0; i < n; ++i)
        given[i] = index[i] == SARRUS_NO_VALUE ? 0.0 : from->values[index[i]];
    memcpy(out, given, sizeof given);
    if (joint->has_at || body == SARRUS_GROUND)
        return;
    sarrus_pose_of_body(from->k->plan, from->q, body, pose);
    for (int i = 0; i < 3; ++i)
        out[i] = pose[9 + i] + pose[3 * i] * given[0] + pose[3 * i + 1] * given[1] + pose[3 * i + 2] * given[2];
}

static void axis_find(const instance_source *from, const sarrus_joint *joint, int which, double out[3]) {
    const int n = from->k->plan->mech.space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    for (int i = 0; i < 3; ++i)
        out[i] = i < n && joint->axis[which][i] != SARRUS_NO_VALUE ? from->values[joint->axis[which][i]] : 0.0;
    const double length = sarrus_vector_length(out);
    for (int i = 0; i < 3; ++i)
        out[i] = length > 0.0 ? out[i] / length : 0.0;
}

/* Two directions that complete a right-handed frame. */
static void across_find(const double axis[3], double first[3], double second[3]) {
    const int least = fabs(axis[0]) <= fabs(axis[1]) && fabs(axis[0]) <= fabs(axis[2]) ? 0 : fabs(axis[1]) <= fabs(axis[2]) ? 1 : 2;
    double unit[3] = {0, 0, 0};
    unit[least] = 1.0;
    sarrus_vector_cross(unit, axis, first);
    const double length = sarrus_vector_length(first);
    for (int i = 0; i < 3; ++i)
        first[i] /= length;
    sarrus_vector_cross(axis, first, second);
}

/* The directions of the pairs by which the body hangs, in their order. */
static void directions_find(const instance_source *from, int body, double axes[MOST_PAIRS][3]) {
    const int joint = from->graph->joint[body];
    const bool is_spatial = from->k->plan->mech.space == SARRUS_SPACE_SPATIAL;
    const sarrus_joint *own = joint < 0 ? NULL : &from->k->plan->model->joints[joint];
    const int n_slides = is_spatial ? 3 : 2;
    memset(axes, 0, MOST_PAIRS * sizeof axes[0]);
    if (!own) {
        for (int i = 0; i < n_slides; ++i)
            axes[i][i] = 1.0;
        for (int i = 0; i < (is_spatial ? 3 : 1); ++i)
            axes[n_slides + i][is_spatial ? i : 2] = 1.0;
    } else if (own->type == SARRUS_JOINT_SPHERICAL) {
        axes[0][0] = axes[1][1] = axes[2][2] = 1.0;
    } else if (own->type == SARRUS_JOINT_UNIVERSAL) { /* the first stands in the parent */
        axis_find(from, own, from->graph->is_reversed[body] ? 1 : 0, axes[0]);
        axis_find(from, own, from->graph->is_reversed[body] ? 0 : 1, axes[1]);
    } else if (own->type == SARRUS_JOINT_PLANAR) {
        axis_find(from, own, 0, axes[2]);
        across_find(axes[2], axes[0], axes[1]);
    } else if (own->type == SARRUS_JOINT_REVOLUTE && !is_spatial) {
        axes[0][2] = 1.0;
    } else {
        axis_find(from, own, 0, axes[0]);
        memcpy(axes[1], axes[0], sizeof axes[0]);
    }
}

/* The part of an opening between the two points of a joint that none of its slides could close. */
static void opening_close(const instance_source *from, int body, const double axes[MOST_PAIRS][3], const double open[3],
                          double out[3]) {
    const int first = from->k->first_pair[body];
    memcpy(out, open, 3 * sizeof *out);
    for (int m = 0; m < from->k->n_pairs[body]; ++m) {
        if (from->k->pair[first + m].kind == SARRUS_PAIR_TURN)
            continue;
        const double along = sarrus_vector_dot(open, axes[m]);
        for (int i = 0; i < 3; ++i)
            out[i] -= along * axes[m][i];
    }
}

/* Screws of the body's pairs, its pose, and how far it is moved. */
static void body_place(const instance_source *from, int body, double *screws, double *pitches, double *pose) {
    const sarrus_kinematics *k = from->k;
    const int joint = from->graph->joint[body], inboard = k->inboard[body], first = k->first_pair[body];
    const sarrus_joint *own = joint < 0 ? NULL : &k->plan->model->joints[joint];
    double axes[MOST_PAIRS][3], point[3], open[3] = {0, 0, 0}, *shift = from->shift + 3 * (ptrdiff_t)body;
    directions_find(from, body, axes);
    sarrus_pose_of_body(from->k->plan, from->q, body, pose);
    memcpy(point, pose + 9, sizeof point);
    if (own) {
        const int side = from->graph->is_reversed[body] ? 1 : 0; /* of the inboard body */
        double outboard[3], closed[3];
        point_find(from, own, side, point);
        point_find(from, own, 1 - side, outboard);
        for (int i = 0; i < 3; ++i)
            open[i] = point[i] - outboard[i];
        opening_close(from, body, (const double(*)[3])axes, open, closed);
        memcpy(open, closed, sizeof open);
    }
    for (int i = 0; i < 3; ++i) {
        const double carried = inboard < 0 ? 0.0 : from->shift[3 * (ptrdiff_t)inboard + i];
        shift[i] = carried + open[i];
        pose[9 + i] += shift[i];
        point[i] += own ? carried : shift[i];
    }
    for (int m = 0; m < k->n_pairs[body]; ++m) {
        double *screw = screws + 6 * (ptrdiff_t)(first + m);
        const bool slides = k->pair[first + m].kind == SARRUS_PAIR_SLIDE;
        const double pitch = k->pair[first + m].kind == SARRUS_PAIR_SCREW ? from->values[own->pitch] : 0.0;
        double about[3];
        sarrus_vector_cross(point, axes[m], about);
        pitches[first + m] = pitch;
        for (int i = 0; i < 3; ++i) {
            screw[i] = slides ? axes[m][i] : about[i] + pitch * axes[m][i];
            screw[3 + i] = slides ? 0.0 : axes[m][i];
        }
    }
}

static void masses_take(const sarrus_plan *plan, const double *parameters, int body, double out[KINEMATICS_MASS]) {
    const bool is_spatial = plan->mech.space == SARRUS_SPACE_SPATIAL;
    const double *own = parameters + plan->mech.p_body + (is_spatial ? SARRUS_SB_N : SARRUS_PB_N) * (ptrdiff_t)body;
    memset(out, 0, KINEMATICS_MASS * sizeof *out);
    out[0] = own[SARRUS_PB_MASS];
    if (is_spatial)
        memcpy(out + 1, own + SARRUS_SB_INERTIA, 6 * sizeof *out);
    else
        out[3] = own[SARRUS_PB_INERTIA];
}

static bool instance_fill(const instance_source *from, size_t i, sarrus_kinematics *k) {
    const sarrus_plan *plan = k->plan;
    const size_t n = (size_t)k->n, n_bodies = (size_t)k->n_bodies;
    const int n_shifts = plan->mech.space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    if (!sarrus_plan_parameters(plan, from->values, from->parameters, from->q, from->v))
        return false;
    for (int c = 0; c < k->n_bodies; ++c) {
        const int body = k->order[c];
        body_place(from, body, k->screw + 6 * i * n, k->pitch + i * n, k->pose + 12 * (i * n_bodies + (size_t)body));
        masses_take(plan, from->parameters, body, k->mass + KINEMATICS_MASS * (i * n_bodies + (size_t)body));
    }
    for (int c = 0; c < 3; ++c)
        k->gravity[3 * i + (size_t)c] = c < n_shifts ? from->parameters[plan->mech.p_gravity + c] : 0.0;
    return true;
}

static bool numbers_make(sarrus_kinematics *k) {
    const size_t n = (size_t)k->n + 1, n_bodies = (size_t)k->n_bodies;
    k->screw = calloc(k->n_own * n, 6 * sizeof *k->screw);
    k->pitch = calloc(k->n_own * n, sizeof *k->pitch);
    k->pose = calloc(k->n_own * n_bodies, 12 * sizeof *k->pose);
    k->mass = calloc(k->n_own * n_bodies, KINEMATICS_MASS * sizeof *k->mass);
    k->gravity = calloc(k->n_own, 3 * sizeof *k->gravity);
    return k->screw && k->pitch && k->pose && k->mass && k->gravity;
}

static sarrus_status instances_fill(sarrus_context *context, const sarrus_graph *graph, const sarrus_draws *draws,
                                    sarrus_kinematics *k) {
    const sarrus_plan *plan = k->plan;
    double *values = malloc(((size_t)plan->model->n_values + 1) * sizeof *values);
    sarrus_evaluator *evaluator = NULL;
    instance_source from = {.k = k,
                            .graph = graph,
                            .values = values,
                            .parameters = malloc(((size_t)plan->mech.n_parameters + 1) * sizeof(double)),
                            .q = malloc(((size_t)plan->mech.n_q + 1) * sizeof(double)),
                            .v = malloc(((size_t)plan->mech.n_v + 1) * sizeof(double)),
                            .shift = calloc(3 * (size_t)k->n_bodies, sizeof(double))};
    sarrus_status status = values && from.parameters && from.q && from.v && from.shift && numbers_make(k)
                               ? sarrus_evaluator_create(plan->model, &evaluator)
                               : SARRUS_NO_MEMORY;
    for (size_t i = 0; status == SARRUS_OK && i < k->n_own; ++i) {
        if (!sarrus_evaluator_run(evaluator, draws, i, values) || !instance_fill(&from, i, k))
            status = sarrus_report(context, SARRUS_BAD_INPUT, "instance %zu has a number that is not physical", i);
    }
    sarrus_evaluator_destroy(evaluator);
    free(values);
    free(from.parameters);
    free(from.q);
    free(from.v);
    free(from.shift);
    return status;
}

/* --- The object ------------------------------------------------------------------------------------------------------------- */

/* What is no part of the equations here; NULL: nothing. */
static const char *why_not(const sarrus_model *model) {
    if (model->ground.is_given)
        return "a ground that signals move has no kinematics of pairs; expected one that stands";
    for (int b = 0; b < model->n_bodies; ++b) {
        for (int i = 0; model->space == SARRUS_SPACE_SPATIAL && i < 3; ++i) {
            const sarrus_value_index rotor = model->bodies[b].rotor[i];
            if (rotor != SARRUS_NO_VALUE && (model->values[rotor].nominal != 0.0 || model->values[rotor].expression != NULL))
                return "a rotor is no part of the effective inertia; expected bodies without";
        }
    }
    return NULL;
}

sarrus_status sarrus_kinematics_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                       sarrus_kinematics **out) {
    sarrus_graph graph = {0};
    if (!plan || !out || (draws && (draws->model != plan->model || draws->n_instances == 0)))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "kinematics need a plan, draws of its model or none, and a place");
    const char *why = why_not(plan->model);
    if (why)
        return sarrus_report(context, SARRUS_UNSUPPORTED, "%s", why);
    sarrus_kinematics *k = calloc(1, sizeof *k);
    sarrus_status status = k ? sarrus_graph_make_of(context, plan->model, types_of_pairs(), &graph) : SARRUS_NO_MEMORY;
    if (status == SARRUS_OK) {
        k->plan = plan;
        k->n_bodies = plan->mech.n_bodies;
        k->has_draws = draws != NULL;
        k->n_own = draws ? (size_t)draws->n_instances : 1;
        status = tree_make(&graph, k) ? instances_fill(context, &graph, draws, k) : SARRUS_NO_MEMORY;
    }
    sarrus_graph_free(&graph);
    if (status != SARRUS_OK) {
        sarrus_kinematics_destroy(k);
        return status == SARRUS_NO_MEMORY ? sarrus_report(context, status, "out of memory for the kinematics") : status;
    }
    *out = k;
    return SARRUS_OK;
}

void sarrus_kinematics_destroy(sarrus_kinematics *k) {
    if (!k)
        return;
    free(k->order);
    free(k->inboard);
    free(k->first_pair);
    free(k->n_pairs);
    free(k->path);
    free(k->start);
    free(k->pair);
    free(k->screw);
    free(k->pitch);
    free(k->pose);
    free(k->mass);
    free(k->gravity);
    free(k);
}

int sarrus_kinematics_n_pairs(const sarrus_kinematics *k) {
    return k ? k->n : 0;
}

int sarrus_kinematics_n_bodies(const sarrus_kinematics *k) {
    return k ? k->n_bodies : 0;
}

sarrus_status sarrus_kinematics_pair_get(const sarrus_kinematics *k, int i_pair, sarrus_kinematics_pair *out) {
    if (!k || !out || i_pair < 0 || i_pair >= k->n)
        return SARRUS_BAD_ARGUMENT;
    *out = k->pair[i_pair];
    return SARRUS_OK;
}

kinematics_instance sarrus_kinematics_instance(const sarrus_kinematics *k, size_t i) {
    const size_t own = k->has_draws ? i : 0, n = (size_t)k->n, n_bodies = (size_t)k->n_bodies;
    return (kinematics_instance){k->screw + 6 * own * n, k->pitch + own * n, k->pose + 12 * own * n_bodies,
                                 k->mass + KINEMATICS_MASS * own * n_bodies, k->gravity + 3 * own};
}

bool sarrus_kinematics_has(const sarrus_kinematics *k, size_t n_instances) {
    return k && n_instances > 0 && (!k->has_draws || n_instances == k->n_own);
}

bool sarrus_kinematics_by_is_good(const sarrus_kinematics *k, int n_by, const int *by) {
    if (n_by < 0 || n_by > SARRUS_MOST_DERIVATIVES || (n_by > 0 && !by))
        return false;
    for (int i = 0; i < n_by; ++i) {
        if (by[i] < 0 || by[i] >= k->n)
            return false;
    }
    return true;
}
