/* One joint in space between two bodies, or a body and ground, by the definitions of sarrus/spatial_row.def and sarrus/freedom.def
 * in long double: rows and free coordinates as functions of where the bodies are, everything else as their exact derivatives;
 * Newton's and Euler's equations body by body; the saddle system by elimination. It shares nothing with the kernels. */
#ifndef TESTS_SUPPORT_SPATIAL_REFERENCE_H
#define TESTS_SUPPORT_SPATIAL_REFERENCE_H

#include <stdbool.h>

#include "model/model.h"

enum { REFERENCE_NQ = 7, REFERENCE_NV = 6, REFERENCE_BODIES = 2, REFERENCE_MAX_N = 12, REFERENCE_MAX_M = 6 };

typedef struct spatial_reference_body {
    double mass;       /* kg */
    double inertia[6]; /* kg m², xx, yy, zz, xy, xz, yz */
    double rotor[3];   /* kg m²/s */
} spatial_reference_body;

typedef struct spatial_reference {
    int n_bodies;
    spatial_reference_body bodies[REFERENCE_BODIES];
    double gravity[3]; /* m/s² */
    int body[2];       /* parent, child; SARRUS_GROUND */
    int n_rows, n_freedoms;
    sarrus_spatial_row rows[REFERENCE_MAX_M]; /* without that of the drive */
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    long double point[2][3];   /* m, in the bodies' frames */
    long double axis[2][3][3]; /* axes 1, 2, 3 of the joint in the bodies' frames */
    double origin[3];          /* m, where the mechanism stands, more or less */
    long double zero[3];       /* m, the displacements along the axes at t = 0 */
    double length, pitch;      /* m, m/rad */
    double stiffness[SARRUS_MAX_FREEDOMS], damping[SARRUS_MAX_FREEDOMS], rest[SARRUS_MAX_FREEDOMS];
    int driven;                          /* free coordinate, -1: none */
    double amplitude, frequency, offset; /* of its sine, in Hz */
} spatial_reference;

/* Rows, that of the drive included. */
int spatial_reference_m(const spatial_reference *ref);

/* A(p) of four numbers of any length. */
void spatial_reference_rotation(const double p[4], long double a[3][3]);

/* Signal, first and second derivative. */
void spatial_reference_signal(const spatial_reference *ref, double t, long double s[3]);

/* Phi [m], its rate and gamma = -(second derivative at constant speeds) [m] and J [m][n]. NULL where unwanted. */
void spatial_reference_rows(const spatial_reference *ref, double t, const double *q, const double *v, long double *phi,
                            long double *phi_dot, long double *gamma, long double *jacobian);

/* Free coordinate k, angles between -pi and pi; of a rotation vector its three parts, of a part of one that one. */
void spatial_reference_coordinate(const spatial_reference *ref, int k, const double *q, long double x[3]);

/* The rates of all of them; of rotation vectors the relative turning in the parent's axes. */
void spatial_reference_rates(const spatial_reference *ref, const double *q, const double *v,
                             long double rate[SARRUS_MAX_FREEDOMS][3]);

/* How well the joint's coordinates can be read: the least length of what its angles are the directions of, 1 on the constraints;
 * the distance of its points, m; the angle of its whole turn, of which rotation vectors know nothing beyond half a turn. */
typedef struct spatial_reach {
    long double radius, gap, turn;
} spatial_reach;
spatial_reach spatial_reference_reach(const spatial_reference *ref, const double *q);

/* Gravity's potential energy and that of the springs, J. */
long double spatial_reference_potential(const spatial_reference *ref, const double *q);
long double spatial_reference_kinetic(const spatial_reference *ref, const double *v);

/* Forces [n] of gravity, springs and dampers on the speeds: on the centres in the inertial frame, torques in the bodies' frames;
 * and the power of the dampers. */
long double spatial_reference_forces(const spatial_reference *ref, const double *q, const double *v, long double *force);

/* What the forces have to bring about: M a, and of the turn the gyroscopic torque w x (I w + h) besides. out [n]. */
void spatial_reference_inertial(const spatial_reference *ref, const double *v, const long double *a, long double *out);
/* The a [n] that do it, and x [n] = M^-1 y. */
void spatial_reference_accelerate(const spatial_reference *ref, const double *v, const long double *force, long double *a);
void spatial_reference_solve_mass(const spatial_reference *ref, const long double *y, long double *x);

/* The motion with a drive and without: M a = forces + J^T mu, J a = gamma. Returns the condition of J M^-1 J^T (by the sums of the
 * squares), 1 without rows. */
long double spatial_reference_motion(const spatial_reference *ref, double t, const double *q, const double *v, long double *a,
                                     long double *mu);

/* The wrench of multipliers on the child, of the rows of the joint or of the drive alone: force and torque at the child's point, in
 * the inertial frame. */
void spatial_reference_wrench(const spatial_reference *ref, double t, const double *q, const double *v, const long double *mu,
                              bool is_of_drive, long double wrench[6]);

/* What such a wrench on the child does to the speeds of both: out [n]. And its power. */
void spatial_reference_wrench_forces(const spatial_reference *ref, const double *q, const long double wrench[6], long double *out);
long double spatial_reference_power(const spatial_reference *ref, const double *v, const long double *force);

/* x of n equations a x = b, both destroyed, b becomes x. False when a is singular. */
bool spatial_reference_eliminate(int n, long double *a, long double *b);

/* v [n] brought to rates of the rows of 0, by the least change in the metric of the masses. */
void spatial_reference_project(const spatial_reference *ref, double t, const double *q, double *v);

#endif
