/* The kernels' own numbers at any state, on the constraints or off them: rows, forces, energy, free coordinates. The bodies of
 * kernels/ themselves, two lanes wide, so that what they say of one state can be held against differences of what they say of its
 * neighbors. */
#ifndef TESTS_SUPPORT_KERNEL_ROWS_H
#define TESTS_SUPPORT_KERNEL_ROWS_H

#include "tests/support/mechanism.h"

typedef struct kernel_rows kernel_rows;

/* Of the nominal instance. `external` [n_inputs] are the inputs (NULL: all 0). Fails the test when memory is short. */
kernel_rows *kernel_rows_create(const mechanism *m, const double *external);
void kernel_rows_destroy(kernel_rows *rows);

/* Phi [m], Phi_dot [m], gamma [m] without Baumgarte's terms, J [m][n]. NULL where unwanted. */
void kernel_rows_at(kernel_rows *rows, double t, const double *q, const double *v, double *phi, double *phi_dot, double *gamma,
                    double *jacobian);

/* |Phi|^2, which the kernels also sum by themselves. */
double kernel_rows_violation_squared(kernel_rows *rows, double t, const double *q, const double *v);

/* The applied forces [n], gravity's included; returns the power of those that are in no potential (dampers and loads), W. */
double kernel_rows_forces(kernel_rows *rows, double t, const double *q, const double *v, double *force);

/* Gravity's potential energy and that of all springs, J. */
double kernel_rows_potential(kernel_rows *rows, double t, const double *q, const double *v);

/* The free coordinate of a joint. */
double kernel_rows_free_coordinate(kernel_rows *rows, int i_joint, const double *q, const double *v);

#endif
