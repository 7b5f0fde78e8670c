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
    for (int i = 0; i < ref->n; ++i) {
        size = i % 3 == 2 ? size : fmax(size, fabs(ref->q0[i]));
    }
    for (int i = 0; i < ref->n; ++i) {
        out->q[i] = ref->q0[i] + spread * (i % 3 == 2 ? 0.1 : 0.02 * size) * mechanism_random(seed);
        out->v[i] = ref->v0[i] + (i % 3 == 2 ? 1.0 : size) * mechanism_random(seed);
    }
    double error = reference_project(ref, 0.0, REFERENCE_RANK_TOLERANCE, out->q, out->v);
    if (!(error <= 1e-12)) {
        fail_msg("the reference cannot project a random state: %g", error);
    }
    for (int i = 0; i < ref->n; ++i) {
        out->q[i] += violation * size * mechanism_random(seed);
        out->v[i] += violation * size * mechanism_random(seed);
    }
}

static double norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
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
    reference_singular_values(ref, 0.0, out->q, REFERENCE_RANK_TOLERANCE, &out->largest, &out->kept, &out->dropped);
    out->is_regular = reference_rank(ref, 0.0, out->q, 1e-3) == out->rank;
    for (int i = 0; i < ref->n; ++i) {
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

/* Singular values are good to round-off of the largest, and to what that of the state makes of them. */
static double singular_bound(const mechanism *m, const reference_answer *want) {
    return (TOLERANCE_SOLVE(m->n + m->m, 1.0) + TOLERANCE_SINCOS) * want->largest * (1.0 + mechanism_size(want->q, (size_t)m->n));
}

/* How far the free coordinates, or the rates of them, of all joints that have one are off. */
static double joints_off(const mechanism *m, const double *found, const reference_answer *want, bool is_rate) {
    double off = 0.0;
    for (int j = 0; j < m->n_joints; ++j) {
        double value, rate;
        if (sarrus_joint_freedom(m->model->joints[j].type) == SARRUS_FREE_NONE)
            continue;
        reference_free_coordinate(m->ref, j, want->q, want->v, &value, &rate);
        off = fmax(off, fabs(*found++ - (is_rate ? rate : value)));
    }
    return off;
}

/* One observable [width] at the state of an answer. Of a row of observables.def that is missing the compiler says so. Returns the
 * share of the bound that was used, of those that are solved for. */
static double compare_observable(const mechanism *m, const char *const name[3], sarrus_observable observable, const double *found,
                                 const reference_answer *want) {
    const size_t n = (size_t)m->n;
    const double length = 1.0 + norm(want->q, m->n), speed = length * (1.0 + norm(want->v, m->n)), round_off = TOLERANCE_SUM(n);
    double off;
    switch (observable) {
    case SARRUS_OBSERVE_Q:
        compare("q", name, mechanism_distance(found, want->q, n), 0.0);
        return 0.0;
    case SARRUS_OBSERVE_V:
        compare("v", name, mechanism_distance(found, want->v, n), 0.0);
        return 0.0;
    case SARRUS_OBSERVE_ENERGY:
        compare("energy", name, fabs(*found - want->energy), round_off * want->energy_scale);
        return 0.0;
    case SARRUS_OBSERVE_WORK: /* no step was made */
        compare("work", name, fabs(*found), 0.0);
        return 0.0;
    case SARRUS_OBSERVE_POSITION_ERROR:
        compare("position error", name, fabs(*found - want->position_error), (round_off + TOLERANCE_SINCOS) * length);
        return 0.0;
    case SARRUS_OBSERVE_VELOCITY_ERROR:
        compare("velocity error", name, fabs(*found - want->velocity_error), (round_off + TOLERANCE_SINCOS) * speed);
        return 0.0;
    case SARRUS_OBSERVE_RANK:
        compare("rank", name, want->is_regular ? fabs(*found - want->rank) : 0.0, 0.0);
        return 0.0;
    case SARRUS_OBSERVE_REACTIONS:
        off = mechanism_distance(found, want->reaction, 3 * (size_t)m->n_joints);
        compare("reaction", name, off, want->reaction_bound);
        return off / want->reaction_bound;
    case SARRUS_OBSERVE_DRIVES:
        compare("motor load", name, mechanism_distance(found, want->drive, (size_t)m->n_drives), want->reaction_bound);
        return 0.0;
    case SARRUS_OBSERVE_CONSTRAINTS:
        for (int i = 0; i < m->ref->model->n_constraints; ++i) {
            compare("load", name, fabs(found[i] + want->lambda[m->ref->constraints[i].row]), want->reaction_bound);
        }
        return 0.0;
    case SARRUS_OBSERVE_ACCELERATION:
        off = mechanism_distance(found, want->a, n);
        compare("acceleration", name, off, want->acceleration_bound);
        return off / want->acceleration_bound;
    case SARRUS_OBSERVE_KEPT:
        compare("smallest kept", name, want->is_regular ? fabs(*found - want->kept) : 0.0, singular_bound(m, want));
        return 0.0;
    case SARRUS_OBSERVE_DROPPED:
        compare("largest dropped", name, want->is_regular ? fabs(*found - want->dropped) : 0.0, singular_bound(m, want));
        return 0.0;
    case SARRUS_OBSERVE_JOINT_COORDINATES:
    case SARRUS_OBSERVE_JOINT_SPEEDS:
        off = joints_off(m, found, want, observable == SARRUS_OBSERVE_JOINT_SPEEDS);
        compare("joint coordinate", name, off, (round_off + TOLERANCE_SINCOS) * speed);
        return 0.0;
    case SARRUS_N_OBSERVABLES:
        break;
    }
    fail_msg("observable %d is not in the table", (int)observable);
    return 1.0;
}

double reference_answer_compare(const mechanism *m, const char *const name[3], sarrus_batch *batch, int n_states,
                                const reference_answer *answers) {
    static double out[SARRUS_N_OBSERVABLES][REFERENCE_MAX_STATES * 3 * REFERENCE_MAX_M];
    double used = 0.0;
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
        o.destination[k] = sarrus_batch_observable_width(batch, (sarrus_observable)k) == 0 ? NULL : out[k];
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
        const size_t width = (size_t)sarrus_batch_observable_width(batch, (sarrus_observable)k);
        for (size_t i = 0; i < (size_t)n_states; ++i) {
            used = fmax(used, compare_observable(m, name, (sarrus_observable)k, out[k] + i * width, &answers[i]));
        }
    }
    return used;
}
