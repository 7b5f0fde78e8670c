/* Claims: in relative coordinates a mechanism moves as in absolute ones, to what the integrator is asked for, and shows the same:
 * bodies, energies, ranks, reactions, loads of drives. An instance's bits depend neither on the batch around it, nor on threads,
 * nor on who looks, and it begins anew as at first. */
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
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N_TIMES = 6, N_FEW = 5, N_MANY = 11, MAX_N = 256 };
#define TOLERANCE 1e-10 /* that adaptive methods are asked for */

/* Numbers of a state that was moved between coordinates: some dozen bodies, each placed by the one before it. */
#define TOLERANCE_MOVED 1e-12

typedef struct subject {
    const char *file;
    double t_end;      /* s */
    const char *batch; /* NULL: the scenario's own */
} subject;

/* Trees, loops, redundant loops, drives, springs and dampers, all kinds of joints; with draws where bits are looked at. */
static const subject subjects[] = {
    {"pendulum.yaml", 0.5, NULL},
    {"double_pendulum.yaml", 0.5, NULL},
    {"four_bar.yaml", 0.5,
     "{instances: 11, seed: 4, parameters: [{path: bodies.crank.mass, distribution: uniform, low: 2.0, high: 4.0}]}"},
    {"slider_crank.yaml", 0.2, NULL},
    {"driven_crank.yaml", 0.5, NULL},
    {"scotch_yoke.yaml", 0.5, NULL},
    {"five_bar_monte_carlo.yaml", 0.2, NULL},
    {"andrews.yaml", 0.01, NULL},
    {"n_four_bar_2.yaml", 0.2, NULL},
    {"planetary_train.yaml", 0.5, NULL},
    {"planetary_train.yaml", 0.5,
     "{instances: 11, seed: 4, parameters: [{name: mp, distribution: uniform, low: 0.2, high: 0.8}, "
     "{name: T, distribution: uniform, low: 0.002, high: 0.008}]}"},
    {"cam_follower.yaml", 0.3, NULL},
    {"cam_follower.yaml", 0.3, "{instances: 11, seed: 4, parameters: [{name: h, distribution: uniform, low: 0.008, high: 0.012}]}"},
    {"groove_cam.yaml", 0.3, NULL},
    {"torque_free_body.yaml", 0.5, NULL},
    {"heavy_top.yaml", 0.3, NULL},
    {"cardan_suspension.yaml", 0.3, NULL},
    {"gyrostat.yaml", 0.5, NULL},
    {"arm_6r.yaml", 0.3, NULL},
    {"arm_7r.yaml", 0.3,
     "{instances: 11, seed: 4, parameters: [{path: bodies.link_7.mass, distribution: uniform, low: 0.4, high: 0.8}]}"},
    /* numbers that are 0, or of an axis along a body's, in the nominal instance alone */
    {"arm_7r.yaml", 0.3,
     "{instances: 11, seed: 4, parameters: [{path: bodies.link_2.position.1, distribution: uniform, low: -0.05, high: 0.05}, "
     "{path: joints.J4.axis.0, distribution: uniform, low: -0.3, high: 0.3}, "
     "{path: bodies.link_5.inertia.3, distribution: uniform, low: -0.001, high: 0.001}, "
     "{path: bodies.link_6.rotor.1, distribution: uniform, low: -0.05, high: 0.05}]}"},
    {"spatial_slider_crank.yaml", 0.3, NULL},
    {"spatial_four_bar.yaml", 0.3, NULL},
    {"bead_on_curve.yaml", 0.4, NULL},
    {"sarrus_linkage.yaml", 0.3, NULL},
    {"bennett.yaml", 0.3, NULL},
    {"bricard.yaml", 0.3, NULL},
    {"hoop_on_cylinder.yaml", 0.2, NULL},
    {"stewart_platform.yaml", 0.3,
     "{instances: 11, seed: 4, parameters: [{path: bodies.platform.mass, distribution: uniform, low: 8, high: 12}]}"},
    {"delta_robot.yaml", 0.3, NULL},
};
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

typedef struct method {
    const char *word;
    bool is_adaptive;
    double tolerance; /* of a state, relative */
} method;

