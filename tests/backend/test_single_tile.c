/* Tiles of doubles as floats, and back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backend/single_tile.h"
#include "plan/fields.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"

enum { WIDTH = 4 };

/* Of a five-bar over its tree. */
typedef struct subject {
    mechanism m;
    const sarrus_mechanism *mech;
    sarrus_single_tiles how;
    sarrus_tile_field field[SARRUS_N_FIELDS];
    size_t n_arrays, n_doubles; /* of a tile */
    double *tiles;              /* two of them, all numbers different and none a float */
    float *floats;
} subject;

static void subject_open(subject *s) {
    const sarrus_override settings[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    s->m = mechanism_open_file("five_bar.yaml", settings);
    s->mech = &sarrus_plan_stepped(s->m.plan)->mech;
    s->n_arrays = (size_t)s->mech->layout.n_arrays;
    s->n_doubles = s->n_arrays * WIDTH;
    s->how = (sarrus_single_tiles){s->mech, WIDTH};
    sarrus_plan_fields(s->mech, s->field);
    s->tiles = calloc(2 * s->n_doubles, sizeof *s->tiles);
    s->floats = calloc(sarrus_single_tile_arrays(s->mech) * 2 * WIDTH, sizeof *s->floats);
    assert_true(s->tiles && s->floats);
    for (size_t i = 0; i < 2 * s->n_doubles; ++i)
        s->tiles[i] = (i % 2 == 0 ? 1.0 : -1.0) * sqrt((double)i + 2.1);
}

static void subject_close(subject *s) {
    free(s->tiles);
    free(s->floats);
    mechanism_close(&s->m);
}

static bool is_written(const subject *s, size_t i_array) {
    const sarrus_tile_layout *at = &s->mech->layout;
    const int32_t range[][2] = SARRUS_STEPPED_RANGES(at);
    for (int k = 0; k < SARRUS_N_STEPPED_RANGES; ++k) {
        if ((int32_t)i_array >= range[k][0] && (int32_t)i_array < range[k][1])
            return true;
    }
    return false;
}

/* The ranges that hosts and devices go by are the fields that the table calls STEPPED. */
static void ranges_are_the_fields(void **state) {
    subject s;
    (void)state;
    subject_open(&s);
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        for (int32_t i = s.field[k].at; i < s.field[k].at + s.field[k].n; ++i)
            assert_int_equal(is_written(&s, (size_t)i), s.field[k].kind == SARRUS_FIELD_STEPPED);
    }
    subject_close(&s);
}

/* A state keeps 2⁻⁴⁸ of itself and is the same after every further way there and back; fields that steps write come back as floats,
 * others as they were, and a tile that is not there is not touched. */
static void states_come_back(void **state) {
    subject s;
    (void)state;
    subject_open(&s);
    const sarrus_tile_layout *at = &s.mech->layout;
    double *given = calloc(2 * s.n_doubles, sizeof *given);
    for (int32_t n = 1; n <= 2; ++n) {
        for (size_t i = 0; i < 2 * s.n_doubles; ++i)
            given[i] = s.tiles[i];
        sarrus_single_tile_take(&s.how, given, n, 0, s.floats);
        sarrus_single_tile_give(&s.how, s.floats, n, given);
        for (size_t i = 0; i < 2 * s.n_doubles; ++i) {
            const int32_t i_array = (int32_t)(i % s.n_doubles) / WIDTH;
            const bool is_state =
                (i_array >= at->q && i_array < at->q + s.mech->n_q) || (i_array >= at->v && i_array < at->v + s.mech->n_v);
            if (i / s.n_doubles >= (size_t)n || !is_written(&s, (size_t)i_array))
                assert_true(given[i] == s.tiles[i]);
            else if (is_state)
                assert_true(fabs(given[i] - s.tiles[i]) <= 0x1p-48 * fabs(s.tiles[i]));
            else
                assert_true(given[i] == (double)(float)s.tiles[i]);
        }
        double *once = malloc(2 * s.n_doubles * sizeof *once);
        for (size_t i = 0; i < 2 * s.n_doubles; ++i)
            once[i] = given[i];
        sarrus_single_tile_take(&s.how, given, n, 0, s.floats);
        sarrus_single_tile_give(&s.how, s.floats, n, given);
        for (size_t i = 0; i < (size_t)n * s.n_doubles; ++i)
            assert_true(given[i] == once[i]);
        free(once);
    }
    free(given);
    subject_close(&s);
}

/* Of one tile the other half of the lanes repeats it: nothing there is out of the ordinary. */
static void a_single_tile_is_repeated(void **state) {
    subject s;
    (void)state;
    subject_open(&s);
    sarrus_single_tile_take(&s.how, s.tiles, 1, 0, s.floats);
    for (size_t i = 0; i < sarrus_single_tile_arrays(s.mech); ++i) {
        for (size_t lane = 0; lane < WIDTH; ++lane)
            assert_true(s.floats[i * 2 * WIDTH + lane] == s.floats[i * 2 * WIDTH + WIDTH + lane]);
    }
    subject_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_the_fields),
        cmocka_unit_test(states_come_back),
        cmocka_unit_test(a_single_tile_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
