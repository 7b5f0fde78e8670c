/* X = A⁺ B or A⁺ by singular values (S5 eq 19).
 *
 *   svd      T P = Q R with T the tall one of A, Aᵀ;  Gᵀ R Pᵀ = Σ Wᵀ by rotations of rows, so that  T = Q G Σ Wᵀ
 *            tall   A⁺ = Σ_i w_i (Gᵀ Qᵀ)_i / σ_i       companions: the rows of Qᵀ (explicit) or of Qᵀ B
 *            wide   A⁺ = Σ_i (Gᵀ Qᵀ)_iᵀ w_iᵀ / σ_i     companions: the rows of Qᵀ (explicit) or of I; then X = Q (G Σ⁻¹ Wᵀ B)
 *   jacobi   the same without the QR: the rows of A (m ≤ n) or of Aᵀ are rotated
 *
 * A pivoted R has graded rows that are nearly orthogonal already: about half of the sweeps (Drmač and Veselić). */
#ifndef SARRUS_PINV_SVD_H
#define SARRUS_PINV_SVD_H

#include "kernels/pinv/qr_form.h"
#include "kernels/pinv/spectrum.h"

/* Rows of the triangle, or of the matrix itself. */
LANE_FUNCTION int32_t sarrus_svd_count(const sarrus_pinv_shape *shape) {
    return shape->m < shape->n ? shape->m : shape->n;
}

LANE_FUNCTION int32_t sarrus_svd_length(const sarrus_pinv_shape *shape) {
    return shape->m < shape->n ? shape->n : shape->m;
}

/* What the decomposition leaves for X. */
typedef struct sarrus_svd_state {
    sarrus_spectrum spectrum;
    sarrus_qr qr;
    int32_t is_turned; /* X's rows are combined from the companion, B is projected on the rows */
    real *projected;   /* [count][n_rhs] turned apply: scratch */
} sarrus_svd_state;

/* (I − β v vᵀ) from the left on the rows k… of y [m][n_columns], by groups of columns. */
LANE_FUNCTION void sarrus_svd_reflect_columns(const sarrus_qr *qr, int32_t k, real *y, int32_t n_columns, const int32_t count) {
    const real *v = lane_from(qr->f, k * qr->m);
    real head = lane_at(qr->head, k), beta = lane_at(qr->beta, k), factor[4];
    for (int32_t c = 0; c < count; ++c)
        factor[c] = head * lane_at(y, k * n_columns + c);
    for (int32_t i = k + 1; i < qr->m; ++i) {
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_fma(lane_at(v, i), lane_at(y, i * n_columns + c), factor[c]);
    }
    for (int32_t c = 0; c < count; ++c) {
        factor[c] = beta * factor[c];
        lane_at(y, k * n_columns + c) = real_fnma(factor[c], head, lane_at(y, k * n_columns + c));
    }
    for (int32_t i = k + 1; i < qr->m; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(y, i * n_columns + c) = real_fnma(factor[c], lane_at(v, i), lane_at(y, i * n_columns + c));
    }
}

LANE_BODY void sarrus_svd_reflect(const sarrus_qr *qr, int32_t k, real *y, int32_t n_columns) {
    int32_t c = 0;
    for (; c + 4 <= n_columns; c += 4)
        sarrus_svd_reflect_columns(qr, k, lane_from(y, c), n_columns, 4);
    for (; c < n_columns; ++c)
        sarrus_svd_reflect_columns(qr, k, lane_from(y, c), n_columns, 1);
}

/* Rows i … i + count − 1 of column o of R Pᵀ. */
LANE_FUNCTION void sarrus_svd_unpivot_rows(const sarrus_qr *qr, int32_t o, int32_t i, real *rows, const int32_t count) {
    const real column = real_set((real_scalar)o);
    real found[4];
    for (int32_t c = 0; c < count; ++c)
        found[c] = real_set(0.0);
    for (int32_t j = i; j < qr->n; ++j) {
        mask here = real_eq(lane_at(qr->place, j), column);
        for (int32_t c = 0; c < count; ++c) {
            if (i + c <= j)
                found[c] = real_select(here, lane_at(qr->f, j * qr->m + i + c), found[c]);
        }
    }
    for (int32_t c = 0; c < count; ++c)
        lane_at(rows, (i + c) * qr->n + o) = found[c];
}

/* rows [n][n] ← R Pᵀ: the columns where A has them, so that nothing needs to be permuted afterwards. */
LANE_BODY void sarrus_svd_unpivot(const sarrus_qr *qr, real *rows) {
    for (int32_t o = 0; o < qr->n; ++o) {
        int32_t i = 0;
        for (; i + 4 <= qr->n; i += 4)
            sarrus_svd_unpivot_rows(qr, o, i, rows, 4);
        for (; i < qr->n; ++i)
            sarrus_svd_unpivot_rows(qr, o, i, rows, 1);
    }
}

