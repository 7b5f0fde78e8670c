/* Hostile calls about the equations of a batch, and about comparing who solves them. */
#ifndef SARRUS_TESTS_API_HOSTILE_COMPARE_H
#define SARRUS_TESTS_API_HOSTILE_COMPARE_H

#include <math.h>

#include "tests/api/hostile_world.h"

/* Any array may be missing; a size that is none is refused. */
static bool systems(void) {
    sarrus_systems nothing = {.size = sizeof nothing}, small = {.size = sizeof small - 1};
    return bad(sarrus_batch_copy_systems(NULL, &nothing)) && bad(sarrus_batch_copy_systems(w.batch, NULL)) &&
           bad(sarrus_batch_copy_systems(w.batch, &small)) && sarrus_batch_copy_systems(w.batch, &nothing) == SARRUS_OK;
}

static bool compare(void) {
    sarrus_comparison *out = NULL;
    sarrus_compare_options options = {.size = sizeof options - 1};
    bool good = bad_and_told(sarrus_compare(w.context, NULL, NULL, &out)) &&
                bad_and_told(sarrus_compare(w.context, w.model, NULL, NULL)) &&
                bad_and_told(sarrus_compare(w.context, w.model, &options, &out));
    options.size = sizeof options;
    for (int i = 0; i < N_BAD && good; ++i) {
        options.n_states = bad_indices[i] == 1000 ? INT_MIN : bad_indices[i];
        good = bad_and_told(sarrus_compare(w.context, w.model, &options, &out)) && out == NULL;
    }
    options.n_states = 1;
    options.seconds = (double)NAN;
    return good && bad_and_told(sarrus_compare(w.context, w.model, &options, &out)) && out == NULL;
}

static bool comparison_rows(void) {
    sarrus_comparison *made = NULL;
    sarrus_compare_row row;
    sarrus_compare_states states;
    const sarrus_compare_options options = {.size = sizeof options, .n_states = 1, .seconds = 1e-6};
    bool good = sarrus_compare(w.context, w.model, &options, &made) == SARRUS_OK && sarrus_comparison_n_rows(made) > 0;
    for (int i = 0; i < N_BAD && good; ++i)
        good = bad(sarrus_comparison_row(made, bad_indices[i], &row));
    good = good && bad(sarrus_comparison_row(made, 0, NULL)) && bad(sarrus_comparison_row(NULL, 0, &row)) &&
           sarrus_comparison_n_rows(NULL) == 0 && sarrus_comparison_reference(NULL) == -1;
    memset(&states, 0x55, sizeof states);
    sarrus_comparison_states(NULL, &states);
    good = good && states.n_trajectory == 0 && states.n_random == 0;
    sarrus_comparison_states(made, NULL);
    sarrus_comparison_destroy(NULL);
    sarrus_comparison_destroy(made);
    for (int i = 0; i < N_BAD && good; ++i)
        good = sarrus_compare_verdict_word((sarrus_compare_verdict)bad_indices[i])[0] == '?' &&
               sarrus_compare_paper_of((sarrus_formulation)bad_indices[i], 1, 1).equation[0] == '\0';
    return good;
}

#endif
