/* What steps and formulations ask of a state, in the coordinates of the translation unit: those of the bodies, or those of the
 * joints of a tree. */
#ifndef SARRUS_BODY_STATE_H
#define SARRUS_BODY_STATE_H

#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/body/relative/state.h"
#else
#include "kernels/body/absolute.h"
#endif

#endif
