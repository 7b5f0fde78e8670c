#include "plan/length_change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* pull [n] ← wᵀ dJ/ds, s along the right singular vector v: the difference over a step that moves bodies by 1e-4, good to 1e-8. The
 * configuration is left where it is. */
static void pull_of(sarrus_gap *gap, const sarrus_spectrum *spectrum, double t, const double *q, double *side_pull, double *pull) {
    sarrus_configuration *c = gap->c;
    const double *v = spectrum->right;
    sarrus_configuration_weigh(c, 1.0, v, side_pull);
    const double largest = sarrus_gap_largest(gap, side_pull);
    const double step = largest > 0.0 ? 1e-4 / largest : 0.0;
    for (int side = -1; side <= 1; side += 2) {
        sarrus_configuration_move(c, q, side * step, v);
        (void)sarrus_configuration_rows(c, t);
        sarrus_plan_rows_apply_back(&c->rows, spectrum->left, side_pull);
        for (int k = 0; k < c->n && step > 0.0; ++k)
            pull[k] += side_pull[k] * side / (2.0 * step);
    }
    memcpy(c->q, q, (size_t)c->n_q * sizeof *q);
    (void)sarrus_configuration_rows(c, t);
}

/* x ← x without its parts along the right singular vectors that are known. */
static void leave_out(const sarrus_spectrum *spectrum, double *x) {
    for (int k = 0; k < spectrum->n_small; ++k) {
        const double *v = spectrum->right + (size_t)k * (size_t)spectrum->n;
        double along = 0.0;
        for (int i = 0; i < spectrum->n; ++i)
            along += x[i] * v[i];
        for (int i = 0; i < spectrum->n; ++i)
            x[i] -= along * v[i];
    }
}

/* σ belongs to w on the left and to v on the right. On lengths with which σ is zero all along the motion v, w stays a null vector
 * of Jᵀ and turns by dw/ds; here the loops differ from those by Φ, and σ = |(dw/ds)ᵀΦ| (docs/rank.md). The smallest Φ in lengths is
 * σ/‖dw/ds‖ over the rows of lengths. In the other singular vectors, dw/ds = −Σ u_i (wᵀ dJ/ds v_i)/σ_i = −(Jᵀ)⁺ of the pull; those
 * of σ that are as small belong to further motions of this kind. */
double sarrus_length_change(sarrus_gap *gap, const sarrus_spectrum *spectrum, double t) {
    sarrus_configuration *c = gap->c;
    const int m = c->m, n = c->n;
    if (spectrum->n_small < 1)
        return (double)INFINITY;
    double *q = malloc(((size_t)c->n_q + 1) * sizeof *q), *pull = calloc(2 * (size_t)n + 1, sizeof *pull),
           *turn = calloc((size_t)m + 1, sizeof *turn);
    double change = (double)NAN, turning = 0.0;
    if (q && pull && turn) {
        memcpy(q, c->q, (size_t)c->n_q * sizeof *q);
        pull_of(gap, spectrum, t, q, pull + n, pull);
        leave_out(spectrum, pull);
        if (sarrus_fronts_factor(&c->fronts, &c->rows, 0.01 * spectrum->sigma[0], NULL)) {
            sarrus_fronts_solve(&c->fronts, pull);
            leave_out(spectrum, pull);
            sarrus_plan_rows_apply(&c->rows, pull, turn);
            for (int i = 0; i < m; ++i)
                turning += sarrus_plan_row_is_angle(c->plan, i) ? 0.0 : turn[i] * turn[i];
            change = turning > 0.0 ? spectrum->sigma[0] / sqrt(turning) : (double)INFINITY;
        }
    }
    free(q);
    free(pull);
    free(turn);
    return change;
}

void sarrus_length_change_text(double change, double size, char text[100]) {
    text[0] = '\0';
    if (change < SARRUS_NEAR_CHANGE * size)
        (void)snprintf(text, 100, " (lengths that differ by about %.1g m would let it move)", change);
}

int sarrus_plan_undriven_rank(sarrus_gap *gap, double t, double *change) {
    sarrus_configuration *c = gap->c;
    sarrus_spectrum spectrum;
    (void)sarrus_configuration_rows(c, t);
    for (int i = 0; i < c->m; ++i) {
        for (int k = 0; sarrus_plan_row_is_drive(c->plan, i) && k < c->rows.n_sides * c->sizes->n_v; ++k)
            sarrus_plan_row_side(&c->rows, i, 0)[k] = 0.0;
    }
    if (sarrus_spectrum_find(&c->fronts, &c->rows, SARRUS_SPECTRUM_VECTORS, &spectrum) != SARRUS_OK)
        return -1;
    const int rank = spectrum.rank;
    if (change)
        *change = sarrus_length_change(gap, &spectrum, t);
    sarrus_spectrum_free(&spectrum);
    (void)sarrus_configuration_rows(c, t);
    return rank;
}
