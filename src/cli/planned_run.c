#include "cli/planned_run.h"

#include <stdlib.h>

#include "cli/signals.h"
#include "model/model.h"

bool sarrus_planned_run_has_groups(const sarrus_planned_run *planned) {
    return sarrus_document_is_mixed(planned->scenario->document) && !planned->arguments->has_instance;
}

uint64_t sarrus_study_size_asked(const sarrus_run_arguments *arguments, const sarrus_document *document, int g) {
    const sarrus_model *model = sarrus_document_model(document, g);
    const uint64_t n_points = arguments->n_instances > 0 ? arguments->n_instances : model->batch.n_instances;
    return arguments->samples != NULL ? n_points : sarrus_model_study_size(model, n_points);
}

/* Which of them are run: parts differ by one at most. n_part 0: all. */
static void part_find(const sarrus_planned_run *planned, int g, uint64_t *i_first, uint64_t *n_part) {
    const sarrus_run_arguments *arguments = planned->arguments;
    const uint64_t n = sarrus_study_size_asked(arguments, planned->scenario->document, g), k = arguments->shard,
                   n_shards = arguments->n_shards;
    *i_first = arguments->instance;
    *n_part = arguments->has_instance ? 1 : 0;
    if (n_shards > 0) {
        const uint64_t share = n / n_shards, rest = n % n_shards;
        *i_first = k * share + (k < rest ? k : rest);
        *n_part = share + (k < rest ? 1 : 0);
    }
}

sarrus_status sarrus_planned_run_go(const sarrus_planned_run *planned, sarrus_run_options *options, sarrus_run_summary *summary,
                                    sarrus_run_summary *summaries) {
    const sarrus_document *document = planned->scenario->document;
    const int n_groups = sarrus_document_n_groups(document);
    sarrus_run_group groups[SARRUS_MAX_GROUPS] = {{.model = NULL}};
    if (!sarrus_planned_run_has_groups(planned)) {
        const int g = (int)planned->arguments->group;
        part_find(planned, g, &options->first_instance, &options->n_part);
        options->plan = planned->plans[g];
        options->draws = planned->draws;
        options->study_group = g;
        options->study_group_file = sarrus_document_is_mixed(document) ? sarrus_document_file(document, g) : NULL;
        return sarrus_run(planned->scenario->context, sarrus_document_model(document, g), options, summary);
    }
    for (int g = 0; g < n_groups; ++g) {
        groups[g] = (sarrus_run_group){
            .model = sarrus_document_model(document, g), .plan = planned->plans[g], .file = sarrus_document_file(document, g)};
        part_find(planned, g, &groups[g].first_instance, &groups[g].n_part);
    }
    return sarrus_run_groups(planned->scenario->context, groups, n_groups, sarrus_document_resolved(document), options, summary,
                             summaries);
}

sarrus_run_options sarrus_planned_run_options(const sarrus_planned_run *planned, const sarrus_kernel_places *places,
                                              sarrus_progress_bar *bar) {
    const sarrus_run_arguments *arguments = planned->arguments;
    return (sarrus_run_options){
        .output_path = planned->output,
        .batch = {.backend = arguments->backend,
                  .isa = getenv("SARRUS_FORCE_ISA"),
                  .n_threads = (int)arguments->n_threads,
                  .n_devices = (int)arguments->n_devices,
                  .specialize = arguments->specialize,
                  .cache_dir = places->cache,
                  .compiler = places->compiler,
                  .cuda_prefixes = places->cuda,
                  .stop = sarrus_signals_flag()},
        .n_instances = arguments->n_instances,
        .shows_steps = arguments->has_instance,
        .seed = arguments->has_seed ? &arguments->seed : NULL,
        .progress = sarrus_progress_draw,
        .progress_user = bar,
        .no_clobber = arguments->no_clobber,
        .resumes = arguments->resumes,
        .checkpoint_seconds = arguments->checkpoint_seconds,
        .memory = arguments->memory,
    };
}
