/* Claim: near change points a run is right, or it is marked; with the methods that are meant for it it is right. An exactly
 * singular passage is crossed straight on, one that misses it by δ is followed round its bend, down to δ = 1e-12; a mechanism that
 * δ locks does not move. The truth is bench/change_points/table.c, in 57 digits (docs/change_points.md). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/change_points/change_points.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

enum { MAX_N = 15, N_OBSERVED = 6, N_MOVABLE = 5, I_FIVE_BAR = 5 };

/* Rows of an observation every 0.4 s that the table has: 0.4, 0.8, 1.2 and 2 s. */
static const int row_of[SARRUS_CHANGE_POINT_N_TIMES] = {1, 2, 3, 5};

/* What counts as right (rad, of a slider m). A length that is off by e moves these motions by at most 14 e/√|δ| within the two
 * seconds, 1.4e-9 for a rounded length at |δ| = 1e-12, and adaptive methods at 1e-11 are good to 2e-7 where the bends are wide:
 * 1e-6 tells both from another branch, which is off by radians. rk4 at 1e-3 s is good to 1e-7 without bends and resolves them to
 * 1e-8 a step; 1e-2 is what is seen of an angle. Semi-implicit Euler at 1e-4 s is off by 0.2 rad without any bend: it is only asked
 * for the branch. */
static const double of_adaptive = 1e-6, of_rk4 = 1e-2, of_branch = 1.0;

typedef enum promise {
    IS_RIGHT,
    IS_RIGHT_OR_UNRESOLVED,  /* where δ is neither 0 nor 1e-3 */
    IS_RIGHT_OR_MARKED,      /* where δ is not 0 */
    IS_RIGHT_UNLESS_CROSSED, /* unresolved is well where δ is 0 */
} promise;

enum { FOUR_BAR = 1, COUPLER = 2, CHAIN = 4, SLIDER_CRANK = 8, KITE = 16, SMALL = 27, ALL = 31 };

typedef struct way {
    const char *integrator, *pinv;
    const double *bound;
    promise promise;
    int mechanisms;            /* some of the above */
    const char *const *deltas; /* ended by NULL */
} way;

#define ADAPTIVE "dt: 1.0e-3, t_end: 2, rtol: 1.0e-11, atol: 1.0e-11, max_steps: 100000}"
static const char dopri5[] = "{method: dopri5, " ADAPTIVE;
static const char verner65[] = "{method: verner65, " ADAPTIVE;
static const char adams[] = "{method: adams-moulton, " ADAPTIVE;
static const char rk4[] = "{method: rk4, dt: 1.0e-3, t_end: 2}";
static const char rk4_bare[] = "{method: rk4, dt: 1.0e-3, t_end: 2, substeps: off}";
static const char semi_implicit[] = "{method: semi-implicit, dt: 1.0e-4, t_end: 2}";

static const char *const every_delta[] = {"0", "1e-12", "-1e-12", "1e-9", "-1e-9", "1e-6", "-1e-6", "1e-3", "-1e-3", NULL};
static const char *const some_deltas[] = {"0", "1e-12", "-1e-9", NULL};
static const char *const one_delta[] = {"-1e-12", NULL};

