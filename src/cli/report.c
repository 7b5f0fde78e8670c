/* sarrus report: pages are made by the Python package, whose command `sarrus` takes this word before the program sees it. Who comes
 * here has the program without the package, or before it in PATH. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"

int sarrus_command_report(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("Usage: sarrus report OUT.h5 -o R.html [options]\n\n"
                   "Tells the result of a study on one page: how the instances ended, quantities, influence of the\n"
                   "parameters, envelopes over time, errors, the motion. This program cannot: the Python package\n"
                   "does it ('pip install .' at the top of the repository), by its own command 'sarrus' or by\n"
                   "'python3 -m sarrus report', which tell the options with --help.\n");
            return SARRUS_EXIT_DONE;
        }
    fputs("sarrus report: error: this program makes no pages, the Python package does: 'pip install .' at the top of the\n"
          "               repository, then its own command 'sarrus', or 'python3 -m sarrus report'\n",
          stderr);
    return SARRUS_EXIT_BAD_INPUT;
}
