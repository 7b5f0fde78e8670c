/* How fast a batch goes, and how much time it has before it: what tells whether it pays to have kernels compiled. */
#ifndef SARRUS_BACKEND_PACE_H
#define SARRUS_BACKEND_PACE_H

#include <stdint.h>

#include "kernels/body/mechanism.h"

typedef struct sarrus_pace {
    double busy_seconds; /* spent on steps so far */
    double step_seconds; /* of one step of all instances; NaN: not known yet */
    uint64_t n_steps;    /* of the whole batch so far */
    double open_seconds; /* of these the ones since the rate was taken last: short calls are added up until they tell one */
    uint64_t n_open_steps;
} sarrus_pace;

/* s that the steps from clock->step on will take, n_steps of them at least; NaN: not known yet. */
double sarrus_pace_seconds_left(const sarrus_pace *pace, const sarrus_clock *clock, uint64_t n_steps);

/* n_steps steps have taken so long. */
void sarrus_pace_note(sarrus_pace *pace, uint64_t n_steps, double seconds);

/* s at clock->step. */
double sarrus_pace_time(const sarrus_clock *clock);

#endif
