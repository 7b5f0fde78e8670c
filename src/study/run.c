/* The main job: groups → sink, slice after slice of one group after the other until all are at their t_end. A run of one model is a
 * run of one group, whose place in the file is the root. */
#include "sarrus/run.h"

#include <math.h>
#include <stdlib.h>

#include "core/crew.h"
#include "core/memory.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "model/draws.h"
#include "model/model.h"
#include "plan/plan.h"
#include "sink/result_place.h"
#include "sink/sink.h"
#include "study/checkpoint.h"
#include "study/group.h"
#include "study/resume.h"
#include "study/total.h"

/* Everything that one run holds; made by run_prepare, freed by run_release. */
typedef struct run_job {
    sarrus_context *context;
    const sarrus_run_options *options;
    sarrus_sink_index *index; /* NULL: one group, at the root */
    int n_groups;
    sarrus_group *groups; /* [n_groups] */
    sarrus_sink *sink;    /* NULL without an output file */
    sarrus_checkpoints checkpoints;
    sarrus_resume resume;
    char *document; /* as run; NULL: as the caller has it */
    double began;   /* s of the monotonic clock, of integration and output */
    double last_look;
} run_job;

/* HDF5 crashes where it gets no memory, so it is not begun without this much, beside the blocks and the datasets of the groups, for
 * itself and for the stacks of the threads that compress. */
static const double reserve = 0x1p25, reserve_per_thread = 0x1p23;

/* Refuses what does not fit: what each group needs, and what they need in common, in bytes. Of several groups it is said which
 * needs most. */
static sarrus_status memory_check(const run_job *run, const char *what, double (*need)(const sarrus_group *group), double common) {
    const char *limit;
    char text[3][16];
    double sum = common, most = 0.0;
    int i_most = 0;
    for (int g = 0; g < run->n_groups; ++g) {
        const double own = need(&run->groups[g]);
        i_most = own > most ? g : i_most;
        most = fmax(most, own);
        sum += own;
    }
    const double left = sarrus_memory_left(&limit);
    if (left >= sum)
        return SARRUS_OK;
    sarrus_memory_text(sum, text[0]);
    sarrus_memory_text(most, text[1]);
    sarrus_memory_text(left, text[2]);
    if (run->n_groups == 1)
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "%s needs about %s, and %s leaves %s", what, text[0], limit, text[2]);
    return sarrus_report(run->context, SARRUS_NO_MEMORY,
                         "%s of all groups needs about %s, most of it (%s) group %d, '%s', and %s leaves %s", what, text[0],
                         text[1], i_most, run->index->files[i_most], limit, text[2]);
}

/* The document as it is run: a caller may have given seeds and counts of his own. False without memory. */
static bool document_settle(run_job *run) {
    sarrus_as_run as_run[SARRUS_MAX_GROUPS];
    bool is_changed = false;
    for (int g = 0; g < run->n_groups; ++g) {
        as_run[g] = sarrus_group_as_run(&run->groups[g]);
        is_changed = is_changed || as_run[g].n_instances != NULL || as_run[g].seed != NULL;
    }
    if (run->index == NULL || !is_changed || *run->index->scenario == '\0')
        return true;
    run->document = sarrus_text_as_run(run->index->scenario, as_run, run->n_groups);
    run->index->scenario = run->document;
    return run->document != NULL;
}

/* Checkpoints for a study (a replay is soon done again), and what an earlier run of the same has left, if it is to go on. */
static sarrus_status earlier_take(run_job *run, sarrus_sink_description *descriptions) {
    const sarrus_run_options *options = run->options;
    const double seconds = options->shows_steps ? -1.0 : options->checkpoint_seconds;
    if (sarrus_checkpoints_begin(&run->checkpoints, options->output_path, run->groups, run->n_groups, seconds) != SARRUS_OK)
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for the checkpoints");
    if (!options->resumes)
        return SARRUS_OK;
    const sarrus_resumed_run resumed = {.path = options->output_path,
                                        .index = run->index,
                                        .descriptions = descriptions,
                                        .groups = run->groups,
                                        .n_groups = run->n_groups,
                                        .checkpoints = &run->checkpoints};
    const sarrus_status status = sarrus_resume_find(&run->resume, run->context, &resumed);
    if (status == SARRUS_OK && run->resume.source.path != NULL)
        descriptions[0].source = &run->resume.source;
    return status;
}

