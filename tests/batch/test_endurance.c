/* Claim: environments that are stepped at random for long - inputs that are random, NaN, infinite or absurdly large; resets, draws,
 * written states, written parameters, saves and loads of instances in every order - stand on what they stood on before: an input
 * that is no number, or none of sense, harms its own instance until that begins anew, and nobody else, ever. What is compared is a
 * twin of other threads, which is led the same way without such inputs: to the bit.
 *
 * SARRUS_ENDURANCE_STEPS says how many environment steps are made (docs/verification.md has the figures of the long runs). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/stepping_cases.h"

/* A mechanism, how many of it there are, which share of all steps it makes, and what its motors can do. */
typedef struct course {
    const char *file;
    const sarrus_override *overrides;
    uint64_t n;
    double share, strength;
} course;

static const sarrus_override arm_overrides[] = {{"dynamics.formulation", "udwadia-kalaba"}, {NULL, NULL}};
static const sarrus_override pendulum_overrides[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
static const sarrus_override chooser_overrides[] = {
    {"integrator", "{method: dopri5, dt: 0.01, rtol: 1.0e-6, atol: 1.0e-8, max_steps: 5000, t_end: 4}"}, {NULL, NULL}};
static const sarrus_override spatial_overrides[] = {
    {"forces", "[{name: motor, type: torque, body: crank, value: [0, 0, {input: 0}]}]"},
    {"batch", "{instances: 4, seed: 3, parameters: [{path: bodies.crank.mass, distribution: normal, mean: 3, sd: 0.1, min: 2}]}"},
    {NULL, NULL}};

/* The first has as many as it takes for threads to share resets, copies and assemblies. */
static const course courses[] = {
    {"../python/sarrus/gym/scenarios/five_bar_arm.yaml", arm_overrides, 1531, 0.5, 1.0},
    {"../python/sarrus/gym/scenarios/parallel_pendulum.yaml", pendulum_overrides, 61, 0.2, 2.0},
    {"../python/sarrus/gym/scenarios/five_bar_arm.yaml", chooser_overrides, 29, 0.1, 0.2},
    {"spatial_four_bar.yaml", spatial_overrides, 37, 0.2, 10.0},
};
enum { N_COURSES = sizeof courses / sizeof courses[0], HARMED = 0, TWIN = 1, MOST_NUMBERS = 64 };

/* A batch and its twin, and what leads both. */
typedef struct pair {
    mechanism m;
    sarrus_batch *batch[2];
    uint64_t n, random;
    double strength;
    uint8_t *mask;
    uint8_t *is_apart, *was_apart; /* instances that a bad input has been given since they began; and when the save was made */
    double *input[2], *before;     /* [n][n_inputs]; [n] statuses before a step */
    double *row[2], *start;        /* [n][MOST_NUMBERS] scratch; the parameters that were drawn first */
    unsigned char *saved[2];       /* NULL: nothing yet */
    size_t n_saved[2];
    uint64_t n_harmed, n_back, n_well, n_seen, n_begun; /* what has been met */
} pair;

static double uniform(pair *p) {
    return 0.5 * (mechanism_random(&p->random) + 1.0);
}

static void *room(uint64_t n, size_t size) {
    void *made = calloc((size_t)n, size);
    assert_non_null(made);
    return made;
}

static pair pair_open(const course *c) {
    pair p = {.m = mechanism_open_file(c->file, c->overrides), .n = c->n, .random = 20261, .strength = c->strength};
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(p.m.context, p.m.model, 7, c->n, &draws), SARRUS_OK);
    p.mask = room(c->n, 1);
    p.is_apart = room(c->n, 1);
    p.was_apart = room(c->n, 1);
    p.before = room(c->n, sizeof(double));
    p.start = room(c->n * MOST_NUMBERS, sizeof(double));
    for (int k = 0; k < 2; ++k) {
        p.batch[k] = mechanism_batch(&p.m, NULL, k == HARMED ? 3 : 1, c->n, draws);
        p.input[k] = room(c->n * MOST_NUMBERS, sizeof(double));
        p.row[k] = room(c->n * MOST_NUMBERS, sizeof(double));
    }
    for (int field = SARRUS_FIELD_Q; field <= SARRUS_FIELD_PARAMETER; ++field)
        assert_in_range(sarrus_batch_field_width(p.batch[TWIN], (sarrus_field)field), 1, MOST_NUMBERS);
    assert_int_equal(sarrus_batch_copy_out(p.batch[TWIN], SARRUS_FIELD_PARAMETER, p.start), SARRUS_OK);
    sarrus_draws_destroy(draws);
    return p;
}

