/* The coefficients of a step of variable-order Adams in modified divided differences (Krogh; Shampine and Gordon 1975), lane by
 * lane. With ψ_i the sum of the last i step sizes, that of the present step h included, ψ'_i the same one step earlier:
 *
 *   α_i = h/ψ_i,   β_1 = 1, β_i = β_{i−1} ψ_{i−1}/ψ'_{i−1},   σ_1 = 1, σ_{i+1} = i α_i σ_i,
 *   g_1 = 1, g_2 = ½, g_i = c_{i,1},   c_{2,q} = 1/(q(q + 1)), c_{i,q} = c_{i−1,q} − α_{i−1} c_{i−1,q+1}.
 *
 * Elements beyond a lane's order hold anything and are selected away. */
#ifndef SARRUS_STEP_ADAMS_TERMS_H
#define SARRUS_STEP_ADAMS_TERMS_H

#include "kernels/step/adaptive.h"

/* Where the fields are that only adams-moulton uses. */
typedef struct sarrus_adams {
#define SARRUS_ADAMS_FIELD(name, ...) real *name;
#include "sarrus/field.def"
} sarrus_adams;

LANE_FUNCTION void sarrus_adams_view(const sarrus_mechanism *mech, real *tile, sarrus_adams *history) {
    const sarrus_adaptive_layout *at = &mech->layout.adaptive;
#define SARRUS_ADAMS_FIELD(name, ...) history->name = lane_from(tile, at->name);
#include "sarrus/field.def"
}

/* Of one step: index i as in the formulas, element 0 unused. */
typedef struct sarrus_adams_terms {
    int32_t top;                       /* highest order among the lanes */
    mask within[SARRUS_MAX_ORDER + 3]; /* i ≤ order */
    real psi[SARRUS_MAX_ORDER + 1], beta[SARRUS_MAX_ORDER + 1];
    real sigma[SARRUS_MAX_ORDER + 2], g[SARRUS_MAX_ORDER + 2];
} sarrus_adams_terms;

LANE_FUNCTION real sarrus_whole(int32_t i) {
    return real_set((real_scalar)i);
}

/* x[k] of each lane's own k, lowest ≤ k ≤ top. */
LANE_FUNCTION real sarrus_own_term(const real *x, real k, int32_t lowest, int32_t top) {
    real own = x[lowest];
    for (int32_t i = lowest + 1; i <= top; ++i)
        own = real_select(real_eq(k, sarrus_whole(i)), x[i], own);
    return own;
}

/* For a step h of the lanes of `go`, each of its own order. */
LANE_BODY void sarrus_adams_terms_make(const sarrus_adams *history, int32_t max_order, real h, mask go, sarrus_adams_terms *terms) {
    real order = lane_at(history->order, 0), w[SARRUS_MAX_ORDER + 2], alpha[SARRUS_MAX_ORDER + 1];
    const real one = real_set(1.0);
    terms->top = 1;
    for (int32_t i = 1; i <= max_order + 2; ++i) {
        terms->within[i] = real_le(sarrus_whole(i), order);
        if (i <= max_order && mask_any(mask_and(go, terms->within[i])))
            terms->top = i;
    }
    terms->psi[1] = h;
    terms->beta[1] = terms->sigma[1] = terms->sigma[2] = terms->g[1] = alpha[1] = one;
    terms->g[2] = real_set(0.5);
    for (int32_t i = 2; i <= terms->top; ++i) {
        real earlier = real_select(terms->within[i], lane_at(history->psi, i - 2), h);
        terms->psi[i] = earlier + h;
        terms->beta[i] = terms->beta[i - 1] * (terms->psi[i - 1] / earlier);
        alpha[i] = h / terms->psi[i];
        terms->sigma[i + 1] = sarrus_whole(i) * alpha[i] * terms->sigma[i];
    }
    for (int32_t q = 1; q <= terms->top; ++q)
        w[q] = real_set(1.0 / (real_scalar)(q * (q + 1)));
    for (int32_t i = 3; i <= terms->top + 1; ++i) {
        for (int32_t q = 1; q <= terms->top + 2 - i; ++q)
            w[q] = real_fnma(alpha[i - 1], w[q + 1], w[q]);
        terms->g[i] = w[1];
    }
}

/* g_i and ρ_i of the polynomial through the last step, at hi ≤ 0 from its end: y(t + hi) = y + hi Σ g_i φ_i,  i ≤ top. */
LANE_BODY void sarrus_adams_terms_between(const sarrus_adams *history, real hi, int32_t top, real *g) {
    real w[SARRUS_MAX_ORDER + 2], term = real_set(0.0);
    for (int32_t i = 1; i <= top; ++i)
        w[i] = real_set(1.0 / (real_scalar)i);
    g[1] = real_set(1.0);
    for (int32_t j = 2; j <= top; ++j) {
        real psi = lane_at(history->psi, j - 2);
        real inverse = real_inverse_or_zero(psi);
        real gamma = (hi + term) * inverse, eta = hi * inverse;
        for (int32_t i = 1; i <= top + 1 - j; ++i)
            w[i] = real_fnma(eta, w[i + 1], gamma * w[i]);
        g[j] = w[1];
        term = psi;
    }
}

#endif
