#include "study/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/crew.h"
#include "core/report.h"
#include "core/stop.h"
#include "model/model.h"
#include "plan/plan.h"
#include "sink/bit_round.h"
#include "study/draws.h"

sarrus_group sarrus_group_of(const sarrus_run_group *asked, const sarrus_run_options *options, int index, int n_groups) {
    const uint64_t n_counted = asked->n_instances > 0 ? asked->n_instances : asked->model->batch.n_instances;
    /* An own sample has rows, not points of a design. */
    const uint64_t n_study = options->draws != NULL ? n_counted : sarrus_model_study_size(asked->model, n_counted);
    const uint64_t i_first = asked->first_instance, n_rest = n_study > i_first ? n_study - i_first : 0;
    const uint64_t *seed = asked->seed != NULL ? asked->seed : options->seed;
    return (sarrus_group){.index = index,
                          .n_groups = n_groups,
                          .model = asked->model,
                          .plan = asked->plan,
                          .options = options,
                          .n_study = n_study,
                          .n_counted = n_counted,
                          .i_first = i_first,
                          .n_instances = asked->n_part > 0 ? asked->n_part : n_rest,
                          .seed = seed != NULL ? *seed : sarrus_model_seed(asked->model)};
}

sarrus_as_run sarrus_group_as_run(const sarrus_group *group) {
    const bool has_count = group->n_counted != group->model->batch.n_instances;
    const bool has_seed = group->seed != sarrus_model_seed(group->model);
    return (sarrus_as_run){.n_instances = has_count ? &group->n_counted : NULL,
                           .seed = has_seed ? &group->seed : NULL,
                           .has_own_sample = group->options->draws != NULL && group->options->draws->units == NULL};
}

/* What is observed beside the blocks, bytes of each time. While all that the file gets goes with every instance the blocks are
 * about as much, and count alone. */
static double beside_bytes(const sarrus_group *group) {
    const sarrus_march_wants wants = {group->model, &group->channels, &group->quantities, &group->statistics};
    if (!group->has_kept && group->statistics.n_fields == 0)
        return 0.0;
    return (double)group->n_instances * (double)sarrus_march_scratch_width(&wants) * sizeof(double);
}

/* Numbers of all output times. */
static double bytes_of(const sarrus_group *group) {
    const double n_trajectories = (double)(group->has_kept ? group->n_kept : group->n_instances);
    int n_components = 0;
    for (int i = 0; i < group->channels.n_fields; ++i)
        n_components += group->channels.n_components[i];
    const double n_numbers = n_trajectories * n_components + (double)sarrus_study_statistics_numbers(&group->statistics);
    return (double)group->schedule.n_times * (n_numbers * sizeof(double) + beside_bytes(group));
}

/* The writer works while the batch integrates, but for the last block: with sixteen blocks or more a run waits little at
 * its end, and an accident loses little. Smaller blocks than 8 MiB would only cost; 64 MiB bound the memory,
 * and what a run that is stopped has to write before it ends; groups share them. */
enum { ENOUGH_BLOCKS = 16 };

/* Of all groups. */
static double most_block_bytes(const sarrus_group *group) {
    const double memory = (double)group->options->memory;
    return memory > 0.0 ? fmin(0x1p26, memory / 12.0) : 0x1p26;
}

static double block_bytes(const sarrus_group *group) {
    const double most = most_block_bytes(group), largest = most / group->n_groups;
    const double smallest = fmin(0x1p23, most) / group->n_groups, bytes = bytes_of(group);
    const double wanted = fmin(fmax(bytes / ENOUGH_BLOCKS, smallest), largest);
    return group->least_blocks > 0 ? fmin(wanted, bytes / group->least_blocks) : wanted;
}

void sarrus_groups_keep_pace(sarrus_group *groups, int n_groups) {
    double most = 1.0;
    for (int g = 0; g < n_groups; ++g)
        most = fmax(most, bytes_of(&groups[g]) / block_bytes(&groups[g]));
    for (int g = 0; g < n_groups; ++g)
        groups[g].least_blocks = (int)fmin(ceil(most), ENOUGH_BLOCKS);
}

/* Every drawn path with its values: a draw for several paths stands under each of them, a named parameter under its name.
 * `out` (NULL: only counts) has room for all. */
