#include "study/quantities.h"

#include <math.h>
#include <stdlib.h>

#include "core/report.h"
#include "plan/body.h"
#include "study/point_motion.h"

/* The set of all quantities of the model; NULL without memory. */
static sarrus_quantities *set_make(const sarrus_model *model) {
    sarrus_quantities *set = sarrus_quantities_create(model);
    sarrus_quantity_fault fault;
    for (int i = 0; set != NULL && i < model->output.n_quantities; ++i) {
        if (sarrus_quantities_add(set, model->output.quantities[i].text, &fault) != SARRUS_OK) { /* the reader took the text */
            sarrus_quantities_destroy(set);
            set = NULL;
        }
    }
    return set;
}

/* Doubles of an instance and time in an observable that quantities may use. */
static int full_width(const sarrus_model *model, sarrus_observable observable) {
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    int n_drives = 0;
    switch (observable) {
    case SARRUS_OBSERVE_Q:
        return sizes->n_q * model->n_bodies;
    case SARRUS_OBSERVE_V:
    case SARRUS_OBSERVE_ACCELERATION:
        return sizes->n_v * model->n_bodies;
    case SARRUS_OBSERVE_REACTIONS:
        return sizes->n_v * model->n_joints;
    case SARRUS_OBSERVE_DRIVES:
        for (int i = 0; i < SARRUS_MAX_FREEDOMS * model->n_joints; ++i)
            n_drives += model->joints[i / SARRUS_MAX_FREEDOMS].drive[i % SARRUS_MAX_FREEDOMS] >= 0;
        return n_drives;
    case SARRUS_OBSERVE_JOINT_COORDINATES:
    case SARRUS_OBSERVE_JOINT_SPEEDS:
        return sarrus_model_n_joint_numbers(model, model->n_joints);
    default:
        return 1;
    }
}

/* What has to be observed for these terms. */
static void widths_find(sarrus_study_quantities *quantities) {
    static const sarrus_observable of_point[3] = {SARRUS_OBSERVE_Q, SARRUS_OBSERVE_V, SARRUS_OBSERVE_ACCELERATION};
    const sarrus_model *model = quantities->model;
    const sarrus_quantities *set = quantities->members[0];
    for (int i = 0; i < sarrus_quantities_n_terms(set); ++i) {
        const sarrus_term *term = sarrus_quantities_term(set, i);
        if (term->kind == SARRUS_TERM_OBSERVED)
            quantities->width[term->observable] = full_width(model, term->observable);
        for (int k = 0; term->kind == SARRUS_TERM_POINT && k <= term->order; ++k)
            quantities->width[of_point[k]] = full_width(model, of_point[k]);
    }
}

/* Where points are, and the named parameters: numbers of each instance. */
static sarrus_status numbers_find(sarrus_context *context, sarrus_study_quantities *quantities, const sarrus_draws *draws) {
    const sarrus_model *model = quantities->model;
    const sarrus_quantities *set = quantities->members[0];
    const int dimension = sarrus_body_sizes_of((int32_t)model->space)->dimension, n_terms = sarrus_quantities_n_terms(set);
    sarrus_value_index *indices = calloc((size_t)(dimension * model->output.n_points + n_terms) + 1, sizeof *indices);
    quantities->i_number = calloc((size_t)n_terms + 1, sizeof *quantities->i_number);
    if (indices == NULL || quantities->i_number == NULL) {
        free(indices);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the quantities");
    }
    int n = 0;
    for (int i = 0; i < model->output.n_points; ++i)
        for (int k = 0; k < dimension; ++k)
            indices[n++] = model->output.points[i].at[k];
    for (int i = 0; i < n_terms; ++i) {
        const sarrus_term *term = sarrus_quantities_term(set, i);
        quantities->i_number[i] = n;
        if (term->kind == SARRUS_TERM_VALUE)
            indices[n++] = term->value;
    }
    const sarrus_status status =
        sarrus_instance_numbers_create(context, model, draws, quantities->n_instances, indices, n, &quantities->numbers);
    free(indices);
    return status;
}

static bool states_allocate(sarrus_study_quantities *quantities) {
    const size_t n_states = (size_t)quantities->n_instances * (size_t)quantities->n_reductions;
    bool is_done = true;
    quantities->states = calloc(n_states + 1, sizeof *quantities->states);
    quantities->results = calloc((size_t)quantities->n, sizeof *quantities->results);
    quantities->scratch = calloc((size_t)quantities->n, sizeof *quantities->scratch);
    for (int i = 0; quantities->results != NULL && i < quantities->n; ++i) {
        quantities->results[i] = calloc(quantities->n_instances, sizeof(double));
        is_done = is_done && quantities->results[i] != NULL;
    }
    return is_done && quantities->states != NULL && quantities->results != NULL && quantities->scratch != NULL;
}

sarrus_status sarrus_study_quantities_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                             uint64_t n_instances, int n_members, sarrus_study_quantities *out) {
    const sarrus_model *model = plan->model;
    *out = (sarrus_study_quantities){.model = model, .n_instances = n_instances, .n = model->output.n_quantities};
    if (out->n == 0)
        return SARRUS_OK;
    out->n_members = n_members;
    out->members = calloc((size_t)n_members, sizeof *out->members);
    bool is_done = out->members != NULL;
    for (int i = 0; is_done && i < n_members; ++i) {
        out->members[i] = set_make(model);
        is_done = out->members[i] != NULL;
    }
    if (is_done) {
        out->n_reductions = sarrus_quantities_n_reductions(out->members[0]);
        is_done = states_allocate(out);
    }
    if (!is_done)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the quantities of %llu instances",
                             (unsigned long long)n_instances);
    widths_find(out);
    return numbers_find(context, out, draws);
}

