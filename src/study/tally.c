#include "study/tally.h"

#include <math.h>
#include <stdlib.h>

#include "core/report.h"

sarrus_status sarrus_tally_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances, sarrus_tally *out) {
    const size_t n_bodies = (size_t)model->n_bodies;
    *out = (sarrus_tally){.n_instances = n_instances, .n_bodies = model->n_bodies};
    out->mass = calloc(n_bodies + 1, sizeof(double));
    out->inertia = calloc(n_bodies + 1, sizeof(double));
    out->records = calloc(n_instances, sizeof *out->records);
    if (out->mass == NULL || out->inertia == NULL || out->records == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the summary of %llu instances",
                             (unsigned long long)n_instances);
    for (size_t i = 0; i < n_bodies; i++) {
        out->mass[i] = model->values[model->bodies[i].mass].nominal;
        out->inertia[i] = model->values[model->bodies[i].inertia[0]].nominal;
    }
    const double nan = (double)NAN;
    for (uint64_t i = 0; i < n_instances; i++)
        out->records[i] = (sarrus_tally_record){nan, nan, nan, nan, nan, nan};
    return SARRUS_OK;
}

void sarrus_tally_free(sarrus_tally *tally) {
    free(tally->mass);
    free(tally->inertia);
    free(tally->records);
    *tally = (sarrus_tally){0};
}

static double kinetic_energy(const sarrus_tally *tally, const double *v) {
    double sum = 0.0;
    for (int i = 0; i < tally->n_bodies; i++, v += 3)
        sum += tally->mass[i] * (v[0] * v[0] + v[1] * v[1]) + tally->inertia[i] * v[2] * v[2];
    return 0.5 * sum;
}

/* fmax takes the number when the other is NaN: failed rows and the unset record both fall out. Returns the changes of rank. */
static uint64_t record_add(const sarrus_tally *tally, sarrus_tally_record *record, const sarrus_tally_rows *rows, uint64_t i_row) {
    if (rows->energy != NULL) {
        const double energy = rows->energy[i_row];
        if (isnan(record->energy_first))
            record->energy_first = energy;
        record->energy_change = fmax(record->energy_change, fabs(energy - record->energy_first));
    }
    if (rows->v != NULL)
        record->kinetic = fmax(record->kinetic, kinetic_energy(tally, rows->v + i_row * 3 * (uint64_t)tally->n_bodies));
    if (rows->position_error != NULL)
        record->position_error = fmax(record->position_error, rows->position_error[i_row]);
    if (rows->velocity_error != NULL)
        record->velocity_error = fmax(record->velocity_error, rows->velocity_error[i_row]);
    if (rows->rank == NULL || isnan(rows->rank[i_row]))
        return 0;
    const bool is_changed = !isnan(record->rank) && record->rank != rows->rank[i_row];
    record->rank = rows->rank[i_row];
    return is_changed;
}

void sarrus_tally_add(sarrus_tally *tally, const sarrus_tally_rows *rows) {
    const int64_t n_instances = (int64_t)tally->n_instances;
    uint64_t n_rank_changes = 0;
#pragma omp parallel for schedule(static) num_threads(rows->n_threads) reduction(+ : n_rank_changes)
    for (int64_t i = 0; i < n_instances; i++) {
        const uint64_t i_first = (uint64_t)i * rows->n_rows_stride + rows->i_row;
        for (uint64_t i_row = i_first; i_row < i_first + rows->n_rows; i_row++)
            n_rank_changes += record_add(tally, &tally->records[i], rows, i_row);
    }
    tally->n_rank_changes += n_rank_changes;
}

void sarrus_tally_finish(const sarrus_tally *tally, const uint8_t *status, sarrus_run_summary *summary) {
    double position = (double)NAN, velocity = (double)NAN, energy = (double)NAN;
    for (uint64_t i = 0; i < tally->n_instances; i++) {
        const sarrus_tally_record *record = &tally->records[i];
        if (status[i] != SARRUS_INSTANCE_OK)
            continue;
        position = fmax(position, record->position_error);
        velocity = fmax(velocity, record->velocity_error);
        const double scale = fmax(fabs(record->energy_first), record->kinetic);
        /* A mechanism at rest at energy 0 has no scale; unless its energy changed, that is no error. */
        energy = fmax(energy, record->energy_change == 0.0 ? 0.0 : record->energy_change / scale);
    }
    summary->max_position_error = position;
    summary->max_velocity_error = velocity;
    summary->max_energy_error = energy;
    summary->n_rank_changes = tally->n_rank_changes;
}

static bool is_sampled(const sarrus_model *model, sarrus_value_index index) {
    for (int i = 0; i < model->batch.n_sampled; i++)
        for (int k = 0; k < model->batch.sampled[i].n_targets; k++)
            if (model->batch.sampled[i].targets[k] == index)
                return true;
    return false;
}

/* Whether a number is other than 0 in any instance. */
static bool may_act(const sarrus_model *model, sarrus_value_index index) {
    if (index == SARRUS_NO_VALUE)
        return false;
    return model->values[index].nominal != 0.0 || model->values[index].expression != NULL || is_sampled(model, index);
}

bool sarrus_energy_is_conserved(const sarrus_model *model) {
    for (int i = 0; i < model->n_joints; i++)
        if (model->joints[i].drive >= 0 || may_act(model, model->joints[i].damping))
            return false;
    for (int i = 0; i < model->n_forces; i++) {
        const sarrus_force *force = &model->forces[i];
        if (force->type == SARRUS_FORCE_SPRING) {
            if (may_act(model, force->damping))
                return false;
            continue;
        }
        const int n_sources = force->type == SARRUS_FORCE_TORQUE ? 1 : 2;
        for (int k = 0; k < n_sources; k++)
            if (force->value[k].kind != SARRUS_SOURCE_VALUE || may_act(model, force->value[k].index))
                return false;
    }
    return true;
}
