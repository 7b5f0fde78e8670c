/* A scenario as it is run: with the number of instances and the seed that the caller has given instead of its own. */
#ifndef SARRUS_SCENARIO_AS_RUN_H
#define SARRUS_SCENARIO_AS_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sarrus_as_run {
    const uint64_t *n_instances, *seed; /* NULL: the text's own */
    bool has_own_sample;                /* how the text samples was not used, and goes */
} sarrus_as_run;

/* `text`, a scenario or a document of n_groups scenarios as it was read (overrides applied), with what is given for each group
 * [n_groups]. To be freed; NULL without memory. */
char *sarrus_text_as_run(const char *text, const sarrus_as_run *groups, int n_groups);

#endif
