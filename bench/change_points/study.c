/* How many instances of a batch with drawn lengths end up elsewhere than they should, and what the methods take. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edge/json.h"

#include "bench/measure/measure.h"

#include "bench/change_points/change_points.h"

enum { N_REPETITIONS = 5, N_STUDY_OVERRIDES = 11, N_LENGTHS = 3, N_COORDINATES = 15, I_FIRST = 2, I_LAST = 8 };

static const double wrong_from = 1e-2; /* rad */

static const char *const deviations[SARRUS_CHANGE_POINT_N_STUDIES] = {"1e-2", "1e-3", "1e-4"};

typedef struct study_method {
    const char *name, *integrator;
    uint64_t n_steps; /* of the clock to the end */
} study_method;

static const study_method study_methods[SARRUS_CHANGE_POINT_N_STUDY_METHODS] = {
    {"rk4 1e-3", "{method: rk4, dt: 1.0e-3, t_end: 2}", 2000},
    {"dopri5", "{method: dopri5, dt: 1.0e-3, t_end: 2, max_steps: 10000}", 1},
    {"verner65 1e-12", "{method: verner65, dt: 1.0e-3, t_end: 2, rtol: 1.0e-12, atol: 1.0e-12, max_steps: 10000}", 1},
};

typedef struct study {
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_draws *draws;
    sarrus_batch *batch;
} study;

static void study_close(study *s) {
    sarrus_batch_destroy(s->batch);
    sarrus_draws_destroy(s->draws);
    sarrus_plan_destroy(s->plan);
    sarrus_model_destroy(s->model);
}

/* Model and draws. */
static sarrus_status study_open(sarrus_context *context, const char *scenarios_folder, const char *sd, const char *integrator,
                                study *s) {
    char path[SARRUS_BENCH_MAX_PATH + SARRUS_CHANGE_POINT_TEXT];
    *s = (study){.model = NULL};
    snprintf(path, sizeof path, "%s/change_point.yaml", sarrus_bench_scenarios_folder(scenarios_folder));
    const sarrus_override overrides[N_STUDY_OVERRIDES] = {
        {"batch.parameters.0.mean", "1"},
        {"batch.parameters.1.mean", "1"},
        {"batch.parameters.2.mean", "1"},
        {"batch.parameters.0.sd", sd},
        {"batch.parameters.1.sd", sd},
        {"batch.parameters.2.sd", sd},
        {"batch.seed", "1"},
        {"joints.A1.damping", "0"},
        {"dynamics.pinv", "auto"},
        {"integrator", integrator},
        {"output", "{interval: 2, channels: [state, energy]}"},
    };
    sarrus_status status = sarrus_scenario_read_file(context, path, overrides, N_STUDY_OVERRIDES, &s->model);
    if (status == SARRUS_OK)
        status = sarrus_draws_create(context, s->model, sarrus_model_seed(s->model), SARRUS_CHANGE_POINT_N_DRAWN, &s->draws);
    return status;
}

static sarrus_status batch_open(sarrus_context *context, int n_drawn, study *s) {
    const sarrus_batch_options one_thread = {.n_threads = 1};
    const sarrus_status status = sarrus_plan_create(context, s->model, &s->plan);
    return status == SARRUS_OK ? sarrus_batch_create(context, s->plan, &one_thread, (uint64_t)n_drawn, s->draws, &s->batch)
                               : status;
}

/* The row of the table for an instance; NULL when it was made of other lengths. They may differ by round-off of the logarithm and
 * the cosine in the draw: 1e-15 of a length moves the motion by less than 1e-10. */
static const sarrus_change_point_drawn *drawn_of(const study *s, int i_study, int i) {
    const int i_row = i_study * SARRUS_CHANGE_POINT_N_DRAWN + i;
    if (i_row >= sarrus_n_change_point_drawns || strcmp(sarrus_change_point_drawns[i_row].sd, deviations[i_study]) != 0)
        return NULL;
    for (int k = 0; k < N_LENGTHS; ++k) {
        if (!(fabs(sarrus_draws_values(s->draws, k)[i] - sarrus_change_point_drawns[i_row].lengths[k]) <= 1e-15))
            return NULL;
    }
    return &sarrus_change_point_drawns[i_row];
}

/* The whole motion once; the least wall time so far, which neighbours disturb least, is kept. */
static sarrus_status march(const study *s, const study_method *method, double *seconds) {
    const double began = sarrus_bench_now();
    const sarrus_status status = sarrus_batch_advance(s->batch, method->n_steps);
    *seconds = fmin(*seconds, sarrus_bench_now() - began);
    return status == SARRUS_OK ? sarrus_batch_reset(s->batch) : status;
}

