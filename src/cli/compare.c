#include <stdio.h>

#include "cli/command.h"
#include "edge/exit_code.h"

int sarrus_command_compare(int argc, char **argv) {
    (void)argc;
    fprintf(stderr, "sarrus %s: error: not available in this version; 'sarrus bench step' times the pseudoinverses\n", argv[0]);
    return SARRUS_EXIT_BAD_INPUT;
}
