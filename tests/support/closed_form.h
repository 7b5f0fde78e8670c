/* Closed forms that the mechanisms are held against, in long double by Jacobi's elliptic functions. */
#ifndef TESTS_SUPPORT_CLOSED_FORM_H
#define TESTS_SUPPORT_CLOSED_FORM_H

/* phi'' = -omega^2 sin(phi), phi from the stable equilibrium; swinging or turning over. */
typedef struct closed_form_pendulum {
    long double omega;   /* 1/s */
    long double modulus; /* swinging: sin(amplitude/2); turning: 1 / that */
    long double start;   /* argument of the elliptic functions at t = 0 */
    long double turns;   /* whole turns of the starting angle, rad */
    int direction;       /* +1, -1: sign of the speed of the elliptic argument */
    int is_turning;
} closed_form_pendulum;

/* From angle phi0 and speed at t = 0. The separatrix itself (energy exactly that of the upright rest) is not covered. */
closed_form_pendulum closed_form_pendulum_create(long double omega_squared, long double phi0, long double speed0);

/* Angle (continuous over turns) and speed at time t. */
void closed_form_pendulum_state(const closed_form_pendulum *pendulum, long double t, long double *phi, long double *speed);

/* Time of a full swing, or of a full turn. */
long double closed_form_pendulum_period(const closed_form_pendulum *pendulum);

/* Jacobi's amplitude am(u, k), 0 <= k < 1 (descending Landen transformation, AGM). */
long double closed_form_amplitude(long double u, long double k);

/* Incomplete elliptic integral F(phi, k) of the first kind, |phi| <= pi/2 (Carlson's R_F by duplication). */
long double closed_form_elliptic_f(long double phi, long double k);

/* Complete integral K(k) by the AGM. */
long double closed_form_elliptic_k(long double k);

/* Planar slider-crank on the line y = 0 through the crank's bearing: slider position, speed and acceleration, and the rod's
 * angle with its rates, for crank angle theta with rates; out[3] each. The slider is on the side of +x. */
void closed_form_slider_crank(double crank, double rod, const double theta[3], double slider[3], double rod_angle[3]);

#endif
