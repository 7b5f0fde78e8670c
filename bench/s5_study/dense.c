#include "bench/s5_study/dense.h"

#include <math.h>
#include <string.h>

static double *element(sarrus_dense *a, int i, int k) {
    return &a->at[i * a->n_columns + k];
}

static double value(const sarrus_dense *a, int i, int k) {
    return a->at[i * a->n_columns + k];
}

void sarrus_dense_clear(sarrus_dense *a, int n_rows, int n_columns) {
    a->n_rows = n_rows;
    a->n_columns = n_columns;
    memset(a->at, 0, (size_t)(n_rows * n_columns) * sizeof a->at[0]);
}

void sarrus_dense_transpose(const sarrus_dense *a, sarrus_dense *out) {
    out->n_rows = a->n_columns;
    out->n_columns = a->n_rows;
    for (int i = 0; i < a->n_rows; ++i) {
        for (int k = 0; k < a->n_columns; ++k)
            *element(out, k, i) = value(a, i, k);
    }
}

void sarrus_dense_stack(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out) {
    const int n_a = a->n_rows * a->n_columns, n_b = b->n_rows * b->n_columns;
    out->n_rows = a->n_rows + b->n_rows;
    out->n_columns = a->n_columns;
    memcpy(out->at, a->at, (size_t)n_a * sizeof a->at[0]);
    memcpy(out->at + n_a, b->at, (size_t)n_b * sizeof b->at[0]);
}

void sarrus_dense_product(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops) {
    sarrus_dense_clear(out, a->n_rows, b->n_columns);
    for (int i = 0; i < a->n_rows; ++i) {
        for (int j = 0; j < a->n_columns; ++j) {
            const double factor = value(a, i, j);
            for (int k = 0; k < b->n_columns; ++k, *flops += 2.0)
                *element(out, i, k) += factor * value(b, j, k);
        }
    }
}

void sarrus_dense_add(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i, *flops += 1.0)
        out->at[i] = a->at[i] + b->at[i];
}

void sarrus_dense_subtract(const sarrus_dense *a, const sarrus_dense *b, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i, *flops += 1.0)
        out->at[i] = a->at[i] - b->at[i];
}

void sarrus_dense_identity_minus(const sarrus_dense *a, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i)
        out->at[i] = -a->at[i];
    for (int i = 0; i < a->n_rows; ++i, *flops += 1.0)
        *element(out, i, i) += 1.0;
}

void sarrus_dense_scale_rows(const sarrus_dense *d, const sarrus_dense *a, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows; ++i) {
        for (int k = 0; k < a->n_columns; ++k, *flops += 1.0)
            *element(out, i, k) = d->at[i] * value(a, i, k);
    }
}

void sarrus_dense_scale_columns(const sarrus_dense *a, const sarrus_dense *d, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows; ++i) {
        for (int k = 0; k < a->n_columns; ++k, *flops += 1.0)
            *element(out, i, k) = value(a, i, k) * d->at[k];
    }
}

void sarrus_dense_reciprocal(const sarrus_dense *a, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i, *flops += 1.0)
        out->at[i] = 1.0 / a->at[i];
}

void sarrus_dense_root(const sarrus_dense *a, sarrus_dense *out, double *flops) {
    out->n_rows = a->n_rows;
    out->n_columns = a->n_columns;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i, *flops += 1.0)
        out->at[i] = sqrt(a->at[i]);
}

void sarrus_dense_diagonal(const sarrus_dense *d, sarrus_dense *out) {
    sarrus_dense_clear(out, d->n_rows, d->n_rows);
    for (int i = 0; i < d->n_rows; ++i)
        *element(out, i, i) = d->at[i];
}

double sarrus_dense_largest(const sarrus_dense *a) {
    double largest = 0.0;
    for (int i = 0; i < a->n_rows * a->n_columns; ++i) {
        const double x = fabs(a->at[i]);
        largest = x <= largest ? largest : x;
    }
    return largest;
}

double sarrus_golub_reinsch_flops(int m, int n) {
    return 4.0 * m * m * n + 8.0 * m * n * n + 9.0 * n * n * n;
}

void sarrus_dense_pseudoinverse(sarrus_dense_pinv *pinv, const sarrus_dense *a, int rank, const sarrus_dense *b, sarrus_dense *out,
                                double *flops) {
    const sarrus_pinv_options options = {.method = pinv->method, .n_threads = 1};
    const int32_t max_rank = rank;
    int32_t found = 0;
    double n_sweeps = 0.0;
    sarrus_pinv_batch batch = {.n_matrices = 1, .m = a->n_rows, .n = a->n_columns, .a = a->at, .max_rank = &max_rank};
    batch.n_rhs = b == NULL ? 0 : b->n_columns;
    batch.b = b == NULL ? NULL : b->at;
    batch.x = out->at;
    batch.rank = &found;
    batch.n_sweeps = &n_sweeps;
    out->n_rows = a->n_columns;
    out->n_columns = b == NULL ? a->n_rows : b->n_columns;
    const sarrus_status status = sarrus_pinv_compute(pinv->context, &options, &batch);
    if (pinv->status == SARRUS_OK)
        pinv->status = status;
    *flops += pinv->counts_formula ? sarrus_golub_reinsch_flops(a->n_rows, a->n_columns)
                                   : sarrus_pinv_count_flops(&options, a->n_rows, a->n_columns, batch.n_rhs, found, n_sweeps);
}

void sarrus_dense_spectrum_find(sarrus_dense_pinv *pinv, const sarrus_dense *a, int rank, sarrus_dense_spectrum *out) {
    const int32_t ranks[] = {1, rank};
    const sarrus_pinv_options options = {.method = SARRUS_PINV_LAPACK, .n_threads = 1};
    sarrus_dense inverse;
    for (int i = 0; i < 2; ++i) {
        sarrus_pinv_batch batch = {.n_matrices = 1, .m = a->n_rows, .n = a->n_columns, .a = a->at, .x = inverse.at};
        batch.max_rank = &ranks[i];
        batch.kept = i == 0 ? &out->largest : &out->kept;
        batch.dropped = &out->dropped;
        const sarrus_status status = sarrus_pinv_compute(pinv->context, &options, &batch);
        if (pinv->status == SARRUS_OK)
            pinv->status = status;
    }
}
