/* sarrus animate: pictures are drawn by the Python package, whose command `sarrus` takes this word before the program sees it. Who
 * comes here has the program without the package, or before it in PATH. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"

int sarrus_command_animate(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("Usage: sarrus animate OUT.h5 -o M.html|gif|mp4 [options]\n\n"
                   "Shows the motion of a result file as a page, a GIF or a film. This program cannot: the Python\n"
                   "package does it ('pip install .' at the top of the repository), by its own command 'sarrus' or\n"
                   "by 'python3 -m sarrus animate', which tell the options with --help.\n");
            return SARRUS_EXIT_DONE;
        }
    fputs("sarrus animate: error: this program draws no pictures, the Python package does: 'pip install .' at the top of the\n"
          "                repository, then its own command 'sarrus', or 'python3 -m sarrus animate'\n",
          stderr);
    return SARRUS_EXIT_BAD_INPUT;
}