/* rk4 with steps of 1e-3 s: rates here are 10/s at most, (w h)^4 of the angle traveled. The first-order method is not held against
 * itself in other coordinates, its error is another one there. */
static const method methods[] = {
    {"dopri5", true, TOLERANCE_OF_TOLERANCE *TOLERANCE},
    {"verner65", true, TOLERANCE_OF_TOLERANCE *TOLERANCE},
    {"adams-moulton", true, TOLERANCE_OF_TOLERANCE *TOLERANCE},
    {"rk4", false, 1e-7},
    {"semi-implicit", false, NAN},
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

/* A scenario in one of the formulations, with its draws. */
typedef struct opened {
    mechanism m;
    sarrus_draws *draws; /* of N_MANY instances; NULL: it has none */
    uint64_t every;      /* steps of an interval between observations */
} opened;

static opened open_subject(const subject *what, const method *by, bool is_relative) {
    char integrator[160];
    const double interval = what->t_end / (N_TIMES - 1), step = 1e-3;
    const uint64_t every = by->is_adaptive ? 1 : (uint64_t)ceil(interval / step);
    (void)snprintf(integrator, sizeof integrator, "{method: %s, dt: %.17g, t_end: %.17g%s}", by->word, interval / (double)every,
                   what->t_end, by->is_adaptive ? ", rtol: 1e-10, atol: 1e-12" : "");
    const bool is_judged = !isnan(by->tolerance); /* the error of a method of first order would end instances */
    const sarrus_override overrides[] = {{"integrator", integrator},
                                         {"dynamics.formulation", is_relative ? "relative" : "udwadia-kalaba"},
                                         {"output", "{channels: [state, rank]}"},
                                         {"limits", is_judged ? "{}" : "off"},
                                         {what->batch ? "batch" : NULL, what->batch},
                                         {NULL, NULL}};
    opened out = {.m = mechanism_open_file(what->file, overrides), .every = every};
    if (is_relative && !out.m.plan->relative)
        fail_msg("%s has no plan in relative coordinates", what->file);
    if (out.m.model->batch.n_sampled > 0)
        assert_int_equal(sarrus_draws_create(out.m.context, out.m.model, 4, N_MANY, &out.draws), SARRUS_OK);
    return out;
}

static void close_subject(opened *o) {
    sarrus_draws_destroy(o->draws);
    mechanism_close(&o->m);
}

/* All observables at N_TIMES times, [n_instances][N_TIMES][width]. */
typedef struct record {
    size_t n_instances;
    size_t width[SARRUS_N_OBSERVABLES];
    double *rows[SARRUS_N_OBSERVABLES];
} record;

static record record_take(sarrus_batch *batch, uint64_t every) {
    record r = {.n_instances = (size_t)sarrus_batch_n_instances(batch)};
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = every, .observe_first = 1, .n_times_stride = N_TIMES};
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
        r.width[k] = (size_t)sarrus_batch_observable_width(batch, (sarrus_observable)k);
        o.destination[k] = r.rows[k] = calloc(r.n_instances * N_TIMES * r.width[k] + 1, sizeof *r.rows[k]);
        assert_non_null(r.rows[k]);
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    return r;
}

static void record_free(record *r) {
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k)
        free(r->rows[k]);
}

static const double *row_of(const record *r, int observable, size_t i_instance, size_t i_time) {
    return r->rows[observable] + (i_instance * N_TIMES + i_time) * r->width[observable];
}

/* --- The same motion ------------------------------------------------------------------------------------------------------ */

/* Whether the numbers from i on of a row of reactions are the same in every solution. */
static bool is_determined(const sarrus_plan *plan, int observable, size_t i, size_t width) {
    if (observable != SARRUS_OBSERVE_REACTIONS)
        return true;
    return sarrus_plan_reaction_is_unique(plan, (int)(i / (width / (size_t)plan->mech.n_joints)));
}

/* Forces and accelerations follow from the state: with rates of 10/s its errors count a hundredfold. */
static double factor_of(int observable) {
    const bool is_second = observable == SARRUS_OBSERVE_REACTIONS || observable == SARRUS_OBSERVE_DRIVES ||
                           observable == SARRUS_OBSERVE_CONSTRAINTS || observable == SARRUS_OBSERVE_ACCELERATION;
    return is_second ? 100.0 : 1.0;
}

