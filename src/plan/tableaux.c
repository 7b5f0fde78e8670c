/* The constants of the integrators: tableaux, error constants, limits of stability, gains (docs/integrators.md has the sources). */
#include "plan/build.h"

/* One-step pairs, the last stage at the new state. */
typedef struct tableau {
    int32_t n_stages, error_order;
    double c[SARRUS_MAX_STAGES];
    double a[SARRUS_MAX_STAGES][SARRUS_MAX_STAGES - 1];
    double e[SARRUS_MAX_STAGES];
    sarrus_mech_dense dense; /* without its weights */
} tableau;

/* Places of the accelerations inside a step. What they leave of the velocity is 2.8e-6 h⁶ v⁽⁶⁾ and 2.0e-7 h⁷ v⁽⁷⁾ at most; the
 * weight of v₁ − v₀ rises from 0 to 1. Three places that lie evenly about the middle would not do: with them Π (x − t_k) is odd
 * about ½, and no multiple of it moves the end of the velocity. */
#define DENSE_DOPRI5                                                                                                               \
    {                                                                                                                              \
        .n_nodes = 2, .has_first = 0, .node = { 1.0 / 5, 1.0 / 2 }                                                                 \
    }
#define DENSE_VERNER65                                                                                                             \
    {                                                                                                                              \
        .n_nodes = 3, .has_first = 1, .node = { 1.0 / 6, 1.0 / 2, 3.0 / 4 }                                                        \
    }

/* Dormand and Prince 1980, RK5(4)7M. */
static const tableau dopri5 = {
    .n_stages = 7,
    .error_order = 5,
    .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a = {{0},
          {1.0 / 5},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    .e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
    .dense = DENSE_DOPRI5,
};

/* Verner 1978, the pair of orders 6 and 5 in Hull, Enright and Jackson's DVERK; here with a ninth stage at the new state, which is
 * the first of the next step. */
static const tableau verner65 = {
    .n_stages = 9,
    .error_order = 6,
    .c = {0, 1.0 / 6, 4.0 / 15, 2.0 / 3, 5.0 / 6, 1, 1.0 / 15, 1, 1},
    .a = {{0},
          {1.0 / 6},
          {4.0 / 75, 16.0 / 75},
          {5.0 / 6, -8.0 / 3, 5.0 / 2},
          {-165.0 / 64, 55.0 / 6, -425.0 / 64, 85.0 / 96},
          {12.0 / 5, -8, 4015.0 / 612, -11.0 / 36, 88.0 / 255},
          {-8263.0 / 15000, 124.0 / 75, -643.0 / 680, -81.0 / 250, 2484.0 / 10625, 0},
          {3501.0 / 1720, -300.0 / 43, 297275.0 / 52632, -319.0 / 2322, 24068.0 / 84065, 0, 3850.0 / 26703},
          {3.0 / 40, 0, 875.0 / 2244, 23.0 / 72, 264.0 / 1955, 0, 125.0 / 11592, 43.0 / 616}},
    .e = {1.0 / 160, 0, 125.0 / 17952, -1.0 / 144, 12.0 / 1955, 3.0 / 44, -125.0 / 11592, -43.0 / 616, 0},
    .dense = DENSE_VERNER65,
};

/* |γ*_k|, k = 1 … 13: Σ_{m ≤ k} γ*_m/(k + 1 − m) = 0, γ*_0 = 1. */
static const double gamma_star[SARRUS_MAX_ORDER + 2] = {1.0,
                                                        1.0 / 2,
                                                        1.0 / 12,
                                                        1.0 / 24,
                                                        19.0 / 720,
                                                        3.0 / 160,
                                                        863.0 / 60480,
                                                        275.0 / 24192,
                                                        33953.0 / 3628800,
                                                        8183.0 / 1036800,
                                                        3250433.0 / 479001600,
                                                        4671.0 / 788480,
                                                        13695779093.0 / 2615348736000,
                                                        2224234463.0 / 475517952000};

/* h|λ| up to which a step damps a violation, a tenth inside the limit of stability: λ < 0 real, and λ up to 80° off the negative
 * axis (index: order of adams-moulton; element 0 of a table: the one-step method). */
static const double damped_adams[SARRUS_MAX_ORDER + 1] = {0,    1.8,  2.15, 1.74,  1.27, 0.935, 0.697,
                                                          0.52, 0.39, 0.30, 0.235, 0.19, 0.058};
static const double ringing_adams[SARRUS_MAX_ORDER + 1] = {0,    1.18, 1.26, 1.06,  0.83,  0.63, 0.468,
                                                           0.34, 0.24, 0.17, 0.112, 0.072, 0.045};
static const double damped_dopri5 = 3.15, ringing_dopri5 = 2.6;
static const double damped_verner65 = 3.9, ringing_verner65 = 3.3;

/* α h = β h = C of the gains that follow the step. A one-step method holds the violation during the step, which damps it by 0.7 a
 * step for C = ½ (and diverges from C = 1 on; semi-implicit Euler, where the stages do not matter, by 0.75, and from 0.83 on). In
 * adams-moulton λ = −α twice: as large as half the limit of stability, at most one. */
static double step_gain(const sarrus_mech_integrator *how, int order) {
    if (how->method != SARRUS_INTEGRATOR_ADAMS_MOULTON)
        return 0.5;
    return 0.5 * damped_adams[order] < 1.0 ? 0.5 * damped_adams[order] : 1.0;
}

/* The middle of the widest gap between the times of the stages. */
static double widest_gap(const double *c, int n_stages) {
    double widest = 0.0, middle = 0.5;
    for (int s = 0; s < n_stages; ++s) {
        double next = 2.0;
        for (int j = 0; j < n_stages; ++j)
            next = c[j] > c[s] && c[j] < next ? c[j] : next;
        if (next <= 1.0 && next - c[s] > widest) {
            widest = next - c[s];
            middle = 0.5 * (next + c[s]);
        }
    }
    return middle;
}

static void take_tableau(const tableau *from, sarrus_mech_integrator *how) {
    how->n_stages = from->n_stages;
    how->error_order = from->error_order;
    for (int s = 0; s < from->n_stages; ++s) {
        how->c[s] = from->c[s];
        how->e[s] = from->e[s];
        for (int j = 0; j < SARRUS_MAX_STAGES - 1; ++j)
            how->a[s][j] = from->a[s][j];
    }
    how->across = widest_gap(from->c, from->n_stages);
    how->dense = from->dense;
    sarrus_plan_dense(&how->dense);
}

void sarrus_plan_tableau(sarrus_mech_integrator *how) {
    if (how->method == SARRUS_INTEGRATOR_DOPRI5)
        take_tableau(&dopri5, how);
    if (how->method == SARRUS_INTEGRATOR_VERNER65)
        take_tableau(&verner65, how);
    for (int k = 0; k <= SARRUS_MAX_ORDER; ++k) {
        how->damped[k] = damped_adams[k];
        how->ringing[k] = ringing_adams[k];
        how->gain[k] = step_gain(how, k);
    }
    for (int k = 0; k < SARRUS_MAX_ORDER + 2; ++k)
        how->gamma_star[k] = gamma_star[k];
    how->damped[0] = how->method == SARRUS_INTEGRATOR_VERNER65 ? damped_verner65 : damped_dopri5;
    how->ringing[0] = how->method == SARRUS_INTEGRATOR_VERNER65 ? ringing_verner65 : ringing_dopri5;
}