static int parameters_fill(const sarrus_group *group, sarrus_sink_parameter *out) {
    const sarrus_model *model = group->model;
    int n = 0;
    for (int i = 0; i < model->batch.n_sampled; ++i) {
        const sarrus_sampled *sampled = &model->batch.sampled[i];
        const double *units = sarrus_draws_units(group->draws, i);
        for (int k = 0; k < sampled->n_targets; ++k, ++n) {
            const sarrus_value_index target = sampled->targets[k];
            const char *path = target < model->n_named ? sarrus_draws_label(group->draws, i) : model->values[target].path;
            if (out != NULL)
                out[n] = (sarrus_sink_parameter){.path = path,
                                                 .values = sarrus_draws_values(group->draws, i),
                                                 .counted_in = sarrus_unit_write(&group->units[target], group->unit_texts[n]),
                                                 .label = k == 0 ? sampled->label : NULL,
                                                 .units = units};
        }
    }
    return n;
}

static void times_fill(const void *user, uint64_t i_first, uint64_t n, double *out) {
    for (uint64_t i = 0; i < n; ++i)
        out[i] = sarrus_schedule_time(user, i_first + i);
}

/* Numbers of trajectories are rounded where the scenario has it so; those of a replay never are: they are the study's as they
 * were. */
static int kept_bits(const sarrus_group *group, const sarrus_sink_field *field) {
    const double precision = group->model->output.precision;
    if (precision == 0.0 || group->options->shows_steps || field->type != SARRUS_SINK_F64)
        return 0;
    const int n_bits = sarrus_bit_round_bits(precision);
    return n_bits < SARRUS_SIGNIFICAND_BITS ? n_bits : 0;
}

/* The datasets of the channels and, of a replay, those that tell of its rows, else the statistics. To be freed; NULL without
 * memory. */
static sarrus_sink_field *fields_make(const sarrus_group *group, int *n_fields) {
    const int n_channels = group->channels.n_fields;
    const bool is_replay = group->options->shows_steps != 0;
    const sarrus_sink_field *more = is_replay ? sarrus_replay_fields : group->statistics.fields;
    *n_fields = n_channels + (is_replay ? SARRUS_REPLAY_FIELDS : group->statistics.n_fields);
    sarrus_sink_field *fields = calloc((size_t)*n_fields + 1, sizeof *fields);
    for (int i = 0; fields != NULL && i < *n_fields; ++i)
        fields[i] = i < n_channels ? group->channels.fields[i] : more[i - n_channels];
    for (int i = 0; fields != NULL && i < n_channels; ++i)
        fields[i].n_kept_bits = kept_bits(group, &fields[i]);
    return fields;
}

/* Datasets of a number an instance: what was done and found, then the quantities, in `paths`. To be freed; NULL without memory. */
static sarrus_sink_measure *measures_make(sarrus_group *group) {
    const sarrus_model *model = group->model;
    const int n = SARRUS_OUTCOME_MEASURES + model->output.n_quantities;
    sarrus_sink_measure *measures = calloc((size_t)n, sizeof *measures);
    group->paths = calloc((size_t)model->output.n_quantities + 1, sizeof *group->paths);
    if (measures == NULL || group->paths == NULL) {
        free(measures);
        return NULL;
    }
    for (int i = 0; i < SARRUS_OUTCOME_MEASURES; ++i)
        measures[i] = sarrus_outcome_measures[i];
    for (int i = 0; i < model->output.n_quantities; ++i) {
        const sarrus_quantity *quantity = &model->output.quantities[i];
        if (asprintf(&group->paths[i], "quantities/%s", quantity->name) < 0) {
            group->paths[i] = NULL;
            free(measures);
            return NULL;
        }
        const char *units = group->quantity_units[i];
        measures[SARRUS_OUTCOME_MEASURES + i] = (sarrus_sink_measure){.path = group->paths[i],
                                                                      .long_name = quantity->text,
                                                                      .units = units[0] != '\0' ? units : NULL,
                                                                      .type = SARRUS_SINK_F64};
    }
    return measures;
}

