/* One-sided Jacobi in MPFR on the rows of A or Aᵀ, whichever has fewer: G B = Σ Vᵀ, so B⁺ = Σ_kept v_i σ_i⁻¹ g_iᵀ, and row i of G B
 * is σ_i v_iᵀ. No library call decides anything here: the reference has to be of another make than what it judges. */
#include "bench/measure/multiprecision.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <mpfr.h>

enum {
    base_bits = 256,  /* 77 digits: 50 after all that a decomposition loses */
    spare_bits = 56,  /* a singular value within so many bits of the last one of the largest is 0 */
    max_sweeps = 100, /* about 12 do */
};

/* Numbers of one precision in one block. */
typedef struct number_array {
    mpfr_t *x;
    void *limbs;
} number_array;

struct sarrus_multiprecision {
    int m, n, rank;
    mpfr_prec_t precision;
    number_array a;       /* [m][n] */
    number_array inverse; /* [n][m] */
    double *sigma;        /* [min(m, n)] */
    double *x;            /* [n][m] */
};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static void array_free(number_array *array) {
    free(array->x);
    free(array->limbs);
    *array = (number_array){NULL, NULL};
}

/* Zeros. */
static bool array_create(size_t count, mpfr_prec_t precision, number_array *out) {
    const size_t n_bytes = mpfr_custom_get_size(precision);
    out->x = malloc(count * sizeof *out->x);
    out->limbs = calloc(count, n_bytes);
    if (!out->x || !out->limbs) {
        array_free(out);
        return false;
    }
    for (size_t i = 0; i < count; ++i)
        mpfr_custom_init_set(out->x[i], MPFR_ZERO_KIND, 0, precision, (char *)out->limbs + i * n_bytes);
    return true;
}

/* Bits that hold rows of very different size together: the spread of the exponents is added. */
static mpfr_prec_t precision_for(const double *a, int count) {
    int low = 0, high = 0;
    bool is_first = true;
    for (int i = 0; i < count; ++i) {
        if (a[i] == 0.0)
            continue;
        int exponent = ilogb(a[i]);
        low = is_first || exponent < low ? exponent : low;
        high = is_first || exponent > high ? exponent : high;
        is_first = false;
    }
    return base_bits + high - low;
}

/* --- Jacobi ----------------------------------------------------------------------------------------------------------- */

typedef struct decomposition {
    int m, n;         /* m ≤ n */
    number_array b;   /* [m][n]; rows become σ_i v_iᵀ */
    number_array g;   /* [m][m] */
    number_array sq;  /* [m] σ_i² */
    number_array tmp; /* [8] */
    int *order;       /* [m] places of the rows by falling size */
} decomposition;

static void decomposition_free(decomposition *svd) {
    array_free(&svd->b);
    array_free(&svd->g);
    array_free(&svd->sq);
    array_free(&svd->tmp);
    free(svd->order);
}

/* sum ← x·y, scratch is overwritten. */
static void dot(mpfr_t *x, mpfr_t *y, int n, mpfr_ptr sum, mpfr_ptr scratch) {
    mpfr_set_zero(sum, 1);
    for (int k = 0; k < n; ++k) {
        mpfr_mul(scratch, x[k], y[k], MPFR_RNDN);
        mpfr_add(sum, sum, scratch, MPFR_RNDN);
    }
}

/* (x, y) ← (c x − s y, s x + c y). */
static void rotate(mpfr_t *x, mpfr_t *y, int n, mpfr_srcptr c, mpfr_srcptr s, mpfr_t *scratch) {
    for (int k = 0; k < n; ++k) {
        mpfr_mul(scratch[0], s, x[k], MPFR_RNDN);
        mpfr_mul(scratch[1], s, y[k], MPFR_RNDN);
        mpfr_mul(x[k], c, x[k], MPFR_RNDN);
        mpfr_mul(y[k], c, y[k], MPFR_RNDN);
        mpfr_sub(x[k], x[k], scratch[1], MPFR_RNDN);
        mpfr_add(y[k], y[k], scratch[0], MPFR_RNDN);
    }
}

