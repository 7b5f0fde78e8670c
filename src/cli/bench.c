#include "edge/bench.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/options.h"

enum { MAX_NAMES = 64 };

static void benches_print(FILE *stream) {
    for (int i = 0; i < sarrus_n_benches; ++i)
        fprintf(stream, "  %-14s %s\n", sarrus_benches[i].name, sarrus_benches[i].summary);
}

static int help_print(void) {
    printf(
        "Usage: sarrus bench NAME [--json] [options of the benchmark]\n\nRuns a benchmark and prints its table.\n\nBenchmarks:\n");
    benches_print(stdout);
    return SARRUS_EXIT_DONE;
}

int sarrus_command_bench(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return help_print();
    if (sarrus_n_benches == 0)
        return sarrus_option_refuse(argv[0], "this program was built without benchmarks");
    if (argc < 2) {
        fprintf(stderr, "sarrus bench: error: no benchmark named; this build has\n");
        benches_print(stderr);
        return SARRUS_EXIT_BAD_INPUT;
    }
    const char *names[MAX_NAMES];
    int n_names = 0;
    for (int i = 0; i < sarrus_n_benches && i < MAX_NAMES; ++i) {
        const char *former = sarrus_benches[i].former_name;
        if (strcmp(argv[1], sarrus_benches[i].name) == 0 || (former != NULL && strcmp(argv[1], former) == 0))
            return sarrus_benches[i].run(argc - 1, argv + 1);
        names[n_names++] = sarrus_benches[i].name;
    }
    const char *closest = sarrus_option_closest(argv[1], names, n_names);
    if (closest != NULL)
        return sarrus_option_refuse(argv[0], "unknown benchmark '%s'; did you mean '%s'?", argv[1], closest);
    return sarrus_option_refuse(argv[0], "unknown benchmark '%s'", argv[1]);
}
