/* The nominal instance at plan time: one configuration, its weighted Jacobian, and moves along the constraint manifold. */
#ifndef SARRUS_PLAN_CONFIGURATION_H
#define SARRUS_PLAN_CONFIGURATION_H

#include "kernels/cpu/kernels.h"
#include "plan/plan.h"

/* Row- and column-major dense arrays of doubles; J M^{-1/2} is column-major m×n. */
typedef struct sarrus_configuration {
    const sarrus_plan *plan;
    const sarrus_kernels *kernels;
    sarrus_kernel_call call;
    int m, n;
    double *weight;   /* [n] M^{-1/2} */
    double *q;        /* [n] */
    double *v;        /* [n] */
    double *jacobian; /* [m·n] J M^{-1/2} at q, column-major */
    double *phi;      /* [m] */
    double *phi_dot;  /* [m] at v */
    double *lanes;    /* what the kernel writes: jacobian, phi, phi_dot [(m·n + 2m)][width] */
    double *scratch;  /* [(m + 1)·n + max(m + 1, n)] */
    double *held;     /* [n] a direction in weighted coordinates */
    int *pivots;      /* [n] */
} sarrus_configuration;

/* The singular value decomposition of J M^{-1/2}; left null vectors are columns rank … m − 1 of u. */
typedef struct sarrus_decomposition {
    double *u;     /* [m·m] column-major */
    double *vt;    /* [n·n] column-major */
    double *sigma; /* [min(m, n)] descending */
} sarrus_decomposition;

/* The given configuration of the nominal instance. NO_MEMORY; BAD_INPUT when a nominal number is not physical. */
SARRUS_MUST_USE sarrus_status sarrus_configuration_create(const sarrus_plan *plan, sarrus_configuration *out);
void sarrus_configuration_free(sarrus_configuration *configuration);

/* Rows at (q, v, t); ‖Φ‖ is returned. */
double sarrus_configuration_rows(sarrus_configuration *configuration, double t);

/* The nominal number `i` of the kernels' parameters. */
double sarrus_configuration_parameter(const sarrus_configuration *configuration, int32_t i);

/* One Newton step from the present rows, in the metric of M; q is moved, the rows are not evaluated anew. False when LAPACK fails.
 */
SARRUS_MUST_USE bool sarrus_configuration_newton(sarrus_configuration *configuration);

/* Newton's method in the metric of M until ‖Φ‖ stops shrinking; returns the final ‖Φ‖. Rows are those of the final q. */
double sarrus_configuration_assemble(sarrus_configuration *configuration, double t);

/* The same, but nothing is moved along `held`, a unit vector in weighted coordinates, unless the constraints cannot be met so. */
double sarrus_configuration_assemble_held(sarrus_configuration *configuration, double t);

SARRUS_MUST_USE sarrus_status sarrus_decomposition_create(const sarrus_configuration *configuration, sarrus_decomposition *out);
void sarrus_decomposition_free(sarrus_decomposition *decomposition);

/* Decomposes the present Jacobian; false when LAPACK fails. */
bool sarrus_decomposition_make(sarrus_configuration *configuration, sarrus_decomposition *decomposition);

#endif
