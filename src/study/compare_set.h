/* The states that formulations are compared on: their equations, what the kernels make of them, and the solutions that all are held
 * against. */
#ifndef SARRUS_STUDY_COMPARE_SET_H
#define SARRUS_STUDY_COMPARE_SET_H

#include <stdbool.h>

#include "pinv/dense.h"
#include "plan/plan.h"
#include "sarrus/compare.h"

/* Rows that kernels of steps make: what `run` does with these settings. */
typedef enum sarrus_compare_kernel {
    SARRUS_COMPARE_BY_AUTO,      /* udwadia-kalaba, pinv auto */
    SARRUS_COMPARE_BY_LAPACK,    /* udwadia-kalaba, pinv lapack */
    SARRUS_COMPARE_BY_RELATIVE,  /* relative, pinv auto */
    SARRUS_COMPARE_BY_RECURSION, /* recursive, pinv auto */
    SARRUS_COMPARE_N_KERNELS
} sarrus_compare_kernel;

/* n + m: above it a tile of the largest matrices leaves all caches, and a row takes minutes. */
enum { SARRUS_COMPARE_LARGEST = 256 };

typedef struct sarrus_compare_kernel_row {
    double *a;          /* [n_all][n]; NaN: not tried there, or no answer */
    double *lambda;     /* [n_all][m] */
    bool *is_tried;     /* [n_all] */
    double nanoseconds; /* NaN: not timed */
    double flops;       /* NaN: not counted */
    char reason[200];   /* why there is no such row; "" */
} sarrus_compare_kernel_row;

typedef struct sarrus_compare_set {
    int n, m, n_q;
    double size;                             /* m, of the mechanism */
    int n_trajectory, n_random;              /* consistent states, in this order */
    int n_all;                               /* and the random ones off the constraints */
    int n_room;                              /* states that the arrays hold */
    double *q, *v;                           /* [n_all][n_q], [n_all][n] */
    double *mass, *force, *jacobian, *gamma; /* as sarrus_dense_systems has them */
    double *rank, *violation;                /* [n_all] of J; ‖Φ‖ */
    int32_t *pins;                           /* [bodies][3] the tree of pins (plan/pin_tree.h); NULL: not all bodies hang on one */
    sarrus_compare_kernel_row kernel[SARRUS_COMPARE_N_KERNELS];
    double *a, *load, *lambda; /* [n_all][n], [n_all][n], [n_all][m] solutions with extended precision */
    double *condition;         /* [n_all] */
    bool *unique;              /* [n_all][m] */
    bool *is_good;             /* [n_all] the state is one: assembled, and its equations are numbers */
    bool *is_doubtful;         /* [n_all] consistent, and the rank of J is in doubt: nobody is judged by it */
    bool *is_determined;       /* [n_all] a is unique */
} sarrus_compare_set;

/* What the states are made with. */
typedef struct sarrus_compare_call {
    sarrus_context *context;
    const sarrus_model *model;
    sarrus_compare_options options; /* with its defaults filled in */
} sarrus_compare_call;

/* Collects the states, of at most options.n_states each kind, and solves them. `*out` is to be freed in any case. */
SARRUS_MUST_USE sarrus_status sarrus_compare_set_make(const sarrus_compare_call *call, sarrus_compare_set *out);
void sarrus_compare_set_free(sarrus_compare_set *set);

/* The equations of states i_first … i_first + n_states − 1. */
sarrus_dense_systems sarrus_compare_set_systems(const sarrus_compare_set *set, int i_first, int n_states);

/* m/s²: the fastest speed of state i, at least a thousandth of the mechanism's size a second, squared, over that size.
 * Accelerations that are small beside it, and beside what forces do, are their round-off. */
double sarrus_compare_set_centripetal(const sarrus_compare_set *set, int i);

#endif