static void observable_compare(const char *what, const sarrus_plan *plan, const record *a, const record *r, int observable,
                               double tolerance) {
    const size_t width = a->width[observable];
    const double size = 1.0 + mechanism_size(a->rows[observable], a->n_instances * N_TIMES * width);
    for (size_t i = 0; i < a->n_instances; ++i)
        for (size_t k = 0; k < N_TIMES; ++k) {
            const double *x = row_of(a, observable, i, k), *y = row_of(r, observable, i, k);
            const double most = factor_of(observable) * (k == 0 ? TOLERANCE_MOVED : tolerance) * size;
            for (size_t j = 0; j < width; ++j)
                if (is_determined(plan, observable, j, width) && !(fabs(x[j] - y[j]) <= most))
                    fail_msg("%s: number %zu of observable %d of instance %zu at time %zu is %.17g, in absolute coordinates %.17g",
                             what, j, observable, i, k, y[j], x[j]);
        }
}

/* Rows of the loops are held by the projection of every step, to round-off of the lengths; those of the tree always are. */
static void errors_check(const char *what, const record *r) {
    for (size_t k = 0; k < r->n_instances * N_TIMES; ++k)
        if (!(r->rows[SARRUS_OBSERVE_POSITION_ERROR][k] <= 1e-9 && r->rows[SARRUS_OBSERVE_VELOCITY_ERROR][k] <= 1e-8))
            fail_msg("%s: the constraints are off by %g and %g", what, r->rows[SARRUS_OBSERVE_POSITION_ERROR][k],
                     r->rows[SARRUS_OBSERVE_VELOCITY_ERROR][k]);
}

static const int compared[] = {SARRUS_OBSERVE_Q,
                               SARRUS_OBSERVE_V,
                               SARRUS_OBSERVE_ENERGY,
                               SARRUS_OBSERVE_WORK,
                               SARRUS_OBSERVE_REACTIONS,
                               SARRUS_OBSERVE_DRIVES,
                               SARRUS_OBSERVE_CONSTRAINTS,
                               SARRUS_OBSERVE_ACCELERATION,
                               SARRUS_OBSERVE_JOINT_COORDINATES,
                               SARRUS_OBSERVE_JOINT_SPEEDS};

static void motions_compare(const subject *what, const method *by) {
    opened absolute = open_subject(what, by, false), relative = open_subject(what, by, true);
    sarrus_batch *a = mechanism_batch(&absolute.m, NULL, 1, N_FEW, absolute.draws);
    sarrus_batch *r = mechanism_batch(&relative.m, NULL, 1, N_FEW, relative.draws);
    record of_a = record_take(a, absolute.every), of_r = record_take(r, relative.every);
    char name[96];
    (void)snprintf(name, sizeof name, "%s, %s", what->file, by->word);
    for (uint64_t i = 0; i < N_FEW; ++i)
        if (sarrus_batch_status(a, i) != SARRUS_INSTANCE_OK || sarrus_batch_status(r, i) != SARRUS_INSTANCE_OK)
            fail_msg("%s: instance %d ends as %s, in absolute coordinates as %s", name, (int)i,
                     sarrus_instance_status_word(sarrus_batch_status(r, i)),
                     sarrus_instance_status_word(sarrus_batch_status(a, i)));
    for (size_t k = 0; k < sizeof compared / sizeof compared[0]; ++k)
        observable_compare(name, absolute.m.plan, &of_a, &of_r, compared[k], by->tolerance);
    assert_memory_equal(of_a.rows[SARRUS_OBSERVE_RANK], of_r.rows[SARRUS_OBSERVE_RANK], N_FEW * N_TIMES * sizeof(double));
    errors_check(name, &of_r);
    record_free(&of_a);
    record_free(&of_r);
    sarrus_batch_destroy(a);
    sarrus_batch_destroy(r);
    close_subject(&absolute);
    close_subject(&relative);
}

