/* Sarrus: a batch simulator of linkages. One include for the whole C API.
 * No global state, no exit, no output; every handle may be used by one thread at a time. Units are SI, angles are radians. */
#ifndef SARRUS_SARRUS_H
#define SARRUS_SARRUS_H

#include "sarrus/batch.h"
#include "sarrus/compare.h"
#include "sarrus/context.h"
#include "sarrus/device.h"
#include "sarrus/document.h"
#include "sarrus/kinematics.h"
#include "sarrus/method.h"
#include "sarrus/observable.h"
#include "sarrus/pinv.h"
#include "sarrus/plan.h"
#include "sarrus/reliability.h"
#include "sarrus/run.h"
#include "sarrus/scenario.h"
#include "sarrus/seen.h"
#include "sarrus/status.h"
#include "sarrus/study.h"
#include "sarrus/system.h"
#include "sarrus/version.h"
#include "sarrus/warning.h"

#endif
