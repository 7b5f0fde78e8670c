/* The fused kernels of relative coordinates in space. */
#define SARRUS_KERNELS_SPATIAL
#define SARRUS_KERNELS_RELATIVE
#define EXPANSION_ON_HOST relative_spatial_on_host
#include "tests/backend/expand_on_host.h"
