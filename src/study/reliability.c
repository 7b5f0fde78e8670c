/* sarrus_reliability_find: a run for each step of the chains of a subset simulation. */
#include "sarrus/reliability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "model/model.h"
#include "plan/plan.h"
#include "sarrus/run.h"
#include "sarrus/study.h"
#include "study/subset.h"

typedef struct finding {
    sarrus_context *context;
    const sarrus_model *model;
    const sarrus_reliability_options *options;
    sarrus_plan *plan;
    int i_quantity;
    double **quantities; /* [n_quantities] of [n] */
    sarrus_reliability *out;
} finding;

/* g: how far beyond, whichever side that is. */
static sarrus_status points_evaluate(void *user, uint64_t n, const double *units, double *g) {
    finding *work = user;
    sarrus_draws *draws = NULL;
    sarrus_run_summary summary;
    sarrus_status status = sarrus_draws_from_units(work->context, work->model, n, units, &draws);
    if (status == SARRUS_OK) {
        const sarrus_run_options options = {.batch = work->options->batch,
                                            .n_instances = n,
                                            .plan = work->plan,
                                            .draws = draws,
                                            .checkpoint_seconds = -1.0,
                                            .quantities = work->quantities};
        status = sarrus_run(work->context, work->model, &options, &summary);
    }
    for (uint64_t i = 0; i < n && status == SARRUS_OK; ++i) {
        const double q = work->quantities[work->i_quantity][i];
        work->out->n_failed += isnan(q) ? 1 : 0;
        g[i] = isnan(q) ? -INFINITY : work->options->is_below ? -q : q;
    }
    work->out->n_instances += n;
    sarrus_draws_destroy(draws);
    return status;
}

static int level_tell(void *user, int i_level, double limit, double share) {
    const finding *work = user;
    const sarrus_reliability_level level = {.level = i_level,
                                            .limit = work->options->is_below ? -limit : limit,
                                            .share = share,
                                            .n_instances = work->out->n_instances,
                                            .n_failed = work->out->n_failed};
    return work->options->told != NULL ? work->options->told(&level, work->options->told_user) : 0;
}

static sarrus_status options_check(sarrus_context *context, const sarrus_model *model, const sarrus_reliability_options *options,
                                   int *i_quantity) {
    *i_quantity = -1;
    if (model == NULL || options == NULL || options->quantity == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_reliability_find needs a model and the name of a quantity");
    for (int i = 0; i < model->output.n_quantities; ++i)
        if (strcmp(model->output.quantities[i].name, options->quantity) == 0)
            *i_quantity = i;
    if (*i_quantity < 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "there is no quantity '%s'; expected one of output.quantities",
                             options->quantity);
    if (model->batch.n_sampled == 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "a probability without random parameters; expected some in batch.parameters");
    if (!isfinite(options->limit))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a limit that is not finite; expected a number");
    return SARRUS_OK;
}

static bool quantities_allocate(finding *work, uint64_t n) {
    const int n_quantities = work->model->output.n_quantities;
    work->quantities = calloc((size_t)n_quantities, sizeof *work->quantities);
    bool is_done = work->quantities != NULL && n <= SIZE_MAX / sizeof(double);
    for (int i = 0; is_done && i < n_quantities; ++i) {
        work->quantities[i] = malloc((size_t)n * sizeof(double));
        is_done = work->quantities[i] != NULL;
    }
    return is_done;
}

sarrus_status sarrus_reliability_find(sarrus_context *context, const sarrus_model *model, const sarrus_reliability_options *options,
                                      sarrus_reliability *out) {
    finding work = {.context = context, .model = model, .options = options, .out = out};
    if (out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_reliability_find needs a place for the probability");
    *out = (sarrus_reliability){.probability = (double)NAN, .variation = (double)NAN, .high = 1.0};
    sarrus_status status = options_check(context, model, options, &work.i_quantity);
    if (status != SARRUS_OK)
        return status;
    const uint64_t asked = options->n_instances > 0 ? options->n_instances : model->batch.n_instances;
    const uint64_t n_chains = asked / SARRUS_SUBSET_STATES + (asked % SARRUS_SUBSET_STATES > 0),
                   n = n_chains * SARRUS_SUBSET_STATES;
    status = sarrus_plan_create(context, model, &work.plan);
    if (status == SARRUS_OK && !quantities_allocate(&work, n))
        status =
            sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the quantities of %llu instances", (unsigned long long)n);
    if (status == SARRUS_OK) {
        const sarrus_subset subset = {.n_parameters = model->batch.n_sampled,
                                      .n = n,
                                      .limit = options->is_below ? -options->limit : options->limit,
                                      .seed = options->seed != NULL ? *options->seed : model->batch.seed,
                                      .evaluate = points_evaluate,
                                      .told = level_tell,
                                      .user = &work};
        status = sarrus_subset_run(&subset, out);
        out->n_level = n;
    }
    for (int i = 0; work.quantities != NULL && i < model->output.n_quantities; ++i)
        free(work.quantities[i]);
    free(work.quantities);
    sarrus_plan_destroy(work.plan);
    return status;
}
