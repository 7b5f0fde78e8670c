/* Claim: a single loop that crosses or just misses its change point goes the right way with every method that chooses its steps,
 * with loose tolerances and without projection at every step too; and so do loops of a chain of which only some are exact. The
 * truths are angles at 2 s of the equation in one coordinate along the curve of closure, solved in quadruple precision by another
 * program (order 12, two tolerances that agree to 2e-11 rad, energy to 1e-15); where the change point is crossed exactly, of one
 * branch in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

enum { MAX_ANGLES = 4, MAX_N = 21 };

/* tests/support/loops/NAME.yaml: angles of its first bodies, rad. */
typedef struct loop {
    const char *name;
    int n_angles;
    double truth[MAX_ANGLES];
} loop;

/* Crossed exactly; missed by 3e-11, 6e-8, 8e-10 and 4e-8 m. */
static const loop parallelogram = {"parallelogram", 3, {12.834730646522406, -0.998135947198820, -13.832866593721224}};
static const loop grashof = {"grashof", 3, {19.020113301516588, -0.528427936672920, -0.599885531818248}};
static const loop kite = {"kite", 3, {-8.315886658848330, 12.261365832031158, 3.945479173182828}};
static const loop slider = {"slider", 3, {-10.124795064213027, -13.266387717802822, 0.0}};
static const loop kite_bend = {"kite_bend", 3, {-2.486981526516277, 0.248236784833001, -2.238744741562785}};
static const loop grashof_bend = {"grashof_bend", 3, {-13.749348663650469, -13.156269073355851, -13.539803235140090}};
static const loop slider_bend = {"slider_bend", 3, {-8.470359158265566, -4.096011455193904, 0.0}};
static const loop kite_bend_wide = {"kite_bend_wide", 3, {-0.757146011533955, 12.772255394218584, -0.963030847002301}};

/* Two loops bend while a third one crosses exactly. */
static const loop three_loops = {"three_loops", 4, {0.018353187376587, 0.116126047346054, 0.251505040301487, 0.251505040301487}};

static const char closed[] = "{projection: every_step}", open[] = "{projection: none}",
                  tolerant[] = "{projection: {tolerance: 1e-10}}";
static const char damped[] = "{baumgarte: {alpha: 20, beta: 20}}";

/* The bounds: another branch is off by radians. Errors of a tolerance grow by the passages, each by a few hundred at most.
 * In the chain the crossing loop knows its direction to ε/x² at the x = 1e-6 down to which it is kept: 1e-3, several times over. */
static const struct loop_case {
    const loop *loop;
    const char *method;
    double tolerance;
    const char *dynamics;
    double bound; /* rad */
} cases[] = {
    {&parallelogram, "dopri5", 1e-11, closed, 1e-6},
    {&parallelogram, "verner65", 1e-11, closed, 1e-6},
    {&parallelogram, "dopri5", 1e-11, open, 1e-6},
    {&parallelogram, "verner65", 1e-11, tolerant, 1e-6},
    {&parallelogram, "dopri5", 1e-11, damped, 1e-6},
    {&grashof, "dopri5", 1e-11, closed, 1e-6},
    {&grashof, "verner65", 1e-11, closed, 1e-6},
    {&grashof, "dopri5", 1e-11, open, 1e-6},
    {&grashof, "verner65", 1e-11, tolerant, 1e-6},
    {&grashof, "dopri5", 1e-11, damped, 1e-6},
    {&kite, "verner65", 1e-11, closed, 1e-6},
    {&kite, "dopri5", 1e-11, open, 1e-6},
    {&kite, "verner65", 1e-11, tolerant, 1e-6},
    {&kite, "dopri5", 1e-11, damped, 1e-6},
    {&slider, "verner65", 1e-11, tolerant, 1e-6},
    {&kite_bend, "dopri5", 1e-5, closed, 5e-2},
    {&kite_bend, "verner65", 1e-6, closed, 1e-2},
    {&kite_bend, "adams-moulton", 1e-6, closed, 1e-2},
    {&kite_bend, "adams-moulton", 1e-8, closed, 1e-3},
    {&grashof_bend, "dopri5", 1e-5, closed, 5e-2},
    {&grashof_bend, "verner65", 1e-6, closed, 1e-2},
    {&grashof_bend, "adams-moulton", 1e-6, closed, 1e-2},
    {&slider_bend, "dopri5", 1e-5, closed, 5e-2},
    {&slider_bend, "verner65", 1e-6, closed, 1e-2},
    {&kite_bend_wide, "dopri5", 1e-5, closed, 5e-2},
    {&kite_bend_wide, "verner65", 1e-6, closed, 1e-2},
    {&three_loops, "dopri5", 1e-6, closed, 1e-2},
    {&three_loops, "dopri5", 1e-8, closed, 1e-2},
    {&three_loops, "verner65", 1e-11, closed, 1e-2},
    {&three_loops, "adams-moulton", 1e-8, closed, 1e-2},
    {&kite_bend_wide, "adams-moulton", 1e-6, closed, 1e-2},
};

/* rad, between angles that may have turned by whole turns. */
static double apart(double a, double b) {
    return fabs(remainder(a - b, 2.0 * M_PI));
}

/* The largest error of the bodies' angles at the end; infinite when the instance is marked. */
static double error_of(const struct loop_case *how, const char *isa) {
    char file[64], integrator[96];
    double q[MAX_N], v[MAX_N], error = 0.0;
    snprintf(file, sizeof file, "../tests/support/loops/%s.yaml", how->loop->name);
    snprintf(integrator, sizeof integrator, "{method: %s, rtol: %.17g, atol: %.17g, t_end: 2}", how->method, how->tolerance,
             how->tolerance);
    const sarrus_override overrides[] = {{"integrator", integrator}, {"dynamics", how->dynamics}, {NULL, NULL}};
    mechanism m = mechanism_open_file(file, overrides);
    sarrus_batch *batch = mechanism_batch(&m, isa, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    for (int k = 0; k < how->loop->n_angles; ++k)
        error = fmax(error, apart(q[3 * k + 2], how->loop->truth[k]));
    const sarrus_instance_status status = sarrus_batch_status(batch, 0);
    print_message("%s, %s %g, %s: %s, %.1e rad\n", how->loop->name, how->method, how->tolerance, how->dynamics,
                  sarrus_instance_status_word(status), error);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return status == SARRUS_INSTANCE_OK ? error : (double)INFINITY;
}

static void single_loops_go_the_right_way(void **state) {
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        n_wrong += !(error_of(&cases[i], NULL) <= cases[i].bound) + !(error_of(&cases[i], "baseline") <= cases[i].bound);
    assert_int_equal(n_wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(single_loops_go_the_right_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
