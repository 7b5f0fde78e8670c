/* sarrus: the command line. Data goes to stdout, everything else to stderr. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/command.h"
#include "cli/crash.h"
#include "edge/exit_code.h"
#include "edge/options.h"
#include "sarrus/version.h"

static const sarrus_command commands[] = {
    {"run", "FILE [options]", "assemble, sample, integrate, write the results to HDF5", sarrus_command_run},
    {"check", "FILE", "print the model card of a scenario", sarrus_command_check},
    {"compare", "FILE", "formulations and pseudoinverses on the same states: agreement, operations, time", sarrus_command_compare},
    {"pinv", "A.npy -o X.npy", "pseudoinverses of a stack of matrices", sarrus_command_pinv},
    {"bench", "NAME", "run a benchmark", sarrus_command_bench},
    {"list", "WHAT", "what this build has: formulations, pinv, rank, integrators, joints, backends", sarrus_command_list},
    {"merge", "PART.h5... -o OUT.h5", "the parts of a study as one result", sarrus_command_merge},
    {"reliability", "FILE --quantity Q", "how likely a quantity is beyond a limit", sarrus_command_reliability},
    {"info", "OUT.h5", "what a result file holds, and whether it is complete", sarrus_command_info},
    {"xdmf", "OUT.h5", "lines of the moving mechanism for ParaView, beside the result", sarrus_command_xdmf},
    {"animate", "OUT.h5 -o M", "the motion as a page, a GIF or a film (by the Python package)", sarrus_command_animate},
    {"report", "OUT.h5 -o R", "the result of a study on one page (by the Python package)", sarrus_command_report},
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void usage_print(FILE *stream) {
    fprintf(stream, "Usage: sarrus COMMAND [arguments]\n\nSarrus simulates batches of linkages.\n\nCommands:\n");
    for (int i = 0; i < N_COMMANDS; ++i)
        fprintf(stream, "  %-11s %-20s %s\n", commands[i].name, commands[i].arguments, commands[i].summary);
    fprintf(stream, "\n'sarrus COMMAND --help' tells more about one; 'sarrus --version' prints the version.\n"
                    "Exit codes: 0 done, 1 some instances failed, 2 bad usage or input, 3 I/O failure,\n"
                    "4 backend not usable, 129, 130, 138 or 143 stopped by a signal (the result file is valid).\n");
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        usage_print(stderr);
        return SARRUS_EXIT_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        usage_print(stdout);
        return SARRUS_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("sarrus %s\n", sarrus_version());
        return SARRUS_EXIT_DONE;
    }
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; ++i) {
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
        names[i] = commands[i].name;
    }
    const char *kind = word[0] == '-' ? "option" : "command";
    const char *closest = sarrus_option_closest(word, names, N_COMMANDS);
    if (closest != NULL)
        return sarrus_option_refuse("", "unknown %s '%s'; did you mean '%s'?", kind, word, closest);
    return sarrus_option_refuse("", "unknown %s '%s'", kind, word);
}

static int end(int code) {
    errno = 0; /* what was written before may have failed: then nobody knows why any more */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "sarrus: error: writing to standard output failed%s%s\n", errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return code == SARRUS_EXIT_DONE || code == SARRUS_EXIT_SOME_FAILED ? SARRUS_EXIT_IO : code;
}

/* Where address space is limited no thread is to take 64 MB of it for allocations of its own. */
static void arenas_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        (void)mallopt(M_ARENA_MAX, 1);
}

enum { LEAST_STACK = 192 * 1024 };

/* Libraries take what they want of the stack: with less they crash, and a sound file would be called damaged. */
static bool stack_is_enough(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= LEAST_STACK)
        return true;
    fprintf(stderr, "sarrus: error: the stack is limited to %llu KiB (ulimit -s); expected %d at least\n",
            (unsigned long long)limit.rlim_cur / 1024, LEAST_STACK / 1024);
    return false;
}

int main(int argc, char **argv) {
    arenas_limit();
    if (!stack_is_enough())
        return SARRUS_EXIT_IO;
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of the write that meets it */
    sarrus_crashes_catch();
    const int code = end(dispatch(argc, argv));
    sarrus_crashes_over();
    return code;
}
