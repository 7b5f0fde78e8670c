/* `sarrus merge`: the parts of a study as one result. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/open_files.h"
#include "cli/result_look.h"
#include "cli/signals.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "edge/options.h"
#include "sarrus/run.h"
#include "sink/hdf5_error.h"

static void help_print(void) {
    printf("Usage: sarrus merge PART.h5... -o OUT.h5\n\n"
           "Makes one result of the parts of a study (sarrus run --shard), in any order. The instances stay in\n"
           "the parts, which OUT.h5 reads; keep them beside it.\n\n"
           "  -o, --output OUT.h5   the result, must be given; an older result of that name is replaced\n"
           "      --no-clobber      do not replace a complete result\n"
           "      --quiet           no closing line\n"
           "  -h, --help            this text\n\n"
           "Exit codes: 0 done, 1 done but some instances had failed, 2 the parts are not the whole of one study,\n"
           "3 I/O failure.\n");
}

typedef struct merge_arguments {
    const char *output;
    bool no_clobber, is_quiet;
    const char *const *parts;
    int n_parts;
} merge_arguments;

static int parts_merge(const merge_arguments *arguments) {
    for (int i = 0; i < arguments->n_parts; ++i) {
        const int code = sarrus_result_look(arguments->parts[i]);
        if (code != SARRUS_EXIT_DONE)
            return code;
    }
    sarrus_open_files_allow();
    sarrus_signals_catch(); /* a second or two are brought to their end, and leave nothing beside it; a second signal kills */
    sarrus_context *context = NULL;
    sarrus_result_info info;
    if (!sarrus_hdf5_start() || sarrus_context_create(&context) != SARRUS_OK) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    sarrus_status status =
        sarrus_results_merge(context, arguments->parts, arguments->n_parts, arguments->output, arguments->no_clobber);
    if (status == SARRUS_OK)
        status = sarrus_result_info_read(context, arguments->output, &info);
    sarrus_failure_print(context, status, stderr);
    if (status == SARRUS_OK && !arguments->is_quiet)
        printf("%s: %" PRIu64 " instances in %d parts, %" PRIu64 " failed\n", arguments->output, info.n_instances,
               arguments->n_parts, info.n_failed);
    sarrus_context_destroy(context);
    return status == SARRUS_OK && info.n_failed > 0 ? SARRUS_EXIT_SOME_FAILED : sarrus_exit_code(status);
}

enum { OPTION_NO_CLOBBER = 256, OPTION_QUIET };

int sarrus_command_merge(int argc, char **argv) {
    static const struct option table[] = {{"output", required_argument, NULL, 'o'},
                                          {"no-clobber", no_argument, NULL, OPTION_NO_CLOBBER},
                                          {"quiet", no_argument, NULL, OPTION_QUIET},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    merge_arguments arguments = {.output = NULL};
    for (int option; (option = sarrus_option_next(argc, argv, ":o:h", table)) != -1;) {
        if (option == 'h') {
            help_print();
            return SARRUS_EXIT_DONE;
        }
        if (option != 'o' && option != OPTION_NO_CLOBBER && option != OPTION_QUIET)
            return SARRUS_EXIT_BAD_INPUT;
        arguments.output = option == 'o' ? optarg : arguments.output;
        arguments.no_clobber = arguments.no_clobber || option == OPTION_NO_CLOBBER;
        arguments.is_quiet = arguments.is_quiet || option == OPTION_QUIET;
    }
    arguments.parts = (const char *const *)argv + optind;
    arguments.n_parts = argc - optind;
    if (arguments.n_parts < 1)
        return sarrus_option_refuse("merge", "no file named; the parts of a study were expected");
    if (arguments.output == NULL || *arguments.output == '\0')
        return sarrus_option_refuse("merge", "--output needs the name of a file");
    return parts_merge(&arguments);
}
