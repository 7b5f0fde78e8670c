/* Linear algebra of the reference: the saddle system by LAPACK, projection, and the classic Runge-Kutta method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "tests/support/reference.h"

/* Everything one evaluation needs, in one allocation. */
typedef struct saddle {
    int size;         /* n + m */
    double *matrix;   /* [size][size] column major (it is symmetric) */
    double *solution; /* [size] right side, then [a; lambda] */
    double *singular; /* [size] */
    double *jacobian; /* [m][n] */
    double *phi, *phi_dot;
} saddle;

static bool saddle_allocate(const reference *ref, saddle *out) {
    size_t n = (size_t)ref->n, m = (size_t)ref->m, size = n + m;
    double *memory = calloc(size * size + 2 * size + m * n + 2 * m + 1, sizeof *memory);
    out->size = (int)size;
    out->matrix = memory;
    if (!memory) {
        return false;
    }
    out->solution = memory + size * size;
    out->singular = out->solution + size;
    out->jacobian = out->singular + size;
    out->phi = out->jacobian + m * n;
    out->phi_dot = out->phi + m;
    return true;
}

/* What an acceleration is multiplied by: the root of its mass, 1 where there is none. */
static double weight_of(const reference *ref, int j) {
    return ref->mass[j] > 0.0 ? sqrt(ref->mass[j]) : 1.0;
}

/* In the unknowns [M^{1/2} a; lambda] the saddle matrix is [1 D^T; D 0] with D = J M^{-1/2}: kilograms and meters no longer
 * decide which singular values are small. Both the solution and the norm of lambda are those of the plain system. Where there is no
 * mass the 1 is a 0. */
static void saddle_fill(const reference *ref, double t, const double *q, const double *v, saddle *s) {
    int n = ref->n, m = ref->m;
    double *gamma = s->solution + n;
    reference_constraints(ref, t, q, v, s->phi, s->phi_dot, gamma, s->jacobian);
    reference_forces(ref, t, q, v, s->solution);
    for (int i = 0; i < m; ++i) {
        gamma[i] -= 2.0 * ref->alpha * s->phi_dot[i] + ref->beta * ref->beta * s->phi[i];
        for (int j = 0; j < n; ++j) {
            double d = s->jacobian[i * n + j] / weight_of(ref, j);
            s->matrix[(n + i) * s->size + j] = s->matrix[j * s->size + n + i] = d;
        }
    }
    for (int j = 0; j < n; ++j) {
        s->matrix[j * s->size + j] = ref->mass[j] > 0.0 ? 1.0 : 0.0;
        s->solution[j] /= weight_of(ref, j);
    }
}

bool reference_accelerations(const reference *ref, double t, const double *q, const double *v, double rank_tolerance, double *a,
                             double *lambda, reference_spectrum *spectrum) {
    saddle s;
    if (!saddle_allocate(ref, &s)) {
        return false;
    }
    saddle_fill(ref, t, q, v, &s);
    lapack_int rank = 0;
    lapack_int info = LAPACKE_dgelsd(LAPACK_COL_MAJOR, s.size, s.size, 1, s.matrix, s.size, s.solution, s.size, s.singular,
                                     rank_tolerance, &rank);
    bool is_solved = info == 0;
    if (is_solved) {
        for (int j = 0; j < ref->n; ++j) {
            a[j] = s.solution[j] / weight_of(ref, j);
        }
        if (lambda) {
            memcpy(lambda, s.solution + ref->n, (size_t)ref->m * sizeof *lambda);
        }
        if (spectrum) {
            spectrum->rank = rank;
            spectrum->largest = s.singular[0];
            spectrum->smallest = rank > 0 ? s.singular[rank - 1] : 0.0;
            spectrum->next = rank < s.size ? s.singular[rank] : 0.0;
        }
    }
    free(s.matrix);
    return is_solved;
}

/* Singular values of J, or of D = J M^{-1/2}: the number above rank_tolerance times the largest, -1 when LAPACK fails. found: the
 * largest, the smallest that counts, the largest that does not. */
static int count_singular(const reference *ref, double t, const double *q, double rank_tolerance, bool is_weighted,
                          double found[3]) {
    int n = ref->n, m = ref->m, least = n < m ? n : m, rank = 0;
    double unused;
    double *jacobian = calloc((size_t)(m * n + least + n) + 1, sizeof *jacobian);
    found[0] = found[1] = found[2] = NAN;
    if (!jacobian) {
        return -1;
    }
    double *singular = jacobian + m * n, *still = singular + least; /* calloc: at rest */
    reference_constraints(ref, t, q, still, NULL, NULL, NULL, jacobian);
    for (int i = 0; i < m * n && is_weighted; ++i) {
        jacobian[i] /= sqrt(ref->mass[i % n]);
    }
    lapack_int info = LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'N', m, n, jacobian, n, singular, &unused, m, &unused, n);
    for (int i = 0; i < least && info == 0 && singular[i] > rank_tolerance * singular[0]; ++i) {
        ++rank;
        found[1] = singular[i];
    }
    if (info == 0) {
        found[0] = singular[0];
        found[2] = rank < least ? singular[rank] : 0.0;
    }
    free(jacobian);
    return info == 0 ? rank : -1;
}

