/* sarrus_run_retry: the failed instances of a study run again, as a study of their own, whose rows then go where theirs were. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "model/model.h"
#include "sarrus/run.h"
#include "sarrus/scenario.h"
#include "scenario/same_mechanism.h"
#include "sink/result_place.h"
#include "sink/retried.h"
#include "study/remade_totals.h"

/* What is made on the way. */
typedef struct retry {
    sarrus_context *context;
    const sarrus_model *model; /* as it is asked for */
    sarrus_retried before;
    sarrus_model *own; /* of the failed instances alone */
    sarrus_draws *draws;
    char *text;          /* the scenario with which they are run: that of the study, integrated as it is asked for */
    char *folder, *rows; /* of its own, and the file there that they go to; both are removed in the end */
} retry;

static sarrus_status no_memory(const retry *work) {
    return sarrus_report(work->context, SARRUS_NO_MEMORY, "out of memory for the instances to be run again");
}

static sarrus_status mechanisms_compare(retry *work) {
    char key[128];
    const sarrus_status status = sarrus_texts_compare(work->before.scenario, sarrus_model_resolved(work->model), key, sizeof key);
    if (status == SARRUS_NO_MEMORY)
        return no_memory(work);
    if (status != SARRUS_OK)
        return sarrus_report(work->context, SARRUS_BAD_INPUT, "%s: /scenario is no scenario", work->before.path);
    if (key[0] == '\0')
        return sarrus_texts_graft(work->before.scenario, sarrus_model_resolved(work->model), &work->text) == SARRUS_OK
                   ? SARRUS_OK
                   : no_memory(work);
    return sarrus_report(
        work->context, SARRUS_BAD_INPUT,
        "%s is of another scenario: '%s' differs; expected one that differs in integrator, dynamics and limits alone",
        work->before.path, key);
}

