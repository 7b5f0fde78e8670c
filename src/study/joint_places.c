#include "study/joint_places.h"

#include <stdlib.h>
#include <string.h>

#include "batch/fill.h"
#include "core/report.h"
#include "plan/body.h"
#include "study/point_motion.h"

/* The parameters of a joint begin with its two points, in both spaces. */
_Static_assert(SARRUS_PJ_PARENT_X == 0 && SARRUS_PJ_PARENT_Y == 1 && SARRUS_PJ_CHILD_X == 2 && SARRUS_PJ_CHILD_Y == 3,
               "the points of a planar joint come first");
_Static_assert(SARRUS_SJ_PARENT == 0 && SARRUS_SJ_CHILD == 3, "the points of a joint in space come first");

sarrus_status sarrus_joint_places_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                         uint64_t n_instances, sarrus_joint_places *out) {
    const sarrus_model *model = plan->model;
    const bool is_drawn = draws != NULL && model->batch.n_sampled > 0;
    const uint64_t n_rows = is_drawn ? n_instances : 1;
    const size_t n_each = 2 * (size_t)sarrus_body_sizes_of((int32_t)model->space)->dimension;
    const size_t n = n_each * (size_t)model->n_joints;
    *out = (sarrus_joint_places){.stride = is_drawn ? n : 0};
    sarrus_filler *filler = sarrus_fillers_create(plan, 1);
    out->values = n_rows <= SIZE_MAX / sizeof(double) / (n + 1) ? malloc(((size_t)n_rows * n + 1) * sizeof(double)) : NULL;
    const bool is_done = filler != NULL && out->values != NULL;
    for (uint64_t i = 0; is_done && i < n_rows; ++i) {
        (void)sarrus_filler_run(filler, is_drawn ? draws : NULL, i); /* one that is invalid has no rows that could show it */
        for (int j = 0; j < model->n_joints; ++j)
            memcpy(out->values + i * n + n_each * (size_t)j, filler->parameters + plan->mech.joint[j].p, n_each * sizeof(double));
    }
    if (filler != NULL)
        sarrus_fillers_destroy(filler, 1);
    return is_done ? SARRUS_OK
                   : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the joints of %llu instances",
                                   (unsigned long long)n_instances);
}

void sarrus_joint_places_free(sarrus_joint_places *places) {
    free(places->values);
    *places = (sarrus_joint_places){0};
}

void sarrus_joint_place(const sarrus_joint_places *places, const sarrus_model *model, uint64_t i_instance, int i_joint, int side,
                        const double *q, double *out) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    const int body = model->joints[i_joint].body[side];
    const double *s = places->values + i_instance * places->stride + (ptrdiff_t)sizes->dimension * (2 * i_joint + side);
    if (body != SARRUS_GROUND)
        sarrus_point_motion(&(sarrus_point_on){.space = model->space, .s = s, .q = q + (ptrdiff_t)sizes->n_q * body}, 0, out);
    /* Where the state is NaN so is the place, which rests all the same. */
    for (int k = 0; body == SARRUS_GROUND && k < sizes->dimension; ++k)
        out[k] = s[k] + 0.0 * q[0];
}
