#include "plan/runs.h"

#include <stdlib.h>

enum { FEWEST_LAPS = 3, LONGEST_PERIOD = 64 };

bool sarrus_plan_items_create(sarrus_plan_items *items, int32_t n, int32_t n_keys, int32_t n_numbers) {
    const size_t n_values = (size_t)n * (size_t)(n_keys + n_numbers);
    items->n = n;
    items->n_keys = n_keys;
    items->n_numbers = n_numbers;
    items->values = calloc(n_values > 0 ? n_values : 1, sizeof *items->values);
    return items->values != NULL;
}

void sarrus_plan_items_free(sarrus_plan_items *items) {
    free(items->values);
    items->values = NULL;
}

int32_t *sarrus_plan_item(const sarrus_plan_items *items, int32_t i) {
    return items->values + (size_t)i * (size_t)(items->n_keys + items->n_numbers);
}

/* Whether item i + period has the keys of item i and, from the second lap of the run on, lies as far behind it as the item of the
 * first lap lies behind its own. */
static bool goes_on(const sarrus_plan_items *items, int32_t first, int32_t period, int32_t i) {
    const int32_t *here = sarrus_plan_item(items, i), *next = sarrus_plan_item(items, i + period);
    const int32_t i_lap = first + (i - first) % period;
    const int32_t *begin = sarrus_plan_item(items, i_lap), *second = sarrus_plan_item(items, i_lap + period);
    for (int32_t j = 0; j < items->n_keys + items->n_numbers; ++j) {
        if (j < items->n_keys ? next[j] != here[j] : next[j] - here[j] != second[j] - begin[j])
            return false;
    }
    return true;
}

static int32_t count_laps(const sarrus_plan_items *items, int32_t first, int32_t period) {
    int32_t i = first;
    while (i + period < items->n && goes_on(items, first, period, i))
        ++i;
    return (i - first) / period + 1;
}

static sarrus_plan_run best_run(const sarrus_plan_items *items, int32_t first) {
    sarrus_plan_run best = {first, 1, 1};
    int32_t most_saved = 0;
    for (int32_t period = 1; period <= LONGEST_PERIOD && first + FEWEST_LAPS * period <= items->n; ++period) {
        const int32_t n_laps = count_laps(items, first, period);
        const int32_t saved = period * (n_laps - 1);
        if (n_laps >= FEWEST_LAPS && saved > most_saved) {
            most_saved = saved;
            best = (sarrus_plan_run){first, period, n_laps};
        }
    }
    return best;
}

bool sarrus_plan_runs_find(const sarrus_plan_items *items, sarrus_plan_runs *out) {
    out->n = out->n_written = 0;
    out->run = calloc((size_t)(items->n > 0 ? items->n : 1), sizeof *out->run);
    if (out->run == NULL)
        return false;
    for (int32_t i = 0; i < items->n;) {
        const sarrus_plan_run run = best_run(items, i);
        out->run[out->n++] = run;
        out->n_written += run.period;
        i += run.period * run.n_laps;
    }
    return true;
}

void sarrus_plan_runs_free(sarrus_plan_runs *runs) {
    free(runs->run);
    runs->run = NULL;
}

int32_t sarrus_plan_run_step(const sarrus_plan_items *items, const sarrus_plan_run *run, int32_t i, int32_t j) {
    if (run->n_laps == 1)
        return 0;
    return sarrus_plan_item(items, i + run->period)[j] - sarrus_plan_item(items, i)[j];
}
