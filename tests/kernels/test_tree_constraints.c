/* Claim: with constraints beside joints accelerations over a tree are those of the dense reference at any state of the tree, on the
 * constraints and off them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SARRUS_LANE_WIDTH 2
#define SARRUS_PINV_NONE
#define SARRUS_KERNELS_RELATIVE
#include "kernels/body/relative/bodies.h"
#include "kernels/step/advance.h"
#include "plan/lower.h"
#include "tests/support/constraint_cases.h"

enum { N_STATES = 8, MAX_N = 15 };

/* A tile over a tree with its workspace. */
typedef struct subject {
    mechanism m;
    sarrus_lowered lowered;
    real *tile, *q_bodies, *v_bodies;
    sarrus_workspace ws;
} subject;

static subject subject_open(int i_case) {
    subject s = {.m = constraint_case_open(i_case, "formulation: relative")};
    const sarrus_plan *plan = s.m.plan->relative;
    assert_non_null(plan);
    assert_true(s.m.n == MAX_N && sarrus_plan_lower(plan, SARRUS_LANE_WIDTH, &s.lowered));
    const sarrus_mechanism *mech = &s.lowered.mech;
    const size_t n_tile = (size_t)mech->layout.n_arrays, n_work = sarrus_workspace_cut(mech, NULL, &s.ws);
    const size_t n_arrays = n_tile + 2 * MAX_N + n_work, n_parameters = (size_t)mech->n_parameters;
    double *parameters = calloc(n_parameters + 2 * MAX_N, sizeof *parameters);
    assert_int_equal(posix_memalign((void **)&s.tile, sizeof(real), n_arrays * sizeof(real)), 0);
    assert_non_null(parameters);
    for (size_t i = 0; i < n_arrays; ++i)
        s.tile[i] = real_set(i < n_tile ? 0.0 : (double)NAN); /* what is read before it was written shows */
    s.q_bodies = s.tile + n_tile;
    s.v_bodies = s.q_bodies + MAX_N;
    (void)sarrus_workspace_cut(mech, s.v_bodies + MAX_N, &s.ws);
    sarrus_constant_directions(mech, &s.ws);
    double *q = parameters + n_parameters, *v = q + MAX_N;
    assert_true(sarrus_plan_parameters(s.m.plan, s.m.ref->values, parameters, q, v));
    for (size_t i = 0; i < n_parameters; ++i)
        s.tile[(size_t)mech->layout.parameter + i] = real_set(parameters[i]);
    for (int i = 0; i < mech->n_curves; ++i) /* no foot has been seen */
        s.tile[mech->layout.seen + i] = real_set((double)NAN);
    s.tile[mech->layout.rank] = real_set(plan->independence.n_independent);
    s.tile[mech->layout.rank_now] = real_set(-1.0);
    s.tile[mech->layout.status] = real_set(SARRUS_INSTANCE_OK);
    for (int i = 0; i < MAX_N; ++i) {
        s.q_bodies[i] = real_set(q[i]);
        s.v_bodies[i] = real_set(v[i]);
    }
    sarrus_bodies_put(mech, s.tile + mech->layout.parameter, &s.ws, s.q_bodies, s.v_bodies, s.tile);
    free(parameters);
    return s;
}

static void subject_close(subject *s) {
    sarrus_lowered_free(&s->lowered);
    mechanism_close(&s->m);
    free(s->tile);
}

/* The accelerations of the bodies at the tile's state: by those of the tree, and by its speeds alone. */
static void accelerate(subject *s, double a[MAX_N]) {
    const sarrus_mechanism *mech = &s->lowered.mech;
    const real *q = s->tile + mech->layout.q, *v = s->tile + mech->layout.v;
    real of_tree[MAX_N], drift[MAX_N];
    sarrus_evaluation ev;
    ev.external = NULL;
    ev.rank_path = NULL;
    sarrus_evaluation_begin(&ev, mech, &s->ws, s->tile);
    sarrus_accelerate(&ev, real_set(0.0), q, v, of_tree);
    sarrus_tree_move_links(mech, &s->ws, v, SARRUS_SHOWN_WHOLE);
    for (int i = 0; i < MAX_N; ++i)
        drift[i] = s->ws.body_drift[i];
    sarrus_tree_move_links(mech, &s->ws, of_tree, SARRUS_SHOWN_WHOLE);
    for (int i = 0; i < MAX_N; ++i)
        a[i] = (drift[i] + s->ws.body_v[i])[1];
}

/* Lane 1 is at a state near the given one; lane 0 stays there. */
static void draw_state(subject *s, const real *q0, uint64_t *seed, double q[MAX_N], double v[MAX_N]) {
    const sarrus_mechanism *mech = &s->lowered.mech;
    for (int i = 0; i < mech->n_v; ++i) {
        s->tile[mech->layout.q + i][1] = q0[i][1] + 0.4 * mechanism_random(seed);
        s->tile[mech->layout.v + i][1] = 2.0 * mechanism_random(seed);
    }
    sarrus_bodies_get(mech, s->tile + mech->layout.parameter, &s->ws, s->tile, s->q_bodies, s->v_bodies);
    for (int i = 0; i < MAX_N; ++i) {
        q[i] = s->q_bodies[i][1];
        v[i] = s->v_bodies[i][1];
    }
}

/* Round-off grows with the condition of the reference's rows. */
static void accelerations_are_those_of_the_reference(void **state) {
    (void)state;
    uint64_t seed = 31;
    for (int k = 0; k < CONSTRAINT_N_CASES; ++k) {
        subject s = subject_open(k);
        real q0[MAX_N];
        for (int i = 0; i < s.lowered.mech.n_q; ++i)
            q0[i] = s.tile[s.lowered.mech.layout.q + i];
        for (int n = 0; n < N_STATES; ++n) {
            double q[MAX_N], v[MAX_N], a[MAX_N], expected[MAX_N], lambda[2 * MAX_N];
            draw_state(&s, q0, &seed, q, v);
            accelerate(&s, a);
            assert_true(s.m.m <= 2 * MAX_N);
            assert_true(reference_accelerations(s.m.ref, 0.0, q, v, 1e-13, expected, lambda, NULL));
            const double bound = 1e-12 * reference_condition(s.m.ref, 0.0, q, 1e-12) * (1.0 + mechanism_size(expected, MAX_N));
            if (!(mechanism_distance(a, expected, MAX_N) <= bound))
                fail_msg("%s: accelerations off by %.2e > %.1e", constraint_cases[k].text, mechanism_distance(a, expected, MAX_N),
                         bound);
        }
        subject_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(accelerations_are_those_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
