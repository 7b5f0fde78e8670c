/* The fused kernels of bodies in the plane. */
#define EXPANSION_ON_HOST planar_on_host
#include "tests/backend/expand_on_host.h"
