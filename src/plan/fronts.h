/* Least squares over sparse rows, of which each holds a few bodies: orthogonal factors of the rows and of μ times the identity
 * below them, body after body. Nothing is squared, nothing of the mechanism's full size is formed, and what a body leaves is a
 * front over the bodies that it still meets.
 *
 * With μ below the singular values that count and above those that do not, (AᵀA + μ²I)⁻¹ does what a singular value decomposition
 * would be made for: solutions of least norm, parts of vectors within the null spaces, and the smallest singular value that counts
 * (spectrum.h). */
#ifndef SARRUS_PLAN_FRONTS_H
#define SARRUS_PLAN_FRONTS_H

#include <stddef.h>

#include "plan/order.h"
#include "plan/watch.h"

enum { SARRUS_MOST_EACH = 6, SARRUS_MOST_SIDES = 4 };

/* Rows of A. Columns come in groups, one of n_each for each body. */
typedef struct sarrus_plan_rows {
    int n_rows, n_bodies;
    int n_each;                         /* 3, or 6 in space */
    int n_sides;                        /* 2, or 4 where constraints couple the coordinates of two joints */
    int32_t (*body)[SARRUS_MOST_SIDES]; /* [n_rows] all different; −1: none */
    double *value;                      /* [n_rows][n_sides][n_each] of each body; 0 where there is none */
} sarrus_plan_rows;

/* The numbers [n_each] of one side of row i. */
static inline double *sarrus_plan_row_side(const sarrus_plan_rows *rows, int i, int side) {
    return rows->value + ((ptrdiff_t)rows->n_sides * i + side) * rows->n_each;
}

/* y [n_rows] ← A x [n_each n_bodies], and x ← Aᵀ y. */
void sarrus_plan_rows_apply(const sarrus_plan_rows *rows, const double *x, double *y);
void sarrus_plan_rows_apply_back(const sarrus_plan_rows *rows, const double *y, double *x);

/* An upper bound of the largest singular value, within a small factor of it. */
double sarrus_plan_rows_scale(const sarrus_plan_rows *rows);

/* What belongs to a body in the order of the elimination. */
typedef struct sarrus_front {
    int32_t body;
    int32_t parent;      /* front that takes what is left, −1: none is left */
    int32_t first_child; /* −1: none */
    int32_t next_child;  /* of the same parent */
    int32_t n_later;     /* bodies that it meets later */
    int32_t later;       /* where their places begin in sarrus_fronts.later */
    int32_t n_rows, row; /* rows that begin here; where they begin in sarrus_fronts.row */
    int32_t n_left;      /* rows left to the parent, of the factorization under way */
    double *left;        /* [n_left][n_each n_later + 1] those rows, the right side last */
    size_t factor;       /* where [n_each][n_each (1 + n_later) + 1] of the factor begin */
} sarrus_front;

typedef struct sarrus_fronts {
    int n_rows, n, n_each;
    sarrus_front *front; /* [n] bodies in the order of the elimination */
    int32_t *place;      /* [n] of a body in it */
    int32_t *later;      /* places of the later bodies, ascending */
    int32_t *row;        /* [n_rows] rows in the order of their fronts */
    int32_t *slot;       /* [n] columns of a front, scratch */
    double *scratch;     /* [n_each n] */
    double mu;           /* of the last factorization */
    double *factor;      /* R and Qᵀb */
    double *work;        /* [n_work] the front under way and a row of sums */
    size_t n_work;
    double flops; /* of all factorizations so far */
    sarrus_plan_watch *watch;
} sarrus_fronts;

/* For rows with these bodies, whatever their values are. `watch` may be NULL. NO_MEMORY, also when a front would be larger than any
 * machine. */
SARRUS_MUST_USE sarrus_status sarrus_fronts_create(const sarrus_plan_rows *rows, sarrus_plan_watch *watch, sarrus_fronts *out);
void sarrus_fronts_free(sarrus_fronts *fronts);

/* Factors [A; μI], μ > 0, with the right side b [n_rows] (NULL: zero) carried along. False: no memory, or stopped. */
SARRUS_MUST_USE bool sarrus_fronts_factor(sarrus_fronts *fronts, const sarrus_plan_rows *rows, double mu, const double *b);

/* Of one factorization, about. */
double sarrus_fronts_flops(const sarrus_fronts *fronts);

/* x [n_each n] ← the x for which ‖Ax − b‖² + μ²‖x‖² is least. What A cannot meet of b leaves nothing in the null space of A, as far
 * as singular values below μ are concerned. */
void sarrus_fronts_least(sarrus_fronts *fronts, double *x);

/* x [n_each n] ← (AᵀA + μ²I)⁻¹ x. */
void sarrus_fronts_solve(const sarrus_fronts *fronts, double *x);

/* Rank of A: columns that keep more than `tolerance` beside those before them. */
typedef struct sarrus_fronts_rank {
    int rank;
    int n_small;            /* columns that count but keep less than `doubtful` */
    double smallest;        /* of what those that count keep */
    double largest_dropped; /* of what the others keep */
} sarrus_fronts_rank;
SARRUS_MUST_USE bool sarrus_fronts_rank_find(sarrus_fronts *fronts, const sarrus_plan_rows *rows, double tolerance, double doubtful,
                                             sarrus_fronts_rank *out);

/* is_chosen [n_rows] ← rows that do not depend on one another and that all others depend on: elimination with the largest of a
 * front's numbers as the next pivot, numbers below `tolerance` taken for zero. */
SARRUS_MUST_USE bool sarrus_fronts_choose(sarrus_fronts *fronts, const sarrus_plan_rows *rows, double tolerance, bool *is_chosen);

#endif
