#include "study/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/stop.h"
#include "plan/plan.h"
#include "sink/result_place.h"
#include "sink/result_source.h"

void sarrus_resume_free(sarrus_resume *resume) {
    free(resume->target);
    free(resume->partial);
    free(resume->n_times);
    free(resume->n_rows);
    free(resume->outcomes);
    *resume = (sarrus_resume){0};
}

/* Whether a file that holds n_times [n_groups] has all that the checkpoints go on from. */
static bool is_enough(const sarrus_checkpoints *checkpoints, const uint64_t *n_times) {
    for (int g = 0; g < checkpoints->n_groups; ++g)
        if (n_times[g] < checkpoints->sections[g].state.i_time)
            return false;
    return true;
}

static bool has_some(const sarrus_checkpoints *checkpoints) {
    for (int g = 0; g < checkpoints->n_groups; ++g)
        if (checkpoints->sections[g].bytes != NULL)
            return true;
    return false;
}

/* Takes every group to its checkpoint. One that does not fit, as of a batch with other fields, begins anew. NO_MEMORY. */
static sarrus_status states_load(sarrus_resume *resume, const sarrus_resumed_run *run) {
    for (int g = 0; g < run->n_groups; ++g) {
        sarrus_checkpoint_section *section = &run->checkpoints->sections[g];
        const sarrus_status status =
            section->bytes != NULL ? sarrus_group_state_load(&run->groups[g], section->bytes, section->n_bytes) : SARRUS_BAD_INPUT;
        if (status == SARRUS_NO_MEMORY)
            return status;
        if (status != SARRUS_OK) {
            free(section->bytes);
            *section = (sarrus_checkpoint_section){.taken = section->taken};
        }
        resume->n_times[g] = section->state.i_time;
        resume->n_rows[g] = section->state.n_rows;
        resume->outcomes[g] = sarrus_outcome_view(&run->groups[g].outcome, false);
        resume->outcomes[g].n_rows = 0;
    }
    return SARRUS_OK;
}

static sarrus_status states_take(sarrus_resume *resume, sarrus_context *context, const sarrus_resumed_run *run, const char *from) {
    const sarrus_status status = states_load(resume, run);
    double time = -1.0;
    if (status != SARRUS_OK)
        return sarrus_report(context, status, "out of memory for the checkpoint");
    for (int g = 0; g < run->n_groups; ++g)
        if (run->groups[g].is_resumed && (time < 0.0 || run->groups[g].resumed_time < time))
            time = run->groups[g].resumed_time;
    resume->source.path = from;
    resume->source.n_times = resume->n_times;
    resume->source.n_rows = resume->n_rows;
    resume->source.outcomes = resume->outcomes;
    if (time >= 0.0)
        (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL, "%s: resumed at t = %.6g s", resume->target, time);
    return SARRUS_OK;
}

/* Whether what the checkpoints go on from can be read. */
static bool is_sound(const sarrus_resumed_run *run, const char *path) {
    uint64_t n_times[SARRUS_MAX_GROUPS];
    for (int g = 0; g < run->n_groups; ++g)
        n_times[g] = run->checkpoints->sections[g].state.i_time;
    return sarrus_result_source_is_sound(path, run->index, run->descriptions, run->n_groups, n_times);
}

/* What stands under the two names. The reader gives times of either. */
typedef struct found_files {
    sarrus_source_look target, partial;
    uint64_t *target_times, *partial_times; /* [n_groups] */
} found_files;

static sarrus_status files_look(sarrus_resume *resume, const sarrus_resumed_run *run, found_files *out) {
    sarrus_status status =
        sarrus_result_source_look(resume->target, run->index, run->descriptions, run->n_groups, out->target_times, &out->target);
    if (status == SARRUS_OK)
        status = sarrus_result_source_look(resume->partial, run->index, run->descriptions, run->n_groups, out->partial_times,
                                           &out->partial);
    return status;
}

#define BEGIN_ANEW ", or another name to begin anew under"
#define ANOTHER_PLAN "; " SARRUS_ANOTHER_PLAN_NOTE ": finish it with that one, or begin anew under another name"

