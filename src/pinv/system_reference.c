#include "pinv/system_reference.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot below this share of the largest entry is none: between the round-off of the numbers, which are doubles, and of what is
 * made of them, which is long double. */
static const long double least_pivot = 1e-13L;

/* A multiplier is unique whose unit vector lies in the range of J to this. */
static const double unique_share = 1e-9;

/* The rank of J is in doubt where its last singular value that counts is below the first of these, or the next one above the
 * second, relative to the largest: near a change point, and on states whose dependent rows are not quite so. */
static const double least_kept = 1e-5, most_dropped = 1e-9;

/* Rows contradict one another where one that is left out is missed by more than this, relative to the terms of all. */
static const double most_contradicted = 1e-8;

/* Terms count as no less than this share of what forces and speeds make alone: where these balance, rows ask for round-off. */
static const double at_rest = 1e-3;

struct sarrus_system_reference {
    int m, n, n_singular;         /* min(m, n) */
    double *root;                 /* [n][n] L, M = L Lᵀ by rows; I where M is not definite */
    double *d;                    /* [m][n] J L⁻ᵀ; destroyed by dgesdd */
    double *sigma, *u, *v, *work; /* [k], [m][k] by columns of LAPACK, [k][n], */
    int *i_work, *rows;
    int n_work, rank;
    long double *k; /* [n + m][n + m + 1] the reduced system and its right side */
    double *load;   /* [n] */
};

static int smaller(int a, int b) {
    return a < b ? a : b;
}

sarrus_system_reference *sarrus_system_reference_create(int m, int n) {
    sarrus_system_reference *r = calloc(1, sizeof *r);
    const size_t size = (size_t)(n + m), k = (size_t)smaller(m, n);
    double best = 0, dummy = 0;
    int i_dummy = 0;
    if (r == NULL || m < 1 || n < 1 ||
        LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, &dummy, n, &dummy, &dummy, n, &dummy, (int)k, &best, -1, &i_dummy) != 0) {
        free(r);
        return NULL;
    }
    *r = (sarrus_system_reference){.m = m, .n = n, .n_singular = (int)k, .n_work = (int)best};
    r->root = calloc((size_t)n * (size_t)n, sizeof *r->root);
    r->d = calloc((size_t)m * (size_t)n, sizeof *r->d);
    r->sigma = calloc(k, sizeof *r->sigma);
    r->u = calloc((size_t)m * k, sizeof *r->u);
    r->v = calloc((size_t)n * k, sizeof *r->v);
    r->work = calloc((size_t)r->n_work + 1, sizeof *r->work);
    r->i_work = calloc(8 * k + 1, sizeof *r->i_work);
    r->rows = calloc((size_t)m, sizeof *r->rows);
    r->k = calloc(size * (size + 1), sizeof *r->k);
    r->load = calloc((size_t)n, sizeof *r->load);
    if (r->root && r->d && r->sigma && r->u && r->v && r->work && r->i_work && r->rows && r->k && r->load)
        return r;
    sarrus_system_reference_destroy(r);
    return NULL;
}

void sarrus_system_reference_destroy(sarrus_system_reference *r) {
    if (r == NULL)
        return;
    free(r->root);
    free(r->d);
    free(r->sigma);
    free(r->u);
    free(r->v);
    free(r->work);
    free(r->i_work);
    free(r->rows);
    free(r->k);
    free(r->load);
    free(r);
}

/* L of M = L Lᵀ; I where M is not definite. */
static void root_make(sarrus_system_reference *r, const double *mass) {
    const int n = r->n;
    bool is_definite = true;
    memset(r->root, 0, (size_t)n * (size_t)n * sizeof *r->root);
    for (int i = 0; i < n && is_definite; ++i) {
        for (int k = 0; k <= i; ++k) {
            double sum = mass[i * n + k];
            for (int l = 0; l < k; ++l)
                sum -= r->root[i * n + l] * r->root[k * n + l];
            if (k < i)
                r->root[i * n + k] = sum / r->root[k * n + k];
            else if (sum > 1e-14 * mass[i * n + i])
                r->root[i * n + i] = sqrt(sum);
            else
                is_definite = false;
        }
    }
    for (int i = 0; !is_definite && i < n * n; ++i)
        r->root[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
}

/* x ← L⁻¹ x. */
static void root_solve(const sarrus_system_reference *r, double *x) {
    for (int i = 0; i < r->n; ++i) {
        for (int k = 0; k < i; ++k)
            x[i] -= r->root[i * r->n + k] * x[k];
        x[i] /= r->root[i * r->n + i];
    }
}

/* Whether the singular values of J alone, without the masses, leave its rank in doubt. False when LAPACK fails. */
static bool rank_doubt(sarrus_system_reference *r, const double *jacobian, bool *out) {
    const int m = r->m, n = r->n, k = r->n_singular;
    memcpy(r->d, jacobian, (size_t)m * (size_t)n * sizeof *r->d);
    for (int i = 0; i < m * n; ++i) {
        if (!isfinite(r->d[i]))
            return false;
    }
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, r->d, n, r->sigma, r->v, n, r->u, k, r->work, r->n_work, r->i_work) != 0)
        return false;
    const double first = r->sigma[0];
    *out = (r->rank > 0 && r->sigma[r->rank - 1] < least_kept * first) || (r->rank < k && r->sigma[r->rank] > most_dropped * first);
    return true;
}

