/* The program's commands, and a row of the table that main dispatches on. */
#ifndef SARRUS_CLI_COMMAND_H
#define SARRUS_CLI_COMMAND_H

/* A command: argv[0] is its name; returns an exit code (edge/exit_code.h). */
typedef struct sarrus_command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;
    int (*run)(int argc, char **argv);
} sarrus_command;

int sarrus_command_run(int argc, char **argv);
int sarrus_command_check(int argc, char **argv);
int sarrus_command_compare(int argc, char **argv);
int sarrus_command_pinv(int argc, char **argv);
int sarrus_command_bench(int argc, char **argv);
int sarrus_command_reliability(int argc, char **argv);
int sarrus_command_merge(int argc, char **argv);
int sarrus_command_list(int argc, char **argv);
int sarrus_command_info(int argc, char **argv);
int sarrus_command_xdmf(int argc, char **argv);
int sarrus_command_animate(int argc, char **argv);
int sarrus_command_report(int argc, char **argv);

#endif
