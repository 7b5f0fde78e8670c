#include <math.h>
#include <string.h>

#include "batch/fill.h"
#include "plan/plan.h"

/* The parameters of a joint begin with its two points, in both spaces. */
_Static_assert(SARRUS_PJ_PARENT_X == 0 && SARRUS_PJ_PARENT_Y == 1 && SARRUS_PJ_CHILD_X == 2 && SARRUS_PJ_CHILD_Y == 3,
               "the points of a planar joint come first");
_Static_assert(SARRUS_SJ_PARENT == 0 && SARRUS_SJ_CHILD == 3, "the points of a joint in space come first");

sarrus_status sarrus_batch_copy_joint_points(sarrus_batch *batch, double *out) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    if (!out)
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "there is no array to copy to");
    const sarrus_model *model = batch->plan->model;
    const size_t n_joints = (size_t)model->n_joints, n = model->space == SARRUS_SPACE_PLANAR ? 4 : 6;
    sarrus_filler *filler = sarrus_batch_fillers(batch, 1);
    if (!filler)
        return sarrus_batch_refuse(batch, SARRUS_NO_MEMORY, "out of memory");
    for (uint64_t i = 0; i < batch->n_instances; ++i) {
        double *numbers = batch->sampled + (size_t)i * (size_t)model->batch.n_sampled;
        const sarrus_draws own = {.model = model, .n_instances = 1, .n_sampled = model->batch.n_sampled, .values = numbers};
        const bool is_good = sarrus_filler_run(filler, &own, 0);
        double *row = out + (size_t)i * n_joints * n;
        for (size_t j = 0; j < n_joints; ++j)
            memcpy(row + j * n, filler->parameters + batch->plan->mech.joint[j].p, n * sizeof *row);
        for (size_t k = 0; !is_good && k < n_joints * n; ++k)
            row[k] = (double)NAN;
    }
    return SARRUS_OK;
}
