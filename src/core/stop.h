/* The flag by which the owner asks a run to stop (sarrus_batch_options.stop): set by another thread or by a handler of signals. */
#ifndef SARRUS_CORE_STOP_H
#define SARRUS_CORE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it is set; NULL never is. */
static inline bool sarrus_stop_is_asked(const volatile int32_t *stop) {
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

#endif
