/* A matrix's bits depend on nothing but itself: not on what the other lanes of its tile hold, nor on its place. All methods, both
 * forms, every instruction set that this machine has. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"
#include "tests/support/matrices.h"
#include "tests/support/pinv_cases.h"
#include "tests/support/pinv_traits.h"

enum { N_PLACES = 11, MOST = 27 * 26 }; /* a tile of 8 and a part of the next */

/* One matrix and all that comes back for it. */
typedef struct question {
    double a[MOST], b[MOST]; /* b [m][n_rhs] */
    int32_t max_rank;
    double violation;
} question;

typedef struct answer {
    double x[MOST];
    int32_t rank;
    double kept, dropped, n_sweeps;
} answer;

typedef struct shape {
    int m, n, n_rhs;
} shape;

static void compute(const sarrus_pinv_options *options, shape s, int n_questions, const question *questions, answer *answers) {
    const int n_a = s.m * s.n, n_b = s.m * s.n_rhs, n_x = s.n * (s.n_rhs > 0 ? s.n_rhs : s.m);
    static double a[N_PLACES * MOST], b[N_PLACES * MOST], x[N_PLACES * MOST];
    double kept[N_PLACES], dropped[N_PLACES], sweeps[N_PLACES], violation[N_PLACES];
    int32_t rank[N_PLACES], max_rank[N_PLACES];
    for (int i = 0; i < n_questions; ++i) {
        memcpy(a + i * n_a, questions[i].a, (size_t)n_a * sizeof *a);
        memcpy(b + i * n_b, questions[i].b, (size_t)n_b * sizeof *b);
        max_rank[i] = questions[i].max_rank;
        violation[i] = questions[i].violation;
    }
    const sarrus_pinv_batch batch = {
        (uint64_t)n_questions, s.m, s.n, s.n_rhs, a, b, x, max_rank, violation, rank, kept, dropped, sweeps};
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    memset(answers, 0, (size_t)n_questions * sizeof *answers); /* so that answers compare as bytes */
    for (int i = 0; i < n_questions; ++i) {
        memcpy(answers[i].x, x + i * n_x, (size_t)n_x * sizeof *x);
        answers[i].rank = rank[i];
        answers[i].kept = kept[i];
        answers[i].dropped = dropped[i];
        answers[i].n_sweeps = sweeps[i];
    }
}

static void from_class(pinv_class class, shape s, uint64_t seed, question *out) {
    pinv_case made;
    uint64_t random = seed;
    memset(out, 0, sizeof *out);
    pinv_case_create(class, s.m, s.n, seed, &made);
    memcpy(out->a, made.a, (size_t)(s.m * s.n) * sizeof(double));
    for (int i = 0; i < s.m * s.n_rhs; ++i)
        out->b[i] = matrix_number(&random);
    out->max_rank = made.rank;
    pinv_case_free(&made);
}

/* What other lanes may hold: each class, and what no class may. */
enum { N_STRANGE = 5, N_NEIGHBOURS = N_PINV_CLASSES + N_STRANGE };

static void neighbor(int kind, shape s, question *out) {
    if (kind < N_PINV_CLASSES) {
        from_class((pinv_class)kind, s, 77, out);
        return;
    }
    from_class(PINV_FULL, s, 78, out);
    switch (kind - N_PINV_CLASSES) {
    case 0:
        out->a[s.n - 1] = (double)NAN;
        break;
    case 1:
        out->a[0] = -(double)INFINITY;
        break;
    case 2:
        for (int i = 0; i < s.m * s.n; ++i)
            out->a[i] = 1.7e308;
        break;
    case 3:
        out->b[0] = (double)NAN;
        break;
    default:
        out->max_rank = 0;
        out->violation = 1.0;
        out->b[0] = 1e308;
        break;
    }
}

static bool compare(const answer *left, const answer *right) {
    return memcmp(left, right, sizeof *left) == 0;
}

static void check_subject(const sarrus_pinv_options *options, shape s, const question *subject, const question *others) {
    static question all[N_PLACES];
    static answer answers[N_PLACES], alone[1];
    compute(options, s, 1, subject, alone);
    for (int kind = 0; kind < N_NEIGHBOURS; ++kind) {
        const int place = kind % N_PLACES;
        for (int i = 0; i < N_PLACES; ++i)
            all[i] = i == place ? *subject : others[(kind + (i + 1) / 2) % N_NEIGHBOURS];
        compute(options, s, N_PLACES, all, answers);
        if (!compare(&answers[place], alone)) {
            fail_msg("%s %s, rank method %s, %dx%d, %d right sides: place %d with neighbors from %d on gives other bits",
                     sarrus_pinv_method_word(options->method), options->isa, sarrus_rank_method_word(options->rank_method), s.m,
                     s.n, s.n_rhs, place, kind);
        }
    }
}

static const pinv_class subject_classes[] = {PINV_FULL,     PINV_LESS_ONE, PINV_ZERO, PINV_SPECTRUM,
                                             PINV_INTEGERS, PINV_DIAGONAL, PINV_ROWS};
static const shape shapes[] = {{5, 7, 0}, {5, 7, 2},   {9, 4, 0},   {9, 4, 3},  {12, 12, 0},
                               {1, 3, 1}, {26, 27, 0}, {27, 26, 0}, {26, 26, 1}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_SUBJECTS = sizeof subject_classes / sizeof *subject_classes };

static question neighbors[N_SHAPES][N_NEIGHBOURS], subjects[N_SHAPES][N_SUBJECTS];

static int create_questions(void **state) {
    (void)state;
    for (int i = 0; i < N_SHAPES; ++i) {
        for (int kind = 0; kind < N_NEIGHBOURS; ++kind)
            neighbor(kind, shapes[i], &neighbors[i][kind]);
        for (int k = 0; k < N_SUBJECTS; ++k)
            from_class(subject_classes[k], shapes[i], 5, &subjects[i][k]);
    }
    return 0;
}

static void check_method(const sarrus_pinv_options *options) {
    for (int i = 0; i < N_SHAPES; ++i) {
        for (int k = 0; k < N_SUBJECTS; ++k)
            check_subject(options, shapes[i], &subjects[i][k], neighbors[i]);
    }
}

static void check_isa(const char *isa) {
    const double one = 1.0;
    double x = 0.0;
    sarrus_pinv_options options = {.isa = isa, .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = 1, .m = 1, .n = 1, .a = &one, .x = &x};
    if (sarrus_pinv_compute(NULL, &options, &batch) != SARRUS_OK)
        skip();
    for (int method = 0; method < SARRUS_N_PINV_HOST_METHODS; ++method) {
        options.method = (sarrus_pinv_method)method;
        options.rank_tolerance = pinv_trait_of(options.method).claim == PINV_IS_REGULARISED ? 1e-5 : 0.0;
        if (options.method != SARRUS_PINV_LAPACK)
            check_method(&options);
    }
    options.method = SARRUS_PINV_AUTO;
    options.rank_tolerance = 0.0;
    for (int rank_method = 1; rank_method < SARRUS_N_RANK_METHODS; ++rank_method) {
        options.rank_method = (sarrus_rank_method)rank_method;
        check_method(&options);
    }
}

static void test_avx512(void **state) {
    (void)state;
    check_isa("avx512");
}
static void test_avx2(void **state) {
    (void)state;
    check_isa("avx2");
}
static void test_baseline(void **state) {
    (void)state;
    check_isa("baseline");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avx512),
        cmocka_unit_test(test_avx2),
        cmocka_unit_test(test_baseline),
    };
    return cmocka_run_group_tests_name("kernels.pinv_lanes", tests, create_questions, NULL);
}
