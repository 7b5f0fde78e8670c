#include "study/joint_motion.h"

#include <math.h>
#include <stdlib.h>

#include "batch/fill.h"
#include "core/report.h"
#include "plan/body.h"

/* Of a joint that turns its zero; of one that slides also its points, its axis: as in the parameters of the plan. */
enum { OF_TURN = 1, OF_SLIDE = 7 };

static bool slides(const sarrus_joint *joint) {
    return sarrus_joint_freedom(joint->type) != SARRUS_FREE_ANGLE;
}

static void numbers_take(const sarrus_joint *joint, const double *p, double *out) {
    static const int of_slide[OF_SLIDE] = {SARRUS_PJ_PARENT_X, SARRUS_PJ_PARENT_Y, SARRUS_PJ_CHILD_X, SARRUS_PJ_CHILD_Y,
                                           SARRUS_PJ_AXIS_X,   SARRUS_PJ_AXIS_Y,   SARRUS_PJ_SHIFT0};
    out[0] = p[SARRUS_PJ_ANGLE0];
    for (int k = 0; slides(joint) && k < OF_SLIDE; ++k)
        out[k] = p[of_slide[k]];
}

sarrus_status sarrus_joint_numbers_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                          uint64_t n_instances, sarrus_joint_numbers *out) {
    const sarrus_model *model = plan->model;
    const bool is_drawn = draws != NULL && model->batch.n_sampled > 0;
    const uint64_t n_rows = is_drawn ? n_instances : 1;
    size_t n = 0;
    *out = (sarrus_joint_numbers){0};
    out->first = calloc((size_t)model->n_joints + 1, sizeof *out->first);
    for (int j = 0; out->first != NULL && j < model->n_joints; ++j) {
        bool is_angle[SARRUS_MAX_FREEDOMS];
        const bool is_free = sarrus_joint_coordinates(model->space, &model->joints[j], is_angle) > 0;
        out->first[j] = is_free ? (int)n : -1;
        n += !is_free ? 0 : slides(&model->joints[j]) ? OF_SLIDE : OF_TURN;
    }
    sarrus_filler *filler = sarrus_fillers_create(plan, 1);
    out->values = n_rows <= SIZE_MAX / sizeof(double) / (n + 1) ? malloc(((size_t)n_rows * n + 1) * sizeof(double)) : NULL;
    const bool is_done = out->first != NULL && filler != NULL && out->values != NULL;
    for (uint64_t i = 0; is_done && i < n_rows; ++i) {
        (void)sarrus_filler_run(filler, is_drawn ? draws : NULL, i); /* one that is invalid has no rows that could show it */
        for (int j = 0; j < model->n_joints; ++j)
            if (out->first[j] >= 0)
                numbers_take(&model->joints[j], filler->parameters + plan->mech.joint[j].p,
                             out->values + i * n + (size_t)out->first[j]);
    }
    out->stride = is_drawn ? n : 0;
    if (filler != NULL)
        sarrus_fillers_destroy(filler, 1);
    return is_done ? SARRUS_OK
                   : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the joints of %llu instances",
                                   (unsigned long long)n_instances);
}

void sarrus_joint_numbers_free(sarrus_joint_numbers *numbers) {
    free(numbers->first);
    free(numbers->values);
    *numbers = (sarrus_joint_numbers){0};
}

/* The point s of a body, how it moves, and the body's turning. */
typedef struct place {
    double x, y, vx, vy, cosine, sine, rate;
} place;

static place place_of(const sarrus_joint_on *at, int body, const double s[2], bool has_v) {
    place out = {.x = s[0], .y = s[1], .cosine = 1.0};
    if (body == SARRUS_GROUND)
        return out;
    const double *q = at->q + SARRUS_PLANAR_NQ * body;
    out.cosine = cos(q[SARRUS_PLANAR_TURN]);
    out.sine = sin(q[SARRUS_PLANAR_TURN]);
    const double arm_x = out.cosine * s[0] - out.sine * s[1], arm_y = out.sine * s[0] + out.cosine * s[1];
    out.x = q[0] + arm_x;
    out.y = q[1] + arm_y;
    if (has_v) {
        const double *v = at->v + SARRUS_PLANAR_NV * body;
        out.rate = v[SARRUS_PLANAR_TURN];
        out.vx = v[0] - out.rate * arm_y;
        out.vy = v[1] + out.rate * arm_x;
    }
    return out;
}

/* x = u·d − zero with d = p_child − p_parent and u turning with the parent:  ẋ = u·ḋ + ω_p u^⊥·d. */
static double slide_motion(const sarrus_joint_on *at, const int body[2], const double *numbers, int order) {
    const place parent = place_of(at, body[0], numbers, order > 0), child = place_of(at, body[1], numbers + 2, order > 0);
    const double ux = parent.cosine * numbers[4] - parent.sine * numbers[5];
    const double uy = parent.sine * numbers[4] + parent.cosine * numbers[5];
    const double dx = child.x - parent.x, dy = child.y - parent.y;
    if (order == 0)
        return ux * dx + uy * dy - numbers[6];
    return ux * (child.vx - parent.vx) + uy * (child.vy - parent.vy) + parent.rate * (ux * dy - uy * dx);
}

double sarrus_joint_motion(const sarrus_joint_on *at, int order) {
    const sarrus_joint *joint = &at->model->joints[at->joint];
    const double *numbers = at->numbers->values + at->i_instance * at->numbers->stride + at->numbers->first[at->joint];
    if (slides(joint))
        return slide_motion(at, joint->body, numbers, order);
    const double *from = order == 0 ? at->q : at->v;
    const int n_each = order == 0 ? SARRUS_PLANAR_NQ : SARRUS_PLANAR_NV;
    double turn = order == 0 ? -numbers[0] : 0.0;
    if (joint->body[1] != SARRUS_GROUND)
        turn = from[n_each * joint->body[1] + SARRUS_PLANAR_TURN] + turn;
    if (joint->body[0] != SARRUS_GROUND)
        turn = turn - from[n_each * joint->body[0] + SARRUS_PLANAR_TURN];
    return turn;
}
