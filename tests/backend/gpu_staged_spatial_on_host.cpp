/* The kernels of the staged path that evaluate, of bodies in space. */
#define SARRUS_KERNELS_SPATIAL
#define STAGED_ON_HOST staged_spatial_on_host
#include "tests/backend/staged_expand_on_host.h"
