/* A replay held against the study that its instance is of. */
#ifndef TESTS_SUPPORT_REPLAY_ROWS_H
#define TESTS_SUPPORT_REPLAY_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct replay_rows {
    size_t n_rows, n_outputs; /* of the replay; of these output times of the study */
    int status;
    double failed_time, last_time; /* s */
} replay_rows;

/* Fails the test where the file `replay` does not show, bit for bit, what `study` says of its instance number `i_instance`: at
 * output times up to its failure, and in all. Both have the channels state, energy and constraint. */
replay_rows replay_rows_compare(const char *study, const char *replay, uint64_t i_instance);

#endif
