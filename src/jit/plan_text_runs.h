/* The runs of a plan's tables, and their text: what kernels that are specialized in runs go around. */
#ifndef SARRUS_JIT_PLAN_TEXT_RUNS_H
#define SARRUS_JIT_PLAN_TEXT_RUNS_H

#include <stdio.h>

#include "jit/plan_text_tree_runs.h"
#include "kernels/body/mechanism.h"
#include "plan/runs.h"

enum {
    SARRUS_RUNS_JOINTS,
    SARRUS_RUNS_BLOCK_SHARES,
    SARRUS_RUNS_SHARES,
    SARRUS_RUNS_FILL,
    SARRUS_RUNS_PADS,
    SARRUS_RUNS_SCALES,
    SARRUS_RUNS_FACTORED,
    SARRUS_RUNS_COLUMNS,
    SARRUS_RUNS_TREE, /* and those behind it (plan_text_tree_runs.h) */
    SARRUS_N_RUN_TABLES = SARRUS_RUNS_TREE + SARRUS_N_TREE_RUN_TABLES
};

typedef struct sarrus_plan_text_runs {
    sarrus_plan_items items[SARRUS_N_RUN_TABLES];
    sarrus_plan_runs runs[SARRUS_N_RUN_TABLES];
} sarrus_plan_text_runs;

/* Of a mechanism that is lowered to tiles of one lane. False: no memory. To be freed with sarrus_plan_text_runs_free. */
bool sarrus_plan_text_runs_create(sarrus_plan_text_runs *all, const sarrus_mechanism *mech);
void sarrus_plan_text_runs_free(sarrus_plan_text_runs *all);

/* The part of an evaluation that code has to be written for, between 0 and 1. */
double sarrus_plan_text_runs_written(const sarrus_plan_text_runs *all);

/* Operations in the code of an evaluation over a tree, roughly. */
double sarrus_plan_text_tree_runs_flops(const sarrus_plan_text_runs *all, const sarrus_mechanism *mech);

/* The macros SARRUS_PLAN_RUNS_<table> and SARRUS_PLAN_RUNS_BACK_<table>, and `sarrus_plan_steps sarrus_constant_steps`. False: no
 * memory. */
bool sarrus_plan_text_runs_write(FILE *out, const sarrus_plan_text_runs *all);

#endif
