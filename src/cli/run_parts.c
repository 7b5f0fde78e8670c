#include "cli/run_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/open_files.h"
#include "cli/parts_folder.h"
#include "cli/result_look.h"
#include "cli/signals.h"
#include "core/checksum.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "model/model.h"
#include "plan/plan.h"
#include "plan/row_bytes.h"
#include "sarrus/version.h"
#include "sink/result_source.h"

/* Parts a rank: those whose instances take long are shared by whoever is done. */
enum { PARTS_OF_RANK = 4 };

/* What a process needs whatever the study: itself with HDF5, and four blocks of output, which are as small as
 * sarrus_run_options.memory makes them. */
static double fixed_bytes(double given) {
    return 0x1.8p25 + 4.0 * fmin(0x1p26, given / 12.0);
}

/* Of an instance: its state, which a checkpoint is another one of, its draws, what is observed of it at a time, what is known of it
 * at the end, rows to be sorted. */
static double bytes_of_instance(const sarrus_run_arguments *arguments, const sarrus_model *model, const sarrus_plan *plan) {
    const double n_states = arguments->checkpoint_seconds < 0.0 ? 1.0 : 2.0;
    return n_states * (double)sarrus_plan_stepped(plan)->cost.bytes_per_instance + 16.0 * model->batch.n_sampled +
           sarrus_held_bytes(plan) + 256.0 + 64.0 * model->output.n_quantities;
}

/* Of all instances, and the fewest that a group has. */
static double study_bytes(const sarrus_planned_run *planned, uint64_t *n_least) {
    const sarrus_document *document = planned->scenario->document;
    double bytes = 0.0;
    *n_least = UINT64_MAX;
    for (int g = 0; g < sarrus_document_n_groups(document); ++g) {
        const uint64_t n = sarrus_study_size_asked(planned->arguments, document, g);
        bytes += (double)n * bytes_of_instance(planned->arguments, sarrus_document_model(document, g), planned->plans[g]);
        *n_least = n < *n_least ? n : *n_least;
    }
    return bytes;
}

uint64_t sarrus_run_parts_choose(const sarrus_planned_run *planned, const sarrus_ranks *ranks) {
    const sarrus_run_arguments *arguments = planned->arguments;
    uint64_t n_least = 0, n = arguments->n_parts > 0 ? arguments->n_parts : ranks->n > 1 ? PARTS_OF_RANK * ranks->n : 1;
    const double bytes = study_bytes(planned, &n_least), given = (double)arguments->memory;
    const double fixed = fixed_bytes(given);
    if (arguments->memory > 0 && bytes / (double)n + fixed > given) {
        const double needed = given > fixed ? ceil(bytes / (given - fixed)) : INFINITY;
        if (needed > SARRUS_MOST_PARTS && needed <= (double)n_least) {
            (void)sarrus_option_refuse("run",
                                       "--memory: so little for these instances makes %.0f parts; expected memory for %d at most",
                                       needed, SARRUS_MOST_PARTS);
            return 0;
        }
        if (needed > (double)n_least) {
            (void)sarrus_option_refuse("run", "--memory: too little for a part of one instance; expected at least 100M, or more");
            return 0;
        }
        n = (double)n < needed ? (uint64_t)needed : n;
    }
    return n < n_least ? n : n_least;
}