/* Singular values and vectors of J L⁻ᵀ, and what they say. LAPACK works on columns: it sees the transpose, D = U Σ Vᵀ in r->u
 * [m][k], r->v [k][n]. */
static bool decompose(sarrus_system_reference *r, const sarrus_system_view *system, sarrus_system_solution *out) {
    const int m = r->m, n = r->n, k = r->n_singular;
    r->rank = smaller(system->rank, k);
    if (!rank_doubt(r, system->jacobian, &out->is_doubtful))
        return false;
    root_make(r, system->mass);
    memcpy(r->d, system->jacobian, (size_t)m * (size_t)n * sizeof *r->d);
    for (int i = 0; i < m; ++i)
        root_solve(r, r->d + i * n);
    for (int i = 0; i < m * n; ++i) {
        if (!isfinite(r->d[i]))
            return false;
    }
    if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', n, m, r->d, n, r->sigma, r->v, n, r->u, k, r->work, r->n_work, r->i_work) != 0)
        return false;
    out->condition = r->rank > 0 ? r->sigma[0] / r->sigma[r->rank - 1] : 1.0;
    for (int i = 0; i < m; ++i) {
        double share = 1.0;
        for (int l = 0; l < r->rank; ++l)
            share -= r->u[i * k + l] * r->u[i * k + l];
        out->unique[i] = share < unique_share;
    }
    return true;
}

/* r->rows ← `rank` independent rows of J, those that complete pivoting comes to. */
static void rows_choose(sarrus_system_reference *r, const double *jacobian) {
    const int m = r->m, n = r->n;
    long double *j = r->k;
    for (int i = 0; i < m; ++i)
        r->rows[i] = i;
    for (int i = 0; i < m * n; ++i)
        j[i] = jacobian[i];
    for (int step = 0; step < r->rank; ++step) {
        int best = step, column = 0;
        long double largest = -1;
        for (int i = step; i < m; ++i) {
            for (int k = 0; k < n; ++k) {
                const long double size = fabsl(j[r->rows[i] * n + k]);
                if (size > largest) {
                    largest = size;
                    best = i;
                    column = k;
                }
            }
        }
        const int row = r->rows[best];
        r->rows[best] = r->rows[step];
        r->rows[step] = row;
        for (int i = step + 1; i < m && largest > 0; ++i) {
            const long double share = j[r->rows[i] * n + column] / j[row * n + column];
            for (int k = 0; k < n; ++k)
                j[r->rows[i] * n + k] -= share * j[row * n + k];
        }
    }
}

/* [M J_Iᵀ; J_I 0 | F; γ_I]. */
static void saddle_fill(sarrus_system_reference *r, const sarrus_system_view *system) {
    const int n = r->n, size = n + r->rank, stride = size + 1;
    memset(r->k, 0, (size_t)size * (size_t)stride * sizeof *r->k);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k)
            r->k[i * stride + k] = system->mass[i * n + k];
        r->k[i * stride + size] = system->force[i];
    }
    for (int i = 0; i < r->rank; ++i) {
        const int row = r->rows[i];
        for (int k = 0; k < n; ++k)
            r->k[(n + i) * stride + k] = r->k[k * stride + n + i] = system->jacobian[row * n + k];
        r->k[(n + i) * stride + size] = system->gamma[row];
    }
}

