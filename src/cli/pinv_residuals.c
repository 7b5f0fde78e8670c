#include "cli/pinv_residuals.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/report.h"

static const size_t most_bytes = (size_t)512 << 20; /* of all work spaces together */

/* A matrix times a power of two, so that squares of its entries neither overflow nor vanish. */
typedef struct scaled {
    double *at;   /* [rows][columns], entries below 2 */
    int exponent; /* the matrix is 2^exponent times it */
    double norm;  /* of all entries */
} scaled;

/* One thread's part. */
typedef struct member {
    scaled a, x, b;
    double *ax, *xa, *product; /* [m][m] | [m][n_rhs], [n][n], [m][n] | [n][n_rhs] */
    sarrus_pinv_residuals found;
} member;

typedef struct job {
    const sarrus_pinv_batch *batch;
    uint64_t i_first;
    member *members;
} job;

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* Whether docs/pinv.md promises residuals of the method whatever the condition. */
static bool is_stable(sarrus_pinv_method method) {
    switch (method) {
    case SARRUS_PINV_SVD:
    case SARRUS_PINV_LAPACK:
    case SARRUS_PINV_JACOBI:
    case SARRUS_PINV_VARGA:
    case SARRUS_PINV_HOUSEHOLDER:
    case SARRUS_PINV_MGS2:
    case SARRUS_PINV_TRUNCATED:
        return true;
    case SARRUS_PINV_AUTO: /* stands for one of these */
    case SARRUS_PINV_GREVILLE:
    case SARRUS_PINV_MGS:
    case SARRUS_PINV_NORMAL:
    case SARRUS_PINV_CHOLESKY:
    case SARRUS_PINV_TIKHONOV:
    case SARRUS_PINV_CUSOLVER_SVD:
    case SARRUS_PINV_CUSOLVER_SYEV:
        break;
    }
    return false;
}

sarrus_pinv_residuals sarrus_pinv_residuals_begin(sarrus_pinv_method method, int m, int n, int n_rhs) {
    const double units = n_rhs > 0 ? 21.0 : 11.0;
    return (sarrus_pinv_residuals){.n = n_rhs > 0 ? 1 : SARRUS_N_PENROSE,
                                   .bound = is_stable(method) ? units * larger(m, n) * DBL_EPSILON : (double)NAN};
}

/* --- Arithmetic --------------------------------------------------------------------------------------------------------- */

static double norm_of(const double *x, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* False when an entry is not finite. */
static bool scale(const double *from, size_t count, scaled *to) {
    double largest = 0.0;
    bool is_good = true;
    for (size_t i = 0; i < count; ++i) {
        is_good = is_good && isfinite(from[i]);
        largest = fabs(from[i]) > largest ? fabs(from[i]) : largest;
    }
    to->exponent = largest > 0.0 && is_good ? ilogb(largest) : 0;
    for (size_t i = 0; i < count && is_good; ++i)
        to->at[i] = ldexp(from[i], -to->exponent);
    to->norm = is_good ? norm_of(to->at, count) : 0.0;
    return is_good;
}

/* out [n_rows][n_columns] = left [n_rows][n_inner] right [n_inner][n_columns]. */
static void multiply(const int shape[3], const double *left, const double *right, double *out) {
    const size_t n_rows = (size_t)shape[0], n_inner = (size_t)shape[1], n_columns = (size_t)shape[2];
    memset(out, 0, n_rows * n_columns * sizeof *out);
    for (size_t i = 0; i < n_rows; ++i)
        for (size_t k = 0; k < n_inner; ++k)
            for (size_t j = 0; j < n_columns; ++j)
                out[i * n_columns + j] += left[i * n_inner + k] * right[k * n_columns + j];
}

/* ‖factor·product − matrix‖. */
static double difference(const double *product, double factor, const double *matrix, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double one = factor * product[i] - matrix[i];
        sum += one * one;
    }
    return sqrt(sum);
}