/* Of the failed instances those that are kept, by their place among them: "[0, 7]". To be freed; NULL without memory. */
static char *kept_text_make(const sarrus_retried *before) {
    char *text = NULL;
    size_t n = 0, k = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream == NULL)
        return NULL;
    if (!before->has_trajectories)
        fputs("all", stream);
    else
        fputc('[', stream);
    const char *between = "";
    for (uint64_t i = 0; i < before->n_failed && before->has_trajectories; ++i) {
        while (k < before->n_trajectories && before->trajectories[k] < before->failed[i])
            ++k;
        if (k < before->n_trajectories && before->trajectories[k] == before->failed[i]) {
            fprintf(stream, "%s%" PRIu64, between, i);
            between = ", ";
        }
    }
    if (before->has_trajectories)
        fputc(']', stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* The scenario with the failed instances alone, without what is of all together. */
static sarrus_status own_model_make(retry *work) {
    char count[24];
    char *kept = kept_text_make(&work->before);
    if (kept == NULL)
        return no_memory(work);
    snprintf(count, sizeof count, "%" PRIu64, work->before.n_failed);
    const bool keeps_none = strcmp(kept, "[]") == 0;
    const sarrus_override overrides[] = {
        {"batch.instances", count}, {"output.instances", keeps_none ? "none" : kept},
        {"output.statistics", "~"}, {"output.sensitivity", "~"},
        {"batch.design", "plain"},  {"batch.sampling", "random"},
        {"batch.correlation", "~"},
    };
    const char *text = work->text;
    sarrus_model *study = NULL;
    sarrus_status status = sarrus_scenario_read_text(work->context, "scenario", text, strlen(text), NULL, 0, &study);
    const size_t n = sizeof overrides / sizeof overrides[0] - (status == SARRUS_OK && study->batch.n_sampled > 0 ? 0 : 3);
    sarrus_model_destroy(study);
    if (status == SARRUS_OK)
        status = sarrus_scenario_read_text(work->context, "scenario", text, strlen(text), overrides, n, &work->own);
    free(kept);
    return status;
}

/* The parameters that the failed instances had. */
static sarrus_status draws_make(retry *work) {
    const int d = work->own->batch.n_sampled;
    const uint64_t n = work->before.n_failed;
    double *column = calloc(n + 1, sizeof *column), *values = calloc(n * (uint64_t)d + 1, sizeof *values);
    const char **labels = calloc((size_t)d + 1, sizeof *labels);
    sarrus_status status = column != NULL && values != NULL && labels != NULL ? SARRUS_OK : no_memory(work);
    for (int j = 0; status == SARRUS_OK && j < d; ++j) {
        char *path = NULL;
        const sarrus_sampled *sampled = &work->own->batch.sampled[j];
        labels[j] = sampled->label;
        if (asprintf(&path, "instance/parameters/%s", sarrus_sampled_path(work->own, sampled)) < 0) {
            status = no_memory(work);
            break;
        }
        status = sarrus_retried_numbers(&work->before, work->context, path, column);
        for (uint64_t i = 0; i < n; ++i)
            values[i * (uint64_t)d + (uint64_t)j] = column[i];
        free(path);
    }
    if (status == SARRUS_OK && d > 0)
        status = sarrus_draws_from_values(work->context, work->own, labels, d, n, values, &work->draws);
    free(column);
    free(values);
    free(labels);
    return status;
}

static sarrus_status rows_make(retry *work, const sarrus_run_options *options, sarrus_run_summary *summary) {
    sarrus_run_options own = *options;
    own.output_path = work->rows;
    own.n_instances = work->before.n_failed;
    own.draws = work->draws;
    own.no_clobber = 0;
    own.checkpoint_seconds = -1.0;
    return sarrus_run(work->context, work->own, &own, summary);
}

static sarrus_status result_write(const retry *work, const sarrus_run_options *options, sarrus_run_summary *summary) {
    const sarrus_retried_writing writing = {.rows = work->rows,
                                            .scenario = work->text,
                                            .path = options->output_path,
                                            .no_clobber = options->no_clobber,
                                            .finish = sarrus_totals_remake};
    struct stat about;
    const sarrus_status status = sarrus_retried_write(&work->before, work->context, &writing);
    summary->n_study = work->before.info.n_study;
    summary->output_bytes = status == SARRUS_OK && stat(options->output_path, &about) == 0 ? (uint64_t)about.st_size : 0;
    return status;
}

/* A folder of its own beside the result, which nobody else can be meant by. */
static sarrus_status folder_make(retry *work, const char *path) {
    work->folder = sarrus_result_place_name(path, ".", ".retry-XXXXXX");
    if (work->folder == NULL)
        return no_memory(work);
    if (mkdtemp(work->folder) == NULL) {
        const sarrus_status status = sarrus_report(work->context, SARRUS_IO, "%s: %s", work->folder, strerror(errno));
        free(work->folder);
        work->folder = NULL;
        return status;
    }
    if (asprintf(&work->rows, "%s/rows.h5", work->folder) >= 0)
        return SARRUS_OK;
    work->rows = NULL;
    return no_memory(work);
}

static void retry_free(retry *work) {
    char *partial = NULL;
    if (work->rows != NULL) {
        (void)unlink(work->rows);
        if (asprintf(&partial, "%s.partial", work->rows) >= 0)
            (void)unlink(partial);
    }
    if (work->folder != NULL)
        (void)rmdir(work->folder);
    free(partial);
    free(work->rows);
    free(work->folder);
    free(work->text);
    sarrus_draws_destroy(work->draws);
    sarrus_model_destroy(work->own);
    sarrus_retried_close(&work->before);
}

sarrus_status sarrus_run_retry(sarrus_context *context, const sarrus_model *model, const char *before,
                               const sarrus_run_options *options, sarrus_run_summary *summary) {
    if (model == NULL || before == NULL || options == NULL || options->output_path == NULL || summary == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "sarrus_run_retry needs a model, a result, options with a path, a summary");
    if (options->plan != NULL || options->draws != NULL || options->n_instances > 0 || options->first_instance > 0 ||
        options->n_part > 0 || options->seed != NULL || options->resumes != 0 || options->shows_steps != 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "plan, draws, instances, part, seed, steps or resumption in the options of a retry; expected none");
    retry work = {.context = context, .model = model};
    memset(summary, 0, sizeof *summary);
    sarrus_status status = sarrus_result_path_check(context, options->output_path, options->no_clobber);
    if (status == SARRUS_OK)
        status = sarrus_retried_open(&work.before, context, before);
    if (status == SARRUS_OK)
        status = mechanisms_compare(&work);
    if (status == SARRUS_OK && work.before.n_failed > 0) {
        status = folder_make(&work, options->output_path);
        if (status == SARRUS_OK)
            status = own_model_make(&work);
        if (status == SARRUS_OK)
            status = draws_make(&work);
        if (status == SARRUS_OK)
            status = rows_make(&work, options, summary);
    }
    if (status == SARRUS_OK)
        status = result_write(&work, options, summary);
    else
        summary->output_bytes = 0;
    retry_free(&work);
    return status;
}
