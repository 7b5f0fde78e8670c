/* A dense reference simulator for planar mechanisms, built straight from the model and sharing nothing with the kernels:
 * every constraint is written once as a function of the poses, all derivatives come from jets, accelerations from the
 * pseudoinverse of the whole saddle system [M J^T; J 0][a; lambda] = [F; gamma] by LAPACK's dgelsd, in the unknowns
 * M^{1/2} a and lambda. Masses and inertias may be 0 where only accelerations are asked for. Slow and plain on purpose.
 *
 * Sizes: n = 3 * bodies (x, y, theta each), m = rows of all joints in scenario order, then of all constraints. Rows of a joint:
 * revolute x, y; prismatic normal, angle; fixed x, y, angle; distance |d| - L; then the drive's row where there is one. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include <stdbool.h>

#include "model/model.h"

/* A joint with its numbers resolved for one instance. */
typedef struct reference_joint {
    sarrus_joint_type type;
    int body[2];          /* parent, child; SARRUS_GROUND */
    double point[2][2];   /* m, in the frames of parent and child */
    double axis[2];       /* unit vector in the parent's frame (prismatic) */
    double angle0;        /* rad, child minus parent in the given configuration */
    double displacement0; /* m, along the axis in the given configuration */
    double length;        /* m (distance) */
    double stiffness, damping, rest;
    int drive; /* signal or -1 */
    int row;   /* first row */
    int n_rows;
} reference_joint;

/* A constraint beside joints: coordinate A follows coordinate B. Of a curve of[0] has its body, and that of the point with it. */
typedef struct reference_constraint {
    const sarrus_constraint *from;
    reference_joint of[2]; /* that of a distance of two points is a distance joint without length */
    int row;
} reference_constraint;

typedef struct reference {
    const sarrus_model *model;
    double *values; /* [model->n_values] of this instance */
    double *inputs; /* [max(model->n_inputs, 1)], all 0 at first; set freely */
    int n, m, n_bodies, n_joints;
    double *mass;    /* [n] diagonal of M */
    double *q0, *v0; /* [n] the configuration and velocities as given, not assembled */
    double gravity[2];
    double alpha, beta; /* 1/s, Baumgarte */
    reference_joint *joints;
    reference_constraint *constraints; /* [model->n_constraints] */
} reference;

/* What the last least-squares solution says about the saddle matrix. */
typedef struct reference_spectrum {
    int rank;        /* of the saddle matrix: n + r */
    double largest;  /* singular value */
    double smallest; /* smallest singular value kept */
    double next;     /* largest singular value cut off (0 when none) */
} reference_spectrum;

/* `values` [model->n_values] is copied. NULL when memory is short. The model must outlive the reference. */
reference *reference_create(const sarrus_model *model, const double *values);
void reference_destroy(reference *ref);

/* Phi [m], Phi_dot = J v + Phi_t [m], gamma [m] (Baumgarte's terms not included), J [m][n] row major. NULL where unwanted. */
void reference_constraints(const reference *ref, double t, const double *q, const double *v, double *phi, double *phi_dot,
                           double *gamma, double *jacobian);

/* Applied generalized forces F [n]: gravity, springs, dampers, torques, point forces, joint springs. */
void reference_forces(const reference *ref, double t, const double *q, const double *v, double *force);

/* a [n] and min-norm multipliers lambda [m] (M a + J^T lambda = F) by the pseudoinverse of the saddle matrix; singular values
 * below rank_tolerance times the largest are cut. A small singular value s of D = J M^{-1/2} shows there as s^2. `spectrum` may
 * be NULL. False when LAPACK fails or memory is short. */
bool reference_accelerations(const reference *ref, double t, const double *q, const double *v, double rank_tolerance, double *a,
                             double *lambda, reference_spectrum *spectrum);

/* J: number of singular values above rank_tolerance times the largest; -1 when LAPACK fails. */
int reference_rank(const reference *ref, double t, const double *q, double rank_tolerance);

/* Condition of D = J M^{-1/2}: its largest over its smallest singular value above rank_tolerance times the largest; 1 when
 * there is no constraint, NaN when LAPACK fails. */
double reference_condition(const reference *ref, double t, const double *q, double rank_tolerance);

/* Of D: its largest singular value, the smallest above rank_tolerance times it, and the largest below (0 where there is none; all
 * NaN when LAPACK fails). */
void reference_singular_values(const reference *ref, double t, const double *q, double rank_tolerance, double *largest,
                               double *kept, double *dropped);

/* Kinetic energy + gravity + springs, J. */
double reference_energy(const reference *ref, double t, const double *q, const double *v);

/* fx, fy, mz of each joint on its child at the joint point (of the child), [3 * n_joints]; the drive's share is left out. */
void reference_reactions(const reference *ref, double t, const double *q, const double *lambda, double *reaction);

/* Motor loads of the driven joints in scenario order, N m | N; returns their number. */
int reference_drives(const reference *ref, const double *lambda, double *load);

/* Free coordinate of a revolute or prismatic joint with its rate. */
void reference_free_coordinate(const reference *ref, int i_joint, const double *q, const double *v, double *value, double *rate);

/* Mass-weighted projection of q and v onto the constraints (Newton; the correction is least in the kinetic metric).
 * Returns the remaining ||Phi||, NaN when it does not converge. */
double reference_project(const reference *ref, double t, double rank_tolerance, double *q, double *v);

/* n_steps steps of the classic Runge-Kutta method from t in place. False when an evaluation fails. */
bool reference_rk4(const reference *ref, double t, double dt, int n_steps, double rank_tolerance, double *q, double *v);

/* The spline of a table at t; one that goes round, up to whole periods: value and two derivatives. */
void reference_table(const reference *ref, const sarrus_signal *table, bool is_round, double t, double out[3]);

/* Signal i with its first and second derivatives at t: out[3]. */
void reference_signal(const reference *ref, int i_signal, double t, double out[3]);

#endif
