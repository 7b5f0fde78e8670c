/* Seconds that only ever go forward. */
#ifndef SARRUS_CORE_MONOTONIC_H
#define SARRUS_CORE_MONOTONIC_H

/* s since some moment of the past; for differences. */
double sarrus_monotonic_seconds(void);

#endif