LANE_BODY void sarrus_svd_identity(real *x, int32_t count) {
    for (int32_t i = 0; i < count * count; ++i)
        lane_at(x, i) = real_set(i % (count + 1) == 0 ? 1.0 : 0.0);
}

/* c [count][n_rhs] ← D B: B projected on the rows. */
LANE_BODY void sarrus_svd_project(const sarrus_sweep_rows *rows, const real *b, int32_t n_rhs, real *c) {
    for (int32_t i = 0; i < rows->count; ++i) {
        const real *x = lane_from(rows->d, i * rows->width);
        for (int32_t j = 0; j < n_rhs; ++j) {
            real sum = real_set(0.0);
            for (int32_t k = 0; k < rows->width; ++k)
                sum = real_fma(lane_at(x, k), lane_at(b, k * n_rhs + j), sum);
            lane_at(c, i * n_rhs + j) = sum;
        }
    }
}

LANE_FUNCTION size_t sarrus_svd_work(const sarrus_pinv_shape *shape, int32_t has_qr) {
    const size_t count = (size_t)sarrus_svd_count(shape), length = (size_t)sarrus_svd_length(shape);
    const size_t projected = shape->is_explicit ? 0 : count * (size_t)shape->n_rhs;
    size_t work = sarrus_spectrum_work((int32_t)count) + count * count + projected;
    if (has_qr)
        work += sarrus_qr_work((int32_t)length, (int32_t)count);
    else if (shape->m > shape->n)
        work += count * length;
    return work;
}

/* The triangle's rows and their companions. */
LANE_BODY void sarrus_svd_prepare(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes, sarrus_svd_state *svd, real *work) {
    const int32_t count = sarrus_svd_count(shape), length = sarrus_svd_length(shape);
    sarrus_sweep_rows *rows = &svd->spectrum.rows;
    sarrus_qr *qr = &svd->qr;
    work = sarrus_qr_cut(qr, length, count, lanes->a, work);
    rows->width = count;
    rows->d = work;
    svd->projected = lane_from(work, count * count);
    svd->is_turned = shape->m < shape->n;
    if (svd->is_turned)
        sarrus_qr_load_transposed(qr, lanes->a, svd->spectrum.scale);
    else
        sarrus_qr_load(qr, lanes->a, svd->spectrum.scale);
    sarrus_qr_factor(qr);
    sarrus_svd_unpivot(qr, rows->d);
    if (shape->is_explicit) {
        rows->n_along[0] = length;
        rows->along[0] = qr->w;
        sarrus_qr_form(qr, count, qr->w, length);
    } else if (svd->is_turned) {
        rows->n_along[0] = count;
        rows->along[0] = qr->w;
        sarrus_svd_identity(qr->w, count);
    } else {
        rows->n_along[0] = shape->n_rhs;
        rows->along[0] = lanes->b;
        for (int32_t k = 0; k < count; ++k)
            sarrus_svd_reflect(qr, k, lanes->b, shape->n_rhs);
    }
}

/* The matrix's own rows, or those of its transpose, and their companions. */
LANE_BODY void sarrus_svd_prepare_bare(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes, sarrus_svd_state *svd,
                                       real *work) {
    const int32_t count = sarrus_svd_count(shape), length = sarrus_svd_length(shape);
    sarrus_sweep_rows *rows = &svd->spectrum.rows;
    real *companion = work;
    work = lane_from(work, count * count);
    rows->width = length;
    rows->d = lanes->a;
    rows->n_along[0] = count;
    rows->along[0] = companion;
    svd->is_turned = shape->m > shape->n;
    if (svd->is_turned) {
        rows->d = work;
        work = lane_from(work, count * length);
        for (int32_t i = 0; i < length; ++i) {
            for (int32_t j = 0; j < count; ++j)
                lane_at(rows->d, j * length + i) = lane_at(lanes->a, i * count + j);
        }
    }
    svd->projected = work;
    if (svd->is_turned || shape->is_explicit) {
        sarrus_svd_identity(companion, count);
    } else {
        rows->n_along[0] = shape->n_rhs;
        rows->along[0] = lanes->b;
    }
}

/* Scales, prepares, rotates; lanes->limit.unit and n_sweeps are set. */
LANE_BODY void sarrus_svd_decompose(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes, int32_t has_qr,
                                    sarrus_svd_state *svd) {
    sarrus_spectrum *spectrum = &svd->spectrum;
    real *work = sarrus_spectrum_cut(spectrum, sarrus_svd_count(shape), lanes->work);
    spectrum->scale =
        has_qr ? sarrus_pinv_scale_find(lanes->a, shape->m * shape->n) : sarrus_pinv_scale(lanes->a, shape->m * shape->n);
    lanes->limit.unit = spectrum->scale;
    spectrum->rows.may_block = 1;
    spectrum->rows.n_along[1] = 0;
    spectrum->rows.along[1] = (real *)0;
    spectrum->rows.stop = lanes->stop;
    if (has_qr)
        sarrus_svd_prepare(shape, lanes, svd, work);
    else
        sarrus_svd_prepare_bare(shape, lanes, svd, work);
    lanes->n_sweeps = sarrus_spectrum_find(spectrum, shape->m, shape->n, lanes->active);
}

