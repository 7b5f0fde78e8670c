/* Philox 4x32-10 gives the published words. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "study/philox.h"

typedef struct known_answer {
    uint32_t counter[4], key[2], words[4];
} known_answer;

/* The three philox4x32-10 lines of Random123's kat_vectors: zeros, ones, digits of pi. */
static const known_answer published[3] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void the_words_are_the_published_ones(void **state) {
    (void)state;
    for (int i = 0; i < 3; ++i) {
        uint32_t words[4];
        sarrus_philox4x32_run(published[i].counter, published[i].key, words);
        assert_memory_equal(words, published[i].words, sizeof words);
    }
}

/* Each of the 192 input bits flips about half of the 128 output bits: between 32 and 96 (5.6 standard deviations). */
static void every_input_bit_reaches_the_output(void **state) {
    (void)state;
    const known_answer *base = &published[2];
    for (int i_bit = 0; i_bit < 192; ++i_bit) {
        uint32_t input[6], words[4];
        memcpy(input, base->counter, sizeof base->counter);
        memcpy(input + 4, base->key, sizeof base->key);
        input[i_bit / 32] ^= UINT32_C(1) << (i_bit % 32);
        sarrus_philox4x32_run(input, input + 4, words);
        int n_flipped = 0;
        for (int i = 0; i < 4; ++i)
            n_flipped += __builtin_popcount(words[i] ^ base->words[i]);
        assert_in_range(n_flipped, 32, 96);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_are_the_published_ones),
        cmocka_unit_test(every_input_bit_reaches_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