/* cos and sin of the smaller angle that makes rows of squares alpha, beta and product gamma orthogonal. */
static void find_rotation(mpfr_srcptr alpha, mpfr_srcptr beta, mpfr_srcptr gamma, mpfr_ptr c, mpfr_ptr s, mpfr_ptr scratch) {
    mpfr_sub(s, beta, alpha, MPFR_RNDN);
    mpfr_div(s, s, gamma, MPFR_RNDN);
    mpfr_div_2ui(s, s, 1, MPFR_RNDN);
    const int sign = mpfr_signbit(s) ? -1 : 1;
    mpfr_abs(s, s, MPFR_RNDN);
    mpfr_sqr(scratch, s, MPFR_RNDN);
    mpfr_add_ui(scratch, scratch, 1, MPFR_RNDN);
    mpfr_sqrt(scratch, scratch, MPFR_RNDN);
    mpfr_add(s, s, scratch, MPFR_RNDN);
    mpfr_si_div(s, sign, s, MPFR_RNDN); /* the tangent */
    mpfr_sqr(scratch, s, MPFR_RNDN);
    mpfr_add_ui(scratch, scratch, 1, MPFR_RNDN);
    mpfr_rec_sqrt(c, scratch, MPFR_RNDN);
    mpfr_mul(s, s, c, MPFR_RNDN);
}

/* One pair of rows; true when it had to be rotated. */
static bool rotate_pair(decomposition *svd, int i, int j, mpfr_srcptr noise) {
    mpfr_t *tmp = svd->tmp.x, *x = svd->b.x + i * svd->n, *y = svd->b.x + j * svd->n;
    mpfr_ptr alpha = svd->sq.x[i], beta = svd->sq.x[j], gamma = tmp[2];
    if (mpfr_cmp(alpha, noise) <= 0 || mpfr_cmp(beta, noise) <= 0)
        return false;
    dot(x, y, svd->n, gamma, tmp[0]);
    mpfr_sqr(tmp[0], gamma, MPFR_RNDN);
    mpfr_mul(tmp[1], alpha, beta, MPFR_RNDN);
    mpfr_div_2ui(tmp[1], tmp[1], 2 * (unsigned long)mpfr_get_prec(gamma) - 20, MPFR_RNDN);
    if (mpfr_cmp(tmp[0], tmp[1]) <= 0)
        return false;
    find_rotation(alpha, beta, gamma, tmp[3], tmp[4], tmp[0]);
    rotate(x, y, svd->n, tmp[3], tmp[4], tmp);
    rotate(svd->g.x + i * svd->m, svd->g.x + j * svd->m, svd->m, tmp[3], tmp[4], tmp);
    dot(x, x, svd->n, alpha, tmp[0]);
    dot(y, y, svd->n, beta, tmp[0]);
    return true;
}

static void sort_rows(decomposition *svd) {
    for (int i = 0; i < svd->m; ++i) {
        int place = i;
        for (; place > 0 && mpfr_cmp(svd->sq.x[svd->order[place - 1]], svd->sq.x[i]) < 0; --place)
            svd->order[place] = svd->order[place - 1];
        svd->order[place] = i;
    }
}

/* Sweeps over all pairs, larger rows first: they converge soonest in that order. */
static void run_sweeps(decomposition *svd) {
    mpfr_ptr noise = svd->tmp.x[5];
    for (int i = 0; i < svd->m; ++i) {
        mpfr_set_ui(svd->g.x[i * svd->m + i], 1, MPFR_RNDN);
        dot(svd->b.x + i * svd->n, svd->b.x + i * svd->n, svd->n, svd->sq.x[i], svd->tmp.x[0]);
    }
    bool is_done = false;
    for (int sweep = 0; sweep < max_sweeps && !is_done; ++sweep) {
        is_done = true;
        sort_rows(svd);
        mpfr_div_2ui(noise, svd->sq.x[svd->order[0]], 2 * (unsigned long)mpfr_get_prec(noise) - 20, MPFR_RNDN);
        for (int i = 0; i < svd->m; ++i) {
            for (int j = i + 1; j < svd->m; ++j) {
                if (rotate_pair(svd, svd->order[i], svd->order[j], noise))
                    is_done = false;
            }
        }
    }
    sort_rows(svd);
}

static bool decomposition_create(const sarrus_multiprecision *reference, decomposition *svd) {
    const bool is_wide = reference->m <= reference->n;
    const int m = smaller(reference->m, reference->n), n = reference->m + reference->n - m;
    const size_t rows = (size_t)m;
    *svd = (decomposition){.m = m, .n = n, .order = malloc(rows * sizeof *svd->order)};
    if (!svd->order || !array_create(rows * (size_t)n, reference->precision, &svd->b) ||
        !array_create(rows * rows, reference->precision, &svd->g) || !array_create(rows, reference->precision, &svd->sq) ||
        !array_create(8, reference->precision, &svd->tmp)) {
        decomposition_free(svd);
        return false;
    }
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < n; ++k)
            mpfr_set(svd->b.x[i * n + k], reference->a.x[is_wide ? i * n + k : k * m + i], MPFR_RNDN);
    }
    run_sweeps(svd);
    return true;
}

