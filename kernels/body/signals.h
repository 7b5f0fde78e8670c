/* s(t), ṡ(t), s̈(t) of every signal: exact derivatives, as rheonomic constraints need them. Where they jump, at the start of a ramp
 * and at the knots of a table, those from the right: motion goes on to the right, from t = 0 too. */
#ifndef SARRUS_BODY_SIGNALS_H
#define SARRUS_BODY_SIGNALS_H

#include "kernels/body/workspace.h"

/* Σ c_k x^k and its first two derivatives by Horner's rule, k = 0 … n − 1. */
PLAN_BODY void sarrus_polynomial(const real *c, int32_t n, real x, real *out) {
    real p = real_set(0.0), p1 = real_set(0.0), p2_half = real_set(0.0);
    for (int32_t k = n - 1; k >= 0; --k) {
        p2_half = real_fma(p2_half, x, p1);
        p1 = real_fma(p1, x, p);
        p = real_fma(p, x, lane_at(c, k));
    }
    frame_at(out, 0) = p;
    frame_at(out, 1) = p1;
    frame_at(out, 2) = p2_half + p2_half;
}

/* One function a row of sarrus/signal.def: s, ṡ, s̈ at t into `out` from the parameters p. */
LANE_FUNCTION void sarrus_signal_constant(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                          real *out) {
    (void)mech;
    (void)signal;
    (void)t;
    frame_at(out, 0) = lane_at(p, 0);
    frame_at(out, 1) = frame_at(out, 2) = real_set(0.0);
}

LANE_FUNCTION void sarrus_signal_ramp(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                      real *out) {
    real since = t - lane_at(p, 2);
    mask on = real_le(real_set(0.0), since);
    real slope = real_select(on, lane_at(p, 1), real_set(0.0));
    (void)mech;
    (void)signal;
    frame_at(out, 0) = real_fma(slope, since, lane_at(p, 0));
    frame_at(out, 1) = slope;
    frame_at(out, 2) = real_set(0.0);
}

LANE_FUNCTION void sarrus_signal_sine(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                      real *out) {
    real omega = real_set(6.283185307179586477) * lane_at(p, 1);
    real s, c;
    (void)mech;
    (void)signal;
    real_sincos(real_fma(omega, t, lane_at(p, 2)), &s, &c);
    frame_at(out, 0) = real_fma(lane_at(p, 0), s, lane_at(p, 3));
    frame_at(out, 1) = lane_at(p, 0) * omega * c;
    frame_at(out, 2) = -(lane_at(p, 0) * omega * omega * s);
}

LANE_FUNCTION void sarrus_signal_polynomial(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                            real *out) {
    (void)mech;
    sarrus_polynomial(p, signal->n, t, out);
}

/* The cubic of the interval that holds t: out = c0 + c1 x + c2 x² + c3 x³, x = t − knot_k. The first and last intervals
 * extend beyond the table. Every lane walks all intervals, so lanes with different times are no special case. */
PLAN_BODY void sarrus_table_cubic(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                  real *value, real *slope, real *bend) {
    real c[4], knot = real_set(mech->knots[signal->knots]);
    for (int32_t j = 0; j < 4; ++j)
        c[j] = lane_at(p, j);
    for (int32_t k = 1; k < signal->n; ++k) {
        real next = real_set(mech->knots[signal->knots + k]);
        mask inside = real_le(next, t);
        if (!mask_any(inside))
            break;
        knot = real_select(inside, next, knot);
        for (int32_t j = 0; j < 4; ++j)
            c[j] = real_select(inside, lane_at(p, 4 * k + j), c[j]);
    }
    real x = t - knot;
    *value = real_fma(real_fma(real_fma(c[3], x, c[2]), x, c[1]), x, c[0]);
    *slope = real_fma(real_fma(real_set(3.0) * c[3], x, c[2] + c[2]), x, c[1]);
    *bend = real_fma(real_set(6.0) * c[3], x, c[2] + c[2]);
}

