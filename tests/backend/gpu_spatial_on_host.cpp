/* The fused kernels of bodies in space. */
#define SARRUS_KERNELS_SPATIAL
#define EXPANSION_ON_HOST spatial_on_host
#include "tests/backend/expand_on_host.h"
