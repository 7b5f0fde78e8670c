/* Forces and signals, from the tables in force.def and signal.def. */
#ifndef SARRUS_FORCE_H
#define SARRUS_FORCE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sarrus_force_type {
#define SARRUS_FORCE(name, value, word, kernel, text) SARRUS_FORCE_##name = (value),
#include "sarrus/force.def"
} sarrus_force_type;

/* What a component of a load is. */
typedef enum sarrus_source_kind {
    SARRUS_SOURCE_VALUE = 0,  /* a number, which may be drawn */
    SARRUS_SOURCE_SIGNAL = 1, /* a function of time */
    SARRUS_SOURCE_INPUT = 2,  /* an external input */
} sarrus_source_kind;

typedef enum sarrus_signal_kind {
#define SARRUS_SIGNAL(name, value, word, values, text) SARRUS_SIGNAL_##name = (value),
#include "sarrus/signal.def"
} sarrus_signal_kind;

#ifdef __cplusplus
}
#endif

#endif
