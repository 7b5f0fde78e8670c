/* One run of `sarrus bench change-points`: two seconds of a mechanism, held against its exact motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/measure.h"

#include "bench/change_points/change_points.h"

enum { N_PIECES = 20, N_COORDINATES = 15, N_METHOD_OVERRIDES = 3 };

static const double piece = 0.1;     /* s of motion between two looks */
static const double patience = 60.0; /* s of wall time for one run */
static const int i_piece[SARRUS_CHANGE_POINT_N_TIMES] = {4, 8, 12, 20};

/* What counts as right. A length that is off by e moves the motion by at most 14 e/√|δ| rad within the two seconds
 * (docs/change_points.md), 1.4e-9 for a rounded length at |δ| = 1e-12, and adaptive methods are good to 2e-7 at a tolerance of
 * 1e-11 where the bends are wide: 1e-6 tells both from another branch. rk4 is good to 1e-7 without bends, and at 1e-2 an angle is
 * off visibly. The method of order 1 is off by 0.2 rad at 1e-4 s with no bend at all: it is only asked for the branch. Right runs
 * take up to 4000 steps, trials included. */
#define ADAPTIVE "rtol: 1.0e-11, atol: 1.0e-11, max_steps: 100000"

const sarrus_change_point_method sarrus_change_point_methods[SARRUS_CHANGE_POINT_N_METHODS] = {
    {"rk4", "auto", "", false, 1e-3, 1e-2},
    {"semi-implicit", "auto", "", false, 1e-4, 1.0},
    {"dopri5", "auto", ADAPTIVE, true, 1e-3, 1e-6},
    {"adams-moulton", "auto", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "auto", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "svd", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "lapack", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "jacobi", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "householder", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "varga", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "greville", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "mgs", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "mgs2", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "normal", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "cholesky", ADAPTIVE, true, 1e-3, 1e-6},
    {"verner65", "tikhonov", ADAPTIVE, true, 1e-3, 1e-6},
};

const char *const sarrus_change_point_verdict_words[SARRUS_CHANGE_POINT_N_VERDICTS] = {"right", "marked", "refused",
                                                                                       "silently wrong", "hung"};

static sarrus_status open_batch(sarrus_context *context, const char *scenarios_folder, const sarrus_change_point_run *run,
                                sarrus_model **model, sarrus_plan **plan, sarrus_batch **batch) {
    const sarrus_change_point_method *method = &sarrus_change_point_methods[run->i_method];
    char integrator[2 * SARRUS_CHANGE_POINT_TEXT], output[SARRUS_CHANGE_POINT_TEXT];
    snprintf(integrator, sizeof integrator, "{method: %s, dt: %g, t_end: 2%s%s}", method->integrator, method->dt,
             method->settings[0] != '\0' ? ", " : "", method->settings);
    snprintf(output, sizeof output, "{interval: %g, channels: [state, energy]}", piece);
    const sarrus_override overrides[N_METHOD_OVERRIDES] = {
        {"dynamics.pinv", method->pinv}, {"integrator", integrator}, {"output", output}};
    sarrus_status status = sarrus_change_point_read(context, scenarios_folder, &sarrus_change_point_mechanisms[run->i_mechanism],
                                                    sarrus_change_point_deltas[run->i_delta], overrides, N_METHOD_OVERRIDES, model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(context, *model, plan);
    const sarrus_batch_options one_thread = {.n_threads = 1};
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, *plan, &one_thread, 1, NULL, batch);
    return status;
}

/* The exact motion of a run; NULL: it does not move. */
static const sarrus_change_point_truth *truth_of(const sarrus_change_point_run *run) {
    for (int i = 0; i < sarrus_n_change_point_truths; ++i) {
        const sarrus_change_point_truth *truth = &sarrus_change_point_truths[i];
        if (strcmp(truth->mechanism, sarrus_change_point_mechanisms[run->i_mechanism].name) == 0 &&
            strcmp(truth->delta, sarrus_change_point_deltas[run->i_delta]) == 0)
            return truth;
    }
    return NULL;
}

