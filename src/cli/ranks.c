#include "cli/ranks.h"

#include <stdlib.h>

#include "edge/options.h"

/* Open MPI; MPICH, Intel MPI and whatever else has the process manager Hydra; Slurm's srun, whose batch scripts have no step. */
static const char *const names[][2] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};

sarrus_ranks sarrus_ranks_of_environment(void) {
    const uint64_t most = UINT64_C(1) << 20;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        sarrus_ranks found;
        const char *rank = getenv(names[i][0]), *n = getenv(names[i][1]);
        if (rank != NULL && n != NULL && sarrus_option_number(rank, most, &found.rank) && sarrus_option_number(n, most, &found.n) &&
            found.rank < found.n)
            return found;
    }
    return (sarrus_ranks){0, 1};
}