void sarrus_study_quantities_free(sarrus_study_quantities *quantities) {
    for (int i = 0; quantities->members != NULL && i < quantities->n_members; ++i)
        sarrus_quantities_destroy(quantities->members[i]);
    for (int i = 0; quantities->results != NULL && i < quantities->n; ++i)
        free(quantities->results[i]);
    free(quantities->members);
    free(quantities->results);
    free(quantities->scratch);
    free(quantities->states);
    free(quantities->i_number);
    sarrus_instance_numbers_free(&quantities->numbers);
    *quantities = (sarrus_study_quantities){0};
}

/* What the threads that take rows share. */
typedef struct taking {
    sarrus_study_quantities *quantities;
    const sarrus_quantity_rows *rows;
} taking;

/* One row of an observable. */
static const double *row_of(const taking *job, sarrus_observable observable, uint64_t i_row) {
    const double *from = job->rows->source[observable];
    return from != NULL ? from + i_row * (uint64_t)job->quantities->width[observable] : NULL;
}

static double point_value(const taking *job, const sarrus_term *term, const double *numbers, uint64_t i_row) {
    const sarrus_model *model = job->quantities->model;
    const sarrus_body_sizes *sizes = sarrus_body_sizes_of((int32_t)model->space);
    const int body = model->output.points[term->point].body;
    const double *q = row_of(job, SARRUS_OBSERVE_Q, i_row), *v = row_of(job, SARRUS_OBSERVE_V, i_row),
                 *a = row_of(job, SARRUS_OBSERVE_ACCELERATION, i_row);
    const sarrus_point_on point = {.space = model->space,
                                   .s = numbers + sizes->dimension * term->point,
                                   .q = q + sizes->n_q * body,
                                   .v = v != NULL ? v + sizes->n_v * body : NULL,
                                   .a = a != NULL ? a + sizes->n_v * body : NULL};
    double out[3];
    sarrus_point_motion(&point, term->order, out);
    return out[term->component];
}

/* Row k of an instance, which is at t. */
static void values_put(const taking *job, sarrus_quantities *set, uint64_t i_instance, uint64_t i_k, double t) {
    const double *numbers = sarrus_instance_numbers_of(&job->quantities->numbers, i_instance);
    const uint64_t i_row = i_instance * job->rows->n_rows_stride + i_k;
    double *values = sarrus_quantities_values(set);
    for (int k = 0; k < sarrus_quantities_n_terms(set); ++k) {
        const sarrus_term *term = sarrus_quantities_term(set, k);
        switch (term->kind) {
        case SARRUS_TERM_TIME:
            values[k] = t;
            break;
        case SARRUS_TERM_OBSERVED:
            values[k] = row_of(job, term->observable, i_row)[term->component];
            break;
        case SARRUS_TERM_POINT:
            values[k] = point_value(job, term, numbers, i_row);
            break;
        case SARRUS_TERM_VALUE:
            values[k] = numbers[job->quantities->i_number[k]];
            break;
        }
    }
}

static void instances_take(void *user, int i_member, int n_members) {
    const taking *job = user;
    sarrus_study_quantities *quantities = job->quantities;
    sarrus_quantities *set = quantities->members[i_member];
    const sarrus_crew_share share = sarrus_crew_share_of(quantities->n_instances, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i) {
        sarrus_reduction_state *states = quantities->states + i * (uint64_t)quantities->n_reductions;
        for (uint64_t k = 0; k < job->rows->n_rows; ++k) {
            if (job->rows->is_counted != NULL && job->rows->is_counted[k] == 0.0)
                continue;
            values_put(job, set, i, k, job->rows->times[k]);
            sarrus_quantities_take(set, job->rows->times[k], states);
        }
    }
}

void sarrus_study_quantities_take(sarrus_study_quantities *quantities, const sarrus_quantity_rows *rows) {
    if (quantities->n == 0)
        return;
    taking job = {quantities, rows};
    const int n_threads = rows->n_threads < quantities->n_members ? rows->n_threads : quantities->n_members;
    sarrus_crew_run(rows->crew, n_threads, instances_take, &job);
}

void sarrus_study_quantities_finish(sarrus_study_quantities *quantities, const uint8_t *status) {
    if (quantities->n == 0)
        return;
    sarrus_quantities *set = quantities->members[0];
    double *values = sarrus_quantities_values(set);
    double *out = quantities->scratch;
    for (uint64_t i = 0; i < quantities->n_instances; ++i) {
        const double *numbers = sarrus_instance_numbers_of(&quantities->numbers, i);
        for (int k = 0; k < sarrus_quantities_n_terms(set); ++k)
            if (sarrus_quantities_term(set, k)->kind == SARRUS_TERM_VALUE)
                values[k] = numbers[quantities->i_number[k]];
        sarrus_quantities_finish(set, quantities->states + i * (uint64_t)quantities->n_reductions, out);
        for (int k = 0; k < quantities->n; ++k)
            quantities->results[k][i] = status[i] == 0 ? out[k] : (double)NAN;
    }
}