static const subject *subject_of(const char *file) {
    for (size_t i = 0; i < N_SUBJECTS; ++i)
        if (strcmp(subjects[i].file, file) == 0)
            return &subjects[i];
    fail_msg("%s is not on the list", file);
    return NULL;
}

static void every_mechanism_moves_as_in_absolute_coordinates(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SUBJECTS; ++i)
        motions_compare(&subjects[i], &methods[0]);
}

static void so_it_does_by_every_method(void **state) {
    (void)state;
    static const char *const files[] = {"driven_crank.yaml", "five_bar_monte_carlo.yaml", "arm_7r.yaml", "stewart_platform.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        for (size_t k = 1; k < N_METHODS; ++k)
            if (!isnan(methods[k].tolerance))
                motions_compare(subject_of(files[i]), &methods[k]);
}

/* --- Bits ----------------------------------------------------------------------------------------------------------------- */

static const char *const for_bits[] = {"four_bar.yaml", "five_bar_monte_carlo.yaml", "groove_cam.yaml", "bead_on_curve.yaml",
                                       "arm_7r.yaml",   "stewart_platform.yaml"};
enum { N_FOR_BITS = sizeof for_bits / sizeof for_bits[0] };

/* The first instances of two records have the same bits. */
static void bits_compare(const char *what, const record *a, const record *b) {
    const size_t n = a->n_instances < b->n_instances ? a->n_instances : b->n_instances;
    for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k)
        if (memcmp(a->rows[k], b->rows[k], n * N_TIMES * a->width[k] * sizeof(double)) != 0)
            fail_msg("%s: observable %d differs", what, k);
}

/* Steps alone, and then the state. */
static void unseen_compare(const char *what, const opened *o, const record *seen) {
    double q[MAX_N], v[MAX_N];
    sarrus_batch *batch = mechanism_batch(&o->m, NULL, 2, N_FEW, o->draws);
    const size_t n_q = seen->width[SARRUS_OBSERVE_Q], n_v = seen->width[SARRUS_OBSERVE_V];
    assert_true(n_q <= MAX_N && n_v <= MAX_N);
    assert_int_equal(sarrus_batch_advance(batch, o->every * (N_TIMES - 1)), SARRUS_OK);
    for (size_t i = 0; i < N_FEW; ++i) {
        assert_int_equal(sarrus_batch_state(batch, i, q, v), SARRUS_OK);
        if (memcmp(q, row_of(seen, SARRUS_OBSERVE_Q, i, N_TIMES - 1), n_q * sizeof *q) != 0 ||
            memcmp(v, row_of(seen, SARRUS_OBSERVE_V, i, N_TIMES - 1), n_v * sizeof *v) != 0)
            fail_msg("%s: instance %zu goes another way when nobody looks", what, i);
    }
    sarrus_batch_destroy(batch);
}

static void bits_depend_on_the_instance_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < N_FOR_BITS; ++i)
        for (size_t k = 0; k < N_METHODS; ++k) {
            char what[96];
            (void)snprintf(what, sizeof what, "%s, %s", for_bits[i], methods[k].word);
            opened o = open_subject(subject_of(for_bits[i]), &methods[k], true);
            assert_non_null(o.draws);
            sarrus_batch *many = mechanism_batch(&o.m, NULL, 1, N_MANY, o.draws);
            sarrus_batch *few = mechanism_batch(&o.m, NULL, 3, N_FEW, o.draws);
            record of_many = record_take(many, o.every), of_few = record_take(few, o.every);
            for (uint64_t n = 0; n < N_MANY; ++n)
                assert_int_equal(sarrus_batch_status(many, n), SARRUS_INSTANCE_OK);
            bits_compare(what, &of_many, &of_few);
            unseen_compare(what, &o, &of_few);
            assert_int_equal(sarrus_batch_reset(many), SARRUS_OK);
            record again = record_take(many, o.every);
            bits_compare(what, &of_many, &again);
            record_free(&again);
            record_free(&of_many);
            record_free(&of_few);
            sarrus_batch_destroy(many);
            sarrus_batch_destroy(few);
            close_subject(&o);
        }
}

/* --- Ranks ---------------------------------------------------------------------------------------------------------------- */

