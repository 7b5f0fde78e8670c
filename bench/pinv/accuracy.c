/* The accuracy half of the pseudoinverse benchmark: every class of matrices through every method and form, against 50 digits. */
#include "bench/pinv/pinv.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/crew.h"
#include "bench/measure/multiprecision.h"

/* What is left of a backward stable method: some ε for each of the max(m, n) terms of an inner product. */
const double sarrus_bench_residual_bound = 10.0;

/* The matrices of one class and shape, and what a method makes of them. */
typedef struct trial {
    const sarrus_bench_class *class;
    int m, n, count;
    double *a;                          /* [count][m][n] */
    double *unit;                       /* [count][m][m] */
    double *x;                          /* [count][n][m] */
    int32_t *rank;                      /* [count] */
    int32_t *max_rank;                  /* [count] */
    sarrus_multiprecision **reference;  /* [count] */
    sarrus_multiprecision_error *error; /* [count] */
    atomic_int next;                    /* the first matrix that no thread has taken */
    atomic_bool has_failed;
} trial;

/* All matrices of a trial, by as many threads as there are processors. */
static bool trial_share(trial *t, sarrus_crew_work *work) {
    sarrus_crew *crew = NULL;
    if (sarrus_crew_create(NULL, sarrus_processors(), 0, &crew) != SARRUS_OK)
        return false;
    t->next = 0;
    t->has_failed = false;
    sarrus_crew_run(crew, sarrus_crew_size(crew), work, t);
    sarrus_crew_destroy(crew);
    return !t->has_failed;
}

static void trial_free(trial *t) {
    for (int i = 0; t->reference != NULL && i < t->count; ++i)
        sarrus_multiprecision_destroy(t->reference[i]);
    free(t->a);
    free(t->unit);
    free(t->x);
    free(t->rank);
    free(t->max_rank);
    free(t->reference);
    free(t->error);
}

/* The threshold on σ/σ₁ that the class's rule means. */
static double class_tolerance(const sarrus_bench_class *class, int m, int n) {
    return class->tolerance > 0.0 ? class->tolerance : 10.0 * (m > n ? m : n) * DBL_EPSILON;
}

static void matrices_make(void *user, int i_member, int n_members) {
    trial *t = user;
    const sarrus_bench_class *class = t->class;
    const size_t size = (size_t)t->m * (size_t)t->n, rows = (size_t)t->m;
    (void)i_member;
    (void)n_members;
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->count;) {
        double *a = t->a + (size_t)i * size;
        class->fill(t->m, t->n, i, class->parameter, a);
        for (size_t k = 0; k < rows; ++k)
            t->unit[((size_t)i * rows + k) * rows + k] = 1.0;
        const int held = class->held_rank > 0 ? class->held_rank : -1;
        t->reference[i] = sarrus_multiprecision_create(a, t->m, t->n, held, class_tolerance(class, t->m, t->n));
        t->max_rank[i] = t->reference[i] != NULL ? sarrus_multiprecision_rank(t->reference[i]) : 0;
        if (t->reference[i] == NULL)
            t->has_failed = true;
    }
}

static bool trial_create(const sarrus_bench_class *class, int i_shape, int n_matrices, trial *out) {
    const int m = class->shapes[i_shape].m, n = class->shapes[i_shape].n;
    const int count = class->n_matrices > 0 ? class->n_matrices : n_matrices;
    const size_t size = (size_t)m * (size_t)n, rows = (size_t)m, all = (size_t)count;
    *out = (trial){.class = class, .m = m, .n = n, .count = count};
    out->a = malloc(all * size * sizeof *out->a);
    out->unit = calloc(all * rows * rows, sizeof *out->unit);
    out->x = malloc(all * size * sizeof *out->x);
    out->rank = malloc(all * sizeof *out->rank);
    out->max_rank = malloc(all * sizeof *out->max_rank);
    out->reference = calloc(all, sizeof(sarrus_multiprecision *));
    out->error = malloc(all * sizeof *out->error);
    if (!out->a || !out->unit || !out->x || !out->rank || !out->max_rank || !out->reference || !out->error)
        return false;
    return trial_share(out, matrices_make);
}

/* What tikhonov damps by, at least: a threshold of round-off is refused. */
static const double damping = 1e-5;