/* Methods that know a direction to round-off over the singular value are followed through every bend, with every integrator. */
static const way ways_that_are_right[] = {
    {rk4, "auto", &of_rk4, IS_RIGHT, ALL, every_delta},
    {dopri5, "auto", &of_adaptive, IS_RIGHT, SMALL, every_delta},
    {verner65, "auto", &of_adaptive, IS_RIGHT, SMALL, every_delta},
    {adams, "auto", &of_adaptive, IS_RIGHT, SMALL, some_deltas},
    {dopri5, "auto", &of_adaptive, IS_RIGHT, CHAIN, some_deltas},
    {verner65, "auto", &of_adaptive, IS_RIGHT, CHAIN, some_deltas},
    {adams, "auto", &of_adaptive, IS_RIGHT, CHAIN, one_delta},
    {dopri5, "svd", &of_adaptive, IS_RIGHT, KITE, some_deltas},
    {verner65, "svd", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {verner65, "lapack", &of_adaptive, IS_RIGHT, COUPLER, one_delta},
    {verner65, "jacobi", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {verner65, "householder", &of_adaptive, IS_RIGHT, SMALL, some_deltas},
    {verner65, "householder", &of_adaptive, IS_RIGHT, CHAIN, one_delta},
    {verner65, "varga", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {verner65, "greville", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {verner65, "mgs", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {verner65, "mgs2", &of_adaptive, IS_RIGHT, COUPLER | SLIDER_CRANK, some_deltas},
    {rk4, "svd", &of_rk4, IS_RIGHT, FOUR_BAR, some_deltas},
    {rk4, "householder", &of_rk4, IS_RIGHT, FOUR_BAR | KITE, some_deltas},
};

/* Methods that square the condition, or that bend what they do not know; one that cannot let go of a direction; a method without an
 * estimate of its error; and steps that are not made in parts. */
static const way ways_that_may_be_marked[] = {
    {verner65, "normal", &of_adaptive, IS_RIGHT_OR_UNRESOLVED, ALL, every_delta},
    {verner65, "cholesky", &of_adaptive, IS_RIGHT_OR_UNRESOLVED, SMALL, every_delta},
    {verner65, "tikhonov", &of_adaptive, IS_RIGHT_OR_UNRESOLVED, FOUR_BAR | SLIDER_CRANK, every_delta},
    {rk4, "tikhonov", &of_rk4, IS_RIGHT_OR_UNRESOLVED, SLIDER_CRANK | KITE, every_delta},
    {rk4, "cholesky", &of_rk4, IS_RIGHT_OR_UNRESOLVED, SMALL, every_delta},
    {verner65, "truncated", &of_adaptive, IS_RIGHT_UNLESS_CROSSED, SMALL, some_deltas},
    {dopri5, "truncated", &of_adaptive, IS_RIGHT_UNLESS_CROSSED, SMALL, some_deltas},
    {rk4_bare, "auto", &of_rk4, IS_RIGHT_OR_MARKED, ALL, every_delta},
    {semi_implicit, "auto", &of_branch, IS_RIGHT_OR_MARKED, ALL, every_delta},
};

typedef struct outcome {
    bool is_refused;
    sarrus_instance_status status;
    double error; /* largest at the four times; of a mechanism without a motion: how far it has come */
} outcome;

static const sarrus_change_point_truth *truth_of(const char *name, const char *delta) {
    for (int i = 0; i < sarrus_n_change_point_truths; ++i) {
        const sarrus_change_point_truth *truth = &sarrus_change_point_truths[i];
        if (strcmp(truth->mechanism, name) == 0 && strcmp(truth->delta, delta) == 0) {
            return truth;
        }
    }
    return NULL;
}

static double error_of(const sarrus_change_point_mechanism *subject, const char *delta, const double *q, int n) {
    const sarrus_change_point_truth *truth = truth_of(subject->name, delta);
    double worst = 0.0;
    for (int k = 0; k < SARRUS_CHANGE_POINT_N_TIMES; ++k) {
        const double *at = q + row_of[k] * n;
        const double first = at[subject->i_first] - (truth ? truth->first[k] : q[subject->i_first]);
        const double last = at[subject->i_last] - (truth ? truth->last[k] : q[subject->i_last]);
        worst = fabs(first) <= worst ? worst : fabs(first); /* NaN stays */
        worst = fabs(last) <= worst ? worst : fabs(last);
    }
    return worst;
}

static outcome run(const sarrus_change_point_mechanism *subject, const char *delta, const way *how) {
    double q[N_OBSERVED * MAX_N];
    const sarrus_override overrides[] = {
        {"dynamics.pinv", how->pinv}, {"integrator", how->integrator}, {"output", "{interval: 0.4, channels: [state]}"}};
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1};
    outcome out = {.error = (double)NAN};
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_change_point_read(context, place_of_source("/scenarios"), subject, delta, overrides, 3, &model),
                     SARRUS_OK);
    const sarrus_status planned = sarrus_plan_create(context, model, &plan);
    out.is_refused = planned == SARRUS_BAD_INPUT;
    if (!out.is_refused) {
        assert_int_equal(planned, SARRUS_OK);
        assert_int_equal(sarrus_batch_create(context, plan, &options, 1, NULL, &batch), SARRUS_OK);
        const sarrus_mech_integrator *how_long = &plan->mech.integrator;
        sarrus_observation o = {.n_times = N_OBSERVED, .observe_first = 1, .n_times_stride = N_OBSERVED};
        o.every_steps = how_long->is_adaptive ? 1 : (uint64_t)lround(0.4 / how_long->dt);
        o.destination[SARRUS_OBSERVE_Q] = q;
        assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
        out.status = sarrus_batch_status(batch, 0);
        out.error = error_of(subject, delta, q, plan->mech.n_v);
    }
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return out;
}

static bool is_kept(const way *how, const char *delta, const outcome *out) {
    const bool is_marked = out->status != SARRUS_INSTANCE_OK, is_wide = strstr(delta, "1e-3") != NULL;
    if (out->status == SARRUS_INSTANCE_OK && out->error <= *how->bound) {
        return true;
    }
    if (strcmp(delta, "0") == 0) {
        return how->promise == IS_RIGHT_UNLESS_CROSSED && out->status == SARRUS_INSTANCE_UNRESOLVED;
    }
    return (how->promise == IS_RIGHT_OR_UNRESOLVED && out->status == SARRUS_INSTANCE_UNRESOLVED && !is_wide) ||
           (how->promise == IS_RIGHT_OR_MARKED && is_marked);
}

static void check(const way *how) {
    int n_right = 0, n_marked = 0, n_broken = 0;
    double worst = 0.0;
    const int asked = getenv("SARRUS_FEW_CASES") ? FOUR_BAR | KITE : ALL;
    for (int i = 0; i < N_MOVABLE; ++i) {
        for (int k = 0; (how->mechanisms & asked) >> i & 1 && how->deltas[k]; ++k) {
            const sarrus_change_point_mechanism *subject = &sarrus_change_point_mechanisms[i];
            const outcome out = run(subject, how->deltas[k], how);
            n_right += out.status == SARRUS_INSTANCE_OK;
            n_marked += out.status != SARRUS_INSTANCE_OK;
            worst = out.error > worst ? out.error : worst;
            if (!is_kept(how, how->deltas[k], &out)) {
                print_error("%s, %s, %s, delta %s: %s, off by %g\n", how->integrator, how->pinv, subject->name, how->deltas[k],
                            sarrus_instance_status_word(out.status), out.error);
                ++n_broken;
            }
        }
    }
    print_message("%.22s..., %s: %d right to %.1e, %d marked\n", how->integrator, how->pinv, n_right, worst, n_marked);
    assert_int_equal(n_broken, 0);
}

static void bends_are_followed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ways_that_are_right / sizeof ways_that_are_right[0]; ++i) {
        check(&ways_that_are_right[i]);
    }
}

static void what_cannot_follow_a_bend_says_so(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ways_that_may_be_marked / sizeof ways_that_may_be_marked[0]; ++i) {
        check(&ways_that_may_be_marked[i]);
    }
}

