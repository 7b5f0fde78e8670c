/* Ordinary differential equations in long double, for motions whose equations are short: RK4 at steps so small that its error is
 * below the last digits of a double. It shares no code with the kernels. */
#ifndef TESTS_SUPPORT_ODE_H
#define TESTS_SUPPORT_ODE_H

enum { ODE_MAX = 24 };

/* dy = f(y), n of each; `of` are the constants of the equation. */
typedef void (*ode_rates)(const long double *y, const void *of, long double *dy);

/* y after n_steps steps of h. */
void ode_advance(ode_rates rates, const void *of, int n, long double h, int n_steps, long double *y);

#endif
