/* What the dense reference says about one state, and a batch held against it. */
#include "tests/support/reference_answer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tolerances.h"

void reference_answer_draw(const reference *ref, double spread, double violation, uint64_t *seed, reference_answer *out) {
    double size = 0.0;
    for (int i = 0; i < ref->n; i++) {
        size = i % 3 == 2 ? size : fmax(size, fabs(ref->q0[i]));
    }
    for (int i = 0; i < ref->n; i++) {
        out->q[i] = ref->q0[i] + spread * (i % 3 == 2 ? 0.1 : 0.02 * size) * mechanism_random(seed);
        out->v[i] = ref->v0[i] + (i % 3 == 2 ? 1.0 : size) * mechanism_random(seed);
    }
    double error = reference_project(ref, 0.0, REFERENCE_RANK_TOLERANCE, out->q, out->v);
    if (!(error <= 1e-12)) {
        fail_msg("the reference cannot project a random state: %g", error);
    }
    for (int i = 0; i < ref->n; i++) {
        out->q[i] += violation * size * mechanism_random(seed);
        out->v[i] += violation * size * mechanism_random(seed);
    }
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum = hypot(sum, x[i]);
    }
    return sum;
}

/* Bounds: the solve is good to eps times a condition. Ours squares that of D (normal equations), the reference's is that of the
 * saddle matrix, and both carry the round-off of their data (gamma ~ v^2, sin and cos) through the same condition. Off
 * the constraints by delta, redundant rows contradict each other by delta times the size of gamma, and which of them counts is
 * the method's choice. */
static void set_bounds(const reference *ref, const reference_spectrum *spectrum, double violation, reference_answer *out) {
    int size = ref->n + ref->m;
    double speed = norm(out->v, ref->n), condition = out->condition * out->condition;
    double saddle = spectrum->largest / spectrum->smallest;
    double a = norm(out->a, ref->n) + speed * speed, lambda = norm(out->lambda, ref->m);
    double mass = mechanism_size(ref->mass, (size_t)ref->n);
    double solve = TOLERANCE_SOLVE(size, fmax(condition, 1.0)) + TOLERANCE_SINCOS * out->condition;
    double baumgarte = 2.0 * fabs(ref->alpha) + ref->beta * ref->beta;
    double choice = out->rank < ref->m ? violation * out->condition * out->condition : 0.0;
    out->acceleration_bound = solve * a + TOLERANCE_SOLVE(size, saddle) * (a + lambda) + choice * (a + baumgarte);
    out->reaction_bound = solve * (lambda + mass * a) + TOLERANCE_SOLVE(size, saddle) * (a + lambda) +
                          choice * (lambda + mass * (a + baumgarte)) * saddle;
}

void reference_answer_find(const reference *ref, double violation, reference_answer *out) {
    static double phi[REFERENCE_MAX_M], phi_dot[REFERENCE_MAX_M];
    reference_spectrum spectrum;
    double scale = 0.0;
    assert_true(reference_accelerations(ref, 0.0, out->q, out->v, violation > 0.0 ? REFERENCE_RANK_TOLERANCE : 1e-10, out->a,
                                        out->lambda, &spectrum));
    reference_constraints(ref, 0.0, out->q, out->v, phi, phi_dot, NULL, NULL);
    reference_reactions(ref, 0.0, out->q, out->lambda, out->reaction);
    (void)reference_drives(ref, out->lambda, out->drive);
    out->position_error = norm(phi, ref->m);
    out->velocity_error = norm(phi_dot, ref->m);
    out->energy = reference_energy(ref, 0.0, out->q, out->v);
    out->rank = reference_rank(ref, 0.0, out->q, REFERENCE_RANK_TOLERANCE);
    out->condition = reference_condition(ref, 0.0, out->q, REFERENCE_RANK_TOLERANCE);
    out->is_regular = reference_rank(ref, 0.0, out->q, 1e-3) == out->rank;
    for (int i = 0; i < ref->n; i++) {
        double fall = i % 3 == 2 ? 0.0 : fabs(ref->gravity[i % 3] * out->q[i]);
        scale += ref->mass[i] * (0.5 * out->v[i] * out->v[i] + fall);
    }
    out->energy_scale = scale + fabs(out->energy);
    set_bounds(ref, &spectrum, violation, out);
}

static void compare(const char *what, const char *const name[3], double distance, double bound) {
    if (!(distance <= bound)) {
        fail_msg("%s of %s with %s and %s: off by %.3e, allowed %.3e", what, name[0], name[1], name[2], distance, bound);
    }
}

double reference_answer_compare(const mechanism *m, const char *const name[3], sarrus_batch *batch, int n_states,
                                const reference_answer *answers) {
    static double out[SARRUS_N_OBSERVABLES][REFERENCE_MAX_STATES * 3 * REFERENCE_MAX_M];
    double used = 0.0;
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    for (int k = 0; k < SARRUS_N_OBSERVABLES; k++) {
        o.destination[k] = k == SARRUS_OBSERVE_DRIVES && m->n_drives == 0 ? NULL : out[k];
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (int i = 0; i < n_states; i++) {
        const reference_answer *want = &answers[i];
        size_t n = (size_t)m->n, row = (size_t)i;
        double length = 1.0 + norm(want->q, m->n), speed = length * (1.0 + norm(want->v, m->n));
        double a = mechanism_distance(out[SARRUS_OBSERVE_ACCELERATION] + row * n, want->a, n);
        size_t n_reactions = 3 * (size_t)m->n_joints, n_drives = (size_t)m->n_drives;
        double reaction = mechanism_distance(out[SARRUS_OBSERVE_REACTIONS] + row * n_reactions, want->reaction, n_reactions);
        double drive = mechanism_distance(out[SARRUS_OBSERVE_DRIVES] + row * n_drives, want->drive, n_drives);
        compare("acceleration", name, a, want->acceleration_bound);
        compare("reaction", name, reaction, want->reaction_bound);
        compare("motor load", name, drive, want->reaction_bound);
        compare("energy", name, fabs(out[SARRUS_OBSERVE_ENERGY][i] - want->energy), TOLERANCE_SUM(n) * want->energy_scale);
        compare("position error", name, fabs(out[SARRUS_OBSERVE_POSITION_ERROR][i] - want->position_error),
                (TOLERANCE_SUM(n) + TOLERANCE_SINCOS) * length);
        compare("velocity error", name, fabs(out[SARRUS_OBSERVE_VELOCITY_ERROR][i] - want->velocity_error),
                (TOLERANCE_SUM(n) + TOLERANCE_SINCOS) * speed);
        if (want->is_regular) {
            compare("rank", name, fabs(out[SARRUS_OBSERVE_RANK][i] - want->rank), 0.0);
        }
        used = fmax(used, fmax(a / want->acceleration_bound, reaction / want->reaction_bound));
    }
    return used;
}
