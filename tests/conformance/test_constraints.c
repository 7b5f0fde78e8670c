/* Claim, of every row of constraint.def that is one of positions (test_nonholonomic.c has the others), between angles,
 * displacements and distances, on ground and on moving bodies, at random states: its J is the derivative of its Phi, its gamma
 * is what the derivative of J v leaves, both are those of the dense reference; so are accelerations, reactions and loads, on the
 * constraints and off them, with the factor and with dense pseudoinverses; and its load does no work. A type without a reference
 * does not compile. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/constraint_cases.h"
#include "tests/support/kernel_rows.h"
#include "tests/support/reference_answer.h"
#include "tests/tolerances.h"

enum { MAX_N = 15, MAX_M = 16, N_STATES = 6, N_CASES = CONSTRAINT_N_CASES };

/* Over the bodies, whose states are put in; over trees: tests/kernels/test_tree_constraints.c. */
static mechanism open_case(int i, const char *dynamics) {
    char over_bodies[100];
    const int length = snprintf(over_bodies, sizeof over_bodies, "formulation: udwadia-kalaba, %s", dynamics);
    assert_true(length > 0 && (size_t)length < sizeof over_bodies);
    mechanism m = constraint_case_open(i, over_bodies);
    assert_true(m.n == MAX_N && m.m <= MAX_M);
    return m;
}

/* Anywhere, turns and all. */
static double draw_state(const mechanism *m, uint64_t *seed, double *q, double *v) {
    double size = 1.0;
    for (int i = 0; i < m->n; ++i) {
        q[i] = m->ref->q0[i] + (i % 3 == 2 ? 9.0 : 0.5) * mechanism_random(seed);
        v[i] = 2.0 * mechanism_random(seed);
        size = fmax(size, 1.0 + fabs(q[i]));
    }
    return size;
}

static void assert_close(int i_case, const char *what, int i, double value, double expected, double bound) {
    if (!(fabs(value - expected) <= bound)) {
        fail_msg("%s: %s, row %d: %.15g instead of %.15g, off by %.2e > %.1e", constraint_cases[i_case].text, what, i, value,
                 expected, fabs(value - expected), bound);
    }
}

/* Sums of products of sines (4 ulp), arms and coordinates, times slopes and bends of up to 4; gamma has two speeds of up to 8. */
static void rows_are_those_of_the_reference(void **state) {
    (void)state;
    uint64_t seed = 4711;
    int n_seen[SARRUS_N_CONSTRAINT_TYPES] = {0};
    for (int k = 0; k < N_CASES; ++k) {
        mechanism m = open_case(k, "");
        kernel_rows *rows = kernel_rows_create(&m, NULL);
        ++n_seen[constraint_cases[k].type];
        for (int s = 0; s < N_STATES; ++s) {
            double q[MAX_N], v[MAX_N], phi[2][MAX_M], phi_dot[2][MAX_M], gamma[2][MAX_M], jacobian[2][MAX_M * MAX_N], sum = 0.0;
            const double unit = 256.0 * DBL_EPSILON * draw_state(&m, &seed, q, v), rate = 8.0;
            kernel_rows_at(rows, 0.0, q, v, phi[0], phi_dot[0], gamma[0], jacobian[0]);
            reference_constraints(m.ref, 0.0, q, v, phi[1], phi_dot[1], gamma[1], jacobian[1]);
            for (int i = 0; i < m.m; ++i) {
                assert_close(k, "Phi", i, phi[0][i], phi[1][i], unit);
                assert_close(k, "Phi_dot", i, phi_dot[0][i], phi_dot[1][i], unit * rate);
                assert_close(k, "gamma", i, gamma[0][i], gamma[1][i], unit * rate * rate);
                for (int j = 0; j < m.n; ++j) {
                    assert_close(k, "J", i, jacobian[0][m.n * i + j], jacobian[1][m.n * i + j], unit);
                }
                sum += phi[1][i] * phi[1][i];
            }
            assert_close(k, "|Phi|^2", -1, kernel_rows_violation_squared(rows, 0.0, q, v), sum,
                         unit * 2.0 * (1.0 + sqrt(sum)) * m.m);
        }
        kernel_rows_destroy(rows);
        mechanism_close(&m);
    }
    for (int type = 0; type < SARRUS_N_CONSTRAINT_TYPES; ++type) {
        assert_true(n_seen[type] > 1 || type == SARRUS_CONSTRAINT_NONHOLONOMIC);
    }
}

/* Central differences: truncation h² Phi'''/6 and round-off eps size/h, both eps^(2/3); derivatives up to 30 for the tables. */
static double difference_bound(double size) {
    return 30.0 * pow(DBL_EPSILON, 2.0 / 3.0) * size;
}

static void jacobians_are_derivatives(void **state) {
    (void)state;
    const double h = cbrt(DBL_EPSILON);
    uint64_t seed = 12;
    for (int k = 0; k < N_CASES; ++k) {
        mechanism m = open_case(k, "");
        kernel_rows *rows = kernel_rows_create(&m, NULL);
        for (int s = 0; s < N_STATES; ++s) {
            double q[MAX_N], v[MAX_N], jacobian[MAX_M * MAX_N], phi[2][MAX_M];
            const double bound = difference_bound(draw_state(&m, &seed, q, v));
            kernel_rows_at(rows, 0.0, q, v, NULL, NULL, NULL, jacobian);
            for (int j = 0; j < m.n; ++j) {
                const double at = q[j];
                double moved[2];
                for (int side = 0; side < 2; ++side) {
                    moved[side] = q[j] = at + (side ? h : -h);
                    kernel_rows_at(rows, 0.0, q, v, phi[side], NULL, NULL, NULL);
                }
                q[j] = at;
                for (int i = 0; i < m.m; ++i) {
                    assert_close(k, "dPhi/dq", i, jacobian[m.n * i + j], (phi[1][i] - phi[0][i]) / (moved[1] - moved[0]), bound);
                }
            }
        }
        kernel_rows_destroy(rows);
        mechanism_close(&m);
    }
}

