/* Hostile calls about what is seen and queued on a GPU, to a batch that is on none. */
#ifndef SARRUS_TESTS_API_HOSTILE_DEVICE_H
#define SARRUS_TESTS_API_HOSTILE_DEVICE_H

#include "tests/api/hostile_world.h"

static bool on_device(void) {
    double number = 0.0;
    sarrus_device_view view;
    const uint8_t mask = 1;
    bool good = bad(sarrus_batch_device_view(NULL, SARRUS_FIELD_Q, &view)) &&
                bad(sarrus_batch_device_view(w.batch, SARRUS_FIELD_Q, NULL)) && bad(sarrus_batch_advance_async(NULL, 1, NULL)) &&
                bad(sarrus_batch_advance_async(w.batch, UINT64_MAX, NULL)) &&
                bad(sarrus_batch_copy_in_async(NULL, SARRUS_FIELD_Q, &number, NULL)) &&
                bad(sarrus_batch_copy_in_async(w.batch, SARRUS_FIELD_Q, NULL, NULL)) &&
                bad(sarrus_batch_reset_some_async(NULL, &mask, NULL)) && bad(sarrus_batch_reset_some_async(w.batch, NULL, NULL)) &&
                bad(sarrus_batch_observe_async(NULL, SARRUS_OBSERVE_Q, &number, NULL)) &&
                bad(sarrus_batch_observe_async(w.batch, SARRUS_OBSERVE_Q, NULL, NULL)) &&
                sarrus_batch_advance_async(w.batch, 0, NULL) == SARRUS_UNSUPPORTED && sarrus_batch_refusal(w.batch);
    for (int i = 0; i < N_BAD && good; ++i) {
        const sarrus_field none = (sarrus_field)bad_indices[i];
        good = bad(sarrus_batch_device_view(w.batch, none, &view)) &&
               bad(sarrus_batch_copy_in_async(w.batch, none, &number, NULL)) &&
               bad(sarrus_batch_observe_async(w.batch, (sarrus_observable)bad_indices[i], &number, NULL));
    }
    return good;
}

#endif
