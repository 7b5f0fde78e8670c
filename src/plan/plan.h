/* The inside of a plan: data, and what is asked of it once it is made. build.h makes it. */
#ifndef SARRUS_PLAN_PLAN_INTERNAL_H
#define SARRUS_PLAN_PLAN_INTERNAL_H

#include <stdbool.h>

#include "kernels/body/mechanism.h"
#include "model/model.h"
#include "plan/graph.h"
#include "plan/watch.h"
#include "sarrus/plan.h"

/* What the numerical analysis of the constraints found. */
typedef struct sarrus_plan_independence {
    int n_independent;      /* generic rank */
    int rank_at_t0;         /* at the assembled nominal configuration */
    int n_configurations;   /* that were looked at */
    int32_t *independent;   /* [n_independent] rows, ascending */
    int32_t *dependent;     /* [m − n_independent] rows, ascending */
    bool *row_is_unique;    /* [m] the row's multiplier is the same in every solution, generically */
    double typical_kept;    /* the largest over the configurations of the smallest σ that counts, relative to σ₁ */
    double smallest_kept;   /* smallest σ counted into the generic rank, over the configurations, relative to σ₁ */
    double largest_dropped; /* largest σ not counted, relative to σ₁ */
    double *configurations; /* [n_configurations][n_q] those that were looked at, the assembled one first */
    bool *is_asked;         /* [n_configurations] of the generic rank, and not doubtful */
} sarrus_plan_independence;

/* A drive that may not be followed, in a way that is not certain enough to refuse it. */
typedef struct sarrus_plan_doubt {
    int joint;   /* whose drive it is, −1: there is none */
    int at;      /* joint that stays open most */
    double from; /* s, the last time at which the loops closed */
    double gap;  /* ‖Φ‖, m and rad, where the loops stay open most */
    double time; /* s, when that is */
} sarrus_plan_doubt;

/* The nominal instance at t = 0, as the scenario gives it and as it is assembled. */
typedef struct sarrus_plan_start {
    double size;               /* m, diagonal of the given configuration; 1 when it has no extent */
    double *q_given, *v_given; /* [n_q] and [n] */
    double *q, *v;             /* [n_q] and [n] assembled */
    double kept;               /* the last σ that counts generically, here, relative to σ₁ */
    double change;             /* m, about by which lengths differ from those with one degree of freedom more; INFINITY: far */
    sarrus_plan_doubt doubt;
} sarrus_plan_start;

/* What falls apart when ground is taken away: ground feels nothing, so these do not feel each other. */
typedef struct sarrus_plan_parts {
    int n;             /* connected parts, ground not counted */
    int n_floating;    /* of these not connected to ground */
    int n_loops;       /* independent loops of joints that hold something */
    int *of_body;      /* [n_bodies] the part of a body, numbered by their first bodies */
    bool *is_floating; /* [n] */
} sarrus_plan_parts;

/* Of a body that may lack mass or inertia: what kernels give it at least (kernels/formulation/semi_definite.h), kg and kg m²; 0: it
 * lacks none in any instance. */
typedef struct sarrus_plan_lack {
    double mass, inertia;
} sarrus_plan_lack;

/* Orders of the blocks of rows that the plan looks at, in the sequence in which they win when they are alike. */
typedef enum sarrus_order_kind {
    SARRUS_ORDER_FILL,          /* least fill first, then least degree */
    SARRUS_ORDER_DEGREE,        /* least degree first, then least fill */
    SARRUS_ORDER_DISSECTION,    /* nested dissection */
    SARRUS_ORDER_CUTHILL_MCKEE, /* reverse Cuthill-McKee */
    SARRUS_ORDER_GIVEN,         /* the joints as the scenario lists them */
    SARRUS_N_ORDERS,
    SARRUS_ORDER_BEST = SARRUS_N_ORDERS, /* the one of these that costs least */
} sarrus_order_kind;

/* Operations of the fast path (auto, no refused pivot), one instance; NaN in space, where they are not counted. */
typedef struct sarrus_plan_cost {
    double flops_per_evaluation;     /* + − ×, an FMA is two */
    double divisions_per_evaluation; /* divisions and square roots */
    double sincos_per_evaluation;
    double flops_per_step, divisions_per_step, sincos_per_step; /* with integrator and stabilization; NaN: adaptive */
    double algebra_flops_per_evaluation;                        /* of these: S formed and factored, one solution with it */
    double dense_algebra_flops_per_evaluation;                  /* the same with full matrices over the same rows, for comparison */
    double code_flops;           /* in the code of an evaluation, roughly where they are not counted (code_flops.c) */
    uint64_t bytes_per_instance; /* of a tile */
} sarrus_plan_cost;