/* --- The reference ---------------------------------------------------------------------------------------------------- */

static int decide_rank(decomposition *svd, double tolerance) {
    mpfr_ptr edge = svd->tmp.x[5];
    int rank = 0;
    mpfr_sqrt(edge, svd->sq.x[svd->order[0]], MPFR_RNDN);
    if (tolerance > 0.0)
        mpfr_mul_d(edge, edge, tolerance, MPFR_RNDN);
    else
        mpfr_div_2ui(edge, edge, (unsigned long)mpfr_get_prec(edge) - spare_bits, MPFR_RNDN);
    mpfr_sqr(edge, edge, MPFR_RNDN);
    while (rank < svd->m && mpfr_cmp(svd->sq.x[svd->order[rank]], edge) > 0)
        ++rank;
    return rank;
}

/* A⁺ from the rows that count, and everything rounded. */
static void fill_results(sarrus_multiprecision *reference, decomposition *svd) {
    const bool is_wide = reference->m <= reference->n;
    mpfr_t *tmp = svd->tmp.x;
    for (int r = 0; r < svd->m; ++r) {
        const int i = svd->order[r];
        mpfr_sqrt(tmp[0], svd->sq.x[i], MPFR_RNDN);
        reference->sigma[r] = mpfr_get_d(tmp[0], MPFR_RNDN);
        for (int k = 0; r < reference->rank && k < svd->n; ++k) {
            mpfr_div(tmp[1], svd->b.x[i * svd->n + k], svd->sq.x[i], MPFR_RNDN);
            for (int j = 0; j < svd->m; ++j) {
                mpfr_ptr target = reference->inverse.x[is_wide ? k * svd->m + j : j * svd->n + k];
                mpfr_mul(tmp[2], tmp[1], svd->g.x[i * svd->m + j], MPFR_RNDN);
                mpfr_add(target, target, tmp[2], MPFR_RNDN);
            }
        }
    }
    for (int i = 0; i < reference->m * reference->n; ++i)
        reference->x[i] = mpfr_get_d(reference->inverse.x[i], MPFR_RNDN);
}

sarrus_multiprecision *sarrus_multiprecision_create(const double *a, int m, int n, int rank, double tolerance) {
    const size_t count = (size_t)m * (size_t)n;
    decomposition svd;
    sarrus_multiprecision *reference = calloc(1, sizeof *reference);
    if (!reference)
        return NULL;
    reference->m = m;
    reference->n = n;
    reference->precision = precision_for(a, m * n);
    reference->sigma = malloc((size_t)smaller(m, n) * sizeof *reference->sigma);
    reference->x = malloc(count * sizeof *reference->x);
    bool good = reference->sigma && reference->x && array_create(count, reference->precision, &reference->a) &&
                array_create(count, reference->precision, &reference->inverse);
    for (size_t i = 0; good && i < count; ++i)
        mpfr_set_d(reference->a.x[i], a[i], MPFR_RNDN);
    if (!good || !decomposition_create(reference, &svd)) {
        sarrus_multiprecision_destroy(reference);
        return NULL;
    }
    reference->rank = rank < 0 ? decide_rank(&svd, tolerance) : smaller(rank, svd.m);
    fill_results(reference, &svd);
    decomposition_free(&svd);
    return reference;
}

void sarrus_multiprecision_destroy(sarrus_multiprecision *reference) {
    if (!reference)
        return;
    array_free(&reference->a);
    array_free(&reference->inverse);
    free(reference->sigma);
    free(reference->x);
    free(reference);
}

int sarrus_multiprecision_rank(const sarrus_multiprecision *reference) {
    return reference->rank;
}

const double *sarrus_multiprecision_sigma(const sarrus_multiprecision *reference) {
    return reference->sigma;
}

const double *sarrus_multiprecision_x(const sarrus_multiprecision *reference) {
    return reference->x;
}

/* --- Residuals -------------------------------------------------------------------------------------------------------- */

/* out [m][n] ← left [m][k] right [k][n]. */
static void multiply(mpfr_t *left, mpfr_t *right, const int *size, mpfr_t *out, mpfr_ptr scratch) {
    const int m = size[0], inner = size[1], n = size[2];
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            mpfr_ptr sum = out[i * n + j];
            mpfr_set_zero(sum, 1);
            for (int k = 0; k < inner; ++k) {
                mpfr_mul(scratch, left[i * inner + k], right[k * n + j], MPFR_RNDN);
                mpfr_add(sum, sum, scratch, MPFR_RNDN);
            }
        }
    }
}

