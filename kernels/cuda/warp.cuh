/* A warp that works in phases: in each one every thread runs the same function, and what the threads have to tell one another
 * goes through shared memory from one phase to the next. A thread may write nothing that another one reads or writes in the same
 * phase; then the phases of all threads may as well run one after another: a unit for the host brings a warp of its own,
 * SARRUS_WARP_HEADER. */
#ifndef SARRUS_CUDA_WARP_H
#define SARRUS_CUDA_WARP_H

#include <stdint.h>

static const int32_t WARP_THREADS = 32;

#if defined(SARRUS_WARP_HEADER)
#include SARRUS_WARP_HEADER
#else

struct warp_phases {
    double *shared; /* the warp's */

    /* phase(i_thread) by every thread, and a barrier. */
    template <typename phase_type> __device__ __forceinline__ void each(const phase_type &phase) const {
        phase((int32_t)(threadIdx.x % WARP_THREADS));
        __syncwarp();
    }
    /* The same; whether it returned true for any thread. */
    template <typename phase_type> __device__ __forceinline__ bool any(const phase_type &phase) const {
        const bool found = __any_sync(0xffffffffu, phase((int32_t)(threadIdx.x % WARP_THREADS)) ? 1 : 0) != 0;
        __syncwarp(); /* a vote orders no memory */
        return found;
    }
};

#endif

#endif