LANE_FUNCTION void sarrus_signal_table(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, const real *p, real t,
                                       real *out) {
    sarrus_table_cubic(mech, signal, p, t, &frame_at(out, 0), &frame_at(out, 1), &frame_at(out, 2));
}

/* The signal of a component of ground's motion, NULL where there is none, and s, ṡ, s̈ of it. */
LANE_FUNCTION const real *sarrus_ground_signal(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t k) {
    return mech->ground_signal[k] < 0 ? (const real *)0 : frame_from(ws->signal, 3 * mech->ground_signal[k]);
}
LANE_FUNCTION real sarrus_signal_part(const real *signal, int32_t derivative) {
    return signal ? frame_at(signal, derivative) : real_set(0.0);
}

/* The first knot of a table after t, s; 1e300 s behind the last one. */
PLAN_BODY real sarrus_table_next_knot(const sarrus_mechanism *mech, const sarrus_mech_signal *signal, real t) {
    real first = real_set(1e300);
    for (int32_t k = 1; k < signal->n; ++k) {
        const real knot = real_set(mech->knots[signal->knots + k]);
        const mask is_ahead = real_lt(t, knot);
        first = real_select(is_ahead, real_min(knot, first), first);
        if (!mask_any(mask_not(is_ahead)))
            break;
    }
    return first;
}

/* The next time after t at which a derivative of a signal jumps, s: a knot of a table or the start of a ramp; 1e300 s where none
 * does. A step that is chosen by its error ends there. Across it would lose its order, and the error of one in which nothing moves
 * tells nothing of what begins and ends between its stages. */
PLAN_BODY real sarrus_signals_next_kink(const sarrus_mechanism *mech, const real *parameter, real t) {
    real first = real_set(1e300);
    PLAN_EACH (i, 0, mech->n_signals) {
        const sarrus_mech_signal *signal = &mech->signal[i];
        if (signal->kind == SARRUS_SIGNAL_TABLE)
            first = real_min(sarrus_table_next_knot(mech, signal, t), first);
        if (signal->kind == SARRUS_SIGNAL_RAMP) {
            const real start = lane_at(lane_from(parameter, signal->p), 2);
            first = real_select(real_lt(t, start), real_min(start, first), first);
        }
    }
    return first;
}

/* A share of the period of a sine that a step may be long. A step of whole periods, or of so many that they are whole at every
 * stage of a method, would see the same number each time, and no error; four steps a period see it as it is. */
#define SARRUS_SHARE_OF_PERIOD 0.25

/* The longest step that sees all sines, s; 1e300 where nothing swings. */
PLAN_BODY real sarrus_signals_longest_step(const sarrus_mechanism *mech, const real *parameter) {
    real fastest = real_set(SARRUS_SHARE_OF_PERIOD * 1e-300);
    PLAN_EACH (i, 0, mech->n_signals) {
        const sarrus_mech_signal *signal = &mech->signal[i];
        if (signal->kind != SARRUS_SIGNAL_SINE)
            continue;
        const real *p = lane_from(parameter, signal->p);
        const mask swings = mask_not(real_eq(lane_at(p, 0), real_set(0.0)));
        fastest = real_max(real_select(swings, real_abs(lane_at(p, 1)), real_set(0.0)), fastest);
    }
    return real_set(SARRUS_SHARE_OF_PERIOD) / fastest;
}

/* ws->signal from the parameters at time t. */
PLAN_BODY void sarrus_signals(const sarrus_mechanism *mech, const real *parameter, real t, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->n_signals) {
        const sarrus_mech_signal *signal = &mech->signal[i];
        const real *p = lane_from(parameter, signal->p);
        real *out = frame_from(ws->signal, 3 * i);
#define SARRUS_SIGNAL(name, value, word, values, text)                                                                             \
    if (signal->kind == SARRUS_SIGNAL_##name)                                                                                      \
        sarrus_signal_##word(mech, signal, p, t, out);
#include "sarrus/signal.def"
    }
}

#endif
