/* A warp that works in phases: in each one every thread runs the same function, and what the threads have to tell one another
 * goes through shared memory from one phase to the next. A thread may write nothing that another one reads or writes in the same
 * phase; then the phases of all threads may as well run one after another, which is how the host emulates a warp. */
#ifndef SARRUS_CUDA_WARP_H
#define SARRUS_CUDA_WARP_H

#include <stdint.h>

static const int32_t WARP_THREADS = 32;

struct warp_phases {
    double *shared; /* the warp's */

#if defined(__CUDACC__)
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
#else
    template <typename phase_type> void each(const phase_type &phase) const {
        for (int32_t i_thread = 0; i_thread < WARP_THREADS; ++i_thread)
            phase(i_thread);
    }
    template <typename phase_type> bool any(const phase_type &phase) const {
        bool found = false;
        for (int32_t i_thread = 0; i_thread < WARP_THREADS; ++i_thread)
            found = phase(i_thread) || found;
        return found;
    }
#endif
};

#endif