/* Units of the model's numbers, room for those of parameters in words, and those of quantities. False without memory. */
static bool units_make(sarrus_group *group) {
    const sarrus_model *model = group->model;
    group->units = calloc((size_t)model->n_values + 1, sizeof *group->units);
    group->unit_texts = calloc((size_t)group->n_parameters + 1, sizeof *group->unit_texts);
    group->quantity_units = sarrus_quantity_units_create(model);
    if (group->units != NULL)
        sarrus_model_units_find(model, group->units);
    return group->units != NULL && group->unit_texts != NULL && group->quantity_units != NULL;
}

double sarrus_group_reserve(const sarrus_group *group) {
    const double per_dataset = 0x1p16; /* what HDF5 keeps of each (46 KB were found) */
    const int n_fields = group->channels.n_fields + group->statistics.n_fields + group->totals.n;
    return per_dataset * (n_fields + 2 * parameters_fill(group, NULL) + group->quantities.n) + 2.0 * block_bytes(group);
}

sarrus_status sarrus_group_describe(sarrus_group *group, sarrus_context *context, sarrus_sink_description *out) {
    const bool is_replay = group->options->shows_steps != 0;
    const sarrus_as_run as_run = sarrus_group_as_run(group);
    const bool is_changed = as_run.n_instances != NULL || as_run.seed != NULL || as_run.has_own_sample;
    group->scenario = is_changed ? sarrus_text_as_run(sarrus_model_resolved(group->model), &as_run, 1) : NULL;
    group->n_parameters = parameters_fill(group, NULL);
    group->fields = fields_make(group, &group->n_fields);
    group->parameters = calloc((size_t)group->n_parameters + 1, sizeof *group->parameters);
    group->measures = units_make(group) ? measures_make(group) : NULL;
    if (group->parameters == NULL || group->fields == NULL || group->measures == NULL || (is_changed && group->scenario == NULL))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the result file");
    (void)parameters_fill(group, group->parameters);
    *out = (sarrus_sink_description){
        .n_instances = group->n_instances,
        .first_instance = group->i_first,
        .n_study = group->n_study,
        .study_group = group->options->study_group,
        .study_group_file = group->options->study_group_file,
        .n_times =
            is_replay ? sarrus_replay_most_rows(&group->replay, group->model->integrator.max_steps) : group->schedule.n_times,
        .times = times_fill,
        .times_user = &group->schedule,
        .is_open_ended = is_replay,
        .n_fields = group->n_fields,
        .fields = group->fields,
        .has_trajectories = group->has_kept,
        .n_trajectories = group->n_kept,
        .trajectories = group->trajectories,
        .levels = sarrus_study_statistics_levels(&group->statistics),
        .n_totals = group->totals.n,
        .totals = group->totals.totals,
        .total_labels = sarrus_sensitivity_labels(&group->totals.sensitivity),
        .n_parameters = group->n_parameters,
        .parameters = group->parameters,
        .n_measures = SARRUS_OUTCOME_MEASURES + group->quantities.n,
        .measures = group->measures,
        .n_columns = group->outcome.has_events ? SARRUS_OUTCOME_COLUMNS : 0,
        .columns = sarrus_outcome_columns,
        .columns_scale = sarrus_outcome_columns_scale,
        .scenario = is_changed ? group->scenario : sarrus_model_resolved(group->model),
        .backend = sarrus_batch_backend_name(group->batch),
        .device = sarrus_batch_device_name(group->batch),
        .seed = group->seed,
        .plan_hash = sarrus_plan_hash(group->plan),
        .n_ranks = group->options->n_ranks,
        .block_bytes = (uint64_t)fmax(block_bytes(group), 1.0),
        .beside_bytes = (uint64_t)fmin(beside_bytes(group), 0x1p62),
        .stop = group->options->batch.stop,
        .keeps_complete = group->options->no_clobber != 0,
    };
    return SARRUS_OK;
}

/* Changes of rank go to the file, beside the channel that shows the rank. */
static bool wants_events(const sarrus_group *group) {
    return group->options->output_path != NULL && (group->model->output.channels & SARRUS_CHANNEL_RANK) != 0;
}

