/* The singular value decomposition with other weights than 1/σ for what counts:
 *
 *   tikhonov    f_i = 1 / (σ_i² + τ²)    τ the rank rule's threshold: every σ becomes σ / (σ² + τ²)
 *   truncated   f_i = 1 / σ_i²           for exactly the limit.max_rank largest σ > 0, whatever their size */
#ifndef SARRUS_PINV_SVD_WEIGHTS_H
#define SARRUS_PINV_SVD_WEIGHTS_H

#include "kernels/pinv/svd.h"

LANE_FUNCTION size_t sarrus_pinv_tikhonov_work(const sarrus_pinv_shape *shape) {
    return sarrus_pinv_svd_work(shape);
}

LANE_FUNCTION size_t sarrus_pinv_truncated_work(const sarrus_pinv_shape *shape) {
    return sarrus_pinv_svd_work(shape);
}

/* The other weights take up to two operations a row more. */
LANE_BODY double sarrus_pinv_tikhonov_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    return sarrus_svd_flops(shape, 1, rank, n_sweeps) + 2.0 * sarrus_svd_count(shape);
}

LANE_BODY double sarrus_pinv_truncated_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    return sarrus_pinv_tikhonov_flops(shape, rank, n_sweeps);
}

/* The rank rule's decision is reported; the weights do not depend on it. τ is of the sizes themselves: at its square, round-off, it
 * would damp nothing. */
LANE_BODY void sarrus_pinv_tikhonov(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    sarrus_svd_state svd;
    sarrus_svd_decompose(shape, lanes, 1, &svd);
    const sarrus_spectrum *spectrum = &svd.spectrum;
    const int32_t count = spectrum->rows.count;
    const real one = real_set(1.0), tiny = real_set(SARRUS_SPECTRUM_TINY);
    const sarrus_rank_rule plain = {shape->rule.method, shape->rule.tolerance, 0};
    real tau = sarrus_rank_threshold(&plain, &lanes->limit, shape->m, shape->n, lane_at(spectrum->sorted, 0));
    /* Beyond 2^500 nothing is left of an A of about 1. */
    tau = real_select(real_lt(real_set(0x1p500), tau), real_set(0x1p500), tau);
    lanes->found = sarrus_rank_decide(&shape->rule, &lanes->limit, shape->m, shape->n, spectrum->sorted, 1, count);
    for (int32_t i = 0; i < count; ++i) {
        real square = real_fma(tau, tau, lane_at(spectrum->rows.norm2, i));
        mask on = real_lt(tiny, square);
        sarrus_spectrum_weigh(spectrum, i, real_select(on, one / real_select(on, square, one), real_set(0.0)));
    }
    sarrus_svd_combine(shape, lanes, 1, &svd);
}

/* Of equal σ at the edge, the first rows count. */
LANE_BODY void sarrus_pinv_truncated(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const sarrus_rank_rule all = {SARRUS_RANK_AUTO, 0.0, 0};
    const real one = real_set(1.0), zero = real_set(0.0);
    sarrus_svd_state svd;
    sarrus_svd_decompose(shape, lanes, 1, &svd);
    const sarrus_spectrum *spectrum = &svd.spectrum;
    const int32_t count = spectrum->rows.count;
    lanes->found = sarrus_rank_decide(&all, &lanes->limit, shape->m, shape->n, spectrum->sorted, 1, count);
    real edge = sarrus_spectrum_edge(spectrum, lanes->found.rank), quota = lanes->found.rank;
    for (int32_t i = 0; i < count; ++i)
        quota = quota - real_select(real_lt(edge, lane_at(spectrum->sigma, i)), one, zero);
    for (int32_t i = 0; i < count; ++i) {
        real sigma = lane_at(spectrum->sigma, i);
        mask tie = mask_and(real_eq(edge, sigma), real_lt(zero, quota));
        mask keep = mask_or(real_lt(edge, sigma), tie);
        quota = quota - real_select(tie, one, zero);
        real square = real_select(keep, lane_at(spectrum->rows.norm2, i), one);
        sarrus_spectrum_weigh(spectrum, i, real_select(keep, one / square, zero));
    }
    sarrus_svd_combine(shape, lanes, 1, &svd);
}

#endif
