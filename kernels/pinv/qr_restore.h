/* Undoes the exchanges of columns of a QR:  X = s P Y,  row o of X is the row j of Y with place_j = o. */
#ifndef SARRUS_PINV_QR_RESTORE_H
#define SARRUS_PINV_QR_RESTORE_H

#include "kernels/pinv/qr.h"

/* Row o of X = s P Y, `count` columns of it: row j of Y with place_j = o, times s. Of the rows those are looked at that some lane
 * takes. */
LANE_FUNCTION void sarrus_qr_restore_row(const sarrus_qr *qr, const sarrus_qr_hits *hits, int32_t o, const real *y, int32_t stride,
                                         const int32_t count, real *x) {
    real found[8];
    for (int32_t c = 0; c < count; ++c)
        found[c] = real_set(0.0);
    for (int32_t t = 0; t < hits->count; ++t) {
        const real *row = lane_from(y, hits->at[t] * stride);
        const mask here = real_eq(lane_at(qr->place, hits->at[t]), lane_at(qr->index, o));
        for (int32_t c = 0; c < count; ++c)
            found[c] = real_select(here, lane_at(row, c), found[c]);
    }
    for (int32_t c = 0; c < count; ++c)
        lane_at(x, c) = found[c];
}

/* X ← s P Y: X in rows [n][n_columns], Y in rows that are `apart`. */
LANE_BODY void sarrus_qr_restore(const sarrus_qr *qr, int32_t n_columns, const real *y, int32_t apart, real scale, real *x) {
    for (int32_t o = 0; o < qr->n; ++o) {
        real *row = lane_from(x, o * n_columns);
        sarrus_qr_hits hits;
        int32_t c = 0;
        hits.count = 0;
        for (int32_t j = 0; j < qr->n; ++j) {
            hits.at[hits.count] = j;
            hits.count += mask_any(real_eq(lane_at(qr->place, j), lane_at(qr->index, o))) ? 1 : 0;
        }
        for (; c + 8 <= n_columns; c += 8)
            sarrus_qr_restore_row(qr, &hits, o, lane_from(y, c), apart, 8, lane_from(row, c));
        for (; c + 4 <= n_columns; c += 4)
            sarrus_qr_restore_row(qr, &hits, o, lane_from(y, c), apart, 4, lane_from(row, c));
        for (; c < n_columns; ++c)
            sarrus_qr_restore_row(qr, &hits, o, lane_from(y, c), apart, 1, lane_from(row, c));
        for (c = 0; c < n_columns; ++c)
            lane_at(row, c) = lane_at(row, c) * scale;
    }
}

/* One column of X, whose entries are `stride` apart, from one column of Y, whose entries are contiguous. */
LANE_BODY void sarrus_qr_restore_column(const sarrus_qr *qr, const real *y, real scale, real *x, int32_t stride) {
    for (int32_t o = 0; o < qr->n; ++o) {
        real found = real_set(0.0);
        for (int32_t j = 0; j < qr->n; ++j)
            found = real_select(real_eq(lane_at(qr->place, j), lane_at(qr->index, o)), lane_at(y, j), found);
        lane_at(x, o * stride) = found * scale;
    }
}

#endif
