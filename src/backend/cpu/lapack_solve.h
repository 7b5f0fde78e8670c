/* The reference pseudoinverse: LAPACK's dgelsd, one instance after another. */
#ifndef SARRUS_BACKEND_CPU_LAPACK_SOLVE_H
#define SARRUS_BACKEND_CPU_LAPACK_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/body/mechanism.h"

/* Work space of one thread for m×n problems. */
typedef struct sarrus_lapack_solver {
    const sarrus_mechanism *mech;
    double *a;     /* [m·n] */
    double *b;     /* [max(m, n)] */
    double *sigma; /* [min(m, n)] */
    double *pairs; /* [min(m, n)][2] the same, as lanes */
    double *work;  /* [n_work] */
    int *i_work;
    int n_work;
    const volatile int32_t *stop; /* as in sarrus_batch_options: lanes are left at 0 then */
} sarrus_lapack_solver;

/* Returns false when memory runs out (everything is freed then). */
bool sarrus_lapack_solver_create(const sarrus_mechanism *mech, sarrus_lapack_solver *out);
void sarrus_lapack_solver_free(sarrus_lapack_solver *solver);

/* z = D⁺ b and the rank decision of each lane (a sarrus_external_solve; `user` is the solver). A lane whose decision is not what a
 * plain threshold gives is solved again with a threshold between the two values concerned. */
void sarrus_lapack_solve(void *user, const sarrus_external_problem *problem);

#endif
