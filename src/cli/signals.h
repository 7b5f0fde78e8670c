/* SIGINT and SIGTERM: the first asks the run to stop and close its file, the second kills. */
#ifndef SARRUS_CLI_SIGNALS_H
#define SARRUS_CLI_SIGNALS_H

/* Installs the handlers. A signal that was ignored when the program started (nohup) stays ignored. */
void sarrus_signals_catch(void);

/* The signal that has come, 0 when none has. */
int sarrus_signal_caught(void);

#endif
