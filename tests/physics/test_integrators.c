/* Claims about every integrator: the constants satisfy the conditions of their order, errors follow the tolerance (or the step)
 * down to the closed form, with every stabilization, at the cost that is expected, and what lies between two steps is as good as
 * its ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 12, CRANK_A_ANGLE = 2 };

/* --- Order conditions ------------------------------------------------------------------------------------------------- */

enum { MAX_TREE_ORDER = 6, MAX_TREES = 64 };

/* A rooted tree: its order, density and the elementary weight of each stage. */
typedef struct tree {
    int order;
    double density;
    double weight[SARRUS_MAX_STAGES];
} tree;

typedef struct forest {
    const sarrus_mech_integrator *how;
    int n_trees;
    tree trees[MAX_TREES];
} forest;

/* All trees of `order` that come from `root` by adding children of indices from i_first on. */
static void grow(forest *f, tree root, int order, int i_first) {
    if (root.order == order) {
        assert_true(f->n_trees < MAX_TREES);
        root.density *= order;
        f->trees[f->n_trees++] = root;
        return;
    }
    for (int i = i_first; i < f->n_trees; ++i) {
        const tree *child = &f->trees[i];
        if (root.order + child->order > order) {
            break;
        }
        tree next = root;
        next.order += child->order;
        next.density *= child->density;
        for (int s = 0; s < f->how->n_stages; ++s) {
            double sum = 0.0;
            for (int j = 0; j < s; ++j) {
                sum += f->how->a[s][j] * child->weight[j];
            }
            next.weight[s] *= sum;
        }
        grow(f, next, order, i);
    }
}

/* The largest residual |b·Φ(t) − 1/γ(t)| over the trees of order ≤ `order`; the error weights taken off b when asked. */
static double residual(const forest *f, int order, bool is_embedded) {
    const sarrus_mech_integrator *how = f->how;
    const int last = how->n_stages - 1;
    double largest = 0.0;
    for (int i = 0; i < f->n_trees && f->trees[i].order <= order; ++i) {
        double sum = 0.0;
        for (int s = 0; s < how->n_stages; ++s) {
            double b = s < last ? how->a[last][s] : 0.0;
            sum += (b - (is_embedded ? how->e[s] : 0.0)) * f->trees[i].weight[s];
        }
        largest = fmax(largest, fabs(sum - 1.0 / f->trees[i].density));
    }
    return largest;
}

static void check_tableau(const char *method, int order, int n_trees) {
    const sarrus_override overrides[] = {{"integrator.method", method}, {NULL, NULL}};
    mechanism m = mechanism_open_file("pendulum.yaml", overrides);
    const sarrus_mech_integrator *how = &m.plan->mech.integrator;
    forest f = {.how = how};
    tree root = {.order = 1, .density = 1.0};
    for (int s = 0; s < how->n_stages; ++s) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) {
            sum += how->a[s][j];
        }
        assert_true(fabs(sum - how->c[s]) <= 1e-14);
        root.weight[s] = 1.0;
    }
    for (int k = 1; k <= MAX_TREE_ORDER; ++k) {
        grow(&f, root, k, 0);
    }
    assert_int_equal(f.n_trees, n_trees);
    /* Sums of up to nine products of magnitude up to 100, rounded. */
    assert_true(residual(&f, order, false) <= 1e-13);
    assert_true(residual(&f, order - 1, true) <= 1e-13);
    assert_true(residual(&f, order, true) > 1e-6); /* or the difference would estimate nothing */
    if (order < MAX_TREE_ORDER) {
        assert_true(residual(&f, order + 1, false) > 1e-6);
    }
    assert_int_equal(how->error_order, order == 5 ? 5 : 6);
    mechanism_close(&m);
}

static void tableaux_satisfy_their_order_conditions(void **state) {
    (void)state;
    /* 1 + 1 + 2 + 4 + 9 + 20 rooted trees of orders 1 to 6. */
    check_tableau("dopri5", 5, 37);
    check_tableau("verner65", 6, 37);
}

