/* S5's test problem written down by hand, independently of the simulator: three cranks (L = 1, m = 1, I = 0.1) side by side, a
 * coupler (L = 2, m = 2, I = 0.2), six revolute pairs. q = x, y, θ of crank a, b, c and the coupler. */
#ifndef SARRUS_BENCH_S5_STUDY_FIVE_BAR_H
#define SARRUS_BENCH_S5_STUDY_FIVE_BAR_H

enum { SARRUS_FIVE_BAR_N = 12, SARRUS_FIVE_BAR_M = 12, SARRUS_FIVE_BAR_RANK = 11 };

/* Masses and inertias [12], applied forces [12] of gravity 9.81 along −y. */
void sarrus_five_bar_mass(double mass[SARRUS_FIVE_BAR_N]);
void sarrus_five_bar_force(double force[SARRUS_FIVE_BAR_N]);

/* The state on the constraints with the cranks at φ from the downward vertical, turning at `speed` (rad/s). */
void sarrus_five_bar_state(double phi, double speed, double q[SARRUS_FIVE_BAR_N], double v[SARRUS_FIVE_BAR_N]);

/* Φ [12], J [12][12] and γ = −J̇v [12] at any state. */
void sarrus_five_bar_rows(const double *q, const double *v, double *phi, double *jacobian, double *gamma);

/* ξ = τᵀΦ, the part of the violation that a pseudoinverse of rank 11 leaves to itself: w = (μ_i u, μ_i u)/√12 with μ = 1, −2, 1 and
 * the cranks' direction u = (sin φ, −cos φ) is the left null vector of J, and τ its derivative by φ (docs/rank.md). */
double sarrus_five_bar_across(const double *q, const double *violation);

#endif
