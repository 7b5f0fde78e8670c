/* Rounding to fewer bits, against fractions that are known and the arithmetic of rint. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "sink/bit_round.h"
#include "sink_fixture.h"

static uint64_t bits_of(double x) {
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The bound 2^-(bits + 1) is met, and with a bit less it would not be. */
static void test_bits(void **state) {
    (void)state;
    assert_int_equal(sarrus_bit_round_bits(0.49), 1);
    assert_int_equal(sarrus_bit_round_bits(0.25), 1);
    assert_int_equal(sarrus_bit_round_bits(0.2499), 2);
    assert_int_equal(sarrus_bit_round_bits(1e-9), 29);
    assert_int_equal(sarrus_bit_round_bits(1e-17), SARRUS_SIGNIFICAND_BITS);
    assert_int_equal(sarrus_bit_round_bits(DBL_TRUE_MIN), SARRUS_SIGNIFICAND_BITS);
    for (double error = 0.2; error > 1e-15; error *= 0.37) {
        const int n = sarrus_bit_round_bits(error);
        assert_true(ldexp(1.0, -(n + 1)) <= error && ldexp(1.0, -n) > error);
    }
}

/* Of every number of bits: what rint makes of the number scaled by a power of two, which is exact and has ties to even. */
static void test_round(void **state) {
    (void)state;
    for (int n_bits = 1; n_bits <= SARRUS_SIGNIFICAND_BITS; ++n_bits) {
        for (uint64_t i = 0; i < 2000; ++i) {
            int exponent = 0;
            const double fraction = (double)(int64_t)fixture_noise(i) * 0x1p-63;
            /* ties too: half a last bit more than a number of so many bits */
            const double x = i % 2 == 0 ? ldexp(fraction, (int)(i % 61) - 30)
                                        : ldexp(rint(ldexp(fraction, n_bits + 1)) + 0.5, (int)(i % 7) - n_bits);
            (void)frexp(x, &exponent);
            double rounded = 0;
            sarrus_bit_round(&x, 1, n_bits, &rounded);
            const double wanted = ldexp(rint(ldexp(x, n_bits + 1 - exponent)), exponent - n_bits - 1);
            assert_true(bits_of(rounded) == bits_of(wanted));
            assert_true(fabs(rounded - x) <= ldexp(fabs(x), -(n_bits + 1)));
            double again = rounded;
            sarrus_bit_round(&again, 1, n_bits, &again);
            assert_true(bits_of(again) == bits_of(rounded));
        }
    }
}

static void test_special(void **state) {
    (void)state;
    const uint64_t patterns[] = {0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000abcdef,
                                 0x7fffffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
                                 0x7fefffffffffffff, 0xffefffffffffffff, 0,
                                 0x8000000000000000};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        double x = 0, rounded = 1;
        memcpy(&x, &patterns[i], sizeof x);
        sarrus_bit_round(&x, 1, 10, &rounded);
        assert_true(bits_of(rounded) == patterns[i]);
    }
    for (double x = DBL_MIN * 0.9; x > 0; x *= 0.3) { /* below the normal numbers the error is that of the least of these */
        double rounded = 0;
        sarrus_bit_round(&x, 1, 10, &rounded);
        assert_true(fabs(rounded - x) <= ldexp(DBL_MIN, -11));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
