/* RK4 in long double. */
#include "tests/support/ode.h"

#include <assert.h>

static void step(ode_rates rates, const void *of, int n, long double h, long double *y) {
    static const long double at[4] = {0.0L, 0.5L, 0.5L, 1.0L}, weight[4] = {1.0L / 6.0L, 1.0L / 3.0L, 1.0L / 3.0L, 1.0L / 6.0L};
    long double k[ODE_MAX] = {0}, there[ODE_MAX], sum[ODE_MAX] = {0};
    for (int stage = 0; stage < 4; ++stage) {
        for (int i = 0; i < n; ++i)
            there[i] = y[i] + h * at[stage] * k[i];
        rates(there, of, k);
        for (int i = 0; i < n; ++i)
            sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < n; ++i)
        y[i] += h * sum[i];
}

void ode_advance(ode_rates rates, const void *of, int n, long double h, int n_steps, long double *y) {
    assert(n <= ODE_MAX);
    for (int i = 0; i < n_steps; ++i)
        step(rates, of, n, h, y);
}
