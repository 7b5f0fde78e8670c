/* Lanczos' method, with all vectors kept orthogonal.
 *
 * For the largest: on A Aᵀ. For the smallest that counts: on G A (AᵀA + μ²)⁻² Aᵀ G, G = A (AᵀA + μ²)⁻¹ Aᵀ, which makes of a
 * singular value σ the number σ⁶/(σ² + μ²)⁴: about 1/σ² where σ counts, and next to nothing where it does not, so that redundant
 * rows are not taken for the smallest. It acts on left vectors: what round-off puts into the null space of A on the right, A takes
 * away again, but for ε²/μ⁴. So a μ well above the tolerance of the rank shows ordinary σ, and a μ that is this tolerance only
 * small ones; those are looked for where the elimination has met a small pivot. */
#include "plan/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 120, STEPS_PER_LOOK = 6 };
/* Residuals, relative; what they leave of an eigenvalue is of the order of their squares. */
static const double accuracy_of_largest = 1e-3, accuracy_of_kept = 1e-7, accuracy_of_vectors = 1e-11;
/* μ for ordinary σ, and pivots below which there may be others; σ up to which the other μ shows them. All relative to σ₁. */
static const double ordinary_mu = 1e-6, small_pivot = 1e-3, small_sigma = 3e-5;
/* μ for vectors, relative to the smallest σ that counts: round-off is least where μ is largest. */
static const double vector_mu = 0.03;

typedef struct lanczos {
    sarrus_fronts *fronts;
    const sarrus_plan_rows *rows;
    int m, n, n_steps;
    double *basis;               /* [MAX_STEPS + 1][m] orthonormal */
    double alpha[MAX_STEPS + 1]; /* the tridiagonal matrix */
    double beta[MAX_STEPS + 1];
    double *small, *vectors, *theta; /* [MAX_STEPS], [MAX_STEPS²], [MAX_STEPS] of it: scratch, eigenvectors, eigenvalues, falling */
    double accuracy;                 /* of a pair's residual, relative to the first eigenvalue */
    double *x, *y;                   /* [n], [m] scratch */
} lanczos;

static void lanczos_free(lanczos *l) {
    free(l->basis);
    free(l->small);
    free(l->x);
}

static bool lanczos_create(lanczos *l, sarrus_fronts *fronts, const sarrus_plan_rows *rows) {
    const size_t m = (size_t)rows->n_rows, n = (size_t)rows->n_each * (size_t)rows->n_bodies, steps = MAX_STEPS;
    *l = (lanczos){.fronts = fronts, .rows = rows, .m = (int)m, .n = (int)n};
    l->basis = malloc((steps + 1) * (m + 1) * sizeof *l->basis);
    l->small = malloc((steps * steps + 2 * steps) * sizeof *l->small);
    l->x = malloc((n + m + 1) * sizeof *l->x);
    if (!l->basis || !l->small || !l->x) {
        lanczos_free(l);
        return false;
    }
    l->vectors = l->small + steps;
    l->theta = l->vectors + steps * steps;
    l->y = l->x + n;
    return true;
}

/* Eight sums, so that none waits for the one before. */
static double dot(const double *a, const double *b, int n) {
    double sum[8] = {0.0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; ++k)
            sum[k] += a[i + k] * b[i + k];
    }
    for (; i < n; ++i)
        sum[0] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static void subtract(double *a, double factor, const double *b, int n) {
    for (int i = 0; i < n; ++i)
        a[i] -= factor * b[i];
}

/* y ← A (AᵀA + μ²)^{-power} Aᵀ y; power 0: A Aᵀ y. */
static void filter(const lanczos *l, int power, double *y) {
    sarrus_plan_rows_apply_back(l->rows, y, l->x);
    for (int k = 0; k < power; ++k)
        sarrus_fronts_solve(l->fronts, l->x);
    sarrus_plan_rows_apply(l->rows, l->x, y);
}

static void apply(const lanczos *l, bool is_inverse, double *y) {
    if (!is_inverse) {
        filter(l, 0, y);
        return;
    }
    filter(l, 1, y);
    filter(l, 2, y);
    filter(l, 1, y);
}

/* One implicit shift: chases a rotation from `last` − 1 up to `first` through the tridiagonal matrix d, e and into the columns of v
 * [n][n] (Bowdler, Martin, Reinsch and Wilkinson, 1968). */
