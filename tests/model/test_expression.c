/* Expressions: what they compute, and what is kept from muParser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/expression.h"

/* An expression object with L = 2 and m = 3 bound. */
struct fixture {
    sarrus_expression *expression;
    double length, mass;
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture = (struct fixture){NULL, 2, 3};
    *state = &fixture;
    return sarrus_expression_create(&fixture.expression) != SARRUS_OK ||
           sarrus_expression_bind(fixture.expression, "L", &fixture.length) != SARRUS_OK ||
           sarrus_expression_bind(fixture.expression, "m", &fixture.mass) != SARRUS_OK;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    sarrus_expression_destroy(fixture->expression);
    return 0;
}

static void values(void **state) {
    struct fixture *fixture = *state;
    const struct {
        const char *text;
        double expected;
    } cases[] = {{"m*L^2/12", 1},     {"-L/2", -1},         {"pi", M_PI},          {"_pi", M_PI}, {"sin(pi/2)", 1},
                 {"L>1 ? m : -m", 3}, {"max(L, m, 1)", 3},  {"atan2(0, 1)", 0},    {"2^-1", 0.5}, {"L==2 && m!=3", 0},
                 {"1e-3*1E3", 1},     {" ( L ) ", 2},       {"2^3^2", 512},        {"-2^2", -4},  {"sum(1,2,(L))", 5},
                 {"180*deg", M_PI},   {"sin(30*deg)", 0.5}, {"90*deg == pi/2", 1}, {"L<=2", 1},   {"L>=3 || 1", 1},
                 {"rint(2.6)", 3},    {"exp(ln(L))", 2},    {"sqrt(abs(-4))", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double value = 0;
        sarrus_expression_fault fault;
        assert_int_equal(sarrus_expression_compile(fixture->expression, cases[i].text, &value, &fault), SARRUS_OK);
        /* exp(ln(2)), and the sine of 30 degrees, may be a rounding off; all others are exact */
        if (fabs(value - cases[i].expected) > 1e-15 * fabs(cases[i].expected)) {
            fail_msg("%s is %.17g", cases[i].text, value);
        }
        assert_true(sarrus_expression_evaluate(fixture->expression) == value);
    }
}

static void bound_addresses_are_read_each_time(void **state) {
    struct fixture *fixture = *state;
    double value = 0;
    sarrus_expression_fault fault;
    assert_int_equal(sarrus_expression_compile(fixture->expression, "L+m", &value, &fault), SARRUS_OK);
    fixture->length = 10;
    assert_true(sarrus_expression_evaluate(fixture->expression) == 13);
    fixture->mass = (double)INFINITY;
    assert_true(isinf(sarrus_expression_evaluate(fixture->expression)));
}

static void check_fault(sarrus_expression *expression, const char *text, size_t position, const char *part) {
    double value = 0;
    sarrus_expression_fault fault;
    assert_int_equal(sarrus_expression_compile(expression, text, &value, &fault), SARRUS_BAD_INPUT);
    if (fault.position != position || strstr(fault.message, part) == NULL) {
        fail_msg("%s: found %zu: %s", text, fault.position, fault.message);
    }
    assert_true(fault.position <= strlen(text));
    assert_true(fault.position + fault.n_token <= strlen(text));
}

static void faults(void **state) {
    struct fixture *fixture = *state;
    sarrus_expression *expression = fixture->expression;
    check_fault(expression, "", 0, "empty");
    check_fault(expression, "Q+1", 0, "unknown name");
    check_fault(expression, "1+L=3", 3, "an assignment");
    check_fault(expression, "L=", 1, "an assignment");
    check_fault(expression, "1,2", 1, "several values");
    check_fault(expression, "L,", 1, "several values");
    check_fault(expression, "\"a\"", 0, "a character");
    check_fault(expression, "1;2", 1, "a character");
    check_fault(expression, "\xc3\xa9", 0, "a character");
    check_fault(expression, "L m", 2, "a name");
    check_fault(expression, "1 2", 2, "a number");
    check_fault(expression, "1?2", 0, "a ':' is missing");
    assert_true(fixture->length == 2 && fixture->mass == 3); /* nothing was assigned */
}

static void unknown_names_are_told_apart(void **state) {
    struct fixture *fixture = *state;
    double value = 0;
    sarrus_expression_fault fault;
    assert_int_equal(sarrus_expression_compile(fixture->expression, "2*widht+1", &value, &fault), SARRUS_BAD_INPUT);
    assert_true(fault.is_unknown_name);
    assert_int_equal(fault.position, 2);
    assert_int_equal(fault.n_token, 5);
    /* After a fault the object works as before. */
    assert_int_equal(sarrus_expression_compile(fixture->expression, "L", &value, &fault), SARRUS_OK);
    assert_true(value == 2);
}

static void length_and_depth_are_bounded(void **state) {
    struct fixture *fixture = *state;
    char text[SARRUS_EXPRESSION_MAX_LENGTH + 2];
    memset(text, '1', sizeof text);
    text[SARRUS_EXPRESSION_MAX_LENGTH + 1] = '\0';
    check_fault(fixture->expression, text, SARRUS_EXPRESSION_MAX_LENGTH, "too long");
    memset(text, '(', 200);
    text[200] = '\0';
    check_fault(fixture->expression, text, SARRUS_EXPRESSION_MAX_DEPTH, "nested too deep");
    for (size_t i = 0; i < 200; i += 2) {
        memcpy(text + i, "1?", 2);
    }
    check_fault(fixture->expression, text, 2 * SARRUS_EXPRESSION_MAX_DEPTH + 1, "nested too deep");
}

static void names_of_parameters(void **state) {
    (void)state;
    assert_null(sarrus_expression_name_fault("L"));
    assert_null(sarrus_expression_name_fault("_x9"));
    assert_null(sarrus_expression_name_fault("sine"));
    assert_non_null(sarrus_expression_name_fault(""));
    assert_non_null(sarrus_expression_name_fault("9x"));
    assert_non_null(sarrus_expression_name_fault("a-b"));
    assert_non_null(sarrus_expression_name_fault("a.b"));
    assert_non_null(sarrus_expression_name_fault("\xc3\xa9"));
}

/* The table of reserved words must be muParser's own: each of them means something without being bound. */
static void every_known_word_is_known_to_the_parser(void **state) {
    struct fixture *fixture = *state;
    size_t n_words = 0;
    for (const char *word = sarrus_expression_known_word(0); word != NULL; word = sarrus_expression_known_word(++n_words)) {
        static const char *const arguments[] = {"", "(1)", "(1,1)"};
        bool is_known = false;
        for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; ++i) {
            char text[40];
            double value = 0;
            sarrus_expression_fault fault;
            (void)snprintf(text, sizeof text, "%s%s", word, arguments[i]);
            is_known = is_known || sarrus_expression_compile(fixture->expression, text, &value, &fault) == SARRUS_OK;
        }
        if (!is_known) {
            fail_msg("%s is unknown", word);
        }
        assert_non_null(sarrus_expression_name_fault(word));
    }
    assert_true(n_words >= 25);
}

static void words_of_an_expression(void **state) {
    (void)state;
    static const char *const expected[] = {"L", "sin", "m2", "_x", "e"};
    const char *text = "2*L+sin(m2)-1e5*1.5E-3/_x+.5e+e";
    size_t length = 0;
    size_t i = 0;
    for (const char *word = sarrus_expression_next_word(text, &length); word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        assert_true(i < sizeof expected / sizeof expected[0]);
        assert_int_equal(length, strlen(expected[i]));
        assert_memory_equal(word, expected[i], length);
        ++i;
    }
    assert_int_equal(i, sizeof expected / sizeof expected[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bound_addresses_are_read_each_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_names_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(length_and_depth_are_bounded, set_up, tear_down),
        cmocka_unit_test(names_of_parameters),
        cmocka_unit_test_setup_teardown(every_known_word_is_known_to_the_parser, set_up, tear_down),
        cmocka_unit_test(words_of_an_expression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
