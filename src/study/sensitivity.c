#include "study/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "study/elementary_effects.h"
#include "study/rank_correlation.h"
#include "study/resample.h"
#include "study/sobol_indices.h"

/* The datasets of a quantity, behind the two that count its blocks. */
typedef struct kind {
    const char *word, *text;
    int n_axes;     /* of parameters */
    bool has_units; /* those of the quantity */
} kind;

enum { N_COUNTS = 2, MOST_KINDS = 6 };
enum { FIRST, FIRST_CONFIDENCE, TOTAL, TOTAL_CONFIDENCE, SECOND, SECOND_CONFIDENCE };
enum { MU, MU_STAR, MU_STAR_CONFIDENCE, SIGMA };
enum { CORRELATION, CORRELATION_LOW, CORRELATION_HIGH };

static const kind of_saltelli[] = {
    {"first", "share of the variance that the parameter makes alone", 1, false},
    {"first_confidence", "half the width of the 95 % interval of the share alone", 1, false},
    {"total", "share of the variance that the parameter makes alone and with others", 1, false},
    {"total_confidence", "half the width of the 95 % interval of the share alone and with others", 1, false},
    {"second", "share of the variance that two parameters make beyond their shares alone", 2, false},
    {"second_confidence", "half the width of the 95 % interval of the share of two", 2, false},
};
static const kind of_morris[] = {
    {"mu", "mean elementary effect of the parameter, of a step by the whole unit interval", 1, true},
    {"mu_star", "mean amount of the elementary effect", 1, true},
    {"mu_star_confidence", "half the width of the 95 % interval of the mean amount", 1, true},
    {"sigma", "standard deviation of the elementary effect", 1, true},
};
static const kind of_any[] = {
    {"rank_correlation", "Spearman's rank correlation with the parameter", 1, false},
    {"rank_correlation_low", "lower end of its 95 % interval", 1, false},
    {"rank_correlation_high", "upper end of its 95 % interval", 1, false},
};
static const char *const count_words[][N_COUNTS] = {
    [SARRUS_DESIGN_PLAIN] = {"instances that it is made of", "instances that failed or lack the quantity"},
    [SARRUS_DESIGN_SALTELLI] = {"base points that it is made of", "base points of which an instance failed or lacks the quantity"},
    [SARRUS_DESIGN_MORRIS] = {"trajectories that it is made of", "trajectories of which an instance failed or lacks the quantity"},
};

/* What the estimates are made in. */
struct sarrus_sensitivity_scratch {
    double *y;              /* [n_instances] of the blocks that are whole, one behind the other */
    uint64_t *i_row;        /* [n_blocks] where they begin */
    double *estimates;      /* of all resamples */
    double *effects;        /* [D][n_blocks] of Morris */
    double *ranks;          /* [n_instances] of the quantity, of any sample */
    uint32_t **weights;     /* [n_members] of [n_blocks] */
    double **tiles;         /* [n_members] of a tile; of any sample a parameter and its ranks [2][n_instances] */
    sarrus_ranked **ranked; /* [n_members] of [n_instances], of any sample */
};

static const kind *kinds_of(const sarrus_sensitivity *sensitivity, int *n) {
    switch (sensitivity->design) {
    case SARRUS_DESIGN_SALTELLI:
        *n = sensitivity->model->batch.has_second_order ? 6 : 4;
        return of_saltelli;
    case SARRUS_DESIGN_MORRIS:
        *n = 4;
        return of_morris;
    case SARRUS_DESIGN_PLAIN:
        break;
    }
    *n = 3;
    return of_any;
}

static uint64_t rows_of(const sarrus_sensitivity *sensitivity) {
    return sensitivity->n_instances / sensitivity->n_blocks;
}

static char *path_make(sarrus_sensitivity *sensitivity, int i_quantity, const char *word) {
    char *path = NULL;
    if (asprintf(&path, "sensitivity/%s/%s", sensitivity->model->output.quantities[i_quantity].name, word) < 0)
        return NULL;
    sensitivity->texts[sensitivity->n_texts++] = path;
    return path;
}