/* What tells this study from another. To be freed; NULL without memory. */
static char *about_make(const sarrus_planned_run *planned) {
    const sarrus_document *document = planned->scenario->document;
    const sarrus_run_arguments *arguments = planned->arguments;
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream == NULL)
        return NULL;
    fprintf(stream, "version %s\n", SARRUS_VERSION);
    for (int g = 0; g < sarrus_document_n_groups(document); ++g)
        fprintf(stream, "instances %" PRIu64 "\nseed %" PRIu64 "\n", sarrus_study_size_asked(arguments, document, g),
                arguments->has_seed ? arguments->seed : sarrus_model_seed(sarrus_document_model(document, g)));
    for (int j = 0; planned->draws != NULL && j < sarrus_draws_n_parameters(planned->draws); ++j)
        fprintf(stream, "sample %016" PRIx64 "\n",
                sarrus_checksum(sarrus_draws_values(planned->draws, j),
                                (size_t)sarrus_study_size_asked(arguments, document, 0) * sizeof(double)));
    fputs(sarrus_document_resolved(document), stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* What a process knows while it runs parts. */
typedef struct sharing {
    const sarrus_planned_run *planned;
    const sarrus_ranks *ranks;
    sarrus_parts_folder folder;
    bool *is_complete; /* [n_parts] that are known to be */
} sharing;

/* Goes on with a part, or begins it. Returns an exit code. */
static int part_run(sharing *work, uint64_t i_part) {
    sarrus_run_arguments arguments = *work->planned->arguments;
    sarrus_planned_run part = *work->planned;
    sarrus_run_summary summary, summaries[SARRUS_MAX_GROUPS];
    sarrus_kernel_places places;
    const bool shows = work->ranks->rank == 0 && !arguments.is_quiet && sarrus_progress_is_wanted();
    sarrus_progress_bar bar = {.is_shown = shows};
    sarrus_context *context = work->planned->scenario->context;
    arguments.shard = i_part;
    arguments.n_shards = work->folder.n_parts;
    arguments.resumes = true;
    arguments.no_clobber = false;
    part.arguments = &arguments;
    part.output = work->folder.files[i_part];
    sarrus_kernel_places_find(&places);
    sarrus_run_options options = sarrus_planned_run_options(&part, &places, &bar);
    options.n_ranks = (int)work->ranks->n;
    sarrus_context_clear(context);
    const sarrus_status status = sarrus_planned_run_go(&part, &options, &summary, summaries);
    sarrus_progress_erase(&bar);
    if (status == SARRUS_INTERRUPTED)
        return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    if (status != SARRUS_OK) {
        sarrus_failure_print(context, status, stderr);
        return sarrus_exit_code(status);
    }
    work->is_complete[i_part] = true;
    return SARRUS_EXIT_DONE;
}

/* One round through all parts, from another one on in every rank: *n_open ← those that are not complete, of which others have
 * some. */
static int round_run(sharing *work, uint64_t *n_open) {
    const uint64_t n = work->folder.n_parts, i_first = work->ranks->rank * n / work->ranks->n;
    int code = SARRUS_EXIT_DONE;
    *n_open = 0;
    for (uint64_t i = 0; i < n && code == SARRUS_EXIT_DONE; ++i) {
        const uint64_t k = (i_first + i) % n;
        work->is_complete[k] = work->is_complete[k] || sarrus_part_is_complete(&work->folder, k);
        if (work->is_complete[k])
            continue;
        if (*sarrus_signals_flag() != 0)
            return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
        const int claim = sarrus_part_claim(&work->folder, k);
        if (claim == SARRUS_PART_REFUSED) {
            fprintf(stderr, "sarrus: error: %s cannot be written: %s\n", work->folder.files[k], strerror(errno));
            return SARRUS_EXIT_IO;
        }
        /* It may have been completed between the look and the claim. */
        if (claim >= 0 && !sarrus_part_is_complete(&work->folder, k))
            code = part_run(work, k);
        sarrus_part_release(claim);
        *n_open += claim < 0 ? 1 : 0;
    }
    return code;
}

/* What an earlier run has left of the parts is looked at before this process opens it. */
static int parts_look(const sharing *work) {
    int code = SARRUS_EXIT_DONE;
    for (uint64_t k = 0; k < work->folder.n_parts && code == SARRUS_EXIT_DONE; ++k)
        code = sarrus_result_look_left(work->folder.files[k]);
    return code;
}

/* Before anything is computed: complete parts must be of these plans, or the merge would refuse them when all is done. */
static bool parts_agree(sharing *work) {
    const sarrus_planned_run *planned = work->planned;
    const bool has_groups = sarrus_planned_run_has_groups(planned);
    bool agree = true;
    for (uint64_t k = 0; k < work->folder.n_parts && agree; ++k) {
        const char *part = work->folder.files[k];
        work->is_complete[k] = sarrus_part_is_complete(&work->folder, k);
        for (int g = 0; work->is_complete[k] && agree && g < sarrus_document_n_groups(planned->scenario->document); ++g)
            agree = sarrus_result_source_has_plan(part, has_groups ? g : -1, sarrus_plan_hash(planned->plans[g]));
        if (!agree)
            fprintf(stderr,
                    "sarrus: error: %s is of another plan; expected parts that this program has made; " SARRUS_ANOTHER_PLAN_NOTE
                    ": finish the study with that one, or remove %s to begin anew\n",
                    part, work->folder.path);
    }
    return agree;
}

/* The first rank waits for the others, and takes over what one that has died has left. */
static int rounds_run(sharing *work) {
    const struct timespec pause = {.tv_nsec = 200 * 1000 * 1000};
    uint64_t n_open = 0;
    for (;;) {
        const int code = round_run(work, &n_open);
        if (code != SARRUS_EXIT_DONE || n_open == 0 || work->ranks->rank > 0)
            return code;
        (void)nanosleep(&pause, NULL);
        if (*sarrus_signals_flag() != 0)
            return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    }
}

/* The claim of the merge, for which one that is at it is waited; negative: it cannot be had, or the run is to stop. */
static int merge_wait(const sharing *work) {
    const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    int claim = sarrus_merge_claim(&work->folder);
    while (claim == SARRUS_PART_TAKEN && *sarrus_signals_flag() == 0) {
        (void)nanosleep(&pause, NULL);
        claim = sarrus_merge_claim(&work->folder);
    }
    if (claim == SARRUS_PART_REFUSED)
        fprintf(stderr, "sarrus: error: %s/merge cannot be written: %s\n", work->folder.path, strerror(errno));
    return claim;
}

/* By one of the processes that share the work without a launcher, and for the others. */
static int parts_merge(const sharing *work) {
    const sarrus_planned_run *planned = work->planned;
    const sarrus_run_arguments *arguments = planned->arguments;
    sarrus_context *context = planned->scenario->context;
    sarrus_result_info info;
    const int claim = merge_wait(work);
    if (claim < 0)
        return claim == SARRUS_PART_TAKEN ? SARRUS_EXIT_SIGNAL + sarrus_signal_caught() : SARRUS_EXIT_IO;
    sarrus_context_clear(context);
    sarrus_open_files_allow();
    sarrus_status status = SARRUS_OK;
    if (!sarrus_merge_is_done(&work->folder, claim, planned->output)) {
        status = sarrus_results_merge(context, (const char *const *)work->folder.files, (int)work->folder.n_parts, planned->output,
                                      arguments->no_clobber);
        if (status == SARRUS_OK)
            sarrus_merge_note(claim, planned->output);
    }
    sarrus_part_release(claim);
    if (status == SARRUS_OK)
        status = sarrus_result_info_read(context, planned->output, &info);
    if (status != SARRUS_OK) {
        sarrus_failure_print(context, status, stderr);
        return sarrus_exit_code(status);
    }
    sarrus_parts_folder_tidy(&work->folder);
    if (arguments->is_json)
        printf("{\"n_instances\": %" PRIu64 ", \"n_failed\": %" PRIu64 ", \"n_parts\": %" PRIu64 ", \"n_ranks\": %" PRIu64 "}\n",
               info.n_instances, info.n_failed, work->folder.n_parts, work->ranks->n);
    else if (!arguments->is_quiet)
        printf("%s: %" PRIu64 " instances in %" PRIu64 " parts, %" PRIu64 " failed; %s\n", planned->path, info.n_instances,
               work->folder.n_parts, info.n_failed, planned->output);
    fflush(stdout);
    sarrus_diagnostics_print(context, stderr);
    return info.n_failed > 0 ? SARRUS_EXIT_SOME_FAILED : SARRUS_EXIT_DONE;
}

int sarrus_run_parts(const sarrus_planned_run *planned, const sarrus_ranks *ranks, uint64_t n_parts) {
    sharing work = {.planned = planned, .ranks = ranks};
    char *about = about_make(planned);
    sarrus_status status = about != NULL
                               ? sarrus_parts_folder_take(&work.folder, planned->scenario->context, planned->output, about, n_parts)
                               : SARRUS_NO_MEMORY;
    work.is_complete = status == SARRUS_OK ? calloc((size_t)work.folder.n_parts, sizeof *work.is_complete) : NULL;
    if (status == SARRUS_OK && work.is_complete == NULL)
        status = SARRUS_NO_MEMORY;
    int code = sarrus_exit_code(status);
    if (status != SARRUS_OK) {
        sarrus_failure_print(planned->scenario->context, status, stderr);
    } else {
        sarrus_signals_catch();
        code = parts_look(&work);
        if (code == SARRUS_EXIT_DONE)
            code = parts_agree(&work) ? rounds_run(&work) : SARRUS_EXIT_BAD_INPUT;
        if (code == SARRUS_EXIT_DONE)
            code = ranks->rank == 0 ? parts_merge(&work) : SARRUS_EXIT_DONE; /* launchers take another code for a crash of all */
    }
    free(about);
    free(work.is_complete);
    sarrus_parts_folder_free(&work.folder);
    return code;
}