static sarrus_status sink_open(run_job *run) {
    sarrus_sink_description *descriptions = calloc((size_t)run->n_groups, sizeof *descriptions);
    const int n_threads = run->options->batch.n_threads > 0 ? run->options->batch.n_threads : sarrus_processors();
    sarrus_status status = memory_check(run, "writing the results", sarrus_group_reserve, reserve + reserve_per_thread * n_threads);
    if (descriptions == NULL || !document_settle(run))
        status = sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for the result file");
    for (int g = 0; g < run->n_groups && status == SARRUS_OK; ++g)
        status = sarrus_group_describe(&run->groups[g], run->context, &descriptions[g]);
    if (status == SARRUS_OK)
        status = earlier_take(run, descriptions);
    if (status == SARRUS_OK && !run->resume.is_complete)
        status =
            sarrus_sink_create_groups(run->context, run->options->output_path, run->index, descriptions, run->n_groups, &run->sink);
    free(descriptions);
    return status;
}

/* Takes all groups through a part of their preparation. */
static sarrus_status groups_prepare(run_job *run, sarrus_status (*part)(sarrus_group *group, sarrus_context *context)) {
    sarrus_status status = SARRUS_OK;
    for (int g = 0; g < run->n_groups && status == SARRUS_OK; ++g) {
        status = part(&run->groups[g], run->context);
        if (status != SARRUS_OK && status != SARRUS_INTERRUPTED && run->index != NULL)
            (void)sarrus_report_at(run->context, SARRUS_NOTE, status, NULL, "in group %d, '%s'", g, run->index->files[g]);
    }
    return status;
}

/* Up to where the sink is made a stop leaves what was at the path before. A batch that does not fit says so itself; of several each
 * would see only what those before it have left. */
static sarrus_status run_prepare(run_job *run) {
    sarrus_status status = groups_prepare(run, sarrus_group_plan);
    if (run->n_groups > 1 && status == SARRUS_OK)
        status = memory_check(run, "the state", sarrus_group_bytes, 0.0);
    if (status == SARRUS_OK)
        status = groups_prepare(run, sarrus_group_make);
    if (run->n_groups > 1 && status == SARRUS_OK)
        sarrus_groups_keep_pace(run->groups, run->n_groups);
    if (status == SARRUS_OK && run->options->output_path != NULL)
        status = sink_open(run);
    for (int g = 0; g < run->n_groups && status == SARRUS_OK && !run->resume.is_complete; ++g) {
        status = sarrus_group_begin(&run->groups[g], run->context, run->sink);
        if (status == SARRUS_OK)
            status = sarrus_resume_rows(&run->checkpoints, run->context, &run->groups[g], run->sink);
    }
    run->began = run->last_look = sarrus_monotonic_seconds();
    return status;
}

static void run_release(run_job *run) {
    for (int g = 0; g < run->n_groups; ++g)
        sarrus_march_end(&run->groups[g].march);
    sarrus_sink_destroy(run->sink);
    for (int g = 0; g < run->n_groups; ++g)
        sarrus_group_free(&run->groups[g]);
    sarrus_checkpoints_free(&run->checkpoints);
    sarrus_resume_free(&run->resume);
    free(run->groups);
    free(run->document);
}

/* s of motion; before its first output a group has not begun. */
static double group_time(const sarrus_group *group) {
    return group->march.i_time > 0 ? sarrus_batch_time(group->batch) : -1.0;
}

/* The group that is farthest behind, so that whenever a run ends all have come about as far; NULL: all are at their end. */
static sarrus_group *group_next(const run_job *run) {
    sarrus_group *next = NULL;
    for (int g = 0; g < run->n_groups; ++g) {
        sarrus_group *group = &run->groups[g];
        if (!sarrus_march_is_over(&group->march) && (next == NULL || group_time(group) < group_time(next)))
            next = group;
    }
    return next;
}

/* Shows where the run stands, at most every slice but always at the beginning and at the end; `moved` was the last to move. */
static sarrus_status progress_show(run_job *run, const sarrus_group *moved) {
    const sarrus_run_options *options = run->options;
    if (options->progress == NULL)
        return SARRUS_OK;
    const double now = sarrus_monotonic_seconds();
    const bool is_end = group_next(run) == NULL;
    if (moved->march.i_time > 1 && !is_end && now - run->last_look < 0.75 * sarrus_march_slice_seconds)
        return SARRUS_OK;
    run->last_look = now;
    sarrus_progress progress = {.time = HUGE_VAL, .wall_seconds = now - run->began};
    for (int g = 0; g < run->n_groups; ++g)
        sarrus_march_progress_add(&run->groups[g].march, &progress);
    const bool is_stopped = options->progress(&progress, options->progress_user) != 0;
    return is_stopped && !is_end ? SARRUS_INTERRUPTED : SARRUS_OK;
}