/* Σ_m γ*_m/(k + 1 − m) = 0 with γ*_0 = 1 and the others negative. */
static void adams_constants_satisfy_their_recurrence(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"integrator.method", "adams-moulton"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("pendulum.yaml", overrides);
    const double *constant = m.plan->mech.integrator.gamma_star;
    for (int k = 1; k < SARRUS_MAX_ORDER + 2; ++k) {
        double sum = 1.0 / (k + 1);
        for (int i = 1; i <= k; ++i) {
            sum -= constant[i] / (k + 1 - i);
        }
        assert_true(fabs(sum) <= 4.0 * DBL_EPSILON);
    }
    mechanism_close(&m);
}

/* --- Against the closed form ------------------------------------------------------------------------------------------ */

typedef struct outcome {
    double angle_error, speed_error, position_error;
    sarrus_instance_status status;
    sarrus_instance_statistics statistics;
} outcome;

static closed_form_pendulum five_bar_pendulum(void) {
    return closed_form_pendulum_create(3.5L * 9.81L / 3.05L, 0.78539816339744830962L, 0.0L);
}

/* The five-bar from 45 degrees to `seconds`, by a first (or fixed) step dt. */
static outcome run_five_bar(const char *method, const char *tolerance, const char *dynamics, const char *dt, double seconds) {
    const sarrus_override overrides[] = {{"dynamics", dynamics},
                                         {"integrator.method", method},
                                         {"integrator.rtol", tolerance},
                                         {"integrator.atol", tolerance},
                                         {"integrator.dt", dt},
                                         {"output", "{every: 1, channels: [state]}"},
                                         {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    outcome out = {0};
    double q[N], v[N];
    long double phi, speed;
    assert_int_equal(sarrus_batch_advance(batch, (uint64_t)ceil(seconds / atof(dt) - 1e-9)), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    assert_int_equal(sarrus_batch_statistics(batch, 0, &out.statistics), SARRUS_OK);
    out.status = sarrus_batch_status(batch, 0);
    mechanism_observe(batch, SARRUS_OBSERVE_POSITION_ERROR, &out.position_error);
    const closed_form_pendulum pendulum = five_bar_pendulum();
    closed_form_pendulum_state(&pendulum, sarrus_batch_time(batch), &phi, &speed);
    out.angle_error = fabs(q[CRANK_A_ANGLE] - (double)phi);
    out.speed_error = fabs(v[CRANK_A_ANGLE] - (double)speed);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return out;
}

static const char *const ADAPTIVE[] = {"dopri5", "verner65", "adams-moulton"};
static const char *const TOLERANCES[] = {"1e-6", "1e-8", "1e-10"};

/* How the constraints are held, and the accelerations that 20 s may cost at the loosest and at the tightest tolerance. The
 * violation's own rate with alpha = 1000, beta = 100 is 1995/s: an explicit method has to take 20 s · 1995/s / 4 steps at least. */
static const struct {
    const char *name, *dynamics;
    uint64_t cost_loose, cost_tight;
} HOLDS[] = {
    {"none", "{projection: none}", 10000, 10000},
    {"every step", "{projection: every_step}", 10000, 10000},
    {"above 1e-9", "{projection: {tolerance: 1.0e-9}}", 10000, 10000},
    {"Baumgarte", "{baumgarte: {alpha: 1000, beta: 100}, projection: none}", 400000, 400000},
    {"Baumgarte by step", "{baumgarte: {rule: step}, projection: none}", 10000, 10000},
};

static void errors_follow_the_tolerance_with_every_stabilization(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        for (size_t h = 0; h < sizeof HOLDS / sizeof HOLDS[0]; ++h) {
            for (size_t k = 0; k < 3; ++k) {
                const outcome out = run_five_bar(ADAPTIVE[i], TOLERANCES[k], HOLDS[h].dynamics, "6.6e-3", 20.0);
                print_message("%s, %s, %s: angle %.2e, %llu steps, %llu in vain, %llu evaluations\n", ADAPTIVE[i], HOLDS[h].name,
                              TOLERANCES[k], out.angle_error, (unsigned long long)out.statistics.n_steps,
                              (unsigned long long)out.statistics.n_rejected, (unsigned long long)out.statistics.n_evaluations);
                assert_int_equal(out.status, SARRUS_INSTANCE_OK);
                assert_true(out.angle_error <= TOLERANCE_OF_TOLERANCE * atof(TOLERANCES[k]));
                assert_true(out.statistics.n_evaluations <= (k == 0 ? HOLDS[h].cost_loose : HOLDS[h].cost_tight));
            }
        }
    }
}

/* Round-off of rods that are open by ε, times C²/h² of a short first step, must not become an error that no step makes smaller: the
 * gains' own step ends at 10 ε size/atol. */
static void gains_of_short_steps_do_not_amplify_round_off(void **state) {
    (void)state;
    const char *const text =
        "sarrus: 1\nspace: planar\ngravity: [9.398203948096443, 4.694863836698382]\nbodies:\n"
        "  - {name: b, mass: 0.8277820643552793, inertia: 0.11516011877888162, position: [-1.3997259696754196, "
        "-0.2054646901846832],\n     velocity: [0.3305721388370419, -1.1599546726588907]}\njoints:\n"
        "  - {name: p, type: distance, bodies: [b, ground], at: [[-0.8195565418479424, -0.2898210009830225], "
        "[-1.0230056064754836, -0.9520622589904257]]}\n"
        "  - {name: r, type: distance, bodies: [b, ground], at: [[-0.8069419482839424, -0.0547810311059268], "
        "[-0.8457610553107907, 0.582661181490081]]}\n"
        "dynamics: {baumgarte: {rule: step}, projection: none}\nintegrator: {method: dopri5, dt: 0.001, t_end: 1.0}\n";
    static const struct { const char *rtol, *atol; } tight[] = {{"1e-8", "1e-10"}, {"1e-10", "1e-12"}, {"1e-12", "1e-14"}};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const sarrus_override overrides[] = {
                {"integrator.method", ADAPTIVE[i]}, {"integrator.rtol", tight[k].rtol}, {"integrator.atol", tight[k].atol}, {0}};
            mechanism m = mechanism_open_text(text, overrides);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
            sarrus_instance_statistics statistics;
            assert_int_equal(sarrus_batch_advance(batch, 1000), SARRUS_OK);
            assert_int_equal(sarrus_batch_statistics(batch, 0, &statistics), SARRUS_OK);
            print_message("%s, %s: %llu steps, %llu in vain\n", ADAPTIVE[i], tight[k].rtol, (unsigned long long)statistics.n_steps,
                          (unsigned long long)statistics.n_rejected);
            assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
            assert_true(statistics.n_steps < 4000);
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
    }
}

/* The error estimate of a pair goes as h^p, so that the number of steps goes as tolerance^(−1/p). */
static void steps_grow_as_the_root_of_the_tolerance(void **state) {
    (void)state;
    const double orders[] = {5.0, 6.0};
    for (int i = 0; i < 2; ++i) {
        const outcome loose = run_five_bar(ADAPTIVE[i], "1e-8", "{projection: none}", "6.6e-3", 20.0);
        const outcome tight = run_five_bar(ADAPTIVE[i], "1e-12", "{projection: none}", "6.6e-3", 20.0);
        const double order = 4.0 / log10((double)tight.statistics.n_steps / (double)loose.statistics.n_steps);
        const double fall = log10(loose.angle_error / tight.angle_error);
        print_message("%s: observed order of the estimate %.3f; error falls by 10^%.2f for 10^4\n", ADAPTIVE[i], order, fall);
        assert_true(fabs(order - orders[i]) <= TOLERANCE_ORDER);
        assert_true(fabs(fall - 4.0) <= 0.5); /* within a factor of three of proportional */
    }
}

/* Adams at low and high orders: order 1 to 2 has to pay for its accuracy, order 12 does not. */
static void the_order_of_adams_pays(void **state) {
    (void)state;
    uint64_t n_steps[3];
    const char *const orders[] = {"2", "5", "12"};
    for (int k = 0; k < 3; ++k) {
        const sarrus_override overrides[] = {{"integrator.method", "adams-moulton"},
                                             {"integrator.max_order", orders[k]},
                                             {"integrator.rtol", "1e-9"},
                                             {"integrator.atol", "1e-9"},
                                             {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        sarrus_instance_statistics statistics;
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(batch, 0, &statistics), SARRUS_OK);
        n_steps[k] = statistics.n_steps;
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
    print_message("adams-moulton to 1 s: %llu steps at order 2, %llu at 5, %llu at 12\n", (unsigned long long)n_steps[0],
                  (unsigned long long)n_steps[1], (unsigned long long)n_steps[2]);
    assert_true(n_steps[0] > 4 * n_steps[1] && n_steps[1] > n_steps[2]);
}

/* The order of the methods of fixed step; the gains that follow the step must not take any of it. */
static void fixed_steps_have_their_order(void **state) {
    (void)state;
    static const struct {
        const char *method, *dynamics, *dt[2];
        double order;
    } cases[] = {
        {"semi-implicit", "{projection: every_step}", {"2e-3", "1e-3"}, 1.0},
        {"semi-implicit", "{projection: none}", {"2e-3", "1e-3"}, 1.0},
        {"semi-implicit", "{baumgarte: {rule: step}, projection: none}", {"2e-3", "1e-3"}, 1.0},
        {"rk4", "{baumgarte: {rule: step}, projection: none}", {"2e-3", "1e-3"}, 4.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            error[k] = run_five_bar(cases[i].method, "1e-8", cases[i].dynamics, cases[i].dt[k], cases[i].order > 1.0 ? 20.0 : 2.0)
                           .angle_error;
        }
        const double order = log2(error[0] / error[1]);
        print_message("%s, %s: errors %.3e %.3e, observed order %.3f\n", cases[i].method, cases[i].dynamics, error[0], error[1],
                      order);
        assert_true(fabs(order - cases[i].order) <= TOLERANCE_ORDER);
    }
}

/* Semi-implicit Euler keeps an energy that is off by O(h ω) of the true one: the true one stays in a band, however long it runs. */
static void semi_implicit_keeps_the_energy_in_a_band(void **state) {
    (void)state;
    enum { N_TIMES = 2001 };
    const char *const text =
        "sarrus: 1\n"
        "space: planar\n"
        "gravity: [0, 0]\n"
        "bodies: [{name: a, mass: 1, inertia: 1, position: [2, 0], velocity: [0, 1]}]\n"
        "joints: []\n"
        "forces: [{name: s, type: spring, between: [[a, [0, 0]], [ground, [0, 0]]], stiffness: 4, rest_length: 1}]\n"
        "integrator: {method: semi-implicit, dt: 1.0e-2, t_end: 1000.0}\n";
    mechanism m = mechanism_open_text(text, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    static double energy[N_TIMES];
    double first = 0.0, last = 0.0;
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = 50, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (int k = 0; k < N_TIMES; ++k) {
        double *half = k <= N_TIMES / 2 ? &first : &last;
        *half = fmax(*half, fabs(energy[k] / energy[0] - 1.0));
    }
    print_message("semi-implicit: energy within %.2e of itself for 500 s, then within %.2e\n", first, last);
    /* h ω = 1/50, of which the band is about one; over 1000 s explicit Euler would have grown by exp(h ω² t) = e^40. */
    assert_true(first > 1e-4 && first < 0.1 && last <= 1.1 * first);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* Outputs every 1/100 of a second while the steps are ten to a hundred times longer. */
static void states_between_steps_are_as_good_as_their_ends(void **state) {
    (void)state;
    enum { N_TIMES = 301 };
    static double q[N_TIMES][N], v[N_TIMES][N];
    const closed_form_pendulum pendulum = five_bar_pendulum();
    const char *const holds[] = {"none", "every_step"};
    for (size_t i = 0; i < 3; ++i) {
        for (int h = 0; h < 2; ++h) {
            const sarrus_override overrides[] = {{"integrator.method", ADAPTIVE[i]}, {"integrator.rtol", "1e-8"},
                                                 {"integrator.atol", "1e-8"},        {"integrator.dt", "1e-2"},
                                                 {"dynamics.projection", holds[h]},  {NULL, NULL}};
            mechanism m = mechanism_open_file("five_bar.yaml", overrides);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
            sarrus_observation o = {.n_times = N_TIMES, .every_steps = 1, .observe_first = 1, .n_times_stride = N_TIMES};
            double angle_error = 0.0, speed_error = 0.0;
            o.destination[SARRUS_OBSERVE_Q] = &q[0][0];
            o.destination[SARRUS_OBSERVE_V] = &v[0][0];
            assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
            for (int k = 0; k < N_TIMES; ++k) {
                long double phi, speed;
                closed_form_pendulum_state(&pendulum, (long double)k * 0.01L, &phi, &speed);
                angle_error = fmax(angle_error, fabs(q[k][CRANK_A_ANGLE] - (double)phi));
                speed_error = fmax(speed_error, fabs(v[k][CRANK_A_ANGLE] - (double)speed));
            }
            print_message("%s, %s: angle to %.2e, speed to %.2e over 3 s\n", ADAPTIVE[i], holds[h], angle_error, speed_error);
            assert_true(angle_error <= 1e3 * 1e-8 && speed_error <= 5e3 * 1e-8);
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
    }
}

/* A drive is an explicit function of time, so that a stage taken at the wrong time would show. */
static void drives_are_followed(void **state) {
    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        const sarrus_override overrides[] = {
            {"integrator.method", ADAPTIVE[i]}, {"integrator.rtol", "1e-9"}, {"integrator.atol", "1e-9"}, {NULL, NULL}};
        double q[2][3 * 8], v[3 * 8];
        for (int k = 0; k < 2; ++k) {
            mechanism m = mechanism_open_file("driven_crank.yaml", k == 0 ? overrides : NULL);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
            const double steps = floor(0.93 / m.model->integrator.grid + 0.5);
            assert_int_equal(sarrus_batch_advance(batch, (uint64_t)steps), SARRUS_OK);
            assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
            assert_int_equal(sarrus_batch_state(batch, 0, q[k], v), SARRUS_OK);
            sarrus_batch_destroy(batch);
            if (k == 1) {
                print_message("%s, driven: %.2e from rk4\n", ADAPTIVE[i], mechanism_distance(q[0], q[1], (size_t)m.n));
                assert_true(mechanism_distance(q[0], q[1], (size_t)m.n) <= 1e-6);
            }
            mechanism_close(&m);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tableaux_satisfy_their_order_conditions),
        cmocka_unit_test(adams_constants_satisfy_their_recurrence),
        cmocka_unit_test(errors_follow_the_tolerance_with_every_stabilization),
        cmocka_unit_test(gains_of_short_steps_do_not_amplify_round_off),
        cmocka_unit_test(steps_grow_as_the_root_of_the_tolerance),
        cmocka_unit_test(the_order_of_adams_pays),
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(semi_implicit_keeps_the_energy_in_a_band),
        cmocka_unit_test(states_between_steps_are_as_good_as_their_ends),
        cmocka_unit_test(drives_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
