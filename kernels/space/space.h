/* The space of a mechanism, chosen once per translation unit as the lanes are: what coordinates and speeds of a body are, and how
 * they go together. Nothing outside this folder knows how many there are, or that in the plane speeds are the rates of the
 * coordinates. */
#ifndef SARRUS_SPACE_SPACE_H
#define SARRUS_SPACE_SPACE_H

#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/space/spatial.h"
#else
#include "kernels/space/planar.h"
#endif

#endif