/* The five-bar has one constraint too many: without δ it turns, with any other it is locked. */
static void a_locked_mechanism_is_refused_or_marked_or_stays(void **state) {
    (void)state;
    static const way ways[] = {
        {rk4, "auto", &of_rk4, IS_RIGHT, 0, NULL},
        {dopri5, "auto", &of_adaptive, IS_RIGHT, 0, NULL},
        {verner65, "auto", &of_adaptive, IS_RIGHT, 0, NULL},
        {verner65, "svd", &of_adaptive, IS_RIGHT, 0, NULL},
        {verner65, "householder", &of_adaptive, IS_RIGHT, 0, NULL},
        {verner65, "cholesky", &of_adaptive, IS_RIGHT, 0, NULL},
        {semi_implicit, "auto", &of_branch, IS_RIGHT, 0, NULL},
    };
    static const char *const deltas[] = {"-1e-12", "1e-11", "-1e-10", "1e-9", "-1e-3"};
    const sarrus_change_point_mechanism *five_bar = &sarrus_change_point_mechanisms[I_FIVE_BAR];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        outcome out = run(five_bar, "0", &ways[i]);
        assert_true(is_kept(&ways[i], "0", &out));
        for (size_t k = 0; k < sizeof deltas / sizeof deltas[0]; ++k) {
            out = run(five_bar, deltas[k], &ways[i]);
            /* What it may have moved without a word: nothing that is seen. A turning crank comes round by radians. */
            if (!out.is_refused && out.status == SARRUS_INSTANCE_OK && !(out.error <= of_rk4)) {
                fail_msg("%s, %s, delta %s: moved by %g rad", ways[i].integrator, ways[i].pinv, deltas[k], out.error);
            }
        }
    }
}

