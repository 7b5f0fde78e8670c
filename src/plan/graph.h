/* The interconnection of the bodies as a directed graph with a spanning tree (S2 eqs 1, 22-25 and 62; S3 5.2.1 and 5.3.1): vertices
 * are ground and the bodies, arcs are the joints, from parent to child. The tree is rooted at ground and regularly labeled: labels
 * count from 0, an inboard body has a smaller one than its outboard bodies, and the arc by which a body hangs in the tree has the
 * label of that body. Labels go branch by branch, so what hangs on a body has the labels that follow its own.
 *
 * Which joints are cut. A joint that holds something and is not in the tree is a cut: it closes a loop. The tree is chosen so that
 * the cuts have as few rows as possible, drives included, which is S3's criterion (5.3.2.3: it makes both the coordinates of the
 * tree and the constraints of the cuts as few as can be). That leaves ties, always in the plane, where most joints have two rows;
 * they are settled so that paths are short: the tree grows from ground, next always by the joint with the most rows; of these by
 * the one nearest to ground, then whose inboard body, then whose outboard body, then which itself is the first of the scenario.
 * Then tree joints are exchanged for cuts with as many rows as long as an exchange makes the sum of all paths shorter. (Where all
 * joints have as many rows that is a search in breadth, and no tree has shorter paths.) So the order of the joints in the scenario
 * decides only between two joints that join the same bodies.
 *
 * Types that `joint.def` marks CUT are never in the tree. A body that no joint of the tree leads to floats: it hangs on ground by a
 * free joint that nobody wrote. Of bodies that hang together and float the first of the scenario does. */
#ifndef SARRUS_PLAN_GRAPH_H
#define SARRUS_PLAN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/report.h"
#include "model/model.h"

typedef struct sarrus_graph {
    int32_t n_bodies, n_joints, n_cuts;
    int32_t n_floating;  /* bodies whose tree joint nobody wrote */
    int32_t *order;      /* [n_bodies] bodies by label, every inboard body before its outboard ones */
    int32_t *label;      /* [n_bodies] inverse of order */
    int32_t *inboard;    /* [n_bodies] inboard body, SARRUS_GROUND: ground */
    int32_t *joint;      /* [n_bodies] tree joint of a body, −1: it floats */
    int32_t *depth;      /* [n_bodies] joints on the path to ground, 1 for bodies on ground and for those that float */
    int32_t *n_branch;   /* [n_bodies] bodies of its branch, itself included: labels label[b] … label[b] + n_branch[b] − 1 */
    int8_t *is_reversed; /* [n_bodies] its tree joint has the body as parent */
    int32_t *cut;        /* [n_cuts] joints that close loops, ascending */
} sarrus_graph;

/* Why a joint is cut. */
typedef enum sarrus_cut_reason {
    SARRUS_CUT_CHOSEN = 0, /* by the rule above */
    SARRUS_CUT_ASKED = 1,  /* by the scenario, dynamics.cut */
    SARRUS_CUT_TYPE = 2,   /* its type is never in the tree */
} sarrus_cut_reason;

/* The graph of a model, whose joints alone are looked at, with the cuts of model->dynamics.cut where they are given. BAD_INPUT when
 * these do not leave a spanning tree: findings say which loop is uncut and which body would float. `*out` is the caller's, for
 * sarrus_graph_free, and unchanged after an error. */
SARRUS_MUST_USE sarrus_status sarrus_graph_make(sarrus_context *context, const sarrus_model *model, sarrus_graph *out);
void sarrus_graph_free(sarrus_graph *graph);

sarrus_cut_reason sarrus_graph_cut_reason(const sarrus_model *model, int i_joint);

/* The joints of the tree on the path from a body to another one (or ground), joints [n_bodies] in that order; returns how many. */
int sarrus_graph_path(const sarrus_graph *graph, int from, int to, int32_t *joints);

/* The incidence matrix C of S2 (eqs 1 and 62, S of S3): c [n_bodies + 1][n_bodies + n_cuts], 1 where an arc begins, −1 where it
 * ends. Row 0 is ground, row 1 + k the body with label k; column k is the tree joint of that body, behind them come the cuts. */
void sarrus_graph_incidence(const sarrus_graph *graph, const sarrus_model *model, int8_t *c);

/* The path matrix T of S2 (eq 22) and S3 (eq 5.4): t [n_bodies][n_bodies], row a the tree joint with label a, column k the body
 * with label k: 1 where the joint lies on the path from ground to the body and points to ground, −1 where it points away from it. T
 * is the inverse of the columns of the tree in C, without the row of ground. */
void sarrus_graph_paths(const sarrus_graph *graph, int8_t *t);

#endif