static sarrus_status part_check(const sarrus_group *group, sarrus_context *context) {
    if (group->i_first >= group->n_study || group->n_instances > group->n_study - group->i_first)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%llu instances from number %llu on; the study has those from 0 to %llu",
                             (unsigned long long)group->n_instances, (unsigned long long)group->i_first,
                             (unsigned long long)group->n_study - 1);
    if (group->options->shows_steps && group->n_instances != 1)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the steps of %llu instances cannot be shown; expected a part of one",
                             (unsigned long long)group->n_instances);
    const int n_kept = group->model->output.n_kept;
    if (n_kept > 0 && group->model->output.kept[n_kept - 1] >= group->n_study)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "output.instances keeps the trajectory of instance %llu; the study has those from 0 to %llu",
                             (unsigned long long)group->model->output.kept[n_kept - 1], (unsigned long long)group->n_study - 1);
    return SARRUS_OK;
}

sarrus_status sarrus_group_plan(sarrus_group *group, sarrus_context *context) {
    sarrus_status status = part_check(group, context);
    if (status != SARRUS_OK || group->plan != NULL)
        return status;
    status = sarrus_plan_create(context, group->model, &group->own_plan);
    group->plan = group->own_plan;
    return status;
}

double sarrus_group_bytes(const sarrus_group *group) {
    const double of_draws = 2.0 * (double)sizeof(double) * group->model->batch.n_sampled;
    return (double)group->n_instances * ((double)sarrus_plan_stepped(group->plan)->cost.bytes_per_instance + of_draws);
}

