/* The plan of a mechanism: graph, constraint rows, independent rows, elimination order, array layout. Immutable, the same
 * for every instance, printable and hashable. */
#ifndef SARRUS_PLAN_H
#define SARRUS_PLAN_H

#include <stdint.h>

#include "sarrus/context.h"
#include "sarrus/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_plan sarrus_plan;

/* Sizes in the notation of the sources. */
typedef struct sarrus_plan_sizes {
    int n_bodies, n_joints;
    int n;           /* speeds: 3 a planar body, where they are the coordinates too, 6 a body in space */
    int m;           /* scalar constraints, drives included */
    int rank;        /* rank of the Jacobian on the constraint manifold, away from singular configurations */
    int rank_at_t0;  /* rank at the assembled configuration of the nominal instance (smaller: it starts singular) */
    int n_dof;       /* n − rank */
    int n_redundant; /* m − rank */
    int n_inputs;
    uint64_t bytes_per_instance;
    double flops_per_evaluation; /* additions and multiplications of one acceleration (an FMA is two); in space NaN, as below */
    double divisions_per_evaluation;
    double size;                         /* m, of the mechanism as it stands: the diagonal of its box; 0: a point */
    double flops_per_step;               /* of the scenario's integrator, stabilization included; NaN when it chooses its steps */
    double algebra_flops_per_evaluation; /* of flops_per_evaluation: forming S = J M⁻¹ Jᵀ, factoring it, one solution */
    double dense_algebra_flops_per_evaluation; /* the same with full matrices over the same rows, for comparison */
    int n_coordinates;                         /* numbers of q: n, and 7 a body in space */
    int n_constraints;                         /* beside joints */
} sarrus_plan_sizes;

/* An order in which the constraint rows, by blocks of two, can be eliminated. */
typedef struct sarrus_plan_order {
    const char *name; /* static */
    double flops;     /* of factoring S and of one solution with it; INFINITY: too many, given up */
    int n_entries;    /* blocks of L below its diagonal */
    int n_updates;    /* blocks that they are subtracted from, in the whole factorization */
    int n_levels;     /* height of the elimination tree: the longest chain of blocks that wait for one another */
    int is_chosen;
} sarrus_plan_order;

/* How far a plan is. */
typedef struct sarrus_plan_progress {
    const char *phase;   /* static: what is done now */
    double share;        /* of it, 0 to 1; negative: not known */
    double wall_seconds; /* since the plan was begun */
} sarrus_plan_progress;

/* Called from one second on, ten times a second, in the thread that makes the plan. Not 0: stop. */
typedef int (*sarrus_plan_progress_function)(const sarrus_plan_progress *progress, void *user);

typedef struct sarrus_plan_options {
    const volatile int32_t *stop;           /* not 0: stop, within 0.1 s; may be set by a signal's handler; NULL: never */
    sarrus_plan_progress_function progress; /* NULL: nobody is told */
    void *user;
} sarrus_plan_options;

/* Assembles the nominal instance, follows its drives, finds the independent rows and the elimination order. Errors: BAD_INPUT when
 * the scenario cannot be assembled, leaves a direction without inertia, or asks for a motion that the mechanism certainly cannot
 * make (diagnostics name the joints or the body), NO_MEMORY. What may not be meant sarrus_warnings_create tells.
 * `*out` is the caller's; the model must outlive it. */
SARRUS_MUST_USE sarrus_status sarrus_plan_create(sarrus_context *context, const sarrus_model *model, sarrus_plan **out);

/* The same, watched. `options` may be NULL. INTERRUPTED when it was stopped: nothing is made then. */
SARRUS_MUST_USE sarrus_status sarrus_plan_create_watched(sarrus_context *context, const sarrus_model *model,
                                                         const sarrus_plan_options *options, sarrus_plan **out);
void sarrus_plan_destroy(sarrus_plan *plan);

void sarrus_plan_sizes_get(const sarrus_plan *plan, sarrus_plan_sizes *out);

/* The orders that were looked at, i = 0 … sarrus_plan_n_orders − 1; exactly one is chosen. */
int sarrus_plan_n_orders(const sarrus_plan *plan);
void sarrus_plan_order_get(const sarrus_plan *plan, int i, sarrus_plan_order *out);

/* 64-bit hash of everything that decides the order of arithmetic. */
uint64_t sarrus_plan_hash(const sarrus_plan *plan);

/* Name of coordinate `i` of q ("crank_a.x"), i = 0 … n_coordinates − 1, or of speed `i` of v, i = 0 … n − 1; owned by the plan. */
const char *sarrus_plan_coordinate_name(const sarrus_plan *plan, int i);
const char *sarrus_plan_speed_name(const sarrus_plan *plan, int i);

/* Name of joint `i`, i = 0 … n_joints − 1, in the order of the reactions; owned by the model. NULL: there is none. */
const char *sarrus_plan_joint_name(const sarrus_plan *plan, int i);

/* Parent and child of joint `i`: numbers of bodies in the order of the coordinates, −1 ground. −2: there is no such joint. */
int sarrus_plan_joint_parent(const sarrus_plan *plan, int i);
int sarrus_plan_joint_child(const sarrus_plan *plan, int i);

/* Free coordinates of joint `i`: how many of SARRUS_OBSERVE_JOINT_COORDINATES and of the speeds are its, joint by joint; −1: there
 * is no such joint. In *driven how many of them are driven, likewise of SARRUS_OBSERVE_DRIVES (NULL: not wanted). */
int sarrus_plan_joint_coordinates(const sarrus_plan *plan, int i, int *driven);

/* The model card: graph, tree, cut joints, n, m, r, degrees of freedom, redundant constraints by name, uniqueness of a
 * and of every joint's reaction, bytes per instance, elimination order. Text owned by the plan, lines ended by '\n'. */
const char *sarrus_plan_report(const sarrus_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
