/* The fused kernels of relative coordinates in the plane. */
#define SARRUS_KERNELS_RELATIVE
#define EXPANSION_ON_HOST relative_on_host
#include "tests/backend/expand_on_host.h"