static sarrus_status files_judge(sarrus_resume *resume, sarrus_context *context, const sarrus_resumed_run *run,
                                 const found_files *found) {
    const bool is_partial_ours = found->partial.is_there && found->partial.is_of_run;
    const bool is_target_ours = found->target.is_there && found->target.is_of_run;
    if (is_target_ours && found->target.is_complete) {
        resume->is_complete = true;
        (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL, "%s is complete; nothing was run", resume->target);
        return SARRUS_OK;
    }
    const sarrus_source_look *other = found->partial.is_there ? &found->partial : &found->target;
    if (other->is_there && !is_partial_ours && !is_target_ours)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "%s is %s%s; expected what a run of the same scenario, options and program has left%s",
                             other == &found->partial ? resume->partial : resume->target, other->difference, other->detail,
                             other->is_of_another_plan ? ANOTHER_PLAN : BEGIN_ANEW);
    if (sarrus_checkpoints_read(run->checkpoints) != SARRUS_OK)
        return sarrus_report(context, SARRUS_NO_MEMORY, "%s: there is not enough memory to go on from the checkpoint",
                             resume->target);
    if (!run->checkpoints->has_file || !has_some(run->checkpoints)) {
        (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL,
                               "%s: there is no checkpoint to go on from; the run begins anew", resume->target);
        return SARRUS_OK;
    }
    static const uint64_t none[1];
    const char *from = NULL, *lacks = "is gone";
    if (is_partial_ours && is_enough(run->checkpoints, found->partial_times))
        from = resume->partial;
    else if (is_target_ours && is_enough(run->checkpoints, found->target_times))
        from = resume->target;
    resume->source.mark = from == resume->target ? found->target.mark : found->partial.mark;
    const bool is_good = from == NULL || is_sound(run, from);
    if (sarrus_stop_is_asked(run->descriptions[0].stop))
        return SARRUS_INTERRUPTED;
    if (!is_good)
        lacks = "is damaged";
    else if (from != NULL || (run->n_groups == 1 && is_enough(run->checkpoints, none)))
        return states_take(resume, context, run, from);
    sarrus_checkpoints_forget(run->checkpoints);
    (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL,
                           "%s: the file that the checkpoint goes on from %s; the run begins anew", resume->target, lacks);
    return SARRUS_OK;
}

sarrus_status sarrus_resume_find(sarrus_resume *resume, sarrus_context *context, const sarrus_resumed_run *run) {
    const size_t n = (size_t)run->n_groups;
    found_files found = {.target_times = calloc(n, sizeof *found.target_times),
                         .partial_times = calloc(n, sizeof *found.partial_times)};
    resume->target = sarrus_result_place_name(run->path, "", "");
    resume->partial = sarrus_result_place_name(run->path, "", ".partial");
    resume->n_times = calloc(n, sizeof *resume->n_times);
    resume->n_rows = calloc(n, sizeof *resume->n_rows);
    resume->outcomes = calloc(n, sizeof *resume->outcomes);
    sarrus_status status = SARRUS_NO_MEMORY;
    if (found.target_times != NULL && found.partial_times != NULL && resume->target != NULL && resume->partial != NULL &&
        resume->n_times != NULL && resume->n_rows != NULL && resume->outcomes != NULL)
        status = files_look(resume, run, &found);
    if (status != SARRUS_OK)
        (void)sarrus_report(context, status, "out of memory for what an earlier run has left");
    else
        status = files_judge(resume, context, run, &found);
    free(found.target_times);
    free(found.partial_times);
    return status;
}

sarrus_status sarrus_resume_rows(const sarrus_checkpoints *checkpoints, sarrus_context *context, sarrus_group *group,
                                 sarrus_sink *sink) {
    if (!group->is_resumed)
        return SARRUS_OK;
    const sarrus_status status = sarrus_group_rows_load(group, sink, checkpoints->sections[group->index].bytes);
    return status != SARRUS_BAD_INPUT
               ? status
               : sarrus_report(context, status, "%s: the checkpoint is cut in other blocks than the result", checkpoints->name);
}

sarrus_status sarrus_resume_summarize(const sarrus_resume *resume, sarrus_context *context, int n_groups,
                                      sarrus_run_summary *summaries) {
    sarrus_result_info whole;
    sarrus_status status = sarrus_result_info_read(context, resume->target, &whole);
    for (int g = 0; g < n_groups && status == SARRUS_OK; ++g) {
        sarrus_result_info info = whole;
        if (whole.n_groups > 0)
            status = sarrus_result_group_info_read(context, resume->target, g, &info);
        sarrus_run_summary *summary = &summaries[g];
        summary->n_failed = info.n_failed;
        memcpy(summary->n_failed_by_status, info.n_failed_by_status, sizeof summary->n_failed_by_status);
        memcpy(summary->first_failure, info.first_failure, sizeof summary->first_failure);
        for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i)
            summary->first_failure[i].group = g;
        summary->n_output_times = info.n_times;
        summary->t_end = summary->resumed_time = info.t_last;
        summary->is_resumed = 1;
        summary->output_bytes = whole.file_bytes;
        snprintf(summary->backend, sizeof summary->backend, "%s", info.backend);
        snprintf(summary->device, sizeof summary->device, "%s", info.device);
    }
    return status;
}