/* A threshold that the smallest singular value passes several times a turn. Rows of the tree count in what is told. */
static void changes_of_rank_are_of_all_rows(void **state) {
    (void)state;
    static const sarrus_override overrides[] = {
        {"dynamics.formulation", "relative"},
        {"dynamics.pinv", "lapack"},
        {"dynamics.rank", "{method: relative, tol: 0.6}"},
        {"integrator", "{method: rk4, dt: 0.01, t_end: 1.2, substeps: off}"},
        {"output", "{every: 1, channels: [rank]}"},
        {"limits", "{violation: off, energy: off, error: off}"},
        {NULL, NULL},
    };
    mechanism m = mechanism_open_file("four_bar.yaml", overrides);
    assert_non_null(m.plan->relative);
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .keep_rank_events = 1, .n_threads = 2};
    const int32_t n_all = m.plan->independence.n_independent, n_loops = m.plan->relative->mech.m;
    sarrus_batch *batch = NULL;
    const sarrus_rank_event *events = NULL;
    uint64_t n_events = 0;
    assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N_FEW, NULL, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, 120), SARRUS_OK);
    assert_int_equal(sarrus_batch_rank_events(batch, &events, &n_events), SARRUS_OK);
    assert_true(n_events > 0);
    for (uint64_t i = 0; i < n_events; ++i) {
        assert_in_range(events[i].rank_before, n_all - n_loops, n_all);
        assert_in_range(events[i].rank_after, n_all - n_loops, n_all);
        assert_int_not_equal(events[i].rank_before, events[i].rank_after);
    }
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* --- From outside --------------------------------------------------------------------------------------------------------- */

static const char pushed[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {k: 1.0}\n"
                             "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0, -0.5]},\n"
                             "         {name: tip, mass: 1, inertia: 0.1, position: [0, -1.5]}]\n"
                             "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: '=k', rest: 3},\n"
                             "         {name: B, type: revolute, bodies: [rod, tip], at: [0, -1]}]\n"
                             "forces: [{name: motor, type: torque, body: tip, value: {input: 0}}]\n"
                             "dynamics: {formulation: relative}\n"
                             "integrator: {method: dopri5, dt: 0.01, t_end: 1}\n"
                             "batch: {instances: 5, parameters: [{name: k, distribution: uniform, low: 1, high: 2}]}\n"
                             "output: {channels: [state, energy]}\n";

/* Inputs are written in place; they turn instances that are alike else. */
static void inputs_are_written_in_place(void **state) {
    (void)state;
    mechanism m = mechanism_open_text(pushed, NULL);
    assert_non_null(m.plan->relative);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N_FEW, NULL);
    sarrus_view view;
    double q[N_FEW][6], v[6];
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_Q, &view), SARRUS_UNSUPPORTED);
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_V, &view), SARRUS_UNSUPPORTED);
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_INPUT, &view), SARRUS_OK);
    assert_int_equal(view.n_components, 1);
    for (uint64_t i = 0; i < N_FEW; ++i) {
        const double torque = 10.0 * (double)i;
        mechanism_set_inputs(batch, i, &torque);
    }
    assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    for (uint64_t i = 0; i < N_FEW; ++i)
        assert_int_equal(sarrus_batch_state(batch, i, q[i], v), SARRUS_OK);
    for (int i = 1; i < N_FEW; ++i)
        assert_true(q[i][5] - q[i - 1][5] > 1e-4); /* rad, 10 N m for 0.03 s on some kg m² */
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* Springs of 1 … 2 N m/rad, one of them of 1e308: its energy is no number, and that instance ends where it is first looked at. */
static void an_instance_ends_where_it_is_looked_at(void **state) {
    (void)state;
    enum { I_STIFF = 3 };
    double energy[N_FEW];
    mechanism m = mechanism_open_text(pushed, NULL);
    assert_non_null(m.plan->relative);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N_FEW);
    for (int i = 0; i < N_FEW; ++i)
        draws->values[i] = i == I_STIFF ? 1e308 : 1.0 + 0.1 * i;
    sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N_FEW, draws);
    for (int i_look = 0; i_look < 2; ++i_look) {
        mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, energy);
        for (uint64_t i = 0; i < N_FEW; ++i) {
            assert_int_equal(sarrus_batch_status(batch, i), i == I_STIFF ? SARRUS_INSTANCE_NONFINITE_FORCE : SARRUS_INSTANCE_OK);
            assert_int_equal(isnan(energy[i]), i == I_STIFF);
        }
        assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
    mechanism_close(&m);
}