/* What is added where something is refused as of another plan: the scenario may say `formulation: auto` in both. */
#define SARRUS_ANOTHER_PLAN_NOTE "a program of another day may have chosen another formulation"

struct sarrus_plan {
    const sarrus_model *model;
    sarrus_mechanism mech;
    sarrus_mech_joint *joint;           /* [n_joints + n_constraints], as the tables below owned here and seen through mech */
    sarrus_mech_constraint *constraint; /* [n_constraints] */
    sarrus_mech_freedom *freedom;       /* [n_freedoms] */
    sarrus_mech_force *force;           /* [n_forces] */
    sarrus_mech_signal *signal;         /* [n_signals] */
    sarrus_mech_row *row;               /* [m + n_parts] */
    double *knots, *guard;
    double *row_weight; /* [m] NULL: 1 */
    int32_t *row_of, *at, *pad, *column, *entry_row, *update, *fill, *dependent;
    sarrus_mech_share *share;
    sarrus_mech_scale *scale;
    sarrus_mech_block_share *block_share;
    sarrus_plan_independence independence;
    sarrus_plan_lack *lack; /* [n_bodies]; NULL: mass and inertia are there in every instance */
    sarrus_plan_start start;
    sarrus_graph graph;
    sarrus_plan_parts parts;
    sarrus_plan_cost cost;
    sarrus_plan_order order[SARRUS_N_ORDERS]; /* by sarrus_order_kind */
    uint64_t n_steps;                         /* to t_end */
    uint64_t hash;
    char **coordinate_names, **speed_names; /* [n_q], [n_v] */
    char *report;                           /* sarrus_plan_report */
    sarrus_plan_watch *watch;               /* while the plan is made; NULL: nobody */
    /* The same mechanism in relative coordinates, by which its steps are made: a plan of its own with the tables of mech.tree,
     * whose
     * parameters are those of this one; NULL: in absolute ones. */
    struct sarrus_plan *relative;
    sarrus_mech_link *link; /* [n_bodies] of a plan in relative coordinates, as the tables below; else NULL */
    int32_t *link_of, *chain, *owner, *chain_start, *row_start;
    sarrus_mech_speed *speed;
    sarrus_mech_spring *spring;
    sarrus_mech_tree_step *tree_step;
    sarrus_mech_entry *entry;
    sarrus_mech_carry *carry;
    sarrus_mech_row_block *row_block;
    sarrus_mech_meeting *meeting;
    sarrus_mech_meet *meet;
    double loss;   /* sarrus_tree_rows_loss, of single precision in a common frame */
    int loss_body; /* whose it is */
};

/* Frees what the parts own. */
void sarrus_plan_parts_free(sarrus_plan_parts *parts);

/* Whether the plan itself is one in relative coordinates. */
bool sarrus_plan_is_relative(const sarrus_plan *plan);

/* The row of the plan that row i of plan->relative is. */
int sarrus_plan_row_in_absolute(const sarrus_plan *plan, int i_row);

/* The plan in whose coordinates steps are made, and by whose layout tiles lie: the one in relative coordinates, or the plan itself.
 */
const sarrus_plan *sarrus_plan_stepped(const sarrus_plan *plan);

/* The signal that row i follows, −1 when it is not that of a drive. */
int sarrus_plan_row_signal(const sarrus_plan *plan, int i_row);
bool sarrus_plan_row_is_drive(const sarrus_plan *plan, int i_row);

/* Whether the Φ of row i is an angle. */
bool sarrus_plan_row_is_angle(const sarrus_plan *plan, int i_row);

/* Whether a row holds a speed and no position: that of a nonholonomic constraint. */
bool sarrus_plan_row_is_of_speeds(const sarrus_plan *plan, int i_row);

/* The parameters [n_parameters] and the given state q [n_q], v [n_v] (before assembly, in the turns where drives begin) of the
 * instance with these values [model->n_values]. Returns false when a number is not finite or not physical (mass or inertia not
 * positive, or negative where the body may lack it, axis of length zero, length not positive); the arrays are then not to be
 * used. */
bool sarrus_plan_parameters(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v);

/* Whether a mass or an inertia is one, of a body that lacks at most `lack` of it. */
bool sarrus_plan_is_inertia(double x, double lack);

/* A name for row i: "joint A, x". Written to `text` [n_text]. */
void sarrus_plan_row_name(const sarrus_plan *plan, int i_row, char *text, size_t n_text);

/* "of least norm …": which of several multipliers are reported. Static. */
const char *sarrus_plan_weights_text(const sarrus_plan *plan);

/* Whether all reactions of the joint are the same in every solution, generically (S1, result 3: λ unique on its rows). */
bool sarrus_plan_reaction_is_unique(const sarrus_plan *plan, int i_joint);

#endif
