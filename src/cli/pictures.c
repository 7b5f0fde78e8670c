/* sarrus report, sarrus animate: pictures are made by the Python package, whose own command `sarrus` takes these words before the
 * program sees them. Who comes here has the program before it in PATH, or without it: where python3 has the package, it is handed
 * the command. */
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "edge/exit_code.h"

extern char **environ;

/* -P: what lies in the present folder is no package. */
static const char *const python = "python3", *const safe_path = "-P";

/* A name alone is not asked for: a folder of that name has no origin. */
static bool has_package(void) {
    static const char question[] =
        "import importlib.util as u, sys; s = u.find_spec('sarrus'); sys.exit(s is None or s.origin is None)";
    const char *const command[] = {python, safe_path, "-c", question, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool is_started = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0) == 0 &&
                            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0) == 0 &&
                            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0) == 0 &&
                            posix_spawnp(&child, python, &actions, NULL, (char *const *)command, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return is_started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Does not come back where python3 has the package. */
static void hand_over(const char *word, int argc, char **argv) {
    const char **command = calloc((size_t)argc + 5, sizeof *command);
    if (command != NULL && has_package()) {
        const char *const head[] = {python, safe_path, "-m", "sarrus", word};
        memcpy(command, head, sizeof head);
        for (int i = 1; i < argc; ++i)
            command[4 + i] = argv[i];
        (void)execvp(python, (char *const *)command);
    }
    free(command);
}

static int picture(const char *word, const char *usage, int argc, char **argv) {
    hand_over(word, argc, argv);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            printf("Usage: sarrus %s %sThe Python package does it, and python3 has none here: 'pip install .' at the top of the\n"
                   "repository brings it, with its own command 'sarrus'; 'python3 -m sarrus %s --help' tells the\n"
                   "options.\n",
                   word, usage, word);
            return SARRUS_EXIT_DONE;
        }
    fprintf(stderr,
            "sarrus %s: error: pictures are made by the Python package, and python3 has none here: 'pip install .' at the top\n"
            "               of the repository, then its own command 'sarrus', or 'python3 -m sarrus %s'\n",
            word, word);
    return SARRUS_EXIT_BAD_INPUT;
}

int sarrus_command_report(int argc, char **argv) {
    return picture("report",
                   "OUT.h5 -o R.html [options]\n\n"
                   "Tells the result of a study on one page: how the instances ended, quantities, influence of the\n"
                   "parameters, envelopes over time, errors, the motion.\n",
                   argc, argv);
}

int sarrus_command_animate(int argc, char **argv) {
    return picture("animate",
                   "OUT.h5 -o M.html|gif|mp4 [options]\n\n"
                   "Shows the motion of a result file as a page, a GIF or a film.\n",
                   argc, argv);
}
