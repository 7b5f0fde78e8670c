/* Tolerances that tests share, each with where it comes from. A test that fails is not repaired here. */
#ifndef TESTS_TOLERANCES_H
#define TESTS_TOLERANCES_H

#include <float.h>

/* --- The oracles themselves ------------------------------------------------------------------------------------------- */

/* Elliptic functions in long double (eps 1.1e-19): some hundred roundings, arguments up to 1e2. */
#define TOLERANCE_ELLIPTIC 1e-15

/* --- Closed forms over a whole run ------------------------------------------------------------------------------------ */

/* What the product promises for the five-bar at dt = 1e-3 over 20 s (angle, rad). RK4's own error there is 5e-11: the fifth
 * derivative of the angle is about omega^5 = 380, the local error 380 h^5/120 adds up to 6e-11 in 20 s. */
#define TOLERANCE_FIVE_BAR_ANGLE 1e-8

/* N-four-bar at dt = 1e-3 over 20 s (rad). The links turn ten times at up to w = 8 rad/s; RK4's error of a uniform turn is
 * (w h)^4/120 = 3.4e-11 of the angle traveled, 64 rad: 2e-9. The stages' velocities are projected, so that a singular passage adds
 * the round-off of gamma over the singular value, 1e-15 / 1e-5, for a step: 1e-10 of the speed, which the ten turns that follow
 * carry to 64e-10 at worst. Together below 1e-8; doubled. */
#define TOLERANCE_N_FOUR_BAR_ANGLE 2e-8

/* Links of a parallelogram must stay parallel (rad): the projection leaves round-off of 1e-15 m per joint and the condition near
 * the singular position, where a step of h w = 1e-2 rad may end 1e-5 from it, multiplies by 1e5 at most: 1e-10; and a decade. */
#define TOLERANCE_PARALLEL 1e-9

/* Relative energy drift of a singular passage that the product promises (slider-crank, 20 s at dt = 1e-3; RK4's own: 1.4e-9). */
#define TOLERANCE_SINGULAR_ENERGY 1e-8

/* Energy of the N-four-bar over 20 s, relative: what is promised for the slider-crank, which is the same kind of passage. */
#define TOLERANCE_N_FOUR_BAR_ENERGY TOLERANCE_SINGULAR_ENERGY

/* Andrews' mechanism at 0.03 s (rad), promised; RK4 at dt = 4e-6 is off by 1.5e-10. */
#define TOLERANCE_ANDREWS_ANGLE 1e-8

/* The observed order of RK4 over a sweep. */
#define TOLERANCE_ORDER 0.1

/* An adaptive method's error at 20 s in units of its tolerance: some 100 to 4000 steps each leave an error of the tolerance in the
 * RMS of 24 components, and a phase error grows with the square of the time; the methods' own extrapolation takes most of it
 * back. The same factor is promised for the study of the pseudoinverses. */
#define TOLERANCE_OF_TOLERANCE 1e3

/* Smooth small mechanisms (one or two bodies, rates w <= 10/s) for T <= 5 s at dt = 1e-3 against closed forms: RK4's error is
 * w (w h)^4 T / 120 = 4e-9 for a unit amplitude. */
#define TOLERANCE_SMALL_MECHANISM 1e-8

/* --- One evaluation against the dense reference ----------------------------------------------------------------------- */

/* Relative error of an evaluation is allowed to be size * eps * condition: backward stable solves have factors of the order of
 * the number of operations in a dot product, size = n + m. */
#define TOLERANCE_SOLVE(size, condition) ((double)(size)*DBL_EPSILON * (condition))

/* Two sums of `size` terms in different order, relative to the sum of the magnitudes. */
#define TOLERANCE_SUM(size) (4.0 * (double)(size)*DBL_EPSILON)

/* sin and cos of the lanes may be off by 4 ulp (1 ulp in libm), which moves every joint point by that much of its arm. */
#define TOLERANCE_SINCOS (4.0 * DBL_EPSILON)

#endif
