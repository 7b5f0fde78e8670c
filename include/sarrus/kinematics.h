/* Kinematics of a tree of pairs by screws (S4): positions, kinematic coefficients and their derivatives of any order, effective
 * inertia, Christoffel symbols, in closed form. For whoever linearizes, plans, identifies or checks; runs do not need it.
 *
 * The tree. Bodies hang on one another, and on ground, by the joints of the scenario that move in pairs of one degree of
 * freedom: revolute, prismatic, screw, cylindrical (slide, turn), planar (two slides, turn), universal (two turns), spherical
 * (three turns), fixed (none). A body that no such joint leads to floats: it has as many slides and turns as its space has
 * directions. Joints that close loops, constraints, drives, springs and forces are no part of it. Turns that go through one
 * point are about axes that are carried along one by the other; three of them are singular where the second is ±90 degrees (S4:
 * "pairs of any class are obtained by combining").
 *
 * Coordinates q [n] are those of the pairs, from the inboard body to the outboard one, m | rad, all 0 where the scenario has put
 * the bodies; a pair stands behind those that carry it. Screws and quasi-velocities are [6]: the velocity of the centre of mass,
 * m/s, and the angular velocity, rad/s, both in the body's own frame (S4 1.2, where they are about a point of the pair).
 * Everything is [N][…], row-major, one instance after another.
 *
 * In every function: N > 0 instances, the same number as draws where there are draws (else all are the nominal mechanism); q,
 * and what comes out, as described; NaN in q gives NaN in that instance and nowhere else. Errors: BAD_ARGUMENT (NULL, N, numbers
 * of pairs), NO_MEMORY. */
#ifndef SARRUS_KINEMATICS_H
#define SARRUS_KINEMATICS_H

#include "sarrus/plan.h"
#include "sarrus/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_kinematics sarrus_kinematics;

/* A pair of one degree of freedom. */
typedef enum sarrus_pair_kind {
    SARRUS_PAIR_TURN = 0,  /* rad */
    SARRUS_PAIR_SLIDE = 1, /* m */
    SARRUS_PAIR_SCREW = 2, /* rad, and `pitch` m for each */
} sarrus_pair_kind;

typedef struct sarrus_kinematics_pair {
    sarrus_pair_kind kind;
    int body;   /* that it moves, with all that hangs on it: number in the order of the coordinates */
    int joint;  /* whose pair it is; −1: the body floats */
    int before; /* the next pair on the way to ground; −1: none */
} sarrus_kinematics_pair;

/* Derivatives that can be asked for at once. */
enum { SARRUS_MOST_DERIVATIVES = 8 };

/* The tree of the plan's mechanism, whatever formulation it is for. `draws` (NULL: the nominal mechanism) gives every instance its
 * own numbers; both must outlive it. UNSUPPORTED: a ground that signals move, a rotor; BAD_INPUT: a number of an instance is not
 * physical. `*out` is the caller's. */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                                       sarrus_kinematics **out);
void sarrus_kinematics_destroy(sarrus_kinematics *kinematics);

int sarrus_kinematics_n_pairs(const sarrus_kinematics *kinematics);  /* n */
int sarrus_kinematics_n_bodies(const sarrus_kinematics *kinematics); /* n_b */
sarrus_status sarrus_kinematics_pair_get(const sarrus_kinematics *kinematics, int i_pair, sarrus_kinematics_pair *out);

/* Coordinates q [N][n] of pairs from those of the bodies, [N][n_q] as SARRUS_OBSERVE_Q gives them. Angles are in (−π, π], a screw's
 * with its whole turns; of a joint that is open the nearest is taken. */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_coordinates(const sarrus_kinematics *kinematics, size_t n_instances,
                                                            const double *bodies, double *q);

/* Positions of the centres of mass [N][n_b][3], m, and rotations [N][n_b][3][3] from the bodies' frames to the inertial one, either
 * of which may be NULL (S4 1.1, as a product of exponentials). */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_poses(const sarrus_kinematics *kinematics, size_t n_instances, const double *q,
                                                      double *positions, double *rotations);

/* Kinematic coefficients l_b^i, [N][n_b][n][6]: the screw of pair i in the frame of body b, 0 where i does not carry b (S4 1.5).
 * With n_by > 0 their partial derivative by the coordinates by[0 … n_by − 1], in any order and repeated as wanted (S4 theorems 1
 * and 2):  ∂l^i/∂q_j = −ad(l^j) l^i for j behind i, else 0, and nested in the order of the tree. */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_screws(const sarrus_kinematics *kinematics, size_t n_instances, const double *q,
                                                       int n_by, const int *by, double *screws);

/* Quasi-velocities V = Σ l^i q̇_i [N][n_b][6] and their rates in the body's frame V̇ = Σ l^i q̈_i + Σ l̇^i q̇_i [N][n_b][6], where
 * wanted (NULL: not), by recursion along the tree (S4 1.2, 1.6). `accelerations` NULL: q̈ = 0. */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_motion(const sarrus_kinematics *kinematics, size_t n_instances, const double *q,
                                                       const double *speeds, const double *accelerations, double *velocities,
                                                       double *rates);

/* Effective inertia A [N][n][n], A_ij = Σ_b l_b^iᵀ M_b l_b^j (S4 2.9), or its partial derivative by by[0 … n_by − 1] (theorem 3):
 * Σ_b over all ways to deal the coordinates out to the two screws. kg | kg m | kg m² and their derivatives. */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_inertia(const sarrus_kinematics *kinematics, size_t n_instances, const double *q,
                                                        int n_by, const int *by, double *inertia);

/* Christoffel symbols of the first kind [N][n][n][n]: Γ_ijk = ½ (∂A_ij/∂q_k + ∂A_ik/∂q_j − ∂A_jk/∂q_i) (S4 2.13). */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_christoffel(const sarrus_kinematics *kinematics, size_t n_instances,
                                                            const double *q, double *symbols);

/* A q̈ + c = w + …: the terms of velocities c_i = Σ Γ_ijk q̇_j q̇_k [N][n], by Newton and Euler along the tree, and the weights
 * w [N][n], N | N m, where wanted (NULL: not) (S4 2.10, 2.15). */
SARRUS_MUST_USE sarrus_status sarrus_kinematics_forces(const sarrus_kinematics *kinematics, size_t n_instances, const double *q,
                                                       const double *speeds, double *velocity_terms, double *weights);

#ifdef __cplusplus
}
#endif

#endif