static bool total_make(sarrus_sensitivity *sensitivity, int i_quantity, const kind *of, sarrus_sink_type type) {
    const size_t d = (size_t)sensitivity->model->batch.n_sampled;
    const size_t n_values = of->n_axes == 0 ? 1 : of->n_axes == 1 ? d : d * d;
    const char *units = sensitivity->units[i_quantity][0] != '\0' ? sensitivity->units[i_quantity] : NULL;
    const int i_total = sensitivity->n_totals++;
    const char *path = path_make(sensitivity, i_quantity, of->word);
    double *values = calloc(n_values, sizeof *values);
    sensitivity->values[i_total] = values;
    for (size_t i = 0; values != NULL && i < n_values; ++i)
        values[i] = type == SARRUS_SINK_F64 ? (double)NAN : 0.0; /* of a run that is stopped */
    sensitivity->totals[i_total] = (sarrus_sink_total){
        .path = path, .long_name = of->text, .units = of->has_units ? units : "1", .type = type, .n_label_axes = of->n_axes};
    return path != NULL && values != NULL;
}

static bool totals_make(sarrus_sensitivity *sensitivity) {
    const sarrus_model *model = sensitivity->model;
    const size_t n_most = (size_t)model->output.n_sensitivity * (N_COUNTS + MOST_KINDS) + 1;
    int n_kinds = 0;
    const kind *kinds = kinds_of(sensitivity, &n_kinds);
    sensitivity->totals = calloc(n_most, sizeof *sensitivity->totals);
    sensitivity->values = calloc(n_most, sizeof *sensitivity->values);
    sensitivity->texts = calloc(n_most, sizeof *sensitivity->texts);
    sensitivity->names = calloc((size_t)model->batch.n_sampled + 1, sizeof *sensitivity->names);
    sensitivity->units = sarrus_quantity_units_create(model);
    bool is_done = sensitivity->totals != NULL && sensitivity->values != NULL && sensitivity->texts != NULL &&
                   sensitivity->names != NULL && sensitivity->units != NULL;
    for (int j = 0; is_done && j < model->batch.n_sampled; ++j)
        sensitivity->names[j] = model->batch.sampled[j].label;
    sensitivity->labels = (sarrus_sink_labels){.path = "parameter",
                                               .path_again = "other_parameter",
                                               .long_name = "sampled parameter",
                                               .n = model->batch.n_sampled,
                                               .texts = sensitivity->names};
    for (int i = 0; is_done && i < model->output.n_sensitivity; ++i) {
        const int i_quantity = model->output.sensitivity[i];
        const char *const *counts = count_words[sensitivity->design];
        is_done = total_make(sensitivity, i_quantity, &(kind){"n", counts[0], 0, false}, SARRUS_SINK_U64) &&
                  total_make(sensitivity, i_quantity, &(kind){"n_dropped", counts[1], 0, false}, SARRUS_SINK_U64);
        for (int k = 0; is_done && k < n_kinds; ++k)
            is_done = total_make(sensitivity, i_quantity, &kinds[k], SARRUS_SINK_F64);
    }
    return is_done;
}

/* NULL without memory, also where there are more numbers than could ever be. */
static void *array_make(uint64_t n, uint64_t n_more, size_t size) {
    uint64_t n_all = 0;
    return __builtin_mul_overflow(n, n_more, &n_all) || n_all > SIZE_MAX / size ? NULL : malloc(n_all * size + size);
}

static bool members_allocate(const sarrus_sensitivity *sensitivity, struct sarrus_sensitivity_scratch *scratch) {
    const int d = sensitivity->model->batch.n_sampled;
    const bool is_any = sensitivity->design == SARRUS_DESIGN_PLAIN;
    const uint64_t n_tile =
        is_any ? 2 * sensitivity->n_instances : sarrus_sobol_tile(d, sensitivity->model->batch.has_second_order);
    scratch->weights = calloc((size_t)sensitivity->n_members, sizeof *scratch->weights);
    scratch->tiles = calloc((size_t)sensitivity->n_members, sizeof *scratch->tiles);
    scratch->ranked = calloc((size_t)sensitivity->n_members, sizeof *scratch->ranked);
    bool is_done = scratch->weights != NULL && scratch->tiles != NULL && scratch->ranked != NULL;
    for (int i = 0; is_done && i < sensitivity->n_members; ++i) {
        scratch->weights[i] = array_make(is_any ? 0 : sensitivity->n_blocks, 1, sizeof **scratch->weights);
        scratch->tiles[i] = array_make(n_tile, 1, sizeof **scratch->tiles);
        scratch->ranked[i] = array_make(is_any ? sensitivity->n_instances : 0, 1, sizeof **scratch->ranked);
        is_done = scratch->weights[i] != NULL && scratch->tiles[i] != NULL && scratch->ranked[i] != NULL;
    }
    return is_done;
}