/* Gauss with row pivoting on rows that are scaled to one another; the solution stands in the last column. False: singular. */
static bool eliminate(sarrus_system_reference *r) {
    const int size = r->n + r->rank, stride = size + 1;
    long double *k = r->k;
    for (int i = 0; i < size; ++i) {
        long double largest = 0;
        for (int c = 0; c < size; ++c)
            largest = fmaxl(largest, fabsl(k[i * stride + c]));
        for (int c = 0; c < stride && largest > 0; ++c)
            k[i * stride + c] /= largest;
    }
    for (int step = 0; step < size; ++step) {
        int best = step;
        for (int i = step + 1; i < size; ++i)
            best = fabsl(k[i * stride + step]) > fabsl(k[best * stride + step]) ? i : best;
        for (int c = 0; c < stride && best != step; ++c) {
            const long double x = k[best * stride + c];
            k[best * stride + c] = k[step * stride + c];
            k[step * stride + c] = x;
        }
        if (fabsl(k[step * stride + step]) < least_pivot)
            return false;
        for (int i = 0; i < size; ++i) {
            const long double share = i == step ? 0 : k[i * stride + step] / k[step * stride + step];
            for (int c = step; c < stride && share != 0; ++c)
                k[i * stride + c] -= share * k[step * stride + c];
        }
    }
    for (int i = 0; i < size; ++i)
        k[i * stride + size] /= k[i * stride + i];
    return true;
}

/* λ ← U Σ⁻¹ Vᵀ L⁻¹ load. */
static void least_norm(sarrus_system_reference *r, double *load, double *lambda) {
    root_solve(r, load);
    for (int i = 0; i < r->m; ++i)
        lambda[i] = 0;
    for (int l = 0; l < r->rank; ++l) {
        double sum = 0;
        for (int k = 0; k < r->n; ++k)
            sum += r->v[l * r->n + k] * load[k];
        for (int i = 0; i < r->m; ++i)
            lambda[i] += r->u[i * r->n_singular + l] * sum / r->sigma[l];
    }
}

/* m/s² | rad/s²: what the force on speed k does alone. */
static double force_part(const sarrus_system_view *system, int n, int k) {
    const double mass = system->mass[k * n + k];
    return mass > 0 ? fabs(system->force[k]) / mass : 0.0;
}

/* Whether rows that were left out as dependent ask for another acceleration: at a singular position with speeds that no motion has
 * there, where least squares of all rows and a solution of some differ. */
static bool is_contradictory(const sarrus_system_reference *r, const sarrus_system_view *system, const double *a) {
    double largest = 0, worst = 0;
    for (int i = 0; i < r->m; ++i) {
        double sum = -system->gamma[i], size = fabs(system->gamma[i]);
        for (int k = 0; k < r->n; ++k) {
            sum += system->jacobian[i * r->n + k] * a[k];
            size = fmax(size, fabs(system->jacobian[i * r->n + k] * a[k]));
            size = fmax(size, at_rest * fabs(system->jacobian[i * r->n + k]) * force_part(system, r->n, k));
        }
        worst = fmax(worst, fabs(sum));
        largest = fmax(largest, size);
    }
    return worst > most_contradicted * fmax(largest, at_rest * system->least);
}

bool sarrus_system_reference_solve(sarrus_system_reference *r, const sarrus_system_view *system, sarrus_system_solution *out) {
    const int n = r->n;
    if (!decompose(r, system, out))
        return false;
    rows_choose(r, system->jacobian);
    saddle_fill(r, system);
    out->is_unique = eliminate(r);
    const int size = n + r->rank, stride = size + 1;
    for (int i = 0; i < n; ++i) {
        long double sum = system->force[i];
        for (int k = 0; k < n; ++k)
            sum -= system->mass[i * n + k] * r->k[k * stride + size];
        out->load[i] = out->is_unique ? (double)sum : (double)NAN;
    }
    for (int i = 0; i < n; ++i)
        out->a[i] = out->is_unique ? (double)r->k[i * stride + size] : (double)NAN;
    memcpy(r->load, out->load, (size_t)n * sizeof *r->load);
    least_norm(r, r->load, out->lambda);
    out->is_doubtful = out->is_doubtful || (out->is_unique && is_contradictory(r, system, out->a));
    return true;
}

void sarrus_system_reference_multipliers(sarrus_system_reference *r, const sarrus_system_view *system, const double *a,
                                         double *lambda) {
    const int n = r->n;
    for (int i = 0; i < n; ++i) {
        r->load[i] = system->force[i];
        for (int k = 0; k < n; ++k)
            r->load[i] -= system->mass[i * n + k] * a[k];
    }
    least_norm(r, r->load, lambda);
}
