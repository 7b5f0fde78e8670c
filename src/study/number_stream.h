/* Numbers of the instances of a study that are read in blocks, and what is made of all of them in memory for one block. */
#ifndef SARRUS_STUDY_NUMBER_STREAM_H
#define SARRUS_STUDY_NUMBER_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "study/spread.h"

enum { SARRUS_STREAM_BLOCK = 1 << 17 };

typedef struct sarrus_number_stream {
    uint64_t n_instances;
    /* Column i_column of instances i_first … i_first + n − 1, at most a block, and how they ended (0: well); x NULL: that alone. */
    void (*read)(void *user, int i_column, uint64_t i_first, uint64_t n, double *x, uint8_t *status);
    void *user;
} sarrus_number_stream;

typedef struct sarrus_stream_room {
    double *x, *y;    /* [block] */
    uint8_t *status;  /* [block] */
    uint64_t *counts; /* of more than a block: numbers by leading bits */
} sarrus_stream_room;

/* For streams of n_instances; false without memory. To be given to sarrus_stream_room_free, after that too. */
bool sarrus_stream_room_make(sarrus_stream_room *room, uint64_t n_instances);
void sarrus_stream_room_free(sarrus_stream_room *room);

/* The numbers of instances from i_first on, at most a block, that ended well, or that did not, without NaN, into room->x; returns
 * how many there are. */
uint64_t sarrus_stream_block(const sarrus_number_stream *stream, int i_column, bool is_good, uint64_t i_first,
                             sarrus_stream_room *room);

/* Of a column, over the instances that ended well [0] and over the others [1]: as sarrus_spread_of, bit for bit. */
typedef struct sarrus_streamed_spread {
    uint64_t n; /* numbers */
    sarrus_spread spread;
} sarrus_streamed_spread;
void sarrus_stream_spreads(const sarrus_number_stream *stream, int i_column, sarrus_stream_room *room,
                           sarrus_streamed_spread out[2]);

/* Of the numbers of the good instances, which are `of`: as sarrus_spread_quantiles, and sarrus_spread_ranks. */
void sarrus_stream_quantiles(const sarrus_number_stream *stream, int i_column, const sarrus_streamed_spread *of,
                             const double *levels, int n_levels, sarrus_stream_room *room, double *out);
void sarrus_stream_ranks(const sarrus_number_stream *stream, int i_column, const sarrus_streamed_spread *of, const uint64_t *ranks,
                         int n_ranks, sarrus_stream_room *room, double *out);

#endif