static void pair_close(pair *p) {
    for (int k = 0; k < 2; ++k) {
        sarrus_batch_destroy(p->batch[k]);
        free(p->input[k]);
        free(p->row[k]);
        free(p->saved[k]);
    }
    free(p->mask);
    free(p->is_apart);
    free(p->was_apart);
    free(p->before);
    free(p->start);
    mechanism_close(&p->m);
}

/* Mostly a few instances, now and then none or all. */
static void mask_choose(pair *p) {
    const double density = uniform(p) < 0.02 ? 1.0 : uniform(p) < 0.1 ? 0.0 : 0.06;
    for (uint64_t i = 0; i < p->n; ++i)
        p->mask[i] = uniform(p) < density;
}

/* The masked instances have begun anew from the same numbers in both batches. */
static void together(pair *p) {
    for (uint64_t i = 0; i < p->n; ++i)
        if (p->mask[i]) {
            ++p->n_begun;
            p->n_back += p->is_apart[i];
            p->is_apart[i] = 0;
        }
}

static void reset_some(pair *p) {
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_reset_some(p->batch[k], p->mask), SARRUS_OK);
    together(p);
}

static void reset_all(pair *p) {
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_reset(p->batch[k]), SARRUS_OK);
    memset(p->mask, 1, (size_t)p->n);
    together(p);
}

/* By seeds and numbers, or by the next episode. */
static void redraw(pair *p) {
    uint64_t *seeds = room(p->n, sizeof *seeds), *numbers = room(p->n, sizeof *numbers);
    for (uint64_t i = 0; i < p->n; ++i) {
        seeds[i] = (uint64_t)(1e6 * uniform(p));
        numbers[i] = UINT64_MAX - (uint64_t)(1e6 * uniform(p));
    }
    const bool is_own = uniform(p) < 0.5;
    const sarrus_redraw how = {
        .size = sizeof how, .mask = p->mask, .seeds = is_own ? seeds : NULL, .numbers = is_own ? numbers : NULL};
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_redraw(p->batch[k], &how), SARRUS_OK);
    together(p);
    free(seeds);
    free(numbers);
}

/* Writes a field of the masked instances of both batches: what the twin has, by `scale` more or less, and now and then nonsense. */
static void field_shake(pair *p, sarrus_field field, const double *from, double scale, bool has_nonsense) {
    const double nonsense[] = {(double)NAN, (double)INFINITY, 1e300, -1.0, 0.0};
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[TWIN], field);
    double *to = p->row[0];
    if (!from) {
        assert_int_equal(sarrus_batch_copy_out(p->batch[TWIN], field, p->row[1]), SARRUS_OK);
        from = p->row[1];
    }
    for (uint64_t i = 0; i < p->n * width; ++i) {
        to[i] = from[i] * (1.0 + scale * mechanism_random(&p->random));
        if (has_nonsense && uniform(p) < 0.02)
            to[i] = nonsense[(int)(4.99 * uniform(p))];
    }
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_copy_in(p->batch[k], field, p->mask, to), SARRUS_OK);
}

static void assemble(pair *p) {
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_assemble(p->batch[k], p->mask), SARRUS_OK);
    together(p);
}

static void write_state(pair *p) {
    const bool has_nonsense = uniform(p) < 0.2;
    field_shake(p, SARRUS_FIELD_Q, NULL, 1e-3, has_nonsense);
    field_shake(p, SARRUS_FIELD_V, NULL, 0.1, has_nonsense);
    assemble(p);
}

static void write_parameters(pair *p) {
    field_shake(p, SARRUS_FIELD_PARAMETER, p->start, 0.03, uniform(p) < 0.2);
    assemble(p);
}

/* Speeds of instances in the middle of their motion: it goes on from there, and whoever was apart stays so. */
static void brake(pair *p) {
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[TWIN], SARRUS_FIELD_V);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(sarrus_batch_copy_out(p->batch[k], SARRUS_FIELD_V, p->row[k]), SARRUS_OK);
        for (uint64_t i = 0; i < p->n * width; ++i)
            p->row[k][i] *= 0.5;
        assert_int_equal(sarrus_batch_copy_in(p->batch[k], SARRUS_FIELD_V, p->mask, p->row[k]), SARRUS_OK);
    }
}

