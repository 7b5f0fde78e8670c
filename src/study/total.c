#include "study/total.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void count_add(sarrus_run_count *total, const sarrus_run_count *one, uint64_t n_instances) {
    total->total += one->total;
    total->most = one->most > total->most ? one->most : total->most;
    total->mean = n_instances > 0 ? (double)total->total / (double)n_instances : 0.0;
}

/* The first instance of a status is that of the first group that has one. */
static void failures_add(sarrus_run_summary *total, const sarrus_run_summary *one) {
    total->n_failed += one->n_failed;
    total->n_over_error_limit += one->n_over_error_limit;
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        if (total->n_failed_by_status[i] == 0)
            total->first_failure[i] = one->first_failure[i];
        total->n_failed_by_status[i] += one->n_failed_by_status[i];
    }
}

/* Adds `word` to a list in text [n_text], unless it stands there already. */
static void word_add(char *text, size_t n_text, const char *separator, const char *word) {
    const size_t n = strlen(text);
    if (strstr(text, word) == NULL)
        snprintf(text + n, n_text - n, "%s%s", separator, word);
}

/* fmax takes the number when the other is NaN. */
static void verdicts_add(sarrus_run_summary *total, const sarrus_run_summary *one) {
    total->max_position_error = fmax(total->max_position_error, one->max_position_error);
    total->max_velocity_error = fmax(total->max_velocity_error, one->max_velocity_error);
    total->max_violation = fmax(total->max_violation, one->max_violation);
    total->max_energy_error = fmax(total->max_energy_error, one->max_energy_error);
    if (isnan(one->nearest_change_point) || total->nearest_change_point <= one->nearest_change_point)
        return;
    total->nearest_change_point = one->nearest_change_point;
    total->nearest_change_point_time = one->nearest_change_point_time;
    total->nearest_change_point_instance = one->nearest_change_point_instance;
    total->nearest_change_point_group = one->nearest_change_point_group;
}

/* What every group has reached. */
static void reach_add(sarrus_run_summary *total, const sarrus_run_summary *one) {
    total->n_steps = one->n_steps < total->n_steps ? one->n_steps : total->n_steps;
    total->n_output_times = one->n_output_times < total->n_output_times ? one->n_output_times : total->n_output_times;
    total->t_end = fmin(total->t_end, one->t_end);
    total->has_checkpoint = total->has_checkpoint || one->has_checkpoint;
    total->is_resumed = total->is_resumed || one->is_resumed;
    total->resumed_time = fmin(total->resumed_time, one->resumed_time);
}

sarrus_run_summary sarrus_total_of(const sarrus_run_summary *summaries, int n) {
    sarrus_run_summary total = summaries[0];
    for (int i = 1; i < n; ++i) {
        const sarrus_run_summary *one = &summaries[i];
        total.n_instances += one->n_instances;
        total.n_study += one->n_study;
        total.integrate_seconds += one->integrate_seconds;
        total.instance_steps_per_second += one->instance_steps_per_second;
        total.n_rank_changes += one->n_rank_changes;
        total.n_library_matrices += one->n_library_matrices;
        total.n_library_refused += one->n_library_refused;
        total.is_adaptive = total.is_adaptive || one->is_adaptive;
        failures_add(&total, one);
        verdicts_add(&total, one);
        reach_add(&total, one);
        count_add(&total.steps, &one->steps, total.n_instances);
        count_add(&total.rejections, &one->rejections, total.n_instances);
        count_add(&total.evaluations, &one->evaluations, total.n_instances);
        count_add(&total.rank_changes, &one->rank_changes, total.n_instances);
        word_add(total.backend, sizeof total.backend, ", ", one->backend);
        word_add(total.device, sizeof total.device, "; ", one->device);
    }
    return total;
}
