/* The mechanics of the translation unit's space: what rows, forces, energies and masses are. */
#ifndef SARRUS_BODY_MECHANICS_H
#define SARRUS_BODY_MECHANICS_H

#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/body/spatial/forces.h"
#include "kernels/body/spatial/joint_motion.h"
#include "kernels/body/spatial/mass.h"
#include "kernels/body/spatial/reaction.h"
#include "kernels/body/spatial/rows.h"
#else
#include "kernels/body/energy.h"
#include "kernels/body/forces.h"
#include "kernels/body/joint_motion.h"
#include "kernels/body/mass.h"
#include "kernels/body/reaction.h"
#include "kernels/body/rows.h"
#endif

#endif