/* Marches all groups to their ends. INTERRUPTED still hands over the rows that are there. */
static sarrus_status groups_march(run_job *run) {
    sarrus_status status = SARRUS_OK;
    for (sarrus_group *group; status == SARRUS_OK && (group = group_next(run)) != NULL;) {
        if (!group->march.is_open)
            status = sarrus_group_open(group, run->sink);
        if (status == SARRUS_OK)
            status = sarrus_march_slice(&group->march, run->context);
        if (status == SARRUS_OK)
            status = progress_show(run, group);
        if (status == SARRUS_OK && sarrus_march_is_full(&group->march))
            status = sarrus_group_close(group, run->context, run->sink, false);
        if (status == SARRUS_OK && run->sink != NULL)
            sarrus_checkpoints_take(&run->checkpoints, run->context, group, run->sink);
    }
    for (int g = 0; g < run->n_groups && status == SARRUS_INTERRUPTED; ++g) {
        if (!run->groups[g].march.is_open)
            continue;
        const sarrus_status closed = sarrus_group_close(&run->groups[g], run->context, run->sink, true);
        status = closed == SARRUS_OK ? status : closed;
    }
    return status;
}

/* A stop may have left no time for some of the output times. */
static sarrus_status written_take(run_job *run, sarrus_status status) {
    for (int g = 0; g < run->n_groups; ++g) {
        const uint64_t n_written = sarrus_sink_times_written(run->sink, g);
        if (n_written >= run->groups[g].march.i_time)
            continue;
        run->groups[g].march.i_time = n_written;
        status = SARRUS_INTERRUPTED;
    }
    return status;
}

/* Whether every output time is in the file. */
static bool is_whole(const run_job *run) {
    for (int g = 0; g < run->n_groups; ++g)
        if (sarrus_sink_times_written(run->sink, g) < run->groups[g].schedule.n_times)
            return false;
    return true;
}

static sarrus_status sink_finish(run_job *run, sarrus_status status) {
    const bool is_over = status == SARRUS_OK || status == SARRUS_INTERRUPTED;
    sarrus_sink_outcome outcomes[SARRUS_MAX_GROUPS];
    for (int g = 0; g < run->n_groups; ++g)
        outcomes[g] = sarrus_group_end(&run->groups[g]);
    if (run->sink == NULL)
        return status;
    const sarrus_status closed = sarrus_sink_close(run->sink, run->context, is_over ? outcomes : NULL);
    if (closed == SARRUS_OK && !run->options->shows_steps)
        sarrus_checkpoints_settle(&run->checkpoints, run->sink, status == SARRUS_OK && is_whole(run));
    if (closed != SARRUS_OK)
        return closed;
    if (sarrus_sink_left(run->sink) != NULL)
        (void)sarrus_report_at(run->context, SARRUS_NOTE, status, NULL, "what was committed before is in %s",
                               sarrus_sink_left(run->sink));
    return is_over ? written_take(run, status) : status;
}

sarrus_status sarrus_result_path_check(sarrus_context *context, const char *path, int no_clobber) {
    char message[SARRUS_PLACE_MESSAGE_BYTES];
    if (path == NULL || *path == '\0')
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a result needs a path");
    const sarrus_status status = sarrus_result_place_check(path, no_clobber != 0, message);
    return status == SARRUS_OK ? status : sarrus_report(context, status, "%s: %s", path, message);
}

/* Size of the file, when it is there. */
static uint64_t bytes_written(const run_job *run) {
    for (int g = 0; run->sink != NULL && g < run->n_groups; ++g)
        if (sarrus_sink_times_written(run->sink, g) > 0)
            return sarrus_sink_bytes(run->sink);
    return 0;
}

/* Whether a complete result is to be refused: one that is to be resumed has nothing left to do. */
static int clobbers_not(const sarrus_run_options *options) {
    return options->no_clobber && !options->resumes;
}

