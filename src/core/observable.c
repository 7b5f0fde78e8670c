#include "sarrus/observable.h"

static const struct {
    const char *unit, *text;
} observables[SARRUS_N_OBSERVABLES] = {
#define SARRUS_OBSERVABLE(name, width, unit_text, long_name) [SARRUS_OBSERVE_##name] = {unit_text, long_name},
#include "sarrus/observables.def"
};

const char *sarrus_observable_text(sarrus_observable observable) {
    return (unsigned)observable < SARRUS_N_OBSERVABLES ? observables[observable].text : "";
}

const char *sarrus_observable_unit(sarrus_observable observable) {
    return (unsigned)observable < SARRUS_N_OBSERVABLES ? observables[observable].unit : "";
}