/* Euler parameters are those that were given, not their negatives, behind joints that cannot turn a whole turn further. */
static void orientations_keep_their_sign(void **state) {
    (void)state;
    static const char *const joints[] = {"type: fixed", "type: prismatic, axis: [1, 2, 0]",
                                         "type: screw, axis: [0, 0, 1], pitch: 0.1", "type: revolute, axis: [0, 1, 1]",
                                         "type: spherical"};
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; ++k) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "sarrus: 1\nspace: spatial\nbodies:\n"
                       "  - {name: a, mass: 1, inertia: [0.2, 0.2, 0.2], position: [1, 0, 0], "
                       "orientation: {axis: [0, 0, 1], angle: -2.5}}\n"
                       "  - {name: b, mass: 1, inertia: [0.2, 0.2, 0.2], position: [2, 0, 0], "
                       "orientation: {axis: [0, 0, 1], angle: 2.5}}\n"
                       "joints:\n  - {name: J, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 1]}\n"
                       "  - {name: K, %s, bodies: [%s], at: [1, 1, 0]}\n"
                       "dynamics: {formulation: relative}\nintegrator: {dt: 0.1, t_end: 0.1}\n",
                       joints[k], k % 2 ? "b, a" : "a, b");
        mechanism m = mechanism_open_text(text, NULL);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        double q[14], v[12];
        assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
        assert_true(fabs(q[3] - cos(1.25)) < 1e-14 && fabs(q[6] + sin(1.25)) < 1e-14);
        assert_true(fabs(q[10] - cos(1.25)) < 1e-14 && fabs(q[13] - sin(1.25)) < 1e-14);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* The same where a drive begins whole turns away, where it goes on to others, and where a state is put back that counts them: a
 * formulation's p is another one's, not −p. */