static void save(pair *p) {
    for (int k = 0; k < 2; ++k) {
        free(p->saved[k]);
        p->n_saved[k] = sarrus_batch_save_size(p->batch[k]);
        p->saved[k] = room(p->n_saved[k], 1);
        assert_int_equal(sarrus_batch_save(p->batch[k], p->saved[k], p->n_saved[k]), SARRUS_OK);
    }
    memcpy(p->was_apart, p->is_apart, (size_t)p->n);
}

/* Now and then the twin goes on from what was saved of the other: then all are together. */
static void load(pair *p) {
    if (!p->saved[HARMED])
        return;
    const bool is_crossed = uniform(p) < 0.2;
    const int from = is_crossed ? HARMED : TWIN;
    assert_int_equal(sarrus_batch_load(p->batch[HARMED], p->saved[HARMED], p->n_saved[HARMED]), SARRUS_OK);
    assert_int_equal(sarrus_batch_load(p->batch[TWIN], p->saved[from], p->n_saved[from]), SARRUS_OK);
    memcpy(p->is_apart, p->was_apart, (size_t)p->n);
    if (is_crossed)
        memset(p->is_apart, 0, (size_t)p->n);
}

/* What is done to instances between two steps, and how often. */
static void meddle(pair *p) {
    static const struct deed {
        double share;
        void (*run)(pair *p);
    } deeds[] = {{0.25, reset_some}, {0.15, redraw}, {0.06, write_state}, {0.04, write_parameters},
                 {0.05, brake},      {0.04, save},   {0.03, load},        {0.005, reset_all}};
    double chance = uniform(p);
    mask_choose(p);
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; ++i) {
        if (chance >= 0.0 && chance < deeds[i].share)
            deeds[i].run(p);
        chance -= deeds[i].share;
    }
}

/* An input as nobody means it; most of them the first, of which it is known what must follow. */
static double bad_input(pair *p) {
    const double bad[] = {(double)NAN, (double)NAN, (double)INFINITY, -(double)INFINITY, -1e300, 1e16, 1e30, 1e12};
    return bad[(int)(7.99 * uniform(p))];
}

static void inputs_choose(pair *p) {
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[TWIN], SARRUS_FIELD_INPUT);
    for (uint64_t i = 0; i < p->n * width; ++i) {
        p->input[TWIN][i] = p->input[HARMED][i] = p->strength * mechanism_random(&p->random) * (uniform(p) < 0.02 ? 20.0 : 1.0);
        if (uniform(p) < 0.002) {
            p->input[HARMED][i] = bad_input(p);
            p->is_apart[i / width] = 1;
            ++p->n_harmed;
        }
    }
}

/* By a copy, or in place. */
static void inputs_write(pair *p, bool is_in_place) {
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[TWIN], SARRUS_FIELD_INPUT);
    for (int k = 0; k < 2; ++k) {
        sarrus_view view;
        if (!is_in_place) {
            assert_int_equal(sarrus_batch_copy_in(p->batch[k], SARRUS_FIELD_INPUT, NULL, p->input[k]), SARRUS_OK);
            continue;
        }
        assert_int_equal(sarrus_batch_view(p->batch[k], SARRUS_FIELD_INPUT, &view), SARRUS_OK);
        for (uint64_t i = 0; i < p->n; ++i)
            for (uint64_t j = 0; j < width; ++j)
                view.base[i / view.width * view.stride + j * view.width + i % view.width] = p->input[k][i * width + j];
    }
}

/* Whether an instance was given an input that is NaN or infinite. */
static bool has_no_number(const pair *p, uint64_t i) {
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[HARMED], SARRUS_FIELD_INPUT);
    bool has_none = false;
    for (uint64_t j = 0; j < width; ++j)
        has_none = has_none || !isfinite(p->input[HARMED][i * width + j]);
    return has_none;
}

