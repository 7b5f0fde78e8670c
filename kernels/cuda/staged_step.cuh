/* The kernel of a stage of a step. */
#ifndef SARRUS_CUDA_STAGED_STEP_CUH
#define SARRUS_CUDA_STAGED_STEP_CUH

#include "kernels/cuda/staged_member.cuh"
#include "kernels/step/stages.h"

static __global__ void staged_step_kernel(const __grid_constant__ staged_launch work, const __grid_constant__ sarrus_clock clock,
                                          int32_t stage) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    who.n_answered = 0;
    sarrus_evaluation *ev = &who.ev;
    double *force_is_finite = work.at.carry + who.index, *rank = force_is_finite + work.n_members;
    const double t = sarrus_lane_time(&work.mech, who.tile, &clock, clock.step);
    const double h = sarrus_lane_time(&work.mech, who.tile, &clock, clock.step + 1) - t;
    if (stage > 0) {
        ev->found.rank = *rank;
        ev->held = stage > 1 && work.mech.integrator.has_step_gains ? who.ws.held : nullptr;
        sarrus_stage_end(ev, stage - 1, t, h, who.tile);
    }
    if (stage == sarrus_step_stages(&work.mech)) {
        sarrus_stages_finish(ev, &clock, clock.step + 1, *force_is_finite != 0.0);
        return;
    }
    mask is_finite = true;
    sarrus_stage_accelerate(ev, stage, t, h, who.tile, &is_finite);
    if (stage == 0)
        *force_is_finite = is_finite ? 1.0 : 0.0;
    *rank = ev->found.rank;
    staged_end(&who);
}

#endif