/* Runs what was asked for; summaries [n_groups]. */
static sarrus_status groups_run(run_job *run, const sarrus_run_group *asked, sarrus_run_summary *summaries) {
    run->groups = calloc((size_t)run->n_groups, sizeof *run->groups);
    if (run->groups == NULL)
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for %d groups", run->n_groups);
    for (int g = 0; g < run->n_groups; ++g) {
        run->groups[g] = sarrus_group_of(&asked[g], run->options, g, run->n_groups);
        sarrus_group_summary_begin(&run->groups[g], &summaries[g]);
    }
    sarrus_status status = SARRUS_OK;
    if (run->options->resumes && (run->options->output_path == NULL || run->options->shows_steps))
        status = sarrus_report(run->context, SARRUS_BAD_ARGUMENT, "a run without a file, or a replay, cannot be resumed");
    if (status == SARRUS_OK && (run->options->n_ranks < 0 || run->options->study_group < 0))
        status = sarrus_report(run->context, SARRUS_BAD_ARGUMENT, "%d processes, group %d; expected 0 or more",
                               run->options->n_ranks, run->options->study_group);
    if (status == SARRUS_OK && isnan(run->options->checkpoint_seconds))
        status = sarrus_report(run->context, SARRUS_BAD_ARGUMENT, "the seconds between checkpoints are no number");
    if (status == SARRUS_OK && run->options->output_path != NULL)
        status = sarrus_result_path_check(run->context, run->options->output_path, clobbers_not(run->options));
    if (status == SARRUS_OK)
        status = run_prepare(run);
    if (status == SARRUS_OK && run->resume.is_complete) {
        sarrus_checkpoints_settle(&run->checkpoints, NULL, true); /* a kill may have come before its removal */
        status = sarrus_resume_summarize(&run->resume, run->context, run->n_groups, summaries);
    } else if (status == SARRUS_OK) {
        status = sink_finish(run, groups_march(run));
        const double seconds = sarrus_monotonic_seconds() - run->began;
        const bool is_over = status == SARRUS_OK || status == SARRUS_INTERRUPTED;
        for (int g = 0; g < run->n_groups; ++g) {
            sarrus_group_summary_fill(&run->groups[g], seconds, &summaries[g]);
            summaries[g].output_bytes = is_over ? bytes_written(run) : 0;
            summaries[g].has_checkpoint = run->checkpoints.has_file;
        }
    }
    run_release(run);
    return status;
}

static const sarrus_run_options defaults = {.output_path = NULL};

sarrus_status sarrus_run(sarrus_context *context, const sarrus_model *model, const sarrus_run_options *options,
                         sarrus_run_summary *summary) {
    if (model == NULL || summary == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_run needs a model and a place for the summary");
    if (options != NULL && options->plan != NULL && options->plan->model != model)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the plan given to sarrus_run is of another model");
    if (options != NULL && options->draws != NULL && options->draws->model != model)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the draws given to sarrus_run are of another model");
    options = options != NULL ? options : &defaults;
    const uint64_t n_drawn = options->draws != NULL ? options->draws->i_first + options->draws->n_instances : 0;
    const sarrus_run_group asked = {.model = model,
                                    .plan = options->plan,
                                    .n_instances = options->n_instances > 0 ? options->n_instances : n_drawn,
                                    .first_instance = options->first_instance,
                                    .n_part = options->n_part};
    run_job run = {.context = context, .options = options, .n_groups = 1};
    return groups_run(&run, &asked, summary);
}

/* What is asked of groups one by one is not asked of all. */
static bool is_of_one(const sarrus_run_options *options) {
    return options->plan != NULL || options->draws != NULL || options->n_instances > 0 || options->first_instance > 0 ||
           options->n_part > 0 || options->shows_steps != 0 || options->study_group_file != NULL;
}

static sarrus_status groups_check(sarrus_context *context, const sarrus_run_group *groups, int n_groups,
                                  const sarrus_run_options *options) {
    if (n_groups < 1 || n_groups > SARRUS_MAX_GROUPS)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%d groups; expected from 1 to %d", n_groups, SARRUS_MAX_GROUPS);
    for (int g = 0; g < n_groups; ++g) {
        if (groups[g].model == NULL)
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "group %d has no model", g);
        if (groups[g].plan != NULL && groups[g].plan->model != groups[g].model)
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the plan of group %d is of another model", g);
    }
    if (is_of_one(options))
        return sarrus_report(
            context, SARRUS_BAD_ARGUMENT,
            "plan, draws, instances, part, steps or group in the options of several groups; expected what is of each there");
    return SARRUS_OK;
}

sarrus_status sarrus_run_groups(sarrus_context *context, const sarrus_run_group *groups, int n_groups, const char *scenario,
                                const sarrus_run_options *options, sarrus_run_summary *summary, sarrus_run_summary *summaries) {
    const char *files[SARRUS_MAX_GROUPS];
    if (groups == NULL || summary == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_run_groups needs groups and a place for the summary");
    options = options != NULL ? options : &defaults;
    sarrus_status status = groups_check(context, groups, n_groups, options);
    if (status != SARRUS_OK)
        return status;
    for (int g = 0; g < n_groups; ++g)
        files[g] = groups[g].file != NULL ? groups[g].file : "";
    sarrus_run_summary *found = calloc((size_t)n_groups, sizeof *found);
    if (found == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for %d groups", n_groups);
    sarrus_sink_index index = {.scenario = scenario != NULL ? scenario : "", .files = files};
    run_job run = {.context = context, .options = options, .index = &index, .n_groups = n_groups};
    status = groups_run(&run, groups, found);
    *summary = sarrus_total_of(found, n_groups);
    for (int g = 0; g < n_groups && summaries != NULL; ++g)
        summaries[g] = found[g];
    free(found);
    return status;
}
