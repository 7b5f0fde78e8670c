/* A warp whose phases the host runs (kernels/cuda/warp.cuh): its first thread does the work of all of them, one after another in an
 * order of choice. Phases in which no thread writes what another one reads or writes give the same in any order. */
#ifndef TESTS_BACKEND_WARP_ON_HOST_H
#define TESTS_BACKEND_WARP_ON_HOST_H

#include "tests/backend/gpu_pinv_on_host.h"

/* The thread whose turn is the i-th. */
static inline int32_t warp_on_host_turn(int32_t i) {
    switch (warp_order_on_host) {
    case WARP_DESCENDING:
        return WARP_THREADS - 1 - i;
    case WARP_PERMUTED:
        return (i * 13 + 7) % WARP_THREADS;
    default:
        return i;
    }
}

struct warp_phases {
    double *shared;

    template <typename phase_type> void each(const phase_type &phase) const {
        for (int32_t i = 0; threadIdx.x % WARP_THREADS == 0 && i < WARP_THREADS; ++i)
            phase(warp_on_host_turn(i));
    }
    template <typename phase_type> bool any(const phase_type &phase) const {
        bool found = false;
        for (int32_t i = 0; threadIdx.x % WARP_THREADS == 0 && i < WARP_THREADS; ++i)
            found = phase(warp_on_host_turn(i)) || found;
        return found;
    }
};

#endif
