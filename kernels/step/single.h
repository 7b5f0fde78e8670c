/* Steps in single precision, ε = 1.2e-7 (docs/precision.md). What is known of the direction of an acceleration near a change point
 * is 8 ε S_kk/d_k (sarrus_direction_noise): of doubles nothing is lost until d_k is 1e-13 of S_kk, of floats three digits are left
 * at a distance of 0.03. So nobody looks ahead, follows a bend, holds rows apart or crosses by floats: who comes there, or would
 * within a few steps, ends as unresolved, and double precision tells the rest. */
#ifndef SARRUS_STEP_SINGLE_H
#define SARRUS_STEP_SINGLE_H

#include "kernels/step/change_point.h"
#include "kernels/step/verdict.h"

/* What may be open of the direction of an acceleration; of semi-implicit Euler, which is as far off itself there and has nothing
 * that would tell. */
#define SARRUS_SINGLE_NOISE 1e-3
#define SARRUS_SINGLE_NOISE_BLIND 1e-4
/* A lane ends whose distance would be zero within so many steps: of rk4, whose estimate of the error shortens the steps of a bend;
 * and of semi-implicit Euler, whose steps doubles hold to a quarter of distance/rate there. */
#define SARRUS_SINGLE_AHEAD 2.0
#define SARRUS_SINGLE_AHEAD_BLIND 5.0

/* Lanes too near to a change point: closeness was `before` a step of length `stride` ago, 0 where it is not known, and is `now`. */
LANE_FUNCTION mask sarrus_single_is_near(const sarrus_mechanism *mech, real before, real now, real stride, real h) {
    const int is_rk4 = mech->integrator.method == SARRUS_INTEGRATOR_RK4;
    const real most = real_set(is_rk4 ? SARRUS_SINGLE_NOISE : SARRUS_SINGLE_NOISE_BLIND);
    const mask is_blind = real_lt(most, sarrus_direction_noise(mech, now));
    const real slope = sarrus_distance_slope(mech, before, now, stride);
    const real ahead = real_set(is_rk4 ? SARRUS_SINGLE_AHEAD : SARRUS_SINGLE_AHEAD_BLIND);
    return mask_or(is_blind, real_lt(sarrus_distance(now), -(ahead * slope * h)));
}

/* The watch at time t, where a step of length h of the lanes of ev->healthy begins; those that are too near are lost. */
LANE_FUNCTION mask sarrus_single_watch(const sarrus_evaluation *ev, const sarrus_passage *lanes, real t, real h) {
    const real now = frame_at(ev->ws->closeness, 0), all = frame_at(ev->ws->closeness, 1), before = lane_at(lanes->closeness, 0);
    const mask near = sarrus_single_is_near(sarrus_plan_of(ev), before, now, lane_at(lanes->stride, 0), h);
    sarrus_nearest_keep(ev, ev->healthy, t, all);
    sarrus_lane_set(lanes->closeness, ev->healthy, now);
    sarrus_lane_set(lanes->all, ev->healthy, all);
    return mask_and(ev->healthy, near);
}

#endif