static void chase(double *d, double *e, double *v, int n, int first, int last) {
    double g = (d[first + 1] - d[first]) / (2.0 * e[first]), r = hypot(g, 1.0), s = 1.0, c = 1.0, p = 0.0;
    g = d[last] - d[first] + e[first] / (g + copysign(r, g));
    for (int i = last - 1; i >= first; --i) {
        double f = s * e[i];
        const double b = c * e[i];
        e[i + 1] = r = hypot(f, g);
        if (r == 0.0) {
            d[i + 1] -= p;
            e[last] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        for (int k = 0; k < n; ++k) {
            f = v[k * n + i + 1];
            v[k * n + i + 1] = s * v[k * n + i] + c * f;
            v[k * n + i] = c * v[k * n + i] - s * f;
        }
    }
    d[first] -= p;
    e[first] = g;
    e[last] = 0.0;
}

static void swap_pairs(lanczos *l, int a, int b) {
    const double theta = l->theta[a];
    l->theta[a] = l->theta[b];
    l->theta[b] = theta;
    for (int k = 0; k < l->n_steps; ++k) {
        double *row = l->vectors + k * l->n_steps, x = row[a];
        row[a] = row[b];
        row[b] = x;
    }
}

/* Eigenvalues of the tridiagonal matrix, falling, and its eigenvectors. */
static void decompose(lanczos *l) {
    const int n = l->n_steps;
    double *v = l->vectors, *d = l->theta, *e = l->small;
    memset(v, 0, (size_t)n * (size_t)n * sizeof *v);
    for (int i = 0; i < n; ++i) {
        v[i * n + i] = 1.0;
        d[i] = l->alpha[i];
        e[i] = i + 1 < n ? l->beta[i] : 0.0;
    }
    for (int first = 0; first < n; ++first) {
        for (int turn = 0; turn < 60; ++turn) {
            int last = first;
            while (last + 1 < n && fabs(e[last]) > 1e-16 * (fabs(d[last]) + fabs(d[last + 1])))
                ++last;
            if (last == first)
                break;
            chase(d, e, v, n, first, last);
        }
    }
    for (int i = 0; i < n; ++i) {
        int best = i;
        for (int k = i + 1; k < n; ++k)
            best = d[k] > d[best] ? k : best;
        swap_pairs(l, i, best);
    }
}

/* Whether the pair has converged: by the part that the next vector of the basis has in it. */
static bool is_known(const lanczos *l, int pair) {
    return l->beta[l->n_steps - 1] * fabs(l->vectors[(l->n_steps - 1) * l->n_steps + pair]) <= l->accuracy * l->theta[0];
}

/* Whether all wanted pairs are known: the first, or those down to `down_to` of it. */
static bool is_over(lanczos *l, double down_to) {
    decompose(l);
    for (int pair = 0; pair < l->n_steps; ++pair) {
        if (pair > 0 && l->theta[pair] < down_to * l->theta[0])
            return true;
        if (!is_known(l, pair))
            return false;
    }
    return true;
}

/* Builds the basis until the wanted pairs are known, or all are. False: stopped. */
static bool run(lanczos *l, bool is_inverse, double down_to) {
    const int m = l->m, most = m < MAX_STEPS ? m : MAX_STEPS;
    uint64_t state = 20210907;
    double *first = l->basis;
    for (int i = 0; i < m; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        first[i] = (double)(int64_t)state / 9223372036854775808.0;
    }
    if (is_inverse)
        filter(l, 1, first);
    const double norm = sqrt(dot(first, first, m));
    for (int i = 0; i < m; ++i)
        first[i] = norm > 0.0 ? first[i] / norm : 0.0;
    l->n_steps = 0;
    l->accuracy = !is_inverse ? accuracy_of_largest : down_to < 1.0 ? accuracy_of_vectors : accuracy_of_kept;
    for (int k = 0; k < most; ++k) {
        double *next = l->basis + (size_t)(k + 1) * (size_t)m;
        if (!sarrus_plan_watch_goes_on(l->fronts->watch))
            return false;
        memcpy(next, l->basis + (size_t)k * (size_t)m, (size_t)m * sizeof *next);
        apply(l, is_inverse, next);
        const double size = sqrt(dot(next, next, m));
        l->alpha[k] = dot(next, l->basis + (size_t)k * (size_t)m, m);
        subtract(next, l->alpha[k], l->basis + (size_t)k * (size_t)m, m);
        if (k > 0)
            subtract(next, l->beta[k - 1], l->basis + (size_t)(k - 1) * (size_t)m, m);
        for (int j = 0; j <= k; ++j)
            subtract(next, dot(next, l->basis + (size_t)j * (size_t)m, m), l->basis + (size_t)j * (size_t)m, m);
        l->beta[k] = sqrt(dot(next, next, m));
        l->n_steps = k + 1;
        const bool is_closed = !(l->beta[k] > 1e-14 * size);
        if (is_closed)
            l->beta[k] = 0.0;
        if (is_closed || k + 1 == most || (k + 1) % STEPS_PER_LOOK == 0) {
            if (is_over(l, down_to) || is_closed)
                return true;
        }
        for (int i = 0; i < m; ++i)
            next[i] /= l->beta[k];
    }
    return true;
}

/* σ of θ = σ⁶/(σ² + μ²)⁴, the larger one. */
static double sigma_of(double theta, double mu) {
    double sigma = theta > 0.0 ? 1.0 / sqrt(theta) : INFINITY;
    for (int i = 0; i < 50 && isfinite(sigma); ++i) {
        const double share = sigma * sigma / (sigma * sigma + mu * mu);
        sigma = share * share / sqrt(theta);
    }
    return fmax(sigma, mu);
}

/* The left vector of the pair, and the right one that belongs to it: by (AᵀA + μ²)⁻¹ Aᵀ rather than Aᵀ, which would make much of
 * what the left one has of large σ. */
static void take_vectors(const lanczos *l, int pair, double *left, double *right) {
    memset(left, 0, (size_t)l->m * sizeof *left);
    for (int k = 0; k < l->n_steps; ++k)
        subtract(left, -l->vectors[k * l->n_steps + pair], l->basis + (size_t)k * (size_t)l->m, l->m);
    sarrus_plan_rows_apply_back(l->rows, left, right);
    sarrus_fronts_solve(l->fronts, right);
    const double norm = sqrt(dot(right, right, l->n));
    for (int i = 0; i < l->n && norm > 0.0; ++i)
        right[i] /= norm;
}

static sarrus_status take_small(lanczos *l, double mu, sarrus_spectrum *out) {
    int n = 0;
    while (n < l->n_steps && l->theta[n] >= 1e-2 * l->theta[0])
        ++n;
    out->sigma = calloc((size_t)n + 1, sizeof *out->sigma);
    out->left = calloc((size_t)n * (size_t)l->m + 1, sizeof *out->left);
    out->right = calloc((size_t)n * (size_t)l->n + 1, sizeof *out->right);
    if (!out->sigma || !out->left || !out->right)
        return SARRUS_NO_MEMORY;
    out->n_small = n;
    for (int i = 0; i < n; ++i) {
        out->sigma[i] = sigma_of(l->theta[i], mu);
        take_vectors(l, i, out->left + (size_t)i * (size_t)l->m, out->right + (size_t)i * (size_t)l->n);
    }
    return SARRUS_OK;
}

static sarrus_status failure(const sarrus_fronts *fronts) {
    return fronts->watch && fronts->watch->is_stopped ? SARRUS_INTERRUPTED : SARRUS_NO_MEMORY;
}

/* The smallest σ with one μ, and those whose θ reach down to a share of the first. False: no memory, or stopped. */
static bool run_inverse(lanczos *l, double mu, double reach) {
    return sarrus_fronts_factor(l->fronts, l->rows, mu, NULL) && run(l, true, reach);
}

static sarrus_status find(lanczos *l, sarrus_spectrum_wish wish, sarrus_spectrum *out) {
    sarrus_fronts_rank found;
    const bool wants_vectors = wish == SARRUS_SPECTRUM_VECTORS;
    if (!run(l, false, 1.0))
        return failure(l->fronts);
    out->largest = l->n_steps > 0 ? sqrt(fmax(l->theta[0], 0.0)) : 0.0;
    if (!(out->largest > 0.0))
        return SARRUS_OK;
    double mu = SARRUS_RANK_TOLERANCE * out->largest;
    if (!sarrus_fronts_rank_find(l->fronts, l->rows, mu, SARRUS_CLEAR_TOLERANCE * out->largest, &found))
        return failure(l->fronts);
    const bool may_be_small = found.smallest < small_pivot * out->largest;
    if (may_be_small && !run_inverse(l, mu, 1.0))
        return failure(l->fronts);
    if (!may_be_small || sigma_of(l->theta[0], mu) > small_sigma * out->largest) {
        mu = ordinary_mu * out->largest;
        if (!run_inverse(l, mu, 1.0))
            return failure(l->fronts);
    }
    if (wants_vectors && found.rank > 0) {
        mu = vector_mu * sigma_of(l->theta[0], mu);
        if (!run_inverse(l, mu, 1e-2))
            return failure(l->fronts);
    }
    const int smaller = l->m < l->n ? l->m : l->n;
    const double kept = sigma_of(l->theta[0], mu) / out->largest;
    out->rank = found.rank;
    out->kept = found.rank > 0 ? kept : 1.0;
    out->dropped = found.rank < smaller ? found.largest_dropped / out->largest : 0.0;
    out->firm_rank = found.rank - found.n_small - (kept < SARRUS_CLEAR_TOLERANCE && found.n_small == 0);
    return wants_vectors ? take_small(l, mu, out) : SARRUS_OK;
}

sarrus_status sarrus_spectrum_find(sarrus_fronts *fronts, const sarrus_plan_rows *rows, sarrus_spectrum_wish wish,
                                   sarrus_spectrum *out) {
    lanczos l;
    *out = (sarrus_spectrum){.n_rows = rows->n_rows, .n = rows->n_each * rows->n_bodies, .kept = 1.0};
    if (!lanczos_create(&l, fronts, rows))
        return SARRUS_NO_MEMORY;
    const sarrus_status status = find(&l, wish, out);
    lanczos_free(&l);
    if (status != SARRUS_OK)
        sarrus_spectrum_free(out);
    return status;
}

void sarrus_spectrum_free(sarrus_spectrum *spectrum) {
    free(spectrum->sigma);
    free(spectrum->left);
    free(spectrum->right);
    spectrum->sigma = spectrum->left = spectrum->right = NULL;
    spectrum->n_small = 0;
}
