/* Processes that mpirun or srun has started together. They are told by the environment; no message passes between them. */
#ifndef SARRUS_CLI_RANKS_H
#define SARRUS_CLI_RANKS_H

#include <stdint.h>

/* Which of how many this process is; 0 of 1 when nobody has started several. */
typedef struct sarrus_ranks {
    uint64_t rank, n;
} sarrus_ranks;

sarrus_ranks sarrus_ranks_of_environment(void);

#endif