/* Whose trajectories the file gets: of a part those of its own instances; a replay shows its one. */
static sarrus_status kept_make(sarrus_group *group, sarrus_context *context) {
    const sarrus_model *model = group->model;
    group->has_kept = model->output.has_kept && !group->options->shows_steps;
    group->trajectories = calloc((size_t)model->output.n_kept + 1, sizeof *group->trajectories);
    group->kept = calloc((size_t)model->output.n_kept + 1, sizeof *group->kept);
    if (group->trajectories == NULL || group->kept == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the numbers of instances");
    for (int i = 0; group->has_kept && i < model->output.n_kept; ++i) {
        const uint64_t number = model->output.kept[i];
        if (number < group->i_first || number - group->i_first >= group->n_instances)
            continue;
        group->trajectories[group->n_kept] = number;
        group->kept[group->n_kept++] = number - group->i_first;
    }
    return SARRUS_OK;
}

/* What is of all instances together, and what it is made of. */
static sarrus_status totals_make(sarrus_group *group, sarrus_context *context) {
    const int d = group->model->batch.n_sampled;
    const sarrus_totals_choice choice = {.n_instances = group->n_instances,
                                         .is_study = group->n_instances == group->n_study,
                                         .is_own_sample = sarrus_group_as_run(group).has_own_sample,
                                         .n_members = sarrus_crew_size(sarrus_batch_crew(group->batch))};
    group->draw_arrays = calloc(2 * (size_t)d + 1, sizeof *group->draw_arrays);
    if (group->draw_arrays == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the draws");
    for (int j = 0; j < d; ++j) {
        group->draw_arrays[j] = sarrus_draws_values(group->draws, j);
        group->draw_arrays[d + j] = sarrus_draws_units(group->draws, j);
    }
    return sarrus_totals_create(context, group->model, &choice, &group->totals);
}

/* The datasets: of trajectories, of quantities, of statistics, which are those of a study and not of a replay. */
static sarrus_status datasets_make(sarrus_group *group, sarrus_context *context) {
    const sarrus_model *model = group->model;
    const uint64_t n_instances = group->n_instances;
    const int n_members = sarrus_crew_size(sarrus_batch_crew(group->batch));
    sarrus_status status = kept_make(group, context);
    const sarrus_statistics_choice over = {.i_first = group->i_first,
                                           .n_instances = n_instances,
                                           .n_study = group->n_study,
                                           .written = n_instances < group->n_study ? &group->channels : NULL,
                                           .lacks_rows = group->has_kept,
                                           .n_members = n_members};
    const bool has_none = group->has_kept && group->n_kept == 0;
    const sarrus_channel_choice nothing = {0}, asked = has_none ? nothing : sarrus_channel_choice_of(model);
    if (status == SARRUS_OK)
        status = sarrus_channels_create(context, group->plan, &asked, &group->channels);
    if (status == SARRUS_OK)
        status = sarrus_channels_points_place(&group->channels, context, group->draws, n_instances);
    if (status == SARRUS_OK && group->has_kept)
        sarrus_channels_keep(&group->channels, group->kept, group->n_kept);
    if (status == SARRUS_OK)
        status = sarrus_study_quantities_create(context, group->plan, group->draws, n_instances, n_members, &group->quantities);
    if (status == SARRUS_OK && !group->options->shows_steps)
        status = sarrus_study_statistics_create(context, group->plan, group->draws, &over, &group->statistics);
    return status == SARRUS_OK && !group->options->shows_steps ? totals_make(group, context) : status;
}

sarrus_status sarrus_group_make(sarrus_group *group, sarrus_context *context) {
    const sarrus_model *model = group->model;
    sarrus_batch_options batch_options = group->options->batch;
    batch_options.keep_rank_events = wants_events(group);
    batch_options.needs_all_rows = ((model->output.channels | model->output.statistics) & SARRUS_CHANNEL_SINGULAR_VALUES) != 0;
    batch_options.first_instance = group->i_first;
    batch_options.n_study = group->n_study;
    const uint64_t i_first = group->i_first, n_instances = group->n_instances;
    const sarrus_draw_request request = {
        .seed = group->seed, .n_study = group->n_study, .i_first = i_first, .n_instances = n_instances, .stop = batch_options.stop};
    sarrus_status status = sarrus_schedule_create(context, model, &group->schedule);
    if (status == SARRUS_OK)
        status = group->options->draws != NULL
                     ? sarrus_draws_part_copy(context, group->options->draws, i_first, n_instances, &group->draws)
                     : sarrus_draws_make(context, model, &request, &group->draws);
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, group->plan, &batch_options, n_instances, group->draws, &group->batch);
    if (status == SARRUS_OK)
        status = datasets_make(group, context);
    if (status == SARRUS_OK)
        status = sarrus_tally_create(context, n_instances, &group->tally);
    if (status == SARRUS_OK)
        status =
            sarrus_outcome_create(context, model, i_first, n_instances, wants_events(group), &group->quantities, &group->outcome);
    group->replay = (sarrus_replay){.batch = group->batch, .schedule = &group->schedule};
    return status == SARRUS_OK && sarrus_stop_is_asked(batch_options.stop) ? SARRUS_INTERRUPTED : status;
}

sarrus_status sarrus_group_begin(sarrus_group *group, sarrus_context *context, const sarrus_sink *sink) {
    group->march = (sarrus_march){
        .batch = group->batch,
        .model = group->model,
        .schedule = &group->schedule,
        .channels = &group->channels,
        .tally = &group->tally,
        .quantities = &group->quantities,
        .keeps_quantities = group->options->quantities != NULL,
        .statistics = &group->statistics,
        .replay = group->options->shows_steps ? &group->replay : NULL,
        .crew = sarrus_batch_crew(group->batch),
        .n_rows = sink != NULL ? sarrus_sink_block_times(sink, group->index) : 0,
        .scratch_bytes = (uint64_t)most_block_bytes(group) / (uint64_t)group->n_groups,
        .i_time = group->i_time_resumed,
        .n_steps_done = group->n_steps_resumed,
        .n_steps_before = group->n_steps_resumed,
    };
    return sarrus_march_begin(&group->march, context);
}

void sarrus_group_free(sarrus_group *group) {
    sarrus_march_end(&group->march);
    sarrus_tally_free(&group->tally);
    sarrus_channels_free(&group->channels);
    sarrus_batch_destroy(group->batch);
    sarrus_draws_destroy(group->draws);
    sarrus_plan_destroy(group->own_plan);
    sarrus_outcome_free(&group->outcome);
    for (int i = 0; group->paths != NULL && i < group->model->output.n_quantities; ++i)
        free(group->paths[i]);
    sarrus_study_quantities_free(&group->quantities);
    sarrus_study_statistics_free(&group->statistics);
    sarrus_totals_free(&group->totals);
    free(group->draw_arrays);
    free(group->trajectories);
    free(group->kept);
    free(group->paths);
    free(group->units);
    free(group->unit_texts);
    free(group->quantity_units);
    free(group->measures);
    free(group->fields);
    free(group->parameters);
    free(group->scenario);
}

sarrus_status sarrus_group_open(sarrus_group *group, sarrus_sink *sink) {
    sarrus_sink_block block;
    if (sink == NULL) {
        sarrus_march_open(&group->march, NULL);
        return SARRUS_OK;
    }
    const sarrus_status status = sarrus_sink_acquire(sink, group->index, &block);
    if (status == SARRUS_OK)
        sarrus_march_open(&group->march, &block);
    return status;
}

sarrus_status sarrus_group_close(sarrus_group *group, sarrus_context *context, sarrus_sink *sink, bool is_stopped) {
    const uint64_t n_rows = sarrus_march_close(&group->march);
    if (sink == NULL || n_rows == 0)
        return SARRUS_OK;
    const double t_limit = is_stopped ? sarrus_march_time(&group->march) : HUGE_VAL;
    const sarrus_status status = sarrus_outcome_rank_changes_take(&group->outcome, context, group->batch, t_limit);
    if (status != SARRUS_OK)
        return status;
    sarrus_outcome_update(&group->outcome, group->batch);
    const sarrus_sink_outcome outcome = sarrus_outcome_view(&group->outcome, false);
    const sarrus_status submitted = sarrus_sink_submit(sink, group->index, n_rows, &outcome);
    group->n_rows_done += group->outcome.n_rows;
    return submitted != SARRUS_NO_MEMORY ? submitted : sarrus_report(context, submitted, "out of memory for the changes of rank");
}

sarrus_sink_outcome sarrus_group_end(sarrus_group *group) {
    sarrus_outcome_update(&group->outcome, group->batch);
    group->outcome.n_rows = 0; /* they went with their block */
    sarrus_sink_outcome outcome = sarrus_outcome_view(&group->outcome, sarrus_march_is_over(&group->march));
    const double *const *units = group->draw_arrays != NULL ? group->draw_arrays + group->model->batch.n_sampled : NULL;
    const sarrus_sensitivity_sample sample = {.seed = group->seed,
                                              .values = group->draw_arrays,
                                              .units = units,
                                              .results = (const double *const *)group->quantities.results,
                                              .status = group->outcome.status,
                                              .crew = sarrus_batch_crew(group->batch)};
    sarrus_totals_finish(&group->totals, &sample, outcome.complete);
    for (int i = 0; group->options->quantities != NULL && i < group->quantities.n; ++i)
        if (group->options->quantities[i] != NULL)
            memcpy(group->options->quantities[i], group->quantities.results[i], group->n_instances * sizeof(double));
    outcome.totals = group->totals.values;
    return outcome;
}

void sarrus_group_summary_begin(const sarrus_group *group, sarrus_run_summary *summary) {
    *summary = (sarrus_run_summary){.n_instances = group->n_instances,
                                    .first_instance = group->i_first,
                                    .n_study = group->n_study,
                                    .resumed_time = (double)NAN,
                                    .max_position_error = (double)NAN,
                                    .max_velocity_error = (double)NAN,
                                    .max_violation = (double)NAN,
                                    .max_energy_error = (double)NAN,
                                    .nearest_change_point = (double)NAN,
                                    .nearest_change_point_time = (double)NAN,
                                    .nearest_change_point_group = group->index,
                                    .is_adaptive = sarrus_integrator_is_adaptive(group->model->integrator.method)};
}

void sarrus_group_summary_fill(const sarrus_group *group, double seconds, sarrus_run_summary *summary) {
    const sarrus_march *march = &group->march;
    sarrus_outcome_summarize(&group->outcome, group->plan->mech.limit_error, summary);
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i)
        summary->first_failure[i].group = group->index;
    summary->n_steps = march->n_steps_done;
    summary->n_output_times = march->i_time;
    summary->is_resumed = group->is_resumed;
    summary->resumed_time = group->is_resumed ? group->resumed_time : (double)NAN;
    summary->t_end = sarrus_batch_time(group->batch);
    summary->wall_seconds = seconds;
    summary->integrate_seconds = march->integrate_seconds;
    if (seconds > 0.0)
        summary->instance_steps_per_second = (double)(summary->steps.total - group->n_counted_resumed) / seconds;
    sarrus_tally_finish(&group->tally, group->outcome.status, summary);
    snprintf(summary->backend, sizeof summary->backend, "%s", sarrus_batch_backend_name(group->batch));
    snprintf(summary->device, sizeof summary->device, "%s", sarrus_batch_device_name(group->batch));
    sarrus_batch_specialization(group->batch, &summary->specialization);
    sarrus_batch_library_counts(group->batch, &summary->n_library_matrices, &summary->n_library_refused);
}
