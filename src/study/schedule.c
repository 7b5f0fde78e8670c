#include "study/schedule.h"

#include <math.h>

#include "core/report.h"

sarrus_status sarrus_schedule_create(sarrus_context *context, const sarrus_model *model, sarrus_schedule *out) {
    const double grid = model->integrator.grid, t_end = model->integrator.t_end;
    *out = (sarrus_schedule){0};
    /* 1e-9 of a step: a t_end that is a multiple of it but for rounding does not get an extra, empty step. */
    const double n_steps = ceil(t_end / grid - 1e-9);
    if (!(n_steps >= 0.0 && n_steps < 0x1p53))
        return sarrus_report(context, SARRUS_BAD_INPUT,
                             "integrator: t_end is %g steps or output intervals away; at most 9e15 can be counted", t_end / grid);
    out->n_steps = (uint64_t)n_steps;
    out->every = model->output.every > 0 ? model->output.every : 1;
    out->n_times = 1 + out->n_steps / out->every + (out->n_steps % out->every != 0);
    out->grid = grid;
    out->t_end = t_end;
    return SARRUS_OK;
}

double sarrus_schedule_time(const sarrus_schedule *schedule, uint64_t i_time) {
    const bool is_end = i_time > 0 && i_time + 1 >= schedule->n_times;
    return is_end ? schedule->t_end : (double)(i_time * schedule->every) * schedule->grid;
}

uint64_t sarrus_schedule_step(const sarrus_schedule *schedule, uint64_t i_time) {
    return i_time + 1 < schedule->n_times ? i_time * schedule->every : schedule->n_steps;
}
