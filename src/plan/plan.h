/* The inside of a plan. Built in steps, each in a file of its own:
 *   structure.c     joints, rows, forces, signals, parameter offsets, tile layout      (from the model alone)
 *   integrator.c    the constants of the method that makes the steps                    (from the model alone)
 *   parameters.c    the parameters and the given configuration of one instance          (values → lane arrays)
 *   independence.c  rank, independent rows                                              (numbers, at several configurations)
 *                   configuration.c evaluates them, fronts.c factors them, spectrum.c finds their singular values; dependence.c
 * says which rows can be spared, loop set by loop set (loops.c), a small one by its null space (null_space.c) start.c         the
 * assembled start beside the given one, and how far a rank is from the next drives.c        whether the drives can be followed
 * (follow.c, gap.c) crank.c         bodies whose pin on ground is eliminated in closed form             (from the independent rows)
 *   elimination.c   elimination order, sparse LDLᵀ by blocks                             (from the other independent rows)
 *   order.c         the candidates for that order and what each costs; greedy.c: those that look at every step what is best,
 *                   dissection.c: those by the shape of the graph; block_graph.c: the graph itself
 *   shares.c        the shares of the bodies in S = J M⁻¹ Jᵀ                             (from the elimination order)
 *   ordinary.c      the size, and how independent the rows are in ordinary configurations (numbers, from all of the above)
 *   limits.c        what an instance that is ok keeps to                                (from the size and the methods)
 *   lower.c         those tables for tiles of one width                                 (from all of the above)
 *   graph.c         tree, cut joints, loops                                             (from the model alone)
 *   cost.c          flops, divisions and bytes of the kernels for this plan
 *   card.c          all of it in words
 * watch.c tells somebody how far that is, and stops it. */
#ifndef SARRUS_PLAN_PLAN_INTERNAL_H
#define SARRUS_PLAN_PLAN_INTERNAL_H

#include <stdbool.h>

#include "kernels/body/mechanism.h"
#include "model/model.h"
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
    double *configurations; /* [n_configurations][n] those that were looked at, the assembled one first */
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
    double *q_given, *v_given; /* [n] */
    double *q, *v;             /* [n] assembled */
    double kept;               /* the last σ that counts generically, here, relative to σ₁ */
    double change;             /* m, about by which lengths differ from those with one degree of freedom more; INFINITY: far */
    sarrus_plan_doubt doubt;
} sarrus_plan_start;

/* Directed graph: body −1 is ground. A joint is a tree arc or a cut (it closes a loop). */
typedef struct sarrus_plan_graph {
    int n_components;  /* connected parts, ground not counted */
    int *parent_joint; /* [n_bodies] joint towards the root, −1 for the root of a floating part */
    int *parent_body;  /* [n_bodies] the body (or SARRUS_GROUND) at its other end; −2 for the root of a floating part */
    int *depth;        /* [n_bodies] 1 for bodies on ground */
    int *component;    /* [n_bodies] */
    bool *is_cut;      /* [n_joints] */
    int n_cuts;
    int n_floating; /* parts not connected to ground */
} sarrus_plan_graph;

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

/* Operations of the fast path (auto, no refused pivot), one instance. */
typedef struct sarrus_plan_cost {
    double flops_per_evaluation;     /* + − ×, an FMA is two */
    double divisions_per_evaluation; /* divisions and square roots */
    double sincos_per_evaluation;
    double flops_per_step, divisions_per_step, sincos_per_step; /* with integrator and stabilisation; NaN: adaptive */
    double algebra_flops_per_evaluation;                        /* of these: S formed and factored, one solution with it */
    double dense_algebra_flops_per_evaluation;                  /* the same with full matrices over the same rows, for comparison */
    uint64_t bytes_per_instance;                                /* of a tile */
} sarrus_plan_cost;

struct sarrus_plan {
    const sarrus_model *model;
    sarrus_mechanism mech;
    sarrus_mech_joint *joint;   /* [n_joints], as the tables below owned here and seen through mech */
    sarrus_mech_force *force;   /* [n_forces] */
    sarrus_mech_signal *signal; /* [n_signals] */
    sarrus_mech_row *row;       /* [m] */
    double *knots, *guard;
    int32_t *row_of, *at, *pad, *column, *entry_row, *update, *fill, *dependent;
    sarrus_mech_share *share;
    sarrus_mech_scale *scale;
    sarrus_mech_block_share *block_share;
    sarrus_plan_independence independence;
    sarrus_plan_start start;
    sarrus_plan_graph graph;
    sarrus_plan_cost cost;
    sarrus_plan_order order[SARRUS_N_ORDERS]; /* by sarrus_order_kind */
    uint64_t n_steps;                         /* to t_end */
    uint64_t hash;
    char **coordinate_names, **speed_names; /* [n] */
    char *card;
    sarrus_plan_watch *watch; /* while the plan is made; NULL: nobody */
};

/* sarrus_plan_create with the order that is wanted: results may not depend on it beyond round-off, which tests look at. */
SARRUS_MUST_USE sarrus_status sarrus_plan_create_in_order(sarrus_context *context, const sarrus_model *model,
                                                          sarrus_order_kind wanted, const sarrus_plan_options *options,
                                                          sarrus_plan **out);

/* Steps of sarrus_plan_create, in order. Each fills its part of the plan; what they allocate sarrus_plan_destroy frees. */
SARRUS_MUST_USE sarrus_status sarrus_plan_structure(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_integrator(sarrus_plan *plan);
void sarrus_plan_dense(sarrus_mech_dense *dense); /* its weights, from the nodes */
SARRUS_MUST_USE sarrus_status sarrus_plan_independence_find(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_cranks(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_elimination(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted);
SARRUS_MUST_USE sarrus_status sarrus_plan_shares(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_graph_make(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_ordinary_find(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_limits(sarrus_plan *plan);
void sarrus_plan_cost_count(sarrus_plan *plan);

/* To six bits: what a linear algebra library leaves behind them differs from processor to processor, and a plan must not. */
double sarrus_plan_rounded(double x);

/* Flops of LDLᵀ with this many blocks, blocks of L below the diagonal and updates, and of one solution with it. */
double sarrus_plan_factor_flops(int n_blocks, int n_entries, int n_updates);
SARRUS_MUST_USE sarrus_status sarrus_plan_report_write(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_graph_free(sarrus_plan_graph *graph);

/* The parameters [n_parameters] and the given state q, v [n] (before assembly) of the instance with these values
 * [model->n_values]. Returns false when a number is not finite or not physical (mass or inertia not positive, axis of
 * length zero, length not positive); the arrays are then not to be used. */
bool sarrus_plan_parameters(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v);

/* A name for row i: "joint A, x". Written to `text` [n_text]. */
void sarrus_plan_row_name(const sarrus_plan *plan, int i_row, char *text, size_t n_text);

/* Whether all reactions of the joint are the same in every solution, generically (S1, result 3: λ unique on its rows). */
bool sarrus_plan_reaction_is_unique(const sarrus_plan *plan, int i_joint);

#endif
