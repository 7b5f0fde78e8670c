#include "cli/crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edge/exit_code.h"

static const struct {
    int number;
    const char *text;
} crashes[] = {{SIGSEGV, "sarrus: error: internal failure (SIGSEGV): "},
               {SIGBUS, "sarrus: error: internal failure (SIGBUS): "},
               {SIGFPE, "sarrus: error: internal failure (SIGFPE): "},
               {SIGILL, "sarrus: error: internal failure (SIGILL): "},
               {SIGABRT, "sarrus: error: internal failure (SIGABRT): "}};
enum { N_CRASHES = sizeof crashes / sizeof crashes[0] };

static const char what_follows[] = "out of memory, or a fault of the program; do not rely on a result that was being written\n";

/* A stack that has run over leaves none for the handler. */
static char handlers_stack[1 << 16];

static void say(const char *text) {
    const ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n; /* nobody is left to hear of it */
}

static void on_crash(int number) {
    for (size_t i = 0; i < N_CRASHES; ++i)
        if (crashes[i].number == number)
            say(crashes[i].text);
    say(what_follows);
    _exit(SARRUS_EXIT_IO);
}

static atomic_bool is_over;

static void on_exit_of_others(void) {
    if (atomic_load(&is_over))
        return;
    say("sarrus: error: internal failure (a library ended the program): ");
    say(what_follows);
    _exit(SARRUS_EXIT_IO);
}

void sarrus_crashes_over(void) {
    atomic_store(&is_over, true);
}

void sarrus_crashes_leave(void) {
    sarrus_crashes_over();
    for (size_t i = 0; i < N_CRASHES; ++i) {
        struct sigaction now;
        if (sigaction(crashes[i].number, NULL, &now) == 0 && now.sa_handler == on_crash)
            (void)signal(crashes[i].number, SIG_DFL);
    }
}

void sarrus_crashes_catch(void) {
    if (atexit(on_exit_of_others) != 0)
        sarrus_crashes_over();
    const stack_t stack = {.ss_sp = handlers_stack, .ss_size = sizeof handlers_stack};
    struct sigaction before, action = {.sa_handler = on_crash, .sa_flags = (int)(SA_ONSTACK | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&stack, NULL) != 0)
        return;
    for (size_t i = 0; i < N_CRASHES; ++i)
        if (sigaction(crashes[i].number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(crashes[i].number, &action, NULL);
}
