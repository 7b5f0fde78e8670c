#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

/* Written by the handler only; a handler has no other way to hand anything over. */
static volatile sig_atomic_t caught;

static void on_signal(int number) {
    caught = number;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &by_default, NULL);
    sigaction(SIGTERM, &by_default, NULL);
}

static void one_catch(int number) {
    struct sigaction before, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void sarrus_signals_catch(void) {
    one_catch(SIGINT);
    one_catch(SIGTERM);
}

int sarrus_signal_caught(void) {
    return caught;
}
