/* Sums over the instances of a study whose bits do not depend on how it is cut into parts: those of 32 instances in a row, then
 * those of pairs of these, of pairs of pairs, and so on, where which 32 and which pairs depends on the numbers of the instances in
 * the study alone. A part hands on the sums that lie within it, and the numbers themselves at its two ends. */
#ifndef SARRUS_STUDY_MOMENTS_H
#define SARRUS_STUDY_MOMENTS_H

#include <stdint.h>

/* How many numbers, their mean (the sum of two doubles), the sums of squares and cubes of their differences from it. */
typedef struct sarrus_moments {
    double n, mean, mean_rest, squares, cubes;
} sarrus_moments;

enum { SARRUS_MOMENTS_LEAF = 32, SARRUS_MOMENTS_NUMBERS = 5, SARRUS_MOMENTS_NODES = 128 };

/* Of numbers without NaN, n up to SARRUS_MOMENTS_LEAF. */
sarrus_moments sarrus_moments_of(const double *x, uint64_t n);

/* Of two sets together; one without numbers changes no bit of the other. Source: P. Pébay, Formulas for robust, one-pass parallel
 * computation of covariances and arbitrary-order statistical moments, Sandia report SAND2008-6212 (2008), (2.1) and (3.1). */
sarrus_moments sarrus_moments_join(const sarrus_moments *a, const sarrus_moments *b);

/* The sums of instances that come one after the other. What is in it: whole leaves as few nodes, and a leaf that is open. */
typedef struct sarrus_moment_tree {
    uint64_t i_next; /* number in the study of the instance that comes next */
    int n_open;      /* numbers of the open leaf, which has places from i_open on */
    uint64_t i_open;
    double open[SARRUS_MOMENTS_LEAF];
    int n_nodes;
    int level[SARRUS_MOMENTS_NODES]; /* a node of level l is of 32 · 2^l instances */
    sarrus_moments node[SARRUS_MOMENTS_NODES];
} sarrus_moment_tree;

/* Begins at instance i_first. */
void sarrus_moment_tree_begin(sarrus_moment_tree *tree, uint64_t i_first);

/* The next instance's number, which NaN says that it does not have. */
void sarrus_moment_tree_number(sarrus_moment_tree *tree, double x);

/* The next node, of instances that begin where one of its level does. */
void sarrus_moment_tree_node(sarrus_moment_tree *tree, int level, const sarrus_moments *node);

/* Of a column x[n] of the next instances. Moves what is no NaN to the front of x, in its order; returns how many there are. */
uint64_t sarrus_moment_tree_column(sarrus_moment_tree *tree, double *x, uint64_t n);

/* Of all that came. */
sarrus_moments sarrus_moment_tree_total(const sarrus_moment_tree *tree);

/* What of a part, instances i_first … i_first + n − 1, is handed on, so that the sums over parts that make up a study are those of
 * one run. It is [size] doubles: the numbers of the instances before the first whole leaf; the nodes, five doubles each; the
 * numbers behind the last whole leaf. */
typedef struct sarrus_moment_part {
    uint64_t i_first, n;
    int n_head, n_nodes, n_tail;
    int level[SARRUS_MOMENTS_NODES];
} sarrus_moment_part;

sarrus_moment_part sarrus_moment_part_of(uint64_t i_first, uint64_t n);
int sarrus_moment_part_size(const sarrus_moment_part *part);

/* Of a column x[part.n], NaN in their places, out[size]; `total` is of the part alone. As sarrus_moment_tree_column else. */
uint64_t sarrus_moment_part_take(const sarrus_moment_part *part, double *x, double *out, sarrus_moments *total);

/* Goes on with what a part handed on, which begins at tree->i_next. */
void sarrus_moment_part_add(const sarrus_moment_part *part, const double *numbers, sarrus_moment_tree *tree);

#endif
