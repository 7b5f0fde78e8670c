#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "edge/exit_code.h"

/* A handler has no other way to hand anything over; this one may be written by a handler. */
_Static_assert(sizeof(sig_atomic_t) == sizeof(int32_t), "the flag of a stop is what a handler may write");
static volatile int32_t caught;

static void on_signal_leave(int number) {
    _exit(SARRUS_EXIT_SIGNAL + number);
}

static void on_signal_note(int number) {
    caught = caught != 0 ? caught : number;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &by_default, NULL);
    sigaction(SIGTERM, &by_default, NULL);
}

static void one_handle(int number, void (*handler)(int)) {
    struct sigaction before, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void sarrus_signals_leave(void) {
    one_handle(SIGINT, on_signal_leave);
    one_handle(SIGTERM, on_signal_leave);
    one_handle(SIGHUP, on_signal_leave);
    one_handle(SIGUSR1, on_signal_leave);
}

void sarrus_signals_catch(void) {
    one_handle(SIGINT, on_signal_note);
    one_handle(SIGTERM, on_signal_note);
    one_handle(SIGHUP, on_signal_note);
    one_handle(SIGUSR1, on_signal_note); /* what batch systems send some time before they kill */
}

const volatile int32_t *sarrus_signals_flag(void) {
    return &caught;
}

int sarrus_signal_caught(void) {
    return caught;
}