/* Along q + v t with v held: Phi_dot is the rate of Phi, and gamma what is left of that of Phi_dot. */
static void right_sides_are_derivatives(void **state) {
    (void)state;
    const double rate = 8.0, h = cbrt(DBL_EPSILON) / rate;
    uint64_t seed = 77;
    for (int k = 0; k < N_CASES; ++k) {
        mechanism m = open_case(k, "");
        kernel_rows *rows = kernel_rows_create(&m, NULL);
        for (int s = 0; s < N_STATES; ++s) {
            double q[MAX_N], v[MAX_N], here[MAX_M], gamma[MAX_M], phi[2][MAX_M], phi_dot[2][MAX_M];
            const double bound = difference_bound(draw_state(&m, &seed, q, v));
            kernel_rows_at(rows, 0.0, q, v, NULL, here, gamma, NULL);
            for (int side = 0; side < 2; ++side) {
                double moved[MAX_N];
                for (int i = 0; i < m.n; ++i) {
                    moved[i] = q[i] + (side ? h : -h) * v[i];
                }
                kernel_rows_at(rows, 0.0, moved, v, phi[side], phi_dot[side], NULL, NULL);
            }
            for (int i = 0; i < m.m; ++i) {
                assert_close(k, "dPhi/dt", i, here[i], (phi[1][i] - phi[0][i]) / (2.0 * h), bound * rate);
                assert_close(k, "-d(J v)/dt", i, gamma[i], -(phi_dot[1][i] - phi_dot[0][i]) / (2.0 * h), bound * rate * rate);
            }
        }
        kernel_rows_destroy(rows);
        mechanism_close(&m);
    }
}

/* What the load of the constraint does through its row, W: on the constraints J v = 0, to round-off of what moves. */
static void load_does_no_work(const mechanism *m, int i_case, const reference_answer *at, double load) {
    static double jacobian[MAX_M * MAX_N];
    const int row = m->ref->constraints[0].row;
    double power = 0.0, most = 0.0;
    reference_constraints(m->ref, 0.0, at->q, at->v, NULL, NULL, NULL, jacobian);
    for (int i = 0; i < m->n; ++i) {
        power += load * jacobian[row * m->n + i] * at->v[i];
        most += fabs(load * jacobian[row * m->n + i] * at->v[i]);
    }
    const double bound = 256.0 * DBL_EPSILON * at->condition * (fabs(load) + most) * (1.0 + mechanism_size(at->q, MAX_N));
    assert_close(i_case, "power", row, power, 0.0, bound);
}

static void check_answers(const char *dynamics, double violation) {
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    static reference_answer answers[N_STATES];
    uint64_t seed = 99;
    for (int k = 0; k < N_CASES; ++k) {
        mechanism m = open_case(k, dynamics);
        for (int i = 0; i < N_STATES; ++i) {
            reference_answer_draw(m.ref, 2.0, violation, &seed, &answers[i]);
            reference_answer_find(m.ref, violation, &answers[i]);
            answers[i].acceleration_bound *= 1.0 + mechanism_size(answers[i].q, MAX_N);
            answers[i].reaction_bound *= 1.0 + mechanism_size(answers[i].q, MAX_N);
        }
        for (int isa = 0; isa < 3; ++isa) {
            double loads[N_STATES];
            if (!mechanism_has_isa(isas[isa])) {
                continue;
            }
            sarrus_batch *batch = mechanism_batch(&m, isas[isa], 1, N_STATES, NULL);
            for (int i = 0; i < N_STATES; ++i) {
                mechanism_set_state(batch, (uint64_t)i, answers[i].q, answers[i].v);
            }
            (void)reference_answer_compare(&m, (const char *const[]){constraint_cases[k].text, isas[isa], dynamics}, batch,
                                           N_STATES, answers);
            mechanism_observe(batch, SARRUS_OBSERVE_CONSTRAINTS, loads);
            for (int i = 0; i < N_STATES && violation == 0.0; ++i) {
                load_does_no_work(&m, k, &answers[i], loads[i]);
            }
            sarrus_batch_destroy(batch);
        }
        mechanism_close(&m);
    }
}

static void loads_are_those_of_the_reference(void **state) {
    (void)state;
    check_answers("", 0.0);
}

static void loads_off_the_constraints_are_those_of_the_reference(void **state) {
    (void)state;
    check_answers("baumgarte: {alpha: 2, beta: 3}", 0.01);
}

static void dense_pseudoinverses_say_the_same(void **state) {
    (void)state;
    check_answers("pinv: svd", 0.0);
    check_answers("pinv: cholesky", 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_reference),
        cmocka_unit_test(jacobians_are_derivatives),
        cmocka_unit_test(right_sides_are_derivatives),
        cmocka_unit_test(loads_are_those_of_the_reference),
        cmocka_unit_test(loads_off_the_constraints_are_those_of_the_reference),
        cmocka_unit_test(dense_pseudoinverses_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