/* X from the weighed rows and their companions. */
LANE_BODY void sarrus_svd_combine(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes, int32_t has_qr,
                                  const sarrus_svd_state *svd) {
    const sarrus_sweep_rows *rows = &svd->spectrum.rows;
    const int32_t n_columns = sarrus_pinv_columns(shape), n_along = rows->n_along[0];
    if (!svd->is_turned) {
        sarrus_combine(rows->d, rows->width, rows->along[0], n_along, rows->count, lanes->x);
    } else if (shape->is_explicit) {
        sarrus_combine(rows->along[0], n_along, rows->d, rows->width, rows->count, lanes->x);
    } else {
        sarrus_svd_project(rows, lanes->b, n_columns, svd->projected);
        sarrus_combine(rows->along[0], n_along, svd->projected, n_columns, rows->count, lanes->x);
        if (has_qr) {
            for (int32_t i = rows->count * n_columns; i < shape->n * n_columns; ++i)
                lane_at(lanes->x, i) = real_set(0.0);
            for (int32_t k = rows->count - 1; k >= 0; --k)
                sarrus_svd_reflect(&svd->qr, k, lanes->x, n_columns);
        }
    }
    for (int32_t i = 0; i < shape->n * n_columns; ++i) /* a zero's sign may be a neighbour's doing: adding 0 makes it + */
        lane_at(lanes->x, i) = lane_at(lanes->x, i) * svd->spectrum.scale + real_set(0.0);
}

/* Operations of a decomposition with the rank decision, the weights and X. A row beyond the rank counts as noise from the QR on;
 * without a QR all rows are turned against each other. */
LANE_BODY double sarrus_svd_flops(const sarrus_pinv_shape *shape, int32_t has_qr, int32_t rank, double n_sweeps) { /* plan */
    const int32_t count = sarrus_svd_count(shape), length = sarrus_svd_length(shape), n_columns = sarrus_pinv_columns(shape);
    const int32_t is_turned = has_qr ? shape->m < shape->n : shape->m > shape->n;
    const int32_t width = has_qr ? count : length;
    const int32_t n_own = shape->is_explicit && has_qr ? length : count; /* of a companion that is not B */
    const int32_t n_along = shape->is_explicit || is_turned ? n_own : n_columns;
    const double area = (double)count * length; /* plan */
    double flops = has_qr ? 3.0 * area : area;  /* plan */
    for (int32_t k = 0; has_qr && k < count; ++k) {
        const double below = length - k - 1, right = count - k - 1; /* plan */
        flops += (below + 1.0) * (right + 1.0) * (k > 0 ? 4.0 : 2.0) + 6.0 * right + 7.0;
        flops += shape->is_explicit ? 0.0 : n_columns * (4.0 * below + 4.0);
    }
    if (has_qr && shape->is_explicit)
        flops += sarrus_qr_form_flops(length, count, count);
    flops += sarrus_sweep_flops(count, width, n_along, has_qr ? rank : count, n_sweeps);
    flops += count * (5.0 + width) + 1.0;
    if (!shape->is_explicit && is_turned)
        flops += 2.0 * count * n_columns * (width + count);
    else
        flops += 2.0 * count * shape->n * n_columns;
    return flops + 2.0 * shape->n * n_columns;
}

/* X and the rank decision, with or without the QR. */
LANE_FUNCTION void sarrus_svd_solve(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes, int32_t has_qr) {
    sarrus_svd_state svd;
    sarrus_svd_decompose(shape, lanes, has_qr, &svd);
    lanes->found = sarrus_spectrum_keep(&svd.spectrum, shape, &lanes->limit);
    sarrus_svd_combine(shape, lanes, has_qr, &svd);
}

LANE_FUNCTION size_t sarrus_pinv_svd_work(const sarrus_pinv_shape *shape) {
    return sarrus_svd_work(shape, 1);
}

LANE_BODY double sarrus_pinv_svd_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    return sarrus_svd_flops(shape, 1, rank, n_sweeps);
}

LANE_BODY void sarrus_pinv_svd(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    sarrus_svd_solve(shape, lanes, 1);
}

LANE_FUNCTION size_t sarrus_pinv_jacobi_work(const sarrus_pinv_shape *shape) {
    return sarrus_svd_work(shape, 0);
}

LANE_BODY double sarrus_pinv_jacobi_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    return sarrus_svd_flops(shape, 0, rank, n_sweeps);
}

LANE_BODY void sarrus_pinv_jacobi(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    sarrus_svd_solve(shape, lanes, 0);
}

#endif
