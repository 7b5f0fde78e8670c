#include "study/moments.h"

#include <string.h>

/* Four sums side by side, so that no addition waits for the one before: a number takes part in at most 8 + 2 additions. */
enum { LEAF = SARRUS_MOMENTS_LEAF, LANES = 4 };

static double lanes_add(const double lane[LANES]) {
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double sum_of(const double *x, uint64_t n) {
    double lane[LANES] = {0.0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (uint64_t k = 0; k < LANES; ++k)
            lane[k] += x[i + k];
    for (uint64_t k = 0; i < n; ++i, ++k)
        lane[k] += x[i];
    return lanes_add(lane);
}

/* About a first mean: what is left of its error is the mean of the differences, and goes out of the powers too. */
static sarrus_moments about(const double *x, uint64_t n, double mean) {
    double first[LANES] = {0.0}, second[LANES] = {0.0}, third[LANES] = {0.0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (uint64_t k = 0; k < LANES; ++k) {
            const double d = x[i + k] - mean, square = d * d;
            first[k] += d;
            second[k] += square;
            third[k] += square * d;
        }
    }
    for (uint64_t k = 0; i < n; ++i, ++k) {
        const double d = x[i] - mean, square = d * d;
        first[k] += d;
        second[k] += square;
        third[k] += square * d;
    }
    const double count = (double)n, rest = lanes_add(first) / count, squares = lanes_add(second);
    return (sarrus_moments){.n = count,
                            .mean = mean,
                            .mean_rest = rest,
                            .squares = squares - count * rest * rest,
                            .cubes = lanes_add(third) - 3.0 * rest * squares + 2.0 * count * rest * rest * rest};
}

sarrus_moments sarrus_moments_of(const double *x, uint64_t n) {
    if (n == 0)
        return (sarrus_moments){.n = 0.0};
    return about(x, n, sum_of(x, n) / (double)n);
}

/* The mean is counted from that of the larger set, so that what is added to it is at most half the distance of the two. */
sarrus_moments sarrus_moments_join(const sarrus_moments *a, const sarrus_moments *b) {
    if (a->n == 0.0)
        return *b;
    if (b->n == 0.0)
        return *a;
    const sarrus_moments *large = a->n >= b->n ? a : b, *small = a->n >= b->n ? b : a;
    const double n = large->n + small->n, d = (small->mean - large->mean) + (small->mean_rest - large->mean_rest);
    const double share = small->n / n, moved = d * share, cross = moved * d * large->n;
    const double rest = large->mean_rest + moved, mean = large->mean + rest;
    return (sarrus_moments){.n = n,
                            .mean = mean,
                            .mean_rest = rest - (mean - large->mean),
                            .squares = (large->squares + small->squares) + cross,
                            .cubes = (large->cubes + small->cubes) +
                                     (cross * d * ((large->n - small->n) / n) +
                                      3.0 * (moved * (large->n / small->n * small->squares - large->squares)))};
}

void sarrus_moment_tree_begin(sarrus_moment_tree *tree, uint64_t i_first) {
    tree->i_next = tree->i_open = i_first;
    tree->n_open = tree->n_nodes = 0;
}

void sarrus_moment_tree_node(sarrus_moment_tree *tree, int level, const sarrus_moments *node) {
    tree->i_next += (uint64_t)LEAF << level;
    tree->i_open = tree->i_next;
    tree->node[tree->n_nodes] = *node;
    tree->level[tree->n_nodes++] = level;
    while (tree->n_nodes > 1) {
        const int i = tree->n_nodes - 2, own = tree->level[i];
        if (own != tree->level[i + 1] || tree->i_next % ((uint64_t)LEAF << (own + 1)) != 0)
            break;
        tree->node[i] = sarrus_moments_join(&tree->node[i], &tree->node[i + 1]);
        tree->level[i] = own + 1;
        tree->n_nodes = i + 1;
    }
}

/* The open leaf, when it has come to its end. */
static void leaf_close(sarrus_moment_tree *tree) {
    const sarrus_moments leaf = sarrus_moments_of(tree->open, (uint64_t)tree->n_open);
    tree->n_open = 0;
    tree->i_next -= LEAF;
    sarrus_moment_tree_node(tree, 0, &leaf);
}

void sarrus_moment_tree_number(sarrus_moment_tree *tree, double x) {
    tree->open[tree->n_open] = x;
    tree->n_open += x == x ? 1 : 0;
    tree->i_next += 1;
    if (tree->i_next % LEAF == 0)
        leaf_close(tree);
}

/* A whole leaf, whose numbers go to `to`, at or before it; returns how many there are. A sum is NaN where one of its terms is. */
static uint64_t leaf_take(sarrus_moment_tree *tree, const double *from, double *to) {
    const double sum = sum_of(from, LEAF);
    uint64_t n = LEAF;
    sarrus_moments leaf;
    if (sum == sum) {
        if (to != from)
            memmove(to, from, LEAF * sizeof *to);
        leaf = about(to, n, sum / (double)n);
    } else {
        n = 0;
        for (uint64_t i = 0; i < LEAF; ++i) {
            const double value = from[i];
            to[n] = value;
            n += value == value ? 1 : 0;
        }
        leaf = sarrus_moments_of(to, n);
    }
    sarrus_moment_tree_node(tree, 0, &leaf);
    return n;
}

static uint64_t numbers_take(sarrus_moment_tree *tree, const double *from, uint64_t n, double *to) {
    uint64_t n_good = 0;
    for (uint64_t i = 0; i < n; ++i) {
        const double value = from[i];
        sarrus_moment_tree_number(tree, value);
        to[n_good] = value;
        n_good += value == value ? 1 : 0;
    }
    return n_good;
}

uint64_t sarrus_moment_tree_column(sarrus_moment_tree *tree, double *x, uint64_t n) {
    const uint64_t n_before = (LEAF - tree->i_next % LEAF) % LEAF, n_head = n_before < n ? n_before : n;
    uint64_t i = n_head, n_good = numbers_take(tree, x, n_head, x);
    for (; i + LEAF <= n; i += LEAF)
        n_good += leaf_take(tree, x + i, x + n_good);
    return n_good + numbers_take(tree, x + i, n - i, x + n_good);
}

/* From the end, where nodes are small, as the pairs of a whole tree are joined. */
sarrus_moments sarrus_moment_tree_total(const sarrus_moment_tree *tree) {
    sarrus_moments total = sarrus_moments_of(tree->open, (uint64_t)tree->n_open);
    for (int i = tree->n_nodes - 1; i >= 0; --i)
        total = sarrus_moments_join(&tree->node[i], &total);
    return total;
}

sarrus_moment_part sarrus_moment_part_of(uint64_t i_first, uint64_t n) {
    const uint64_t n_before = (LEAF - i_first % LEAF) % LEAF, n_head = n_before < n ? n_before : n;
    sarrus_moment_part part = {.i_first = i_first, .n = n, .n_head = (int)n_head, .n_tail = (int)((n - n_head) % LEAF)};
    uint64_t i = (i_first + n_head) / LEAF;
    const uint64_t i_end = i + (n - n_head) / LEAF;
    while (i < i_end) {
        int level = 0;
        while (i % (UINT64_C(2) << level) == 0 && (UINT64_C(2) << level) <= i_end - i)
            ++level;
        part.level[part.n_nodes++] = level;
        i += UINT64_C(1) << level;
    }
    return part;
}

int sarrus_moment_part_size(const sarrus_moment_part *part) {
    return part->n_head + SARRUS_MOMENTS_NUMBERS * part->n_nodes + part->n_tail;
}

static void moments_put(const sarrus_moments *from, double *to) {
    to[0] = from->n;
    to[1] = from->mean;
    to[2] = from->mean_rest;
    to[3] = from->squares;
    to[4] = from->cubes;
}

uint64_t sarrus_moment_part_take(const sarrus_moment_part *part, double *x, double *out, sarrus_moments *total) {
    const uint64_t n_head = (uint64_t)part->n_head, n_tail = (uint64_t)part->n_tail, n_middle = part->n - n_head - n_tail;
    double *nodes = out + n_head, *tail = nodes + SARRUS_MOMENTS_NUMBERS * part->n_nodes;
    sarrus_moment_tree head, tree;
    memcpy(out, x, n_head * sizeof *out);
    memcpy(tail, x + n_head + n_middle, n_tail * sizeof *out);
    sarrus_moment_tree_begin(&head, 0);
    sarrus_moment_tree_begin(&tree, part->i_first + n_head);
    uint64_t n_good = numbers_take(&head, x, n_head, x);
    if (n_good < n_head)
        memmove(x + n_good, x + n_head, (n_middle + n_tail) * sizeof *x);
    n_good += sarrus_moment_tree_column(&tree, x + n_good, n_middle + n_tail);
    for (int i = 0; i < part->n_nodes; ++i)
        moments_put(&tree.node[i], nodes + SARRUS_MOMENTS_NUMBERS * i);
    const sarrus_moments of_head = sarrus_moment_tree_total(&head), of_rest = sarrus_moment_tree_total(&tree);
    *total = sarrus_moments_join(&of_head, &of_rest);
    return n_good;
}

void sarrus_moment_part_add(const sarrus_moment_part *part, const double *numbers, sarrus_moment_tree *tree) {
    const double *nodes = numbers + part->n_head, *tail = nodes + SARRUS_MOMENTS_NUMBERS * part->n_nodes;
    for (int i = 0; i < part->n_head; ++i)
        sarrus_moment_tree_number(tree, numbers[i]);
    for (int i = 0; i < part->n_nodes; ++i) {
        const double *from = nodes + SARRUS_MOMENTS_NUMBERS * i;
        const sarrus_moments node = {from[0], from[1], from[2], from[3], from[4]};
        sarrus_moment_tree_node(tree, part->level[i], &node);
    }
    for (int i = 0; i < part->n_tail; ++i)
        sarrus_moment_tree_number(tree, tail[i]);
}
