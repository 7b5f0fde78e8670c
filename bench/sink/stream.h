/* The file's side of the sink alone: chunks that are packed already, written as a result and by plain writes. */
#ifndef SARRUS_BENCH_SINK_STREAM_H
#define SARRUS_BENCH_SINK_STREAM_H

#include <stdbool.h>

#include "sink/sink.h"

/* Medians of the repeats, in turn; both ways end when the bytes are on the disk. */
typedef struct sarrus_bench_stream {
    double bytes;                      /* of all packed chunks */
    double streamed, streamed_core;    /* s by the clock and of processors: the result file, its datasets and commits */
    double plain, plain_core;          /* the same bytes one after another, write() and fsync() */
    double streamed_ratio, core_ratio; /* medians of plain over streamed, by the clock and by processors */
} sarrus_bench_stream;

/* `values` [n_instances][n_times][width] of the description's one field. False when memory runs out or writing fails. */
bool sarrus_bench_stream_measure(const sarrus_sink_description *description, const double *values, const char *path,
                                 sarrus_bench_stream *out);

#endif
