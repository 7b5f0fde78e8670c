/* The drives of the nominal instance followed in time from its assembled configuration, in steps of which each closes the loops
 * next to where the steps before point: smooth motion, through singular positions as well. */
#ifndef SARRUS_PLAN_FOLLOW_H
#define SARRUS_PLAN_FOLLOW_H

#include "plan/gap.h"

/* Without a unit, as sarrus_gap says: loops count as closed below it. Newton leaves 1e-13; what is open by more than a hundred
 * times this is far above round-off, and above what coordinates of eight digits leave. */
#define SARRUS_FOLLOW_CLOSED 1e-8

typedef enum sarrus_follow_end {
    SARRUS_FOLLOW_DONE,   /* t_end was reached */
    SARRUS_FOLLOW_BOUNDS, /* the work that may be spent on it was */
    SARRUS_FOLLOW_STUCK,  /* no step of any length closes the loops */
} sarrus_follow_end;

/* The last configurations, the latest first. */
typedef struct sarrus_follow_track {
    int n;
    double t[3];
    double *q[3];
} sarrus_follow_track;

typedef struct sarrus_follow {
    sarrus_gap *gap;
    double pace;                      /* the most that a drive may move in a step, rad or of the size */
    double work_left;                 /* multiplications; none left: nothing more is looked at */
    double step, paced_step;          /* s, of the next step; of one that moves the drives by the pace */
    double ripple;                    /* s: signals do not turn within a shorter time */
    double since_coarse;              /* how far the drives have moved since the latest of `coarse` */
    sarrus_follow_track fine, coarse; /* all steps, and some that lie farther apart */
    double *expected;                 /* [n_q] where the steps before point; a direction has [n] of them, which are fewer */
    double *half;                     /* [m] Φ half a step on */
    double *stood;                    /* [m] in space: Φ with whole turns at the latest step; else 0 */
    int n_jumps;                      /* times that the motion went on only after a gap */
    bool is_unsure;                   /* not every place behind the end could be looked at */
    bool has_strayed;                 /* beyond the end the loops can be closed, but not near where they were */
} sarrus_follow;

/* At the present configuration, t = 0, with a bound on the work that grows with the mechanism. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_follow_create(sarrus_gap *gap, double pace, sarrus_follow *out);
void sarrus_follow_free(sarrus_follow *follow);

/* Whether the loops can be closed a little later than now, anywhere nearby. */
bool sarrus_follow_begins(sarrus_follow *follow);

/* On to t_end, or as far as it goes: fine.t[0], fine.q[0]. */
sarrus_follow_end sarrus_follow_run(sarrus_follow *follow);

/* The largest move of a drive from the latest step to t, rad or of the size. */
double sarrus_follow_drive_move(sarrus_follow *follow, double t);

#endif
