/* The kernels' own numbers at any state. */
#include "tests/support/kernel_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/plan.h"

#define SARRUS_LANE_WIDTH 2
#define SARRUS_PINV_NONE
#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"

struct kernel_rows {
    const sarrus_mechanism *mech;
    const double *mass; /* [n] */
    real *memory;
    real *parameter, *input, *q, *v, *seen, *dense;
    sarrus_workspace ws;
};

kernel_rows *kernel_rows_create(const mechanism *m, const double *external) {
    const sarrus_mechanism *mech = &m->plan->mech;
    const size_t n = (size_t)mech->n_v, n_parameters = (size_t)mech->n_parameters, n_inputs = (size_t)mech->n_inputs + 1;
    const size_t n_dense = (size_t)mech->m * n + 1;
    kernel_rows *rows = calloc(1, sizeof *rows);
    double *parameters = calloc(n_parameters + 2 * n, sizeof *parameters);
    assert_true(rows && parameters);
    const size_t n_seen = (size_t)mech->n_curves + 1;
    const size_t n_arrays = n_parameters + n_inputs + 2 * n + n_seen + n_dense + sarrus_workspace_cut(mech, NULL, &rows->ws);
    assert_int_equal(posix_memalign((void **)&rows->memory, sizeof(real), n_arrays * sizeof(real)), 0);
    rows->mech = mech;
    rows->mass = m->ref->mass;
    rows->parameter = rows->memory;
    rows->input = rows->parameter + n_parameters;
    rows->q = rows->input + n_inputs;
    rows->v = rows->q + n;
    rows->seen = rows->v + n;
    rows->dense = rows->seen + n_seen;
    for (size_t i = 0; i < n_arrays; ++i)
        rows->memory[i] = real_set((double)NAN); /* what is read before it was written shows */
    (void)sarrus_workspace_cut(mech, rows->dense + n_dense, &rows->ws);
    rows->ws.seen = rows->seen; /* no foot on a curve has been seen */
    sarrus_constant_directions(mech, &rows->ws);
    assert_true(
        sarrus_plan_parameters(m->plan, m->ref->values, parameters, parameters + n_parameters, parameters + n_parameters + n));
    for (size_t i = 0; i < n_parameters; ++i)
        rows->parameter[i] = real_set(parameters[i]);
    for (size_t i = 0; i + 1 < n_inputs; ++i)
        rows->input[i] = real_set(external ? external[i] : 0.0);
    free(parameters);
    return rows;
}

void kernel_rows_destroy(kernel_rows *rows) {
    free(rows->memory);
    free(rows);
}

/* The state is in lane 1; lane 0 is somewhere else. */
static void configure(kernel_rows *rows, double t, const double *q, const double *v) {
    for (int32_t i = 0; i < rows->mech->n_v; ++i) {
        rows->q[i] = real_set(q[i] + 0.25);
        rows->v[i] = real_set(v[i] - 0.5);
        rows->q[i][1] = q[i];
        rows->v[i][1] = v[i];
    }
    sarrus_rotations(rows->mech, rows->q, &rows->ws);
    sarrus_signals(rows->mech, rows->parameter, real_set(t), &rows->ws);
}

static void take(const real *from, int32_t count, double *out) {
    for (int32_t i = 0; out && i < count; ++i)
        out[i] = from[i][1];
}

void kernel_rows_at(kernel_rows *rows, double t, const double *q, const double *v, double *phi, double *phi_dot, double *gamma,
                    double *jacobian) {
    const int32_t n = rows->mech->n_v, m = rows->mech->m;
    configure(rows, t, q, v);
    sarrus_rows(rows->mech, rows->parameter, rows->q, rows->v, &rows->ws, SARRUS_WANT_ERRORS | SARRUS_WANT_GAMMA);
    take(rows->ws.phi, m, phi);
    take(rows->ws.phi_dot, m, phi_dot);
    take(rows->ws.gamma, m, gamma);
    if (!jacobian)
        return;
    sarrus_dense_rows(rows->mech, rows->parameter, &rows->ws, 0, rows->dense);
    take(rows->dense, m * n, jacobian);
    for (int32_t i = 0; i < m * n; ++i)
        jacobian[i] *= sqrt(rows->mass[i % n]);
}

double kernel_rows_violation_squared(kernel_rows *rows, double t, const double *q, const double *v) {
    configure(rows, t, q, v);
    return sarrus_violation_squared(rows->mech, rows->parameter, &rows->ws, rows->q, rows->v)[1];
}

double kernel_rows_forces(kernel_rows *rows, double t, const double *q, const double *v, double *force) {
    configure(rows, t, q, v);
    const real power = sarrus_free_acceleration(rows->mech, rows->parameter, rows->input, rows->q, rows->v, &rows->ws);
    take(rows->ws.force, rows->mech->n_v, force);
    for (int32_t i = 0; i < rows->mech->n_v; ++i)
        force[i] *= rows->mass[i];
    return power[1];
}

double kernel_rows_potential(kernel_rows *rows, double t, const double *q, const double *v) {
    configure(rows, t, q, v);
    return sarrus_potential_energy(rows->mech, rows->parameter, &rows->ws, rows->q, rows->v)[1];
}

double kernel_rows_free_coordinate(kernel_rows *rows, int i_joint, const double *q, const double *v) {
    const sarrus_mech_joint *joint = &rows->mech->joint[i_joint];
    sarrus_point parent, child;
    configure(rows, 0.0, q, v);
    sarrus_joint_points(&rows->ws, rows->parameter, joint, rows->q, rows->v, &parent, &child);
    return sarrus_free_coordinate(&rows->ws, joint, lane_from(rows->parameter, joint->p), rows->q, &parent, &child)[1];
}