/* out ← ‖x − y‖, y [count] or NULL for 0. */
static void distance(mpfr_t *x, mpfr_t *y, int count, mpfr_ptr out, mpfr_ptr scratch) {
    mpfr_set_zero(out, 1);
    for (int i = 0; i < count; ++i) {
        if (y)
            mpfr_sub(scratch, x[i], y[i], MPFR_RNDN);
        else
            mpfr_set(scratch, x[i], MPFR_RNDN);
        mpfr_sqr(scratch, scratch, MPFR_RNDN);
        mpfr_add(out, out, scratch, MPFR_RNDN);
    }
    mpfr_sqrt(out, out, MPFR_RNDN);
}

/* out ← ‖xᵀ − x‖ of a square one. */
static void asymmetry(mpfr_t *x, int n, mpfr_ptr out, mpfr_ptr scratch) {
    mpfr_set_zero(out, 1);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            mpfr_sub(scratch, x[i * n + j], x[j * n + i], MPFR_RNDN);
            mpfr_sqr(scratch, scratch, MPFR_RNDN);
            mpfr_add(out, out, scratch, MPFR_RNDN);
        }
    }
    mpfr_sqrt(out, out, MPFR_RNDN);
}

/* value / (‖A‖^power_a ‖X‖^power_x); 0/0 is 0. */
static double quotient(mpfr_ptr value, mpfr_srcptr norm_a, int power_a, mpfr_srcptr norm_x, int power_x) {
    if (mpfr_zero_p(value))
        return 0.0;
    for (int i = 0; i < power_a; ++i)
        mpfr_div(value, value, norm_a, MPFR_RNDN);
    for (int i = 0; i < power_x; ++i)
        mpfr_div(value, value, norm_x, MPFR_RNDN);
    return mpfr_get_d(value, MPFR_RNDN);
}

int sarrus_multiprecision_measure(const sarrus_multiprecision *reference, const double *x, sarrus_multiprecision_error *out) {
    const int m = reference->m, n = reference->n, largest = m > n ? m : n;
    const size_t count = (size_t)m * (size_t)n;
    mpfr_t *a = reference->a.x;
    number_array given = {NULL, NULL}, product = {NULL, NULL}, triple = {NULL, NULL}, tmp = {NULL, NULL};
    *out = (sarrus_multiprecision_error){NAN, NAN, NAN, NAN, NAN};
    bool good = array_create(count, reference->precision, &given) && array_create(count, reference->precision, &triple) &&
                array_create((size_t)largest * (size_t)largest, reference->precision, &product) &&
                array_create(4, reference->precision, &tmp);
    if (good) {
        mpfr_ptr norm_a = tmp.x[0], norm_x = tmp.x[1], value = tmp.x[2], scratch = tmp.x[3];
        for (size_t i = 0; i < count; ++i)
            mpfr_set_d(given.x[i], x[i], MPFR_RNDN);
        distance(a, NULL, m * n, norm_a, scratch);
        distance(given.x, NULL, m * n, norm_x, scratch);
        multiply(a, given.x, (int[]){m, n, m}, product.x, scratch);
        asymmetry(product.x, m, value, scratch);
        out->ax = quotient(value, norm_a, 1, norm_x, 1);
        multiply(product.x, a, (int[]){m, m, n}, triple.x, scratch);
        distance(triple.x, a, m * n, value, scratch);
        out->axa = quotient(value, norm_a, 2, norm_x, 1);
        multiply(given.x, a, (int[]){n, m, n}, product.x, scratch);
        asymmetry(product.x, n, value, scratch);
        out->xa = quotient(value, norm_a, 1, norm_x, 1);
        multiply(product.x, given.x, (int[]){n, n, m}, triple.x, scratch);
        distance(triple.x, given.x, m * n, value, scratch);
        out->xax = quotient(value, norm_a, 1, norm_x, 2);
        distance(reference->inverse.x, NULL, m * n, norm_a, scratch);
        distance(given.x, reference->inverse.x, m * n, value, scratch);
        out->forward = quotient(value, norm_a, 1, norm_x, 0);
    }
    array_free(&given);
    array_free(&product);
    array_free(&triple);
    array_free(&tmp);
    return good ? 0 : -1;
}
