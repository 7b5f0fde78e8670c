/* The first columns of Q, from what sarrus_qr_factor leaves:  Q = H_0 H_1 …,  H_k = I − β_k v_k v_kᵀ.
 *
 * Every column goes through its reflections from the last to the first, four columns at a time, so that they stay in the
 * first-level cache. Of many columns four reflections are made together (Schreiber and Van Loan 1989), which loads and stores a
 * third:
 *
 *   H_k H_{k+1} H_{k+2} H_{k+3} = I − V T Vᵀ,   T upper triangular, T_jj = β_j,   T_ij = −β_j Σ_{l < j} T_il v_lᵀ v_j  (i < j) */
#ifndef SARRUS_PINV_QR_FORM_H
#define SARRUS_PINV_QR_FORM_H

#include "kernels/pinv/qr.h"

/* Columns from which on that is done; T of four reflections has six entries off its diagonal. */
enum { SARRUS_QR_BLOCKED = 24, SARRUS_QR_T = 6 };

/* Where T_ij, i < j, stands. */
LANE_FUNCTION int32_t sarrus_qr_t_at(int32_t i, int32_t j) {
    return j * (j - 1) / 2 + i;
}

/* Columns q of a group ← (I − β v vᵀ) q for rows k…, given that row k of them is zero. */
LANE_FUNCTION void sarrus_qr_form_columns(const sarrus_qr *qr, int32_t k, real *q, int32_t apart, const int32_t count) {
    const int32_t m = qr->m;
    const real *v = lane_from(qr->f, k * m);
    real factor[4];
    sarrus_qr_products(v, q, apart, k + 1, m, factor, count);
    for (int32_t c = 0; c < count; ++c) {
        factor[c] = lane_at(qr->beta, k) * factor[c];
        lane_at(q, c * apart + k) = -(factor[c] * lane_at(qr->head, k));
    }
    for (int32_t i = k + 1; i < m; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(q, c * apart + i) = real_fnma(factor[c], lane_at(v, i), lane_at(q, c * apart + i));
    }
}

/* The T of reflections k … k + 3. */
LANE_FUNCTION void sarrus_qr_t_make(const sarrus_qr *qr, int32_t k, real *t) {
    const int32_t m = qr->m;
    const real *v = lane_from(qr->f, k * m);
    for (int32_t j = 1; j < 4; ++j) {
        real product[3];
        for (int32_t l = 0; l < j; ++l) {
            product[l] = lane_at(v, l * m + k + j) * lane_at(qr->head, k + j);
            for (int32_t i = k + j + 1; i < m; ++i)
                product[l] = real_fma(lane_at(v, l * m + i), lane_at(v, j * m + i), product[l]);
        }
        for (int32_t i = 0; i < j; ++i) {
            real sum = lane_at(qr->beta, k + i) * product[i];
            for (int32_t l = i + 1; l < j; ++l)
                sum = real_fma(lane_at(t, sarrus_qr_t_at(i, l)), product[l], sum);
            lane_at(t, sarrus_qr_t_at(i, j)) = -(lane_at(qr->beta, k + j) * sum);
        }
    }
}

/* Columns q of a group ← (I − V T Vᵀ) q for rows k…, given that rows k … k + 3 of them are zero. */
LANE_FUNCTION void sarrus_qr_form_block(const sarrus_qr *qr, int32_t k, const real *t, real *q, int32_t apart,
                                        const int32_t count) {
    const int32_t m = qr->m;
    const real *v = lane_from(qr->f, k * m);
    real along[4][4];
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t c = 0; c < count; ++c)
            along[r][c] = real_set(0.0);
    }
    for (int32_t i = k + 4; i < m; ++i) {
        for (int32_t r = 0; r < 4; ++r) {
            for (int32_t c = 0; c < count; ++c)
                along[r][c] = real_fma(lane_at(v, r * m + i), lane_at(q, c * apart + i), along[r][c]);
        }
    }
    for (int32_t r = 0; r < 4; ++r) { /* T times that, in place: row r needs those behind it */
        for (int32_t c = 0; c < count; ++c) {
            real sum = lane_at(qr->beta, k + r) * along[r][c];
            for (int32_t l = r + 1; l < 4; ++l)
                sum = real_fma(lane_at(t, sarrus_qr_t_at(r, l)), along[l][c], sum);
            along[r][c] = sum;
        }
    }
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t c = 0; c < count; ++c) {
            real sum = lane_at(qr->head, k + r) * along[r][c];
            for (int32_t l = 0; l < r; ++l)
                sum = real_fma(lane_at(v, l * m + k + r), along[l][c], sum);
            lane_at(q, c * apart + k + r) = -sum;
        }
    }
    for (int32_t i = k + 4; i < m; ++i) {
        for (int32_t c = 0; c < count; ++c) {
            real y = lane_at(q, c * apart + i);
            for (int32_t r = 0; r < 4; ++r)
                y = real_fnma(lane_at(v, r * m + i), along[r][c], y);
            lane_at(q, c * apart + i) = y;
        }
    }
}