static double asymmetry(const double *square, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < i; ++j)
            sum += (square[i * n + j] - square[j * n + i]) * (square[i * n + j] - square[j * n + i]);
    return sqrt(2.0 * sum);
}

/* --- One matrix --------------------------------------------------------------------------------------------------------- */

static void penrose_find(const sarrus_pinv_batch *batch, member *own, double residual[SARRUS_N_PENROSE]) {
    const int m = batch->m, n = batch->n;
    const size_t count = (size_t)m * (size_t)n;
    const double *a = own->a.at, *x = own->x.at, norms = own->a.norm * own->x.norm;
    const double factor = ldexp(1.0, own->a.exponent + own->x.exponent);
    memset(residual, 0, SARRUS_N_PENROSE * sizeof *residual);
    if (norms == 0.0) { /* 0 has the pseudoinverse 0; anything else has another */
        residual[0] = own->a.norm == 0.0 && own->x.norm == 0.0 ? 0.0 : 1.0;
        return;
    }
    multiply((const int[3]){m, n, m}, a, x, own->ax);
    multiply((const int[3]){n, m, n}, x, a, own->xa);
    multiply((const int[3]){m, m, n}, own->ax, a, own->product);
    residual[0] = difference(own->product, factor, a, count) / (factor * norms * own->a.norm);
    multiply((const int[3]){n, n, m}, own->xa, x, own->product);
    residual[1] = difference(own->product, factor, x, count) / (factor * norms * own->x.norm);
    residual[2] = asymmetry(own->ax, (size_t)m) / norms;
    residual[3] = asymmetry(own->xa, (size_t)n) / norms;
}

static double least_squares_find(const sarrus_pinv_batch *batch, member *own) {
    const int m = batch->m, n = batch->n, n_rhs = batch->n_rhs;
    const size_t n_b = (size_t)m * (size_t)n_rhs, n_x = (size_t)n * (size_t)n_rhs, columns = (size_t)n_rhs;
    const int of_ax = own->a.exponent + own->x.exponent, of_b = own->b.exponent;
    const bool takes_b = own->x.norm == 0.0 || (own->b.norm > 0.0 && of_b > of_ax);
    const double to_ax = ldexp(1.0, of_ax - (takes_b ? of_b : of_ax)), to_b = ldexp(1.0, of_b - (takes_b ? of_b : of_ax));
    const double divisor = own->a.norm * (own->a.norm * own->x.norm * to_ax + own->b.norm * to_b);
    multiply((const int[3]){m, n, n_rhs}, own->a.at, own->x.at, own->ax);
    for (size_t i = 0; i < n_b; ++i)
        own->ax[i] = to_ax * own->ax[i] - to_b * own->b.at[i];
    memset(own->product, 0, n_x * sizeof *own->product);
    for (size_t k = 0; k < (size_t)m; ++k)
        for (size_t i = 0; i < (size_t)n; ++i)
            for (size_t j = 0; j < columns; ++j)
                own->product[i * columns + j] += own->a.at[k * (size_t)n + i] * own->ax[k * columns + j];
    return divisor > 0.0 ? norm_of(own->product, n_x) / divisor : own->x.norm > 0.0 ? 1.0 : 0.0;
}

static void found_add(const double *residual, double bound, uint64_t i_matrix, sarrus_pinv_residuals *into) {
    bool is_beyond = false;
    for (int i = 0; i < into->n; ++i) {
        is_beyond = is_beyond || residual[i] > bound;
        if (residual[i] > into->worst[i]) {
            into->worst[i] = residual[i];
            into->i_worst[i] = i_matrix;
        }
    }
    into->n_beyond += is_beyond ? 1 : 0;
    ++into->n_looked;
}

