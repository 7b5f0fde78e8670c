/* The weights of what a Runge-Kutta pair shows between the ends of a step (kernels/step/dense.h).
 *
 * The acceleration is taken for ä(x) = Σ_k ℓ_k(x) a_k + c p(x): Lagrange's polynomials ℓ_k of the places t_k = 0, nodes, 1, and
 * p = Π (x − t_k), whose c is such that the velocity ends at v₁. With P = ∫p, L_k = ∫ℓ_k from 0 to x,
 *   V_d = P/P(1),   V_k = L_k − V_d L_k(1),   and for positions   Q_i = ∫V_i − S ∫V_i from 0 to 1,   S = 10x³ − 15x⁴ + 6x⁵. */
#include "plan/build.h"

enum { N_POWERS = SARRUS_DENSE_DEGREE + 1 };

/* p ← p (x − root)/scale */
static void factor_put(double *p, double root, double scale) {
    for (int j = N_POWERS - 1; j >= 0; --j)
        p[j] = ((j > 0 ? p[j - 1] : 0.0) - root * p[j]) / scale;
}

/* out ← the integral of p from 0 to x; p has degree below SARRUS_DENSE_DEGREE. */
static void integrate(const double *p, double *out) {
    out[0] = 0.0;
    for (int j = 1; j < N_POWERS; ++j)
        out[j] = p[j - 1] / j;
}

static double value_at_1(const double *p) {
    double sum = 0.0;
    for (int j = 0; j < N_POWERS; ++j)
        sum += p[j];
    return sum;
}

static void subtract(double *p, double factor, const double *from) {
    for (int j = 0; j < N_POWERS; ++j)
        p[j] -= factor * from[j];
}

void sarrus_plan_dense(sarrus_mech_dense *dense) {
    const double smooth[N_POWERS] = {0, 0, 0, 10, -15, 6};
    const int n_places = dense->n_nodes + 2;
    double place[SARRUS_DENSE_NODES + 2] = {0.0}, whole[N_POWERS] = {1.0};
    for (int k = 0; k < dense->n_nodes; ++k)
        place[k + 1] = dense->node[k];
    place[n_places - 1] = 1.0;
    for (int k = 0; k < n_places; ++k)
        factor_put(whole, place[k], 1.0);
    integrate(whole, dense->v[0]);
    const double end = value_at_1(dense->v[0]);
    for (int j = 0; j < N_POWERS; ++j)
        dense->v[0][j] /= end;
    for (int k = 0; k < n_places; ++k) {
        double lagrange[N_POWERS] = {1.0}, *weight = dense->v[k + 1];
        for (int i = 0; i < n_places; ++i)
            if (i != k)
                factor_put(lagrange, place[i], place[k] - place[i]);
        integrate(lagrange, weight);
        subtract(weight, value_at_1(weight), dense->v[0]);
    }
    for (int k = 0; k <= n_places; ++k) {
        integrate(dense->v[k], dense->q[k]);
        subtract(dense->q[k], value_at_1(dense->q[k]), smooth);
    }
}
