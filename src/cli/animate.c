/* sarrus animate: pictures are drawn by the Python package, whose command `sarrus` takes this word before the program sees it. Who
 * comes here has the program without the package, or before it in PATH. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"

static const char way[] =
    "with the Python package installed ('pip install .' at the top of the repository) its own command 'sarrus' "
    "does it, and so does 'python3 -m sarrus animate'";

int sarrus_command_animate(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("Usage: sarrus animate OUT.h5 -o M.html|gif|mp4 [options]\n\n"
                   "Shows the motion of a result file as a page, a GIF or a film. This program cannot;\n%s,\n"
                   "with --help for the options.\n",
                   way);
            return SARRUS_EXIT_DONE;
        }
    fprintf(stderr, "sarrus animate: error: this program draws no pictures; %s\n", way);
    return SARRUS_EXIT_BAD_INPUT;
}
