/* The tables of a tree as items of runs (plan_text_runs.h). An item is its keys, which are the same in every lap, and behind them
 * the members of sarrus_plan_tree_steps that are its steps. */
#ifndef SARRUS_JIT_PLAN_TEXT_TREE_RUNS_H
#define SARRUS_JIT_PLAN_TEXT_TREE_RUNS_H

#include <stdint.h>

#include "kernels/body/mechanism.h"

/* In this order behind the tables that all plans have. */
enum {
    SARRUS_TREE_RUNS_LINKS,
    SARRUS_TREE_RUNS_SPEEDS,
    SARRUS_TREE_RUNS_CHAIN,
    SARRUS_TREE_RUNS_ENTRIES,
    SARRUS_TREE_RUNS_CARRIES,
    SARRUS_TREE_RUNS_STEPS,
    SARRUS_N_TREE_RUN_TABLES
};

/* What the table's macro is called, how many keys and numbers an item has, and what the numbers are called in the steps: pieces of
 * them, each a name and how many. */
enum { SARRUS_TREE_STEP_MEMBERS = 3 };
typedef struct sarrus_tree_run_kind {
    const char *name;
    int32_t n_keys, n_numbers;
    struct {
        const char *name; /* NULL: no more */
        int32_t n;
    } member[SARRUS_TREE_STEP_MEMBERS];
} sarrus_tree_run_kind;

const sarrus_tree_run_kind *sarrus_tree_run_kind_of(int table);
/* 0 without a tree. */
int32_t sarrus_tree_run_count(const sarrus_mechanism *mech, int table);
/* item [n_keys + n_numbers] of item i. */
void sarrus_tree_run_fill(const sarrus_mechanism *mech, int table, int32_t i, int32_t *item);

/* What a lap of joints has to have in common of their bodies and rows, which are at most six: keys [SARRUS_TREE_JOINT_KEYS]. */
enum { SARRUS_TREE_JOINT_ROWS = 6, SARRUS_TREE_JOINT_KEYS = 3 + SARRUS_TREE_JOINT_ROWS };
void sarrus_tree_joint_keys(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t *keys);

#endif
