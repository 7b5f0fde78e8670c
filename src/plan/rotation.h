/* Rotations on the host. A is the matrix from a body's frame to the inertial one, p = (w, x, y, z) its Euler parameters; p and −p
 * are the same rotation. */
#ifndef SARRUS_PLAN_ROTATION_H
#define SARRUS_PLAN_ROTATION_H

#include <stdbool.h>

#include "sarrus/space.h"

double sarrus_vector_dot(const double a[3], const double b[3]);
void sarrus_vector_cross(const double a[3], const double b[3], double out[3]);
double sarrus_vector_length(const double a[3]);

/* A s, and Aᵀ s. */
void sarrus_rotate(const double a[3][3], const double s[3], double out[3]);
void sarrus_rotate_back(const double a[3][3], const double s[3], double out[3]);

/* The matrix of p, |p| = 1, and the parameters of a rotation, w ≥ 0. */
void sarrus_rotation_of(const double p[4], double a[3][3]);
void sarrus_rotation_parameters(const double a[3][3], double p[4]);

/* p ∘ o: what o turns within the frame that p gives. `out` may be one of them. */
void sarrus_rotation_compose(const double p[4], const double o[4], double out[4]);

/* p ← p/|p|. False when p is 0 or not finite. */
bool sarrus_rotation_normalize(double p[4]);

/* p ← the orientation that the numbers x of this form give (space.h says how many and what). False when they give none: a direction
 * or parameters that are 0, a matrix that is no rotation to 1e-6, or what is not finite. */
bool sarrus_orientation_read(sarrus_orientation form, const double *x, double p[4]);

/* x ← the numbers of this form for p, which comes near |p| = 1; of parameters p itself, w ≥ 0. Angles are in (−π, π], the second of
 * Euler's in [0, π], of Bryant's in [−π/2, π/2]; where it is at an end of its range to 1e-14 and only the sum or the difference of
 * the others is known, the third is 0. The angle about an axis is in [0, π]; where it is 0 the axis is the third. NaN where p is
 * none. */
void sarrus_orientation_write(sarrus_orientation form, const double p[4], double *x);

/* How many numbers an orientation of this form has. */
int sarrus_orientation_count(sarrus_orientation form);

#endif