/* change_point.yaml with all cranks drawn about 1 m, undamped: 24 instances, each with its own truth at 2 s. */
static void study(const char *integrator, const char *sd, double *largest) {
    enum { N_DRAWN = SARRUS_CHANGE_POINT_N_DRAWN, I_FIRST = 2, I_LAST = 8 };
    char parameters[512];
    const char *const entry = "{name: a%d, distribution: normal, mean: 1, sd: %s}";
    int n = snprintf(parameters, sizeof parameters, "[");
    for (int k = 1; k <= 3; ++k) {
        n += snprintf(parameters + n, sizeof parameters - (size_t)n, entry, k, sd);
        n += snprintf(parameters + n, sizeof parameters - (size_t)n, k < 3 ? ", " : "]");
    }
    const sarrus_override overrides[] = {{"batch.parameters", parameters},
                                         {"joints.A1.damping", "0"},
                                         {"integrator", integrator},
                                         {"output", "{interval: 2}"},
                                         {NULL, NULL}};
    mechanism m = mechanism_open_file("change_point.yaml", overrides);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, sarrus_model_seed(m.model), N_DRAWN, &draws), SARRUS_OK);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N_DRAWN, draws);
    assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
    assert_true(fabs(sarrus_batch_time(batch) - 2.0) < 1e-12);
    int n_known = 0;
    for (int i = 0; i < sarrus_n_change_point_drawns; ++i) {
        const sarrus_change_point_drawn *drawn = &sarrus_change_point_drawns[i];
        if (strcmp(drawn->sd, sd) != 0) {
            continue;
        }
        const uint64_t k = (uint64_t)n_known++;
        double q[MAX_N], v[MAX_N];
        for (int a = 0; a < 3; ++a) { /* 1e-15 m, from logarithms and cosines, moves the motion by less than 1e-10 rad */
            assert_true(fabs(sarrus_draws_values(draws, a)[k] - drawn->lengths[a]) <= 1e-15);
        }
        assert_int_equal(sarrus_batch_state(batch, k, q, v), SARRUS_OK);
        const double error = fmax(fabs(q[I_FIRST] - drawn->ends[0]), fabs(q[I_LAST] - drawn->ends[1]));
        if (sarrus_batch_status(batch, k) != SARRUS_INSTANCE_OK || !(error <= of_rk4)) {
            fail_msg("%s, sd %s, instance %d: %s, off by %g rad", integrator, sd, (int)k,
                     sarrus_instance_status_word(sarrus_batch_status(batch, k)), error);
        }
        *largest = fmax(*largest, error);
    }
    assert_int_equal(n_known, N_DRAWN);
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

static void no_instance_with_drawn_lengths_goes_wrong(void **state) {
    (void)state;
    static const char *const sds[] = {"1e-2", "1e-3", "1e-4"};
    static const char *const integrators[] = {"{t_end: 2}", rk4}; /* the default method with its default tolerances */
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            double largest = 0.0;
            study(integrators[i], sds[k], &largest);
            print_message("%s, sd %s: all within %.1e rad\n", integrators[i], sds[k], largest);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bends_are_followed),
        cmocka_unit_test(what_cannot_follow_a_bend_says_so),
        cmocka_unit_test(a_locked_mechanism_is_refused_or_marked_or_stays),
        cmocka_unit_test(no_instance_with_drawn_lengths_goes_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
