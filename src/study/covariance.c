#include "study/covariance.h"

#include <math.h>
#include <stdlib.h>

#include "core/report.h"

enum { OF_N, OF_COVARIANCE, OF_CORRELATION, N_TOTALS, BLOCK = 32 };

static bool arrays_make(sarrus_covariance *out) {
    const size_t n = (size_t)out->n_variables, sizes[N_TOTALS] = {1, n * n, n * n};
    out->totals = calloc(N_TOTALS, sizeof *out->totals);
    out->values = calloc(N_TOTALS, sizeof *out->values);
    out->names = calloc(n + 1, sizeof *out->names);
    out->labels = calloc(1, sizeof *out->labels);
    out->columns = calloc(n + 1, sizeof *out->columns);
    out->is_in = calloc((size_t)out->n_instances + 1, 1);
    out->means = calloc(n + 1, sizeof *out->means);
    bool ok = out->totals != NULL && out->values != NULL && out->names != NULL && out->labels != NULL && out->columns != NULL &&
              out->is_in != NULL && out->means != NULL;
    for (int i = 0; ok && i < N_TOTALS; ++i)
        ok = (out->values[i] = calloc(sizes[i] + 1, sizeof(double))) != NULL;
    return ok;
}

sarrus_status sarrus_covariance_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                       sarrus_covariance *out) {
    *out = (sarrus_covariance){.n_instances = n_instances, .n_quantities = model->output.n_quantities};
    if (!model->output.has_covariance)
        return SARRUS_OK;
    out->n_variables = model->output.n_quantities + model->batch.n_sampled;
    if (!arrays_make(out))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the covariances of %d numbers", out->n_variables);
    for (int i = 0; i < out->n_variables; ++i)
        out->names[i] =
            i < out->n_quantities ? model->output.quantities[i].name : model->batch.sampled[i - out->n_quantities].label;
    *out->labels = (sarrus_sink_labels){.path = "statistics/variable",
                                        .path_again = "statistics/other_variable",
                                        .long_name = "quantities, then random parameters",
                                        .n = out->n_variables,
                                        .texts = out->names};
    out->totals[OF_N] = (sarrus_sink_total){.path = "statistics/covariance_n",
                                            .long_name = "good instances that have all of the numbers",
                                            .units = "1",
                                            .type = SARRUS_SINK_U64};
    out->totals[OF_COVARIANCE] = (sarrus_sink_total){
        .path = "statistics/covariance", .long_name = "covariance, of n - 1", .n_label_axes = 2, .labels = out->labels};
    out->totals[OF_CORRELATION] = (sarrus_sink_total){.path = "statistics/correlation",
                                                      .long_name = "coefficient of correlation",
                                                      .units = "1",
                                                      .n_label_axes = 2,
                                                      .labels = out->labels};
    out->n_totals = N_TOTALS;
    return SARRUS_OK;
}

void sarrus_covariance_free(sarrus_covariance *covariance) {
    for (int i = 0; covariance->values != NULL && i < N_TOTALS; ++i)
        free(covariance->values[i]);
    free(covariance->totals);
    free(covariance->values);
    free(covariance->names);
    free(covariance->labels);
    free(covariance->columns);
    free(covariance->is_in);
    free(covariance->means);
    *covariance = (sarrus_covariance){0};
}

/* Two columns about shifts, or one with `y` NULL. */
typedef struct terms {
    const double *x, *y;
    double x_shift, y_shift;
    const uint8_t *is_in;
} terms;

/* Instances i … i + n − 1, pairwise by halves of whole blocks. */
static double sum_of(const terms *of, uint64_t i, uint64_t n) {
    if (n > BLOCK) {
        const uint64_t half = (n / BLOCK + 1) / 2 * BLOCK;
        return sum_of(of, i, half) + sum_of(of, i + half, n - half);
    }
    double sum = 0.0;
    for (uint64_t k = i; k < i + n; ++k) {
        const double x = of->is_in[k] ? of->x[k] - of->x_shift : 0.0;
        sum += of->y == NULL ? x : x * (of->is_in[k] ? of->y[k] - of->y_shift : 0.0);
    }
    return sum;
}

typedef struct pairing {
    sarrus_covariance *of;
    double count;
} pairing;

/* The mean of differences from a first mean is what this lacked. */
static void means_take(void *user, int i_member, int n_members) {
    const pairing *job = user;
    const sarrus_covariance *of = job->of;
    const sarrus_crew_share share = sarrus_crew_share_of((uint64_t)of->n_variables, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i) {
        terms column = {.x = of->columns[i], .is_in = of->is_in};
        column.x_shift = sum_of(&column, 0, of->n_instances) / job->count;
        of->means[i] = column.x_shift + sum_of(&column, 0, of->n_instances) / job->count;
    }
}

static void pairs_take(void *user, int i_member, int n_members) {
    const pairing *job = user;
    sarrus_covariance *of = job->of;
    const uint64_t n = (uint64_t)of->n_variables;
    const sarrus_crew_share share = sarrus_crew_share_of(n * n, i_member, n_members);
    for (uint64_t p = share.i_first; p < share.i_end; ++p) {
        const uint64_t i = p / n, j = p % n;
        if (j < i)
            continue;
        const terms pair = {of->columns[i], of->columns[j], of->means[i], of->means[j], of->is_in};
        const double covariance = sum_of(&pair, 0, of->n_instances) / (job->count - 1.0);
        of->values[OF_COVARIANCE][i * n + j] = of->values[OF_COVARIANCE][j * n + i] = covariance;
    }
}

static void correlations_make(sarrus_covariance *of) {
    const int n = of->n_variables;
    const double *covariance = of->values[OF_COVARIANCE];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double scale = sqrt(covariance[i * n + i]) * sqrt(covariance[j * n + j]);
            const double r = covariance[i * n + j] / scale;
            of->values[OF_CORRELATION][i * n + j] = !(scale > 0.0) ? (double)NAN : r > 1.0 || i == j ? 1.0 : r < -1.0 ? -1.0 : r;
        }
    }
}

void sarrus_covariance_finish(sarrus_covariance *covariance, const double *const *results, const double *const *parameters,
                              const uint8_t *status, sarrus_crew *crew) {
    const int n = covariance->n_variables;
    uint64_t n_in = 0;
    for (int i = 0; i < n; ++i)
        covariance->columns[i] = i < covariance->n_quantities ? results[i] : parameters[i - covariance->n_quantities];
    for (uint64_t k = 0; k < covariance->n_instances; ++k) {
        bool is_in = status[k] == 0;
        for (int i = 0; i < n && is_in; ++i)
            is_in = isfinite(covariance->columns[i][k]);
        covariance->is_in[k] = is_in;
        n_in += is_in ? 1 : 0;
    }
    covariance->values[OF_N][0] = (double)n_in;
    for (int i = 0; i < n * n; ++i)
        covariance->values[OF_COVARIANCE][i] = covariance->values[OF_CORRELATION][i] = (double)NAN;
    if (n_in < 2)
        return;
    pairing job = {covariance, (double)n_in};
    sarrus_crew_run(crew, sarrus_crew_size(crew), means_take, &job);
    sarrus_crew_run(crew, sarrus_crew_size(crew), pairs_take, &job);
    correlations_make(covariance);
}
