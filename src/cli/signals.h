/* SIGINT and SIGTERM. One that was ignored when the program started (nohup) stays ignored. */
#ifndef SARRUS_CLI_SIGNALS_H
#define SARRUS_CLI_SIGNALS_H

#include <stdint.h>

/* From now on either ends the program at once, with the exit code that says so: while there is nothing to be kept or tidied. */
void sarrus_signals_leave(void);

/* From now on the first is noted, and the second kills. */
void sarrus_signals_catch(void);

/* Not zero once a signal was noted. */
const volatile int32_t *sarrus_signals_flag(void);

/* The signal that has come, 0 when none has. */
int sarrus_signal_caught(void);

#endif
