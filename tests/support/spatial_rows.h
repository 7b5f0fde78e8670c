/* The kernels' own numbers of a mechanism in space with one joint, at any state: rows, products with J and the masses, forces,
 * energies. The bodies of kernels/ themselves, two lanes wide. */
#ifndef TESTS_SUPPORT_SPATIAL_ROWS_H
#define TESTS_SUPPORT_SPATIAL_ROWS_H

#include "tests/support/mechanism.h"
#include "tests/support/spatial_reference.h"

typedef struct spatial_rows spatial_rows;

/* With n speeds and m rows. */
typedef struct spatial_numbers {
    double phi[REFERENCE_MAX_M], phi_dot[REFERENCE_MAX_M], gamma[REFERENCE_MAX_M];
    double jacobian[REFERENCE_MAX_M * REFERENCE_MAX_N];       /* [m][n], by products with unit vectors */
    double push[REFERENCE_MAX_M * REFERENCE_MAX_N];           /* [m][n] M^-1 J^T of each row, by products */
    double weighed[REFERENCE_MAX_M * REFERENCE_MAX_N];        /* [m][n] the same, row by row */
    double dense[REFERENCE_MAX_M * REFERENCE_MAX_N];          /* [m][n] J M^{-1/2} */
    double gram[REFERENCE_MAX_M * REFERENCE_MAX_M];           /* [m][m] S */
    double root_v[REFERENCE_MAX_N], v_again[REFERENCE_MAX_N]; /* M^{1/2} v, and M^{-1/2} of that */
    double free_acceleration[REFERENCE_MAX_N];
    double power, potential, kinetic, open2;
    double coordinate[SARRUS_MAX_FREEDOMS][3];
} spatial_numbers;

/* Of the nominal instance. Fails the test when memory is short. */
spatial_rows *spatial_rows_create(const mechanism *m);
void spatial_rows_destroy(spatial_rows *rows);

/* All of it at (t, q, v). */
void spatial_rows_find(spatial_rows *rows, double t, const double *q, const double *v, spatial_numbers *out);

/* Phi, its rate and gamma (NULL where unwanted) and the potential energy alone, for differences. */
double spatial_rows_values(spatial_rows *rows, double t, const double *q, const double *v, double *phi, double *phi_dot);

/* The angles of the joint as they were seen last: 0 at first. seen [numbers of all free coordinates]. */
void spatial_rows_see(spatial_rows *rows, const double *seen);

/* q of all bodies displaced by scale d [n]. */
void spatial_rows_advance(const spatial_rows *rows, double scale, const double *d, double *q);

#endif