static bool scratch_make(sarrus_sensitivity *sensitivity) {
    const sarrus_model *model = sensitivity->model;
    const int d = model->batch.n_sampled;
    const bool is_morris = sensitivity->design == SARRUS_DESIGN_MORRIS, is_any = sensitivity->design == SARRUS_DESIGN_PLAIN;
    const uint64_t n_estimates = is_morris ? (uint64_t)d : sarrus_sobol_estimates(d, model->batch.has_second_order);
    struct sarrus_sensitivity_scratch *scratch = calloc(1, sizeof *scratch);
    sensitivity->scratch = scratch;
    if (scratch == NULL || sensitivity->n_blocks > UINT32_MAX)
        return false;
    scratch->y = array_make(sensitivity->n_instances, 1, sizeof *scratch->y);
    scratch->i_row = array_make(sensitivity->n_blocks, 1, sizeof *scratch->i_row);
    scratch->estimates = array_make(is_any ? 0 : n_estimates, 1 + SARRUS_RESAMPLES, sizeof *scratch->estimates);
    scratch->effects = array_make(is_morris ? (uint64_t)d : 0, sensitivity->n_blocks, sizeof *scratch->effects);
    scratch->ranks = array_make(is_any ? sensitivity->n_instances : 0, 1, sizeof *scratch->ranks);
    return scratch->y != NULL && scratch->i_row != NULL && scratch->estimates != NULL && scratch->effects != NULL &&
           scratch->ranks != NULL && members_allocate(sensitivity, scratch);
}

sarrus_status sarrus_sensitivity_create(sarrus_context *context, const sarrus_model *model, bool is_own_sample,
                                        uint64_t n_instances, int n_members, sarrus_sensitivity *out) {
    const sarrus_design design = is_own_sample ? SARRUS_DESIGN_PLAIN : model->batch.design;
    *out = (sarrus_sensitivity){.model = model, .design = design, .n_instances = n_instances, .n_members = n_members};
    if (model->output.n_sensitivity == 0)
        return SARRUS_OK;
    out->n_blocks = design == SARRUS_DESIGN_PLAIN ? n_instances : n_instances / sarrus_model_study_size(model, 1);
    if (!totals_make(out) || !scratch_make(out))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the sensitivities of %llu instances",
                             (unsigned long long)n_instances);
    return SARRUS_OK;
}

static void scratch_free(struct sarrus_sensitivity_scratch *scratch, int n_members) {
    if (scratch == NULL)
        return;
    for (int i = 0; i < n_members; ++i) {
        if (scratch->weights != NULL)
            free(scratch->weights[i]);
        if (scratch->tiles != NULL)
            free(scratch->tiles[i]);
        if (scratch->ranked != NULL)
            free(scratch->ranked[i]);
    }
    free(scratch->weights);
    free(scratch->tiles);
    free(scratch->ranked);
    free(scratch->y);
    free(scratch->i_row);
    free(scratch->estimates);
    free(scratch->effects);
    free(scratch->ranks);
    free(scratch);
}

void sarrus_sensitivity_free(sarrus_sensitivity *sensitivity) {
    for (int i = 0; i < sensitivity->n_texts; ++i)
        free(sensitivity->texts[i]);
    for (int i = 0; i < sensitivity->n_totals; ++i)
        free(sensitivity->values[i]);
    scratch_free(sensitivity->scratch, sensitivity->n_members);
    free(sensitivity->texts);
    free(sensitivity->values);
    free(sensitivity->totals);
    free(sensitivity->names);
    free(sensitivity->units);
    *sensitivity = (sarrus_sensitivity){0};
}

const sarrus_sink_labels *sarrus_sensitivity_labels(const sarrus_sensitivity *sensitivity) {
    return sensitivity->n_totals > 0 ? &sensitivity->labels : NULL;
}

/* Moves the results of whole blocks together; returns how many these are. */
static uint64_t blocks_gather(const sarrus_sensitivity *sensitivity, const double *results, const uint8_t *status) {
    const uint64_t n_rows = rows_of(sensitivity);
    uint64_t n = 0;
    for (uint64_t i = 0; i < sensitivity->n_blocks; ++i) {
        bool is_whole = true;
        for (uint64_t k = 0; k < n_rows; ++k) {
            const double y = results[i * n_rows + k];
            sensitivity->scratch->y[n * n_rows + k] = y;
            is_whole = is_whole && status[i * n_rows + k] == 0 && isfinite(y);
        }
        sensitivity->scratch->i_row[n] = i * n_rows;
        n += is_whole ? 1 : 0;
    }
    return n;
}

