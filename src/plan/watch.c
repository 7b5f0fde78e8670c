#include "plan/watch.h"

#include <string.h>

#include "core/monotonic.h"
#include "core/stop.h"

/* No progress is reported within the first second; after that, ten times a second. The clock is read at every hundredth call. */
static const double quiet = 1.0, interval = 0.1;
enum { CALLS_PER_LOOK = 100 };

void sarrus_plan_watch_begin(sarrus_plan_watch *watch, const sarrus_plan_options *options) {
    memset(watch, 0, sizeof *watch);
    if (options)
        watch->options = *options;
    watch->phase = "beginning";
    watch->share = -1.0;
    watch->begun = sarrus_monotonic_seconds();
    watch->told = watch->begun + quiet - interval;
}

void sarrus_plan_watch_phase(sarrus_plan_watch *watch, const char *phase) {
    if (!watch)
        return;
    watch->phase = phase;
    watch->share = -1.0;
}

void sarrus_plan_watch_share(sarrus_plan_watch *watch, double share) {
    if (watch)
        watch->share = share;
}

static void tell(sarrus_plan_watch *watch) {
    const double now = sarrus_monotonic_seconds();
    if (!watch->options.progress || now - watch->told < interval)
        return;
    watch->told = now;
    const sarrus_plan_progress progress = {watch->phase, watch->share, now - watch->begun};
    watch->is_stopped = watch->options.progress(&progress, watch->options.user) != 0 || watch->is_stopped;
}

bool sarrus_plan_watch_goes_on(sarrus_plan_watch *watch) {
    if (!watch)
        return true;
    watch->is_stopped = watch->is_stopped || sarrus_stop_is_asked(watch->options.stop);
    if (++watch->n_calls >= CALLS_PER_LOOK) {
        watch->n_calls = 0;
        tell(watch);
    }
    return !watch->is_stopped;
}