static void so_they_do_beyond_whole_turns(void **state) {
    (void)state;
    static const double begins[] = {1.0, 3.1, 3.2, 4.0, 7.0, 20.0, -3.2, -11.0};
    for (size_t k = 0; k < sizeof begins / sizeof begins[0]; ++k) {
        double q[2][2][14], v[12];
        for (int is_relative = 0; is_relative < 2; ++is_relative) {
            char text[1024];
            (void)snprintf(text, sizeof text,
                           "sarrus: 1\nspace: spatial\nbodies:\n"
                           "  - {name: a, mass: 1, inertia: [0.2, 0.2, 0.2], position: [1, 0, 0]}\n"
                           "  - {name: b, mass: 1, inertia: [0.2, 0.2, 0.2], position: [2, 0, 0]}\n"
                           "joints:\n  - {name: J, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0.6, 0.8], "
                           "drive: {signal: {polynomial: [%g, 10]}}}\n"
                           "  - {name: K, type: universal, bodies: [a, b], at: [1.5, 0, 0], axes: [[0, 1, 0], [0, 0, 1]], "
                           "damping: [1, 1]}\n"
                           "dynamics: {formulation: %s}\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n",
                           begins[k], is_relative ? "relative" : "udwadia-kalaba");
            mechanism m = mechanism_open_text(text, NULL);
            assert_int_equal(m.plan->relative != NULL, is_relative);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
            assert_int_equal(sarrus_batch_state(batch, 0, q[is_relative][0], v), SARRUS_OK);
            assert_int_equal(sarrus_batch_advance(batch, 50), SARRUS_OK);
            assert_int_equal(sarrus_batch_state(batch, 0, q[is_relative][1], v), SARRUS_OK);
            double back[14];
            assert_int_equal(sarrus_batch_copy_in(batch, SARRUS_FIELD_Q, NULL, q[is_relative][1]), SARRUS_OK);
            assert_int_equal(sarrus_batch_state(batch, 0, back, v), SARRUS_OK);
            assert_true(mechanism_distance(back, q[is_relative][1], 14) <= TOLERANCE_MOVED);
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
        if (!(mechanism_distance(q[0][0], q[1][0], 14) <= TOLERANCE_MOVED &&
              mechanism_distance(q[0][1], q[1][1], 14) <= 1e-5)) /* rk4, 0.1 rad a step */
            fail_msg("begun at %g rad: formulations are %g and %g apart", begins[k], mechanism_distance(q[0][0], q[1][0], 14),
                     mechanism_distance(q[0][1], q[1][1], 14));
    }
}

/* A body that is welded to ground has no coordinates, and a damper on it does no work. */
static void what_has_no_coordinates_rests(void **state) {
    (void)state;
    mechanism m =
        mechanism_open_text("sarrus: 1\nspace: planar\nbodies:\n  - {name: a, mass: 1, inertia: 0.2, position: [1, 0]}\n"
                            "joints:\n  - {name: J, type: fixed, bodies: [ground, a], at: [0, 0]}\n"
                            "forces:\n  - {name: F, type: spring, between: [[a, [0, 0]], [ground, [2, 2]]], stiffness: 10, "
                            "damping: 1, rest_length: 0.1}\n"
                            "dynamics: {formulation: relative}\nintegrator: {method: dopri5, dt: 0.01, t_end: 1}\n",
                            NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* Two hinges on one line: the second one's rows are all met by the first one's coordinate, and no method has any left. */
static void rows_may_all_be_met_by_the_tree(void **state) {
    (void)state;
    static const char *const methods_of_rows[] = {"auto", "lapack", "svd", "householder"};
    for (size_t k = 0; k < sizeof methods_of_rows / sizeof methods_of_rows[0]; ++k) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            "sarrus: 1\nspace: planar\ngravity: [0, 0]\nbodies:\n  - {name: d, mass: 1, inertia: 0.2, position: [0.5, 0.1], "
            "angular_velocity: 1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, d], at: [0, 0]}\n"
            "  - {name: B, type: revolute, bodies: [ground, d], at: [0, 0]}\n"
            "dynamics: {formulation: relative, pinv: %s}\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n",
            methods_of_rows[k]);
        mechanism m = mechanism_open_text(text, NULL);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        double q[3], v[3];
        assert_int_equal(sarrus_batch_state(batch, 0, NULL, v), SARRUS_OK);
        const double rate = v[2];
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
        assert_true(fabs(q[2] - rate) < 1e-13); /* 1 s without a load */
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* Of a redundant loop the rows that are kept stay apart wherever the mechanism is regular: a parallelogram has no change point but
 * where all of its links lie on one line, and is nowhere close to one where it hangs straight down. */
static void rows_that_are_kept_stay_apart(void **state) {
    (void)state;
    const sarrus_override relative[] = {{"dynamics.formulation", "relative"}, {"integrator.dt", "0.01"}, {0}};
    const sarrus_override absolute[] = {{"integrator.dt", "0.01"}, {0}};
    for (int k = 0; k < 2; ++k) {
        mechanism m = mechanism_open_file("five_bar.yaml", k ? relative : absolute);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        sarrus_instance_verdict told;
        assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_verdict(batch, 0, &told), SARRUS_OK);
        assert_true(told.nearest_change_point > 0.3);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mechanism_moves_as_in_absolute_coordinates),
        cmocka_unit_test(so_it_does_by_every_method),
        cmocka_unit_test(orientations_keep_their_sign),
        cmocka_unit_test(so_they_do_beyond_whole_turns),
        cmocka_unit_test(what_has_no_coordinates_rests),
        cmocka_unit_test(rows_may_all_be_met_by_the_tree),
        cmocka_unit_test(rows_that_are_kept_stay_apart),
        cmocka_unit_test(bits_depend_on_the_instance_alone),
        cmocka_unit_test(changes_of_rank_are_of_all_rows),
        cmocka_unit_test(inputs_are_written_in_place),
        cmocka_unit_test(an_instance_ends_where_it_is_looked_at),
    };
    return cmocka_run_group_tests_name("conformance.relative", tests, NULL, NULL);
}
