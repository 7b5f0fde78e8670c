/* SIGINT, SIGTERM, SIGHUP and SIGUSR1. One that was ignored when the program started (nohup) stays ignored. */
#ifndef SARRUS_CLI_SIGNALS_H
#define SARRUS_CLI_SIGNALS_H

#include <stdint.h>

/* From now on each ends the program at once, with the exit code that says so: while there is nothing to be kept or tidied. */
void sarrus_signals_leave(void);

/* From now on the first is noted, and a second SIGINT or SIGTERM kills. A second SIGHUP does not: a terminal that is closed sends
 * several. */
void sarrus_signals_catch(void);

/* Not zero once a signal was noted. */
const volatile int32_t *sarrus_signals_flag(void);

/* The signal that has come, 0 when none has. */
int sarrus_signal_caught(void);

#endif
