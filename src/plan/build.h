/* How a plan is built: in steps, each in a file of its own.
 *
 * structure.c     joints, rows, forces, signals, parameter offsets, tile layout       (from the model alone)
 *   spatial_structure.c  the joints of a mechanism in space, with rows and free coordinates
 * integrator.c    how steps are made                                                   (from the model alone)
 * tableaux.c      the constants of the method that makes them; dense.c: the weights between steps
 * graph.c         tree and cut joints                                                  (from the model alone)
 * parts.c         parts that no joint connects                                         (from the model alone)
 * parameters.c    the parameters and the given configuration of one instance           (values → lane arrays)
 *   spatial_parameters.c  the same in space, with rotation.c and inertia.c; body.c: what a body is in either space
 *   turns.c               the whole turns in which drives begin; ground.c: ground where signals move it
 * independence.c  rank, independent rows                                               (numbers, at several configurations)
 *   lacking.c        bodies that may lack mass or inertia; open_motion.c: motions that have none of either
 *   configuration.c  evaluates the constraints at a configuration
 *   fronts.c         factors the rows; spectrum.c finds their singular values
 *   dependence.c     says which rows can be spared, loop set by loop set (loop_sets.c), a small one by its null space
 *                    (null_space.c)
 *   start.c          the assembled start beside the given one
 *   length_change.c  how far a rank is from one less
 *   drives.c         whether the drives can be followed (follow.c, gap.c)
 * crank.c         bodies whose pin on ground is eliminated in closed form              (from the independent rows)
 * elimination.c   elimination order, sparse LDLᵀ by blocks                             (from the other independent rows)
 *   order.c          the candidates for that order, and what each costs
 *   greedy.c         candidates that look at every step what is best
 *   dissection.c     candidates by the shape of the graph
 *   block_graph.c    the graph itself
 * shares.c        the shares of the bodies in S = J M⁻¹ Jᵀ                             (from the elimination order)
 * ordinary.c      the size, and how independent the rows are in ordinary configurations (numbers, from all of the above)
 *   pivots.c         the factor by numbers
 * limits.c        what an instance that is ok keeps to                                 (from the size and the methods)
 * weights.c       what multipliers that are not unique are least in                    (from the model, the size and the masses)
 * formulation.c   which formulation makes the steps                                    (from the model, or by what each costs)
 * relative.c      the same mechanism in relative coordinates, where they are wanted    (from all of the above)
 *   tree.c           the links of its tree, and what rows meet of its speeds           (from the model alone)
 *   tree_rows.c      its rows at a configuration                                       (numbers)
 *   row_blocks.c     rows and shares as kernels go by them, several at a time           (from the shares)
 *   relative_rows.c  those that are independent; walk.c: ways along the manifold
 * hash.c          the hash of the tables, sizes and numbers above
 * cost.c          flops, divisions and bytes of the kernels for this plan
 *   code_flops.c     roughly, where they are not counted
 * report.c        all of it in words
 *
 * lower.c lays the tables out for tiles of one width when a backend asks. watch.c tells somebody how far the plan is, and stops it.
 */
#ifndef SARRUS_PLAN_BUILD_H
#define SARRUS_PLAN_BUILD_H

#include "core/report.h"
#include "plan/plan.h"

/* sarrus_plan_create with the order that is wanted: results may not depend on it beyond round-off, which tests look at. */
SARRUS_MUST_USE sarrus_status sarrus_plan_create_in_order(sarrus_context *context, const sarrus_model *model,
                                                          sarrus_order_kind wanted, const sarrus_plan_options *options,
                                                          sarrus_plan **out);