static void sobol_fill(const sarrus_sensitivity *sensitivity, const sarrus_sensitivity_sample *sample, uint64_t n,
                       double **values) {
    const struct sarrus_sensitivity_scratch *scratch = sensitivity->scratch;
    const bool has_second = sensitivity->model->batch.has_second_order;
    const sarrus_sobol_blocks blocks = {.n_parameters = sensitivity->model->batch.n_sampled,
                                        .has_second_order = has_second,
                                        .n_blocks = n,
                                        .y = scratch->y,
                                        .seed = sample->seed,
                                        .crew = sample->crew,
                                        .n_members = sensitivity->n_members,
                                        .weights = scratch->weights,
                                        .tiles = scratch->tiles,
                                        .estimates = scratch->estimates};
    const sarrus_sobol_indices out = {.first = values[FIRST],
                                      .first_confidence = values[FIRST_CONFIDENCE],
                                      .total = values[TOTAL],
                                      .total_confidence = values[TOTAL_CONFIDENCE],
                                      .second = has_second ? values[SECOND] : NULL,
                                      .second_confidence = has_second ? values[SECOND_CONFIDENCE] : NULL};
    sarrus_sobol_indices_find(&blocks, &out);
}

static void morris_fill(const sarrus_sensitivity *sensitivity, const sarrus_sensitivity_sample *sample, uint64_t n,
                        double **values) {
    const struct sarrus_sensitivity_scratch *scratch = sensitivity->scratch;
    const sarrus_trajectories trajectories = {.n_parameters = sensitivity->model->batch.n_sampled,
                                              .n_trajectories = n,
                                              .y = scratch->y,
                                              .units = sample->units,
                                              .i_row = scratch->i_row,
                                              .seed = sample->seed,
                                              .weights = scratch->weights[0],
                                              .effects = scratch->effects,
                                              .estimates = scratch->estimates};
    const sarrus_elementary_effects out = {
        .mu = values[MU], .mu_star = values[MU_STAR], .mu_star_confidence = values[MU_STAR_CONFIDENCE], .sigma = values[SIGMA]};
    sarrus_elementary_effects_find(&trajectories, &out);
}

/* What the threads that rank parameters share. */
typedef struct ranking {
    const sarrus_sensitivity *sensitivity;
    const sarrus_sensitivity_sample *sample;
    uint64_t n;
    double **values;
} ranking;

static void parameters_rank(void *user, int i_member, int n_members) {
    const ranking *job = user;
    const struct sarrus_sensitivity_scratch *scratch = job->sensitivity->scratch;
    const sarrus_crew_share share = sarrus_crew_share_of((uint64_t)job->sensitivity->model->batch.n_sampled, i_member, n_members);
    double *x = scratch->tiles[i_member], *ranks = x + job->sensitivity->n_instances;
    for (uint64_t j = share.i_first; j < share.i_end; ++j) {
        for (uint64_t i = 0; i < job->n; ++i)
            x[i] = job->sample->values[j][scratch->i_row[i]];
        sarrus_ranks_find(x, job->n, scratch->ranked[i_member], ranks);
        const sarrus_rank_correlation found = sarrus_rank_correlation_of(scratch->ranks, ranks, job->n);
        job->values[CORRELATION][j] = found.value;
        job->values[CORRELATION_LOW][j] = found.low;
        job->values[CORRELATION_HIGH][j] = found.high;
    }
}

static void correlations_fill(const sarrus_sensitivity *sensitivity, const sarrus_sensitivity_sample *sample, uint64_t n,
                              double **values) {
    const struct sarrus_sensitivity_scratch *scratch = sensitivity->scratch;
    ranking job = {sensitivity, sample, n, values};
    sarrus_ranks_find(scratch->y, n, scratch->ranked[0], scratch->ranks);
    sarrus_crew_run(sample->crew, sensitivity->n_members, parameters_rank, &job);
}

void sarrus_sensitivity_finish(sarrus_sensitivity *sensitivity, const sarrus_sensitivity_sample *sample) {
    const sarrus_model *model = sensitivity->model;
    int n_kinds = 0;
    (void)kinds_of(sensitivity, &n_kinds);
    for (int i = 0; i < model->output.n_sensitivity; ++i) {
        double **values = sensitivity->values + i * (N_COUNTS + n_kinds);
        const uint64_t n = blocks_gather(sensitivity, sample->results[model->output.sensitivity[i]], sample->status);
        values[0][0] = (double)n;
        values[1][0] = (double)(sensitivity->n_blocks - n);
        values += N_COUNTS;
        if (sensitivity->design == SARRUS_DESIGN_SALTELLI)
            sobol_fill(sensitivity, sample, n, values);
        else if (sensitivity->design == SARRUS_DESIGN_MORRIS)
            morris_fill(sensitivity, sample, n, values);
        else
            correlations_fill(sensitivity, sample, n, values);
    }
}