/* After a step: every status is one, and that of an input that is no number is known. */
static void statuses_look(pair *p, double *status) {
    assert_int_equal(sarrus_batch_copy_out(p->batch[HARMED], SARRUS_FIELD_STATUS, status), SARRUS_OK);
    for (uint64_t i = 0; i < p->n; ++i) {
        assert_true(status[i] >= SARRUS_INSTANCE_OK && status[i] <= SARRUS_INSTANCE_INDETERMINATE && status[i] == floor(status[i]));
        if (p->before[i] == (double)SARRUS_INSTANCE_OK && has_no_number(p, i))
            assert_int_equal((int)status[i], SARRUS_INSTANCE_NONFINITE_FORCE);
        if (p->before[i] != (double)SARRUS_INSTANCE_OK)
            assert_true(status[i] == p->before[i]);
    }
}

/* Coordinates or speeds: finite where an instance is well, and the twin's unless it is apart. */
static void field_compare(pair *p, sarrus_field field, const double *status) {
    const uint64_t width = (uint64_t)sarrus_batch_field_width(p->batch[TWIN], field);
    for (int k = 0; k < 2; ++k)
        assert_int_equal(sarrus_batch_copy_out(p->batch[k], field, p->row[k]), SARRUS_OK);
    for (uint64_t i = 0; i < p->n * width; ++i) {
        if (status[i / width] == (double)SARRUS_INSTANCE_OK)
            assert_true(isfinite(p->row[HARMED][i]));
        if (!p->is_apart[i / width] && memcmp(&p->row[HARMED][i], &p->row[TWIN][i], sizeof(double)) != 0)
            fail_msg("field %d of instance %d is %.17g, not %.17g", (int)field, (int)(i / width), p->row[HARMED][i],
                     p->row[TWIN][i]);
    }
}

/* Everything there is to see. */
static void all_compare(pair *p) {
    stepping_look a = stepping_see(p->batch[HARMED]), b = stepping_see(p->batch[TWIN]);
    for (uint64_t i = 0; i < p->n; ++i)
        if (!p->is_apart[i])
            stepping_same(&a, i, &b, i);
    stepping_look_free(&a);
    stepping_look_free(&b);
}

static void pair_step(pair *p, uint64_t k) {
    double *status = room(p->n, sizeof *status);
    meddle(p);
    inputs_choose(p);
    inputs_write(p, k % 2 == 1);
    assert_int_equal(sarrus_batch_copy_out(p->batch[HARMED], SARRUS_FIELD_STATUS, p->before), SARRUS_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(sarrus_batch_advance(p->batch[i], 1), SARRUS_OK);
    statuses_look(p, status);
    field_compare(p, SARRUS_FIELD_Q, status);
    field_compare(p, SARRUS_FIELD_V, status);
    field_compare(p, SARRUS_FIELD_STATUS, status);
    for (uint64_t i = 0; i < p->n; ++i)
        p->n_well += !p->is_apart[i] && status[i] == (double)SARRUS_INSTANCE_OK;
    p->n_seen += p->n;
    if (k % 16 == 15)
        all_compare(p);
    free(status);
}

static void environments_endure(void **state) {
    (void)state;
    const char *asked = getenv("SARRUS_ENDURANCE_STEPS");
    const double n_steps = asked ? strtod(asked, NULL) : 1e5;
    assert_true(n_steps > 0.0 && n_steps < 1e12);
    for (int i = 0; i < N_COURSES; ++i) {
        pair p = pair_open(&courses[i]);
        const uint64_t n_rounds = (uint64_t)ceil(n_steps * courses[i].share / (double)p.n);
        for (uint64_t k = 0; k < n_rounds; ++k)
            pair_step(&p, k);
        reset_all(&p);
        redraw(&p);
        all_compare(&p);
        print_message("%s: %llu environment steps, %llu beginnings, %llu bad inputs, %llu back from one; %.1f %% well\n",
                      courses[i].file, (unsigned long long)p.n_seen, (unsigned long long)p.n_begun, (unsigned long long)p.n_harmed,
                      (unsigned long long)p.n_back, 100.0 * (double)p.n_well / (double)p.n_seen);
        /* What was to be tried has been, unless a run is too short for it. */
        assert_true(p.n_seen < 10000 || (p.n_harmed > 10 && p.n_back > 10 && 2 * p.n_well > p.n_seen));
        pair_close(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(environments_endure)};
    return cmocka_run_group_tests_name("batch.endurance", tests, NULL, NULL);
}
