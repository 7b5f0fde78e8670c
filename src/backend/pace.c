#include "backend/pace.h"

double sarrus_pace_seconds_left(const sarrus_pace *pace, const sarrus_clock *clock, uint64_t n_steps) {
    const uint64_t n_to_end = clock->n_total > clock->step ? clock->n_total - clock->step : 0;
    const double seconds_left = pace->step_seconds * (double)(n_to_end > n_steps ? n_to_end : n_steps);
    /* A batch that goes past t_end, or is reset again and again, is assumed to have as much ahead of it as behind it. */
    if (pace->n_steps > clock->n_total && pace->busy_seconds > seconds_left)
        return pace->busy_seconds;
    return seconds_left;
}

void sarrus_pace_note(sarrus_pace *pace, uint64_t n_steps, double seconds) {
    const double measurable = 0.03; /* s: less tells more of cold caches and sleeping threads than of the rate */
    pace->busy_seconds += seconds;
    pace->n_steps += n_steps;
    pace->open_seconds += seconds;
    pace->n_open_steps += n_steps;
    if (pace->n_open_steps == 0 || !(pace->open_seconds > measurable))
        return;
    pace->step_seconds = pace->open_seconds / (double)pace->n_open_steps;
    pace->open_seconds = 0.0;
    pace->n_open_steps = 0;
}

double sarrus_pace_time(const sarrus_clock *clock) {
    return clock->step == clock->n_total ? clock->t_end : (double)clock->step * clock->dt;
}
