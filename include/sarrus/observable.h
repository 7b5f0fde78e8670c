/* What can be observed of an instance (observables.def says what each is, its width and its unit). */
#ifndef SARRUS_OBSERVABLE_H
#define SARRUS_OBSERVABLE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_observable {
#define SARRUS_OBSERVABLE(name, width, unit, text) SARRUS_OBSERVE_##name,
#include "sarrus/observables.def"
    SARRUS_N_OBSERVABLES
} sarrus_observable;

/* One line on `observable`, as written to result files, and its unit, or those of its components with commas; never NULL. */
const char *sarrus_observable_text(sarrus_observable observable);
const char *sarrus_observable_unit(sarrus_observable observable);

#ifdef __cplusplus
}
#endif

#endif
