/* Baumgarte's stabilisation (S5 eq 32; S3 eq 5.198): the right side of J a = γ becomes
 *
 *   γ − 2αΦ̇ − β²Φ,   so that   Φ̈ + 2αΦ̇ + β²Φ = 0
 *
 * and a violation dies away, critically damped where α = β. */
#ifndef SARRUS_BODY_BAUMGARTE_H
#define SARRUS_BODY_BAUMGARTE_H

#include "kernels/body/workspace.h"

/* ws->gamma ← γ − 2αΦ̇ − β²Φ, with the present violation or, when the gains follow the step, that in held[2m] (NULL: none). */
PLAN_BODY void sarrus_baumgarte(const sarrus_mechanism *mech, real alpha, real beta, const real *held, sarrus_workspace *ws) {
    const int is_held = mech->integrator.has_step_gains && held;
    real two_alpha = real_set(2.0) * alpha;
    real beta2 = beta * beta;
    PLAN_EACH (i, 0, mech->m) {
        real phi = is_held ? lane_at(held, i) : frame_at(ws->phi, i);
        real phi_dot = is_held ? lane_at(held, mech->m + i) : frame_at(ws->phi_dot, i);
        frame_at(ws->gamma, i) = real_fnma(beta2, phi, real_fnma(two_alpha, phi_dot, frame_at(ws->gamma, i)));
    }
}

#endif