static sarrus_status judge(const study *s, const sarrus_change_point_drawn *drawn, int i, double (*q)[N_COORDINATES],
                           const double *energy, sarrus_change_point_study_row *row) {
    sarrus_instance_statistics work = {0};
    const sarrus_status status = sarrus_batch_statistics(s->batch, (uint64_t)i, &work);
    row->n_evaluations += work.n_evaluations;
    if (sarrus_batch_status(s->batch, (uint64_t)i) != SARRUS_INSTANCE_OK) {
        row->n_marked++;
        return status;
    }
    const double error = fmax(fabs(q[1][I_FIRST] - drawn->ends[0]), fabs(q[1][I_LAST] - drawn->ends[1]));
    row->n_wrong += !(error <= wrong_from);
    row->largest = fmax(row->largest, error);
    row->largest_energy = fmax(row->largest_energy, fabs(energy[1] - energy[0]) / fabs(energy[0]));
    return status;
}

/* Once more, observed at both ends. */
static sarrus_status judge_all(const study *s, int i_study, const study_method *method, int n_drawn,
                               sarrus_change_point_study_row *row, int *n_foreign) {
    static double q[SARRUS_CHANGE_POINT_N_DRAWN][2][N_COORDINATES], energy[SARRUS_CHANGE_POINT_N_DRAWN][2];
    sarrus_observation o = {.n_times = 2, .every_steps = method->n_steps, .observe_first = 1, .n_times_stride = 2};
    o.destination[SARRUS_OBSERVE_Q] = q[0][0];
    o.destination[SARRUS_OBSERVE_ENERGY] = energy[0];
    sarrus_status status = sarrus_batch_observe(s->batch, &o);
    for (int i = 0; i < n_drawn && status == SARRUS_OK; ++i) {
        const sarrus_change_point_drawn *drawn = drawn_of(s, i_study, i);
        if (drawn == NULL)
            ++*n_foreign;
        else
            status = judge(s, drawn, i, q[i], energy[i], row);
    }
    return status;
}

/* One study: its methods take turns, so that their times compare. */
static sarrus_status measure_study(sarrus_context *context, const char *scenarios_folder, int i_study, int n_drawn,
                                   sarrus_change_point_study_row *rows, int *n_foreign) {
    enum { N = SARRUS_CHANGE_POINT_N_STUDY_METHODS };
    study studies[N] = {{.model = NULL}};
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < N && status == SARRUS_OK; ++i) {
        rows[i] = (sarrus_change_point_study_row){.sd = deviations[i_study], .method = study_methods[i].name, .seconds = INFINITY};
        status = study_open(context, scenarios_folder, deviations[i_study], study_methods[i].integrator, &studies[i]);
        if (status == SARRUS_OK)
            status = batch_open(context, n_drawn, &studies[i]);
    }
    for (int i = 0; i < N * N_REPETITIONS && status == SARRUS_OK; ++i)
        status = march(&studies[i % N], &study_methods[i % N], &rows[i % N].seconds);
    for (int i = 0; i < N && status == SARRUS_OK; ++i) {
        status = judge_all(&studies[i], i_study, &study_methods[i], n_drawn, &rows[i], n_foreign);
        rows[i].ratio = rows[i].seconds / rows[0].seconds;
    }
    for (int i = 0; i < N; ++i)
        study_close(&studies[i]);
    return status;
}

sarrus_status sarrus_change_point_study(sarrus_context *context, const char *scenarios_folder, sarrus_change_point_report *report) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_STUDIES && status == SARRUS_OK; ++i)
        status = measure_study(context, scenarios_folder, i, report->n_drawn,
                               report->study + i * SARRUS_CHANGE_POINT_N_STUDY_METHODS, &report->n_foreign);
    return status;
}

sarrus_status sarrus_change_point_print_lengths(sarrus_context *context, const char *scenarios_folder, FILE *stream) {
    sarrus_json json;
    sarrus_status status = SARRUS_OK;
    sarrus_json_begin(&json, stream);
    for (int i_study = 0; i_study < SARRUS_CHANGE_POINT_N_STUDIES && status == SARRUS_OK; ++i_study) {
        study s;
        status = study_open(context, scenarios_folder, deviations[i_study], study_methods[0].integrator, &s);
        sarrus_json_open(&json, deviations[i_study], '[');
        for (int i = 0; i < SARRUS_CHANGE_POINT_N_DRAWN && status == SARRUS_OK; ++i) {
            double lengths[N_LENGTHS];
            for (int k = 0; k < N_LENGTHS; ++k)
                lengths[k] = sarrus_draws_values(s.draws, k)[i];
            sarrus_json_numbers(&json, NULL, lengths, N_LENGTHS);
        }
        sarrus_json_close(&json, ']');
        study_close(&s);
    }
    sarrus_json_close(&json, '}');
    return status;
}