/* Steps of sarrus_plan_create, in order. Each fills its part of the plan; what they allocate sarrus_plan_destroy frees. */
SARRUS_MUST_USE sarrus_status sarrus_plan_structure(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_spatial_joints(sarrus_plan *plan, int32_t *p); /* of structure; *p: the next parameter */
void sarrus_plan_integrator(sarrus_plan *plan);
void sarrus_plan_tableau(sarrus_mech_integrator *how); /* the constants of its method */
void sarrus_plan_dense(sarrus_mech_dense *dense);      /* its weights, from the nodes */
SARRUS_MUST_USE sarrus_status sarrus_plan_independence_find(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_cranks(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_elimination(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted);
SARRUS_MUST_USE sarrus_status sarrus_plan_shares(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_parts_find(sarrus_context *context, sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_ordinary_find(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_limits(sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_weights_find(sarrus_context *context, sarrus_plan *plan);
void sarrus_plan_threshold_settle(sarrus_plan *plan); /* of the automatic rank, from the independent rows */

/* Where the scenario names its formulation, for what that one cannot do. */
sarrus_location sarrus_plan_formulation_place(const sarrus_model *model);
/* Whether the scenario may ask for single precision: before a formulation is chosen; and once the rows are known. */
SARRUS_MUST_USE sarrus_status sarrus_plan_precision_check(sarrus_context *context, const sarrus_plan *plan);
SARRUS_MUST_USE sarrus_status sarrus_plan_precision_settle(sarrus_context *context, const sarrus_plan *plan);

/* What of the mechanism relative coordinates cannot do yet, with its verb; NULL: nothing. */
const char *sarrus_plan_relative_why_not(const sarrus_plan *plan);
/* plan->relative, where the scenario or, for `auto`, fewer operations ask for it. */
SARRUS_MUST_USE sarrus_status sarrus_plan_formulation_choose(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted);
/* plan->relative, from the plan without it, whose hash and report are then to be made anew. */
SARRUS_MUST_USE sarrus_status sarrus_plan_relative_make(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted);
/* Its graph, links, rows, chains and entries, where what is as in `absolute` is there already. */
SARRUS_MUST_USE sarrus_status sarrus_plan_tree(sarrus_context *context, const sarrus_plan *absolute, sarrus_plan *plan);
uint64_t sarrus_plan_hash_make(const sarrus_plan *plan); /* of all of the above */

SARRUS_MUST_USE sarrus_status sarrus_plan_report_write(sarrus_context *context, sarrus_plan *plan);

/* Its speeds, how entries of rows are found, and springs along its coordinates. */
SARRUS_MUST_USE sarrus_status sarrus_plan_tree_speeds(sarrus_plan *plan);
/* Whether a joint of the plane has the two rows of a pin and no others. */
bool sarrus_plan_joint_is_pin(const sarrus_plan *plan, int32_t joint);

/* What of its links in space is 0 or 1 in every instance; `rows` has the nominal values. */
struct sarrus_tree_rows;
void sarrus_plan_tree_zeros(sarrus_plan *plan, const struct sarrus_tree_rows *rows);
/* Links that are alike count as zeros what is 0 in all of them, so that they are laps of one run (runs.h): for mechanisms that are
 * too long to become straight code. False: no memory. */
bool sarrus_plan_tree_level(sarrus_plan *plan);

/* The factorization of M over a tree whose chains are there, step by step, and who owns what. */
SARRUS_MUST_USE sarrus_status sarrus_plan_tree_steps(sarrus_context *context, sarrus_plan *plan);

/* Its rows in blocks, and what of S is between two of them, from its shares. */
SARRUS_MUST_USE sarrus_status sarrus_plan_row_blocks(sarrus_context *context, sarrus_plan *plan);

/* Whether the value may differ from zero in some instance. */
bool sarrus_plan_value_is_live(const sarrus_model *model, sarrus_value_index i);

/* To so many bits: what a linear algebra library leaves behind them differs from processor to processor, and a plan must not.
 * Six are enough for a bound; of what results depend on, 24 leave the round-off of single precision. */
enum { SARRUS_BITS_OF_BOUNDS = 6, SARRUS_BITS_OF_WEIGHTS = 24 };
double sarrus_plan_rounded(double x, int n_bits);

#endif
