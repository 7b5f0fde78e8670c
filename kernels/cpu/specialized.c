/* The kernels for one plan. Compiled when a mechanism is run, with its plan as a constant (src/plan/constant.c writes
 * sarrus_constant_plan.h) and
 *   SARRUS_LANE_WIDTH        lanes of a tile
 *   SARRUS_SPECIALIZED_KEY   what the object will be known by, a string */
#include "kernels/cpu/kernels.h"
#include "kernels/step/advance.h"
#include "sarrus_constant_plan.h"