/* Column k of q as the reflection k leaves it: rows above it are zero. */
LANE_FUNCTION void sarrus_qr_form_own(const sarrus_qr *qr, int32_t k, real *own) {
    const real *v = lane_from(qr->f, k * qr->m);
    const real factor = lane_at(qr->beta, k) * lane_at(qr->head, k);
    for (int32_t i = 0; i < k; ++i)
        lane_at(own, i) = real_set(0.0);
    lane_at(own, k) = real_fnma(factor, lane_at(qr->head, k), real_set(1.0));
    for (int32_t i = k + 1; i < qr->m; ++i)
        lane_at(own, i) = -(factor * lane_at(v, i));
}

/* The reflections before j, which is a multiple of four, on a group of columns from j on. */
LANE_FUNCTION void sarrus_qr_form_before(const sarrus_qr *qr, int32_t j, const int32_t is_blocked, real *q, int32_t apart,
                                         const int32_t count) {
    if (is_blocked) {
        for (int32_t k = j - 4; k >= 0; k -= 4)
            sarrus_qr_form_block(qr, k, lane_from(qr->norm2, k / 4 * SARRUS_QR_T), q, apart, count);
        return;
    }
    for (int32_t k = j - 1; k >= 0; --k)
        sarrus_qr_form_columns(qr, k, q, apart, count);
}

/* q [count][apart] ← the first `count` columns of Q. q is not f. Lengths and what was pending, [2 n] lane arrays, are of no more
 * use behind the factorization: there the T stand. */
LANE_BODY void sarrus_qr_form(const sarrus_qr *qr, int32_t count, real *q, int32_t apart) {
    const int32_t is_blocked = sarrus_qr_steps(qr->m, qr->n) >= SARRUS_QR_BLOCKED;
    for (int32_t k = 0; is_blocked && k + 4 < count; k += 4)
        sarrus_qr_t_make(qr, k, lane_from(qr->norm2, k / 4 * SARRUS_QR_T));
    for (int32_t j = 0; j < count; j += 4) {
        const int32_t width = count - j < 4 ? count - j : 4;
        for (int32_t k = j + width - 1; k >= j; --k) {
            sarrus_qr_form_own(qr, k, lane_from(q, k * apart));
            for (int32_t c = k + 1; c < j + width; ++c)
                sarrus_qr_form_columns(qr, k, lane_from(q, c * apart), apart, 1);
        }
        if (width == 4)
            sarrus_qr_form_before(qr, j, is_blocked, lane_from(q, j * apart), apart, 4);
        for (int32_t c = j; c < j + width && width < 4; ++c)
            sarrus_qr_form_before(qr, j, is_blocked, lane_from(q, c * apart), apart, 1);
    }
}

/* Additions and multiplications of it, with min(m, n) = `steps`. */
LANE_FUNCTION real_scalar sarrus_qr_form_flops(int32_t m, int32_t steps, int32_t count) {
    const int32_t is_blocked = steps >= SARRUS_QR_BLOCKED;
    real_scalar flops = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        const int32_t first = k / 4 * 4, end = is_blocked && first + 4 < count ? first + 4 : count;
        flops += 3.0 + (m - k - 1) + (end - 1.0 - k) * (4.0 * (m - k - 1) + 3.0);
        if (k > first || end == count)
            continue;
        flops += (count - end) * (16.0 * (m - end) + 32.0);
        for (int32_t j = 1; j < 4; ++j)
            flops += j * (1.0 + 2.0 * (m - k - j - 1)) + j * (2.0 + (j - 1.0));
    }
    return flops;
}

#endif
