/* Rows over the speeds of a tree by numbers, at configurations that are given in absolute coordinates: what S, and so its factor,
 * is made of in a plan in relative coordinates. */
#ifndef SARRUS_PLAN_TREE_ROWS_H
#define SARRUS_PLAN_TREE_ROWS_H

#include "plan/configuration.h"

typedef struct sarrus_tree_rows {
    const sarrus_plan *absolute, *plan; /* the plan in relative coordinates is absolute->relative */
    sarrus_configuration at;            /* of the absolute plan */
    double *twist;                      /* [n_v][6] of every speed: velocity at the centre of the tree's root, and turn */
    double *inertia;                    /* [n_links][6][6] of a body and what hangs on it, about that centre */
    double *mass;                       /* [n_chain] M, then its factor */
    double *value; /* [n_entries] of D = J L⁻¹ D^{-1/2}: D Dᵀ = S, and the singular values are those of J M^{-1/2} */
} sarrus_tree_rows;

/* NO_MEMORY; nothing is to be freed after an error. */
SARRUS_MUST_USE sarrus_status sarrus_tree_rows_create(const sarrus_plan *absolute, sarrus_tree_rows *out);
void sarrus_tree_rows_free(sarrus_tree_rows *rows);

/* Rows at the configuration q [n_q of the absolute plan], which meets the constraints. */
void sarrus_tree_rows_find(sarrus_tree_rows *rows, const double *q);

/* The entry of S between two rows, `rows` a sarrus_tree_rows. */
double sarrus_tree_rows_product(const void *rows, int i, int j);

/* What row i is judged by: its square over free bodies, or over the tree where it drives a joint of that. */
double sarrus_tree_rows_whole(const sarrus_tree_rows *rows, int i);

/* How many times the resistance that a speed of the tree meets at last, a pivot of M, are the terms that it is left of, where
 * kernels see all bodies from the origin of their tree: the most of all speeds that turn and are not driven, and the body that
 * turns by it. After sarrus_tree_rows_find. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_tree_rows_loss(const sarrus_tree_rows *rows, double *loss, int *i_body);

#endif
