/* The command line of a benchmark: a table of its options, from which the reading and the help follow. */
#ifndef SARRUS_BENCH_MEASURE_OPTIONS_H
#define SARRUS_BENCH_MEASURE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* One option; which of the places is not NULL says of what kind it is. */
typedef struct sarrus_bench_option {
    const char *name;  /* without its dashes */
    const char *value; /* what the help calls its value; NULL: it takes none */
    const char *help;
    bool *flag;
    const char **text; /* the first of `n_texts` when it may be repeated */
    int *n_texts, max_texts;
    uint64_t *count, max_count; /* 1 to max_count; 0: any */
    char letter;                /* 0: none */
} sarrus_bench_option;

/* Reads argv, whose first word is the benchmark's name, into the places. −1 when the benchmark can begin; otherwise the exit code:
 * help was asked for and printed, or something is not understood and was refused. */
int sarrus_bench_options_read(int argc, char **argv, const sarrus_bench_option *options, int n_options);

/* Refuses an option's value; the exit code. */
int sarrus_bench_value_refuse(const char *benchmark, const char *option, const char *value, const char *expected);

#endif
