/* The benchmarks that `sarrus bench NAME` can run. The program asks for the table, which it gets when it is linked:
 * bench/registry.c. */
#ifndef SARRUS_EDGE_BENCH_H
#define SARRUS_EDGE_BENCH_H

/* `run` gets the arguments from the benchmark's name on (argv[0] is the name) and returns an exit code. */
typedef struct sarrus_bench {
    const char *name;
    const char *former_name; /* accepted and not listed; NULL: none */
    const char *summary;
    int (*run)(int argc, char **argv);
} sarrus_bench;

extern const sarrus_bench sarrus_benches[];
extern const int sarrus_n_benches;

#endif
