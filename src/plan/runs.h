/* Runs of a table: stretches that repeat themselves, lap after lap, with numbers that grow by the same steps. */
#ifndef SARRUS_PLAN_RUNS_H
#define SARRUS_PLAN_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* Items of a table as numbers. The keys of an item are the same in every lap, its other numbers grow. */
typedef struct sarrus_plan_items {
    int32_t n;
    int32_t n_keys, n_numbers;
    int32_t *values; /* [n][n_keys + n_numbers] */
} sarrus_plan_items;

/* Items first … first + period · n_laps − 1. One lap: an item for itself. */
typedef struct sarrus_plan_run {
    int32_t first, period, n_laps;
} sarrus_plan_run;

/* The whole table, in order; the caller's, to be freed with sarrus_plan_runs_free. */
typedef struct sarrus_plan_runs {
    sarrus_plan_run *run; /* [n] */
    int32_t n;
    int32_t n_written; /* items of the first laps: those that code is made for */
} sarrus_plan_runs;

/* False: no memory. */
bool sarrus_plan_items_create(sarrus_plan_items *items, int32_t n, int32_t n_keys, int32_t n_numbers);
void sarrus_plan_items_free(sarrus_plan_items *items);

/* Value j of item i: the keys come first. */
int32_t *sarrus_plan_item(const sarrus_plan_items *items, int32_t i);

/* Runs of at least three laps, wherever they save the most items, from the first item on. False: no memory. */
bool sarrus_plan_runs_find(const sarrus_plan_items *items, sarrus_plan_runs *out);
void sarrus_plan_runs_free(sarrus_plan_runs *runs);

/* By how much value j of item i, of the first lap of `run`, grows from lap to lap. */
int32_t sarrus_plan_run_step(const sarrus_plan_items *items, const sarrus_plan_run *run, int32_t i, int32_t j);

#endif
