/* Progress of a plan that is being made, and its stop, for whoever watches it. */
#ifndef SARRUS_PLAN_WATCH_H
#define SARRUS_PLAN_WATCH_H

#include <stdbool.h>

#include "sarrus/plan.h"

typedef struct sarrus_plan_watch {
    sarrus_plan_options options;
    const char *phase;  /* static: what is done now */
    double share;       /* of it, from 0 to 1; negative: nobody knows */
    double begun, told; /* s, when the plan was begun and when somebody was told last */
    int n_calls;        /* since the clock was read last */
    bool is_stopped;
} sarrus_plan_watch;

void sarrus_plan_watch_begin(sarrus_plan_watch *watch, const sarrus_plan_options *options);

/* A new phase begins. Here and below NULL is nobody. */
void sarrus_plan_watch_phase(sarrus_plan_watch *watch, const char *phase);

/* How much of it is done, from 0 to 1. */
void sarrus_plan_watch_share(sarrus_plan_watch *watch, double share);

/* To be called every few microseconds of work or more seldom. False: stop. */
bool sarrus_plan_watch_goes_on(sarrus_plan_watch *watch);

#endif
