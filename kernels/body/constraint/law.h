/* What a constraint makes of the coordinate x that it follows: f(x) with its first two derivatives, exact as those of signals. */
#ifndef SARRUS_BODY_CONSTRAINT_LAW_H
#define SARRUS_BODY_CONSTRAINT_LAW_H

#include "kernels/body/signals.h"

typedef struct sarrus_law {
    real value, slope, bend;
} sarrus_law;

#endif