/* Steps the batch through the two seconds, piece by piece; q[N_PIECES + 1][N_COORDINATES], energy[N_PIECES + 1]. */
static sarrus_status march(sarrus_batch *batch, sarrus_change_point_run *run, double (*q)[N_COORDINATES], double *energy) {
    const sarrus_change_point_method *method = &sarrus_change_point_methods[run->i_method];
    const double began = sarrus_bench_now();
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i <= N_PIECES && status == SARRUS_OK && sarrus_batch_status(batch, 0) == SARRUS_INSTANCE_OK; ++i) {
        sarrus_observation o = {.n_times = 1, .observe_first = i == 0, .n_times_stride = 1};
        o.every_steps = method->is_adaptive ? 1 : (uint64_t)lround(piece / method->dt);
        o.destination[SARRUS_OBSERVE_Q] = q[i];
        o.destination[SARRUS_OBSERVE_ENERGY] = &energy[i];
        if (sarrus_bench_now() - began > patience) {
            run->verdict = SARRUS_CHANGE_POINT_HUNG;
            break;
        }
        status = sarrus_batch_observe(batch, &o);
    }
    run->seconds = sarrus_bench_now() - began;
    return status;
}

static void judge(sarrus_change_point_run *run, double (*q)[N_COORDINATES], const double *energy) {
    const sarrus_change_point_mechanism *mechanism = &sarrus_change_point_mechanisms[run->i_mechanism];
    const sarrus_change_point_truth *truth = truth_of(run);
    run->error = 0.0;
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_TIMES; ++i) {
        const double *at = q[i_piece[i]];
        const double first = at[mechanism->i_first] - (truth != NULL ? truth->first[i] : q[0][mechanism->i_first]);
        const double last = at[mechanism->i_last] - (truth != NULL ? truth->last[i] : q[0][mechanism->i_last]);
        const double error = fmax(fabs(first), fabs(last));
        run->error = error <= run->error ? run->error : error;
        if (isnan(first) || isnan(last))
            run->error = (double)NAN;
    }
    for (int i = 1; i <= N_PIECES && isfinite(energy[i]); ++i)
        run->energy = fmax(run->energy, fabs(energy[i] - energy[0]) / fmax(fabs(energy[0]), 1.0));
    if (run->verdict == SARRUS_CHANGE_POINT_HUNG)
        return;
    if (run->status != SARRUS_INSTANCE_OK)
        run->verdict = SARRUS_CHANGE_POINT_MARKED;
    else if (!(run->error <= sarrus_change_point_methods[run->i_method].bound))
        run->verdict = SARRUS_CHANGE_POINT_SILENT;
}

sarrus_status sarrus_change_point_measure(sarrus_context *context, const char *scenarios_folder, sarrus_change_point_run *run) {
    double q[N_PIECES + 1][N_COORDINATES], energy[N_PIECES + 1];
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    for (int i = 0; i <= N_PIECES; ++i) {
        energy[i] = (double)NAN;
        for (int k = 0; k < N_COORDINATES; ++k)
            q[i][k] = (double)NAN;
    }
    sarrus_status status = open_batch(context, scenarios_folder, run, &model, &plan, &batch);
    if (status == SARRUS_OK)
        status = march(batch, run, q, energy);
    if (status == SARRUS_OK)
        status = sarrus_batch_statistics(batch, 0, &run->work);
    if (status == SARRUS_OK) {
        run->status = sarrus_batch_status(batch, 0);
        judge(run, q, energy);
    } else if (status == SARRUS_BAD_INPUT && model != NULL && plan == NULL) {
        run->verdict = SARRUS_CHANGE_POINT_REFUSED;
        run->error = (double)NAN;
        sarrus_context_clear(context);
        status = SARRUS_OK;
    }
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    return status;
}