int reference_rank(const reference *ref, double t, const double *q, double rank_tolerance) {
    double unused[3];
    return ref->m == 0 ? 0 : count_singular(ref, t, q, rank_tolerance, false, unused);
}

double reference_condition(const reference *ref, double t, const double *q, double rank_tolerance) {
    double found[3] = {1.0, 1.0, 0.0};
    if (ref->m > 0) {
        (void)count_singular(ref, t, q, rank_tolerance, true, found);
    }
    return found[0] / found[1];
}

void reference_singular_values(const reference *ref, double t, const double *q, double rank_tolerance, double *largest,
                               double *kept, double *dropped) {
    double found[3] = {0.0, 0.0, 0.0};
    if (ref->m > 0) {
        (void)count_singular(ref, t, q, rank_tolerance, true, found);
    }
    *largest = found[0];
    *kept = found[1];
    *dropped = found[2];
}

/* x += the correction least in the kinetic metric that takes J x by `residual` [m] away. `work` holds the Jacobian [m][n]. */
static bool project_once(const reference *ref, double *work, double *residual, double rank_tolerance, double *x) {
    int n = ref->n, m = ref->m, longest = n > m ? n : m;
    lapack_int rank;
    double *column = calloc((size_t)(2 * longest) + 1, sizeof *column);
    if (!column) {
        return false;
    }
    double *singular = column + longest;
    for (int i = 0; i < m; ++i) {
        column[i] = -residual[i];
        for (int j = 0; j < n; ++j) {
            work[i * n + j] /= sqrt(ref->mass[j]);
        }
    }
    lapack_int info = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, work, n, column, 1, singular, rank_tolerance, &rank);
    for (int j = 0; j < n && info == 0; ++j) {
        x[j] += column[j] / sqrt(ref->mass[j]);
    }
    free(column);
    return info == 0;
}

double reference_project(const reference *ref, double t, double rank_tolerance, double *q, double *v) {
    int n = ref->n, m = ref->m;
    double norm = NAN, *work = calloc((size_t)(m * n + 2 * m) + 1, sizeof *work);
    if (!work || m == 0) {
        free(work);
        return m == 0 ? 0.0 : NAN;
    }
    double *phi = work + m * n, *phi_dot = phi + m;
    bool is_fine = true;
    for (int iteration = 0; iteration < 50 && is_fine; ++iteration) {
        reference_constraints(ref, t, q, v, phi, phi_dot, NULL, work);
        double last = norm;
        norm = 0.0;
        for (int i = 0; i < m; ++i) {
            norm = hypot(norm, phi[i]);
        }
        if (norm < 1e-15 || (norm < 1e-12 && norm >= 0.5 * last)) { /* round-off has the word */
            break;
        }
        is_fine = project_once(ref, work, phi, rank_tolerance, q);
    }
    for (int pass = 0; pass < 2 && is_fine; ++pass) { /* linear: the second pass only polishes */
        reference_constraints(ref, t, q, v, phi, phi_dot, NULL, work);
        is_fine = project_once(ref, work, phi_dot, rank_tolerance, v);
    }
    free(work);
    return is_fine && norm < 1e-9 ? norm : NAN;
}

bool reference_rk4(const reference *ref, double t, double dt, int n_steps, double rank_tolerance, double *q, double *v) {
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    size_t n = (size_t)ref->n;
    double *memory = calloc(6 * n + 1, sizeof *memory);
    if (!memory) {
        return false;
    }
    double *q_stage = memory, *v_stage = q_stage + n, *a = v_stage + n, *q_rate = a + n, *dq = q_rate + n, *dv = dq + n;
    bool is_fine = true;
    for (int step = 0; step < n_steps && is_fine; ++step) {
        memset(dq, 0, n * sizeof *dq);
        memset(dv, 0, n * sizeof *dv);
        for (int stage = 0; stage < 4 && is_fine; ++stage) {
            double h = node[stage] * dt;
            for (size_t i = 0; i < n; ++i) {
                q_stage[i] = q[i] + (stage == 0 ? 0.0 : h * q_rate[i]);
                v_stage[i] = v[i] + (stage == 0 ? 0.0 : h * a[i]);
            }
            memcpy(q_rate, v_stage, n * sizeof *q_rate);
            is_fine = reference_accelerations(ref, t + step * dt + h, q_stage, v_stage, rank_tolerance, a, NULL, NULL);
            for (size_t i = 0; i < n; ++i) {
                dq[i] += weight[stage] * dt * q_rate[i];
                dv[i] += weight[stage] * dt * a[i];
            }
        }
        for (size_t i = 0; i < n && is_fine; ++i) {
            q[i] += dq[i];
            v[i] += dv[i];
        }
    }
    free(memory);
    return is_fine;
}
