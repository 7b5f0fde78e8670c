/* A P = Q R with the largest column that is left taken next; the columns of Q behind the rank are the null vectors. */
#include "plan/null_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column-major [m][n]; the reflections stay below the diagonal, their factors in tau [n]. */
typedef struct orthogonal {
    int m, n, rank;
    double *a, *tau;
} orthogonal;

static bool fill(orthogonal *o, const sarrus_plan_rows *rows) {
    const size_t m = (size_t)rows->n_rows, n_each = (size_t)rows->n_each, n = n_each * (size_t)rows->n_bodies;
    *o = (orthogonal){.m = (int)m, .n = (int)n};
    o->a = calloc(m * n + n + 1, sizeof *o->a);
    if (!o->a)
        return false;
    o->tau = o->a + m * n;
    for (size_t i = 0; i < m; ++i) {
        const double *value = sarrus_plan_row_side(rows, (int)i, 0);
        for (size_t k = 0; k < (size_t)rows->n_sides * n_each; ++k) {
            if (rows->body[i][k / n_each] >= 0)
                o->a[i + (n_each * (size_t)rows->body[i][k / n_each] + k % n_each) * m] = value[k];
        }
    }
    return true;
}

/* What is left of column k below row `first`. */
static double norm_below(const orthogonal *o, int first, int k) {
    double sum = 0.0;
    for (int i = first; i < o->m; ++i)
        sum += o->a[i + k * o->m] * o->a[i + k * o->m];
    return sqrt(sum);
}

static void swap_columns(const orthogonal *o, int a, int b) {
    for (int i = 0; a != b && i < o->m; ++i) {
        const double x = o->a[i + a * o->m];
        o->a[i + a * o->m] = o->a[i + b * o->m];
        o->a[i + b * o->m] = x;
    }
}

/* x ← (I − τ v vᵀ) x, v from row k on: 1 there, below it column k of a. */
static void reflect(const orthogonal *o, int k, double *x) {
    const double *v = o->a + k * o->m;
    double along = x[k];
    for (int i = k + 1; i < o->m; ++i)
        along += v[i] * x[i];
    along *= o->tau[k];
    x[k] -= along;
    for (int i = k + 1; i < o->m; ++i)
        x[i] -= along * v[i];
}

static void eliminate(orthogonal *o, double tolerance) {
    for (o->rank = 0; o->rank < o->m && o->rank < o->n; ++o->rank) {
        const int r = o->rank;
        int best = r;
        double largest = -1.0;
        for (int k = r; k < o->n; ++k) {
            const double norm = norm_below(o, r, k);
            best = norm > largest ? k : best;
            largest = fmax(largest, norm);
        }
        if (!(largest > tolerance))
            return;
        swap_columns(o, r, best);
        double *v = o->a + r * o->m;
        const double pivot = v[r] > 0.0 ? -largest : largest, top = v[r] - pivot;
        o->tau[r] = -top / pivot;
        for (int i = r + 1; i < o->m; ++i)
            v[i] /= top;
        v[r] = pivot;
        for (int k = r + 1; k < o->n; ++k)
            reflect(o, r, o->a + k * o->m);
    }
}

bool sarrus_null_space_find(const sarrus_plan_rows *rows, double tolerance, double **out, int *n_null) {
    orthogonal o;
    *out = NULL;
    if (!fill(&o, rows))
        return false;
    eliminate(&o, tolerance);
    *n_null = o.m - o.rank;
    bool good = true;
    if (*n_null > 0) {
        *out = calloc((size_t)o.m * (size_t)*n_null, sizeof **out);
        good = *out != NULL;
    }
    for (int k = 0; good && k < *n_null; ++k) {
        double *w = *out + (size_t)k * (size_t)o.m;
        w[o.rank + k] = 1.0;
        for (int r = o.rank - 1; r >= 0; --r)
            reflect(&o, r, w);
    }
    free(o.a);
    return good;
}
