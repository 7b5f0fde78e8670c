/* The tree of pairs, and what functions on it share: screws and poses of one instance. */
#ifndef SARRUS_KINEMATICS_KINEMATICS_H
#define SARRUS_KINEMATICS_KINEMATICS_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/kinematics.h"

/* Numbers of a body at its reference: rotation by rows, position; of its inertia: mass, and xx, yy, zz, xy, xz, yz. */
enum { KINEMATICS_POSE = 12, KINEMATICS_MASS = 7, KINEMATICS_SCREW = 6 };

/* The tree is the same for all instances; a path is ascending, as an inboard pair has a smaller number than its outboard ones. */
struct sarrus_kinematics {
    const sarrus_plan *plan;
    int n, n_bodies;
    size_t n_own;                 /* instances with numbers of their own; 1: all have the same */
    bool has_draws;               /* n_own is the number of instances that every call has */
    int *order;                   /* [n_bodies] bodies, inboard ones first */
    int *inboard;                 /* [n_bodies] −1: ground */
    int *first_pair;              /* [n_bodies] of the joint by which the body hangs */
    int *n_pairs;                 /* [n_bodies] of that joint */
    int *path, *start;            /* pairs that carry body b: path[start[b]] … path[start[b + 1] − 1] */
    sarrus_kinematics_pair *pair; /* [n] */
    double *screw;                /* [n_own][n][6] at q = 0 in the inertial frame: velocity of the point at its origin, turn */
    double *pitch;                /* [n_own][n] m/rad of screws */
    double *pose;                 /* [n_own][n_bodies][12] at q = 0 */
    double *mass;                 /* [n_own][n_bodies][7] */
    double *gravity;              /* [n_own][3] m/s² */
};

/* Numbers of one instance. */
typedef struct kinematics_instance {
    const double *screw, *pitch, *pose, *mass, *gravity;
} kinematics_instance;
kinematics_instance sarrus_kinematics_instance(const sarrus_kinematics *kinematics, size_t i);

/* Whether a call has as many instances as there are. */
bool sarrus_kinematics_has(const sarrus_kinematics *kinematics, size_t n_instances);

/* Scratch of a call: the screws in the inertial frame as they are now, the poses, the screws of one body in its frame. */
typedef struct kinematics_state {
    double *screw;  /* [n][6] */
    double *moved;  /* [n][12] what the pair and those before it do to what they carry */
    double *pose;   /* [n_bodies][12] */
    double *within; /* [n][6] */
} kinematics_state;
bool sarrus_kinematics_state_create(const sarrus_kinematics *kinematics, kinematics_state *out);
void sarrus_kinematics_state_free(kinematics_state *state);

/* Screws and poses at q [n] of instance i. */
void sarrus_kinematics_place(const sarrus_kinematics *kinematics, size_t i, const double *q, kinematics_state *state);

/* state->within[k] ← the screw of the k-th pair on the path of the body, in its frame; returns how many there are. */
int sarrus_kinematics_look(const sarrus_kinematics *kinematics, int body, kinematics_state *state);

/* −ad(by) of: the derivative of a screw by the coordinate of a pair behind it, both in the frame of one body. */
void sarrus_screw_derive(const double by[6], const double of[6], double out[6]);

/* M s: momentum of a body of these numbers, both in its frame. */
void sarrus_screw_weigh(const double mass[KINEMATICS_MASS], const double s[6], double out[6]);
double sarrus_screw_product(const double a[6], const double b[6]);

/* Numbers of pairs, and whether all are. */
bool sarrus_kinematics_by_is_good(const sarrus_kinematics *kinematics, int n_by, const int *by);

/* Of a body with these coordinates [n_q] of all. */
void sarrus_pose_of_body(const sarrus_plan *plan, const double *q, int body, double out[12]);

/* out ← what `of` does after `by`: x ↦ by(of(x)). */
void sarrus_pose_compose(const double by[12], const double of[12], double out[12]);
/* out ← the inverse. `out` is another one. */
void sarrus_pose_invert(const double of[12], double out[12]);
/* Of a coordinate q along a screw in the inertial frame (Rodrigues; S4 1.1). */
void sarrus_pose_of_screw(const double screw[6], double q, double out[12]);

#endif
