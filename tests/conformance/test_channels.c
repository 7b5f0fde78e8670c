/* Claim: every row of channel.def, asked for alone, brings as many numbers of each output time as the table says, none of another
 * row's; all of them together bring every row of observables.def but that of driven joints. Observables are held against
 * the reference in tests/support/reference_answer.c, which tests/physics/test_parity.c and tests/conformance/test_joints.c use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "study/channels.h"
#include "tests/support/mechanism.h"

/* Four bodies, three joints and a gear, nothing driven: what a driven joint brings comes with every channel. */
static const char *const scenario = "sarrus: 1\n"
                                    "space: planar\n"
                                    "bodies:\n"
                                    "  - {name: a, mass: 1, inertia: 1, position: [0, 0]}\n"
                                    "  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\n"
                                    "  - {name: c, mass: 1, inertia: 1, position: [2, 0]}\n"
                                    "  - {name: d, mass: 1, inertia: 1, position: [3, 0]}\n"
                                    "joints:\n"
                                    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                    "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0]}\n"
                                    "  - {name: C, type: distance, bodies: [b, c], points: [[0.5, 0], [0, 0]]}\n"
                                    "constraints:\n"
                                    "  - {name: G, type: gear, joints: [B, A], ratio: 2}\n"
                                    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n";
static const double n_q = 12.0, n = 12.0, n_joints = 3.0, n_reaction = 3.0, n_constraints = 1.0, n_load = 1.0, n_free = 2.0,
                    n_dimension = 2.0, n_places = 4.0;

/* Numbers of an output time in the fields that `channels` brings; counts the fields of each observable. */
static int count_numbers(const char *channels, int n_fields_of[SARRUS_N_OBSERVABLES]) {
    const sarrus_override overrides[] = {{"output.channels", channels}, {NULL, NULL}};
    mechanism m = mechanism_open_text(scenario, overrides);
    sarrus_channels made;
    int n_numbers = 0;
    const sarrus_channel_choice choice = sarrus_channel_choice_of(m.model);
    assert_int_equal(sarrus_channels_create(m.context, m.plan, &choice, &made), SARRUS_OK);
    for (int i = 0; i < made.n_fields; ++i) {
        n_numbers += made.n_components[i];
        n_fields_of[made.observable[i]] += sarrus_channels_field_is_plain(&made, i); /* others are made of several */
    }
    sarrus_channels_free(&made);
    mechanism_close(&m);
    return n_numbers;
}

static void every_channel_brings_what_the_table_says(void **state) {
    (void)state;
    static const struct {
        const char *channels;
        double n_numbers;
    } rows[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {"[" word "]", numbers},
#include "sarrus/channel.def"
    };
    int channel_of[SARRUS_N_OBSERVABLES] = {0}; /* 1 + row */
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        int n_fields_of[SARRUS_N_OBSERVABLES] = {0};
        const int found = count_numbers(rows[k].channels, n_fields_of);
        if ((double)found != rows[k].n_numbers) {
            fail_msg("%s brings %d numbers, not %g", rows[k].channels, found, rows[k].n_numbers);
        }
        for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
            if (n_fields_of[o] > 0 && channel_of[o] > 0) {
                fail_msg("'%s' comes with %s and with %s", sarrus_observable_text((sarrus_observable)o),
                         rows[channel_of[o] - 1].channels, rows[k].channels);
            }
            channel_of[o] = n_fields_of[o] > 0 ? (int)k + 1 : channel_of[o];
        }
    }
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const bool is_of_drives = o == SARRUS_OBSERVE_DRIVES; /* which driven joints bring without a channel */
        if ((channel_of[o] > 0) == is_of_drives) {
            fail_msg("'%s' is %s a channel", sarrus_observable_text((sarrus_observable)o), is_of_drives ? "in" : "not in");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_channel_brings_what_the_table_says)};
    return cmocka_run_group_tests_name("conformance.channels", tests, NULL, NULL);
}