static void matrix_look(const job *of, member *own, uint64_t i) {
    const sarrus_pinv_batch *batch = of->batch;
    const size_t n_a = (size_t)batch->m * (size_t)batch->n, n_b = (size_t)batch->m * (size_t)batch->n_rhs;
    const size_t n_x = (size_t)batch->n * (size_t)(batch->n_rhs > 0 ? batch->n_rhs : batch->m);
    double residual[SARRUS_N_PENROSE];
    if (!scale(batch->a + i * n_a, n_a, &own->a) || !scale(batch->x + i * n_x, n_x, &own->x))
        return;
    if (batch->n_rhs == 0)
        penrose_find(batch, own, residual);
    else if (scale(batch->b + i * n_b, n_b, &own->b))
        residual[0] = least_squares_find(batch, own);
    else
        return;
    const double dropped = own->a.norm > 0.0 ? ldexp(batch->dropped[i], -own->a.exponent) / own->a.norm : 0.0;
    found_add(residual, own->found.bound + 4.0 * sqrt(larger(batch->m, batch->n)) * dropped, of->i_first + i, &own->found);
}

/* --- All of them -------------------------------------------------------------------------------------------------------- */

static void share_look(void *user, int i_member, int n_members) {
    const job *of = user;
    const sarrus_crew_share share = sarrus_crew_share_of(of->batch->n_matrices, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i)
        matrix_look(of, &of->members[i_member], i);
}

/* The arrays of one thread, one after the other. */
static size_t arrays_cut(const sarrus_pinv_batch *batch, double *block, member *out) {
    const size_t m = (size_t)batch->m, n = (size_t)batch->n, n_rhs = (size_t)batch->n_rhs, n_x = n * (n_rhs > 0 ? n_rhs : m);
    const size_t counts[] = {m * n, n_x, m * n_rhs, m * (n_rhs > 0 ? n_rhs : m), n_rhs > 0 ? 0 : n * n, n_x};
    double **arrays[] = {&out->a.at, &out->x.at, &out->b.at, &out->ax, &out->xa, &out->product};
    size_t used = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        *arrays[i] = block != NULL ? block + used : NULL;
        used += counts[i];
    }
    return used;
}

/* The worst of all; of equal ones the first matrix. */
static void members_add(const member *members, int n_members, sarrus_pinv_residuals *into) {
    for (int k = 0; k < n_members; ++k) {
        const sarrus_pinv_residuals *found = &members[k].found;
        for (int i = 0; i < into->n; ++i) {
            if (found->worst[i] > into->worst[i]) {
                into->worst[i] = found->worst[i];
                into->i_worst[i] = found->i_worst[i];
            }
        }
        into->n_beyond += found->n_beyond;
        into->n_looked += found->n_looked;
    }
}

sarrus_status sarrus_pinv_residuals_add(sarrus_context *context, const sarrus_pinv_batch *batch, uint64_t i_first, int n_threads,
                                        sarrus_pinv_residuals *into) {
    member counted;
    const size_t n_doubles = arrays_cut(batch, NULL, &counted), n_most = most_bytes / (n_doubles * sizeof(double));
    int n_members = n_threads > 1 ? n_threads : 1;
    n_members = batch->n_matrices < (uint64_t)n_members ? (int)batch->n_matrices : n_members;
    n_members = n_most < (size_t)n_members ? (int)n_most : n_members;
    n_members = n_members > 1 ? n_members : 1;
    sarrus_crew *crew = NULL;
    sarrus_status status = sarrus_crew_create(context, n_members, 0, &crew);
    if (status != SARRUS_OK)
        return status;
    n_members = sarrus_crew_size(crew);
    member *members = calloc((size_t)n_members, sizeof *members);
    double *block = malloc((size_t)n_members * n_doubles * sizeof *block);
    if (members != NULL && block != NULL) {
        job of = {batch, i_first, members};
        for (int i = 0; i < n_members; ++i) {
            (void)arrays_cut(batch, block + (size_t)i * n_doubles, &members[i]);
            members[i].found = (sarrus_pinv_residuals){.n = into->n, .bound = into->bound};
        }
        sarrus_crew_run(crew, n_members, share_look, &of);
        members_add(members, n_members, into);
    } else {
        status = sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the residuals of %d threads", n_members);
    }
    free(block);
    free(members);
    sarrus_crew_destroy(crew);
    return status;
}
