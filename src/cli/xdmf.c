/* `sarrus xdmf`: what ParaView reads of a result. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/result_look.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "edge/options.h"
#include "sink/hdf5_error.h"
#include "study/xdmf.h"

static void help_print(void) {
    printf("Usage: sarrus xdmf OUT.h5 [-o OUT.xdmf] [options]\n\n"
           "Writes an XDMF file beside a result, by which ParaView shows the mechanism as it moves: lines from the\n"
           "centre of every body to its joints. The run needs joint_points in output.channels.\n\n"
           "  -o, --output OUT.xdmf  the file; without it OUT.h5 with another ending\n"
           "      --instance I       its number in the study; may be repeated; without it the first\n"
           "      --every K          each K-th output time\n"
           "      --group G          of a result of several scenarios, the number of one\n"
           "      --quiet            no closing line\n"
           "  -h, --help             this text\n\n"
           "Exit codes: 0 done, 2 nothing that could be drawn, 3 I/O failure.\n");
}

typedef struct xdmf_arguments {
    sarrus_xdmf_request request;
    uint64_t *instances; /* [argc] */
    char *output;        /* owned, when none was given */
    bool is_quiet;
} xdmf_arguments;

enum { OPTION_INSTANCE = 256, OPTION_EVERY, OPTION_GROUP, OPTION_QUIET };

/* An instance that was named before counts once. */
static bool instance_take(xdmf_arguments *arguments) {
    uint64_t id = 0;
    if (!sarrus_option_count("xdmf", "instance", 0, UINT64_C(1) << 40, &id))
        return false;
    for (int i = 0; i < arguments->request.n_instances; ++i) {
        if (arguments->instances[i] == id)
            return true;
    }
    arguments->instances[arguments->request.n_instances++] = id;
    return true;
}

/* False when the option was refused. */
static bool option_take(xdmf_arguments *arguments, int option) {
    uint64_t number = 0;
    switch (option) {
    case 'o':
        arguments->request.output = optarg;
        return true;
    case OPTION_INSTANCE:
        return instance_take(arguments);
    case OPTION_EVERY:
        return sarrus_option_count("xdmf", "every", 1, UINT64_C(1) << 40, &arguments->request.every);
    case OPTION_GROUP:
        if (!sarrus_option_count("xdmf", "group", 0, 1000000, &number))
            return false;
        arguments->request.group = (int)number;
        return true;
    case OPTION_QUIET:
        arguments->is_quiet = true;
        return true;
    default:
        return false;
    }
}

/* The name of the result with the ending .xdmf. */
static char *output_make(const char *result) {
    const char *dot = strrchr(result, '.'), *slash = strrchr(result, '/');
    const size_t n = dot != NULL && (slash == NULL || dot > slash + 1) && dot != result ? (size_t)(dot - result) : strlen(result);
    char *output = NULL;
    return asprintf(&output, "%.*s.xdmf", (int)n, result) >= 0 ? output : NULL;
}

static int figure_make(const xdmf_arguments *arguments) {
    sarrus_context *context = NULL;
    const int code = sarrus_result_look_past(arguments->request.result);
    if (code != SARRUS_EXIT_DONE)
        return code;
    if (!sarrus_hdf5_start() || sarrus_context_create(&context) != SARRUS_OK) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    const int n = arguments->request.n_instances;
    const sarrus_status status = sarrus_xdmf_write(context, &arguments->request);
    sarrus_failure_print(context, status, stderr);
    if (status == SARRUS_OK && !arguments->is_quiet)
        printf("%s: %d instance%s of %s\n", arguments->request.output, n > 0 ? n : 1, n > 1 ? "s" : "", arguments->request.result);
    sarrus_context_destroy(context);
    return sarrus_exit_code(status);
}

static int arguments_run(int argc, char **argv, xdmf_arguments *arguments) {
    static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                          {"instance", required_argument, NULL, OPTION_INSTANCE},
                                          {"every", required_argument, NULL, OPTION_EVERY},
                                          {"group", required_argument, NULL, OPTION_GROUP},
                                          {"quiet", no_argument, NULL, OPTION_QUIET},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    for (int option; (option = sarrus_option_next(argc, argv, ":o:h", table)) != -1;) {
        if (option == 'h') {
            help_print();
            return SARRUS_EXIT_DONE;
        }
        if (!option_take(arguments, option))
            return SARRUS_EXIT_BAD_INPUT;
    }
    if (argc - optind != 1)
        return sarrus_option_refuse("xdmf", "%d files named; one result was expected", argc - optind);
    arguments->request.result = argv[optind];
    arguments->request.instances = arguments->instances;
    if (arguments->request.output == NULL) {
        arguments->output = output_make(argv[optind]);
        arguments->request.output = arguments->output;
    }
    if (arguments->request.output == NULL || *arguments->request.output == '\0')
        return sarrus_option_refuse("xdmf", "--output needs the name of a file");
    return figure_make(arguments);
}

int sarrus_command_xdmf(int argc, char **argv) {
    xdmf_arguments arguments = {.request = {.group = -1, .every = 1},
                                .instances = calloc((size_t)argc, sizeof *arguments.instances)};
    if (arguments.instances == NULL) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    const int code = arguments_run(argc, argv, &arguments);
    free(arguments.instances);
    free(arguments.output);
    return code;
}