static sarrus_status trial_compute(sarrus_context *context, trial *t, sarrus_pinv_method method, sarrus_bench_form form) {
    const double least = method == SARRUS_PINV_TIKHONOV ? damping : 0.0;
    const double tolerance = t->class->tolerance > least ? t->class->tolerance : least;
    const sarrus_pinv_options options = {
        .method = method, .rank_method = tolerance > 0.0 ? SARRUS_RANK_RELATIVE : SARRUS_RANK_AUTO, .rank_tolerance = tolerance};
    /* The truncated method asks for the rank; the others have to find it, unless the class says that it is held. */
    const bool is_told = method == SARRUS_PINV_TRUNCATED || t->class->held_rank > 0;
    const sarrus_pinv_batch batch = {.n_matrices = (uint64_t)t->count,
                                     .m = t->m,
                                     .n = t->n,
                                     .n_rhs = form == SARRUS_BENCH_APPLY ? t->m : 0,
                                     .a = t->a,
                                     .b = form == SARRUS_BENCH_APPLY ? t->unit : NULL,
                                     .x = t->x,
                                     .max_rank = is_told ? t->max_rank : NULL,
                                     .rank = t->rank};
    return sarrus_pinv_compute(context, &options, &batch);
}

/* The larger, a NaN being the largest of all. */
static double worse(double a, double b) {
    return b <= a || isnan(a) ? a : b;
}

static double condition_of(const trial *t, int i) {
    const double *sigma = sarrus_multiprecision_sigma(t->reference[i]);
    const int rank = sarrus_multiprecision_rank(t->reference[i]);
    return rank > 0 ? sigma[0] / sigma[rank - 1] : 1.0;
}

static void trial_judge(const trial *t, sarrus_bench_accuracy *out) {
    const double unit = (t->m > t->n ? t->m : t->n) * DBL_EPSILON;
    for (int i = 0; i < t->count; ++i) {
        const sarrus_multiprecision_error *error = &t->error[i];
        const double residuals[4] = {error->axa, error->xax, error->ax, error->xa};
        for (int k = 0; k < 4; ++k) {
            out->residuals[k] = worse(out->residuals[k], residuals[k] / unit);
            out->residual = worse(out->residual, residuals[k] / unit);
        }
        out->forward = worse(out->forward, error->forward);
        out->forward_scaled = worse(out->forward_scaled, error->forward / (DBL_EPSILON * condition_of(t, i)));
        out->n_wrong_ranks += t->rank[i] != sarrus_multiprecision_rank(t->reference[i]);
        out->n_matrices++;
    }
}

static void matrices_measure(void *user, int i_member, int n_members) {
    trial *t = user;
    (void)i_member;
    (void)n_members;
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->count;) {
        const double *x = t->x + (size_t)i * (size_t)t->m * (size_t)t->n;
        if (sarrus_multiprecision_measure(t->reference[i], x, &t->error[i]) != 0)
            t->has_failed = true;
    }
}

static sarrus_status trial_run(sarrus_context *context, trial *t, int i_method, sarrus_bench_form form,
                               sarrus_bench_accuracy *out) {
    const sarrus_status status = trial_compute(context, t, sarrus_bench_methods[i_method], form);
    if (status != SARRUS_OK || !trial_share(t, matrices_measure))
        return status != SARRUS_OK ? status : SARRUS_NO_MEMORY;
    trial_judge(t, out);
    const bool is_right = out->residual <= sarrus_bench_residual_bound && out->n_wrong_ranks == 0;
    out->fails = t->class->rank_is_defined && i_method < SARRUS_BENCH_N_GATED && !is_right;
    return SARRUS_OK;
}

sarrus_status sarrus_bench_pinv_accuracy(sarrus_context *context, sarrus_bench_pinv_report *report) {
    sarrus_status status = SARRUS_OK;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; ++i_class) {
        const sarrus_bench_class *class = &sarrus_bench_classes[i_class];
        for (int i_shape = 0; i_shape < class->n_shapes && status == SARRUS_OK; ++i_shape) {
            if (report->options->quick && class->shapes[i_shape].m * class->shapes[i_shape].n > 144 && i_shape > 0) {
                continue; /* the larger ones take seconds of 50-digit arithmetic */
            }
            trial t;
            status = trial_create(class, i_shape, report->options->n_matrices, &t) ? SARRUS_OK : SARRUS_NO_MEMORY;
            for (int i = 0; i < t.count && status == SARRUS_OK; ++i)
                report->condition[i_class] = worse(report->condition[i_class], condition_of(&t, i));
            for (int i = 0; i < SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS && status == SARRUS_OK; ++i) {
                const int i_method = i / SARRUS_BENCH_N_FORMS, form = i % SARRUS_BENCH_N_FORMS;
                status = trial_run(context, &t, i_method, (sarrus_bench_form)form, &report->accuracy[i_class][i_method][form]);
            }
            trial_free(&t);
        }
    }
    return status;
}
