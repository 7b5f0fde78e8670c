#include "interrupt.h"

#include <nanobind/nanobind.h>

#include "unlocked.h"

namespace sarrus_python {

// A handler has no other way to hand anything over. The main thread alone sets it.
static volatile int32_t *flag_of_handler;

static void on_interrupt(int) {
    if (flag_of_handler != nullptr)
        *flag_of_handler = 1;
}

Interrupt::Interrupt(volatile int32_t *flag_) : flag(flag_) {
    struct sigaction action = {};
    *flag = 0;
    if (!is_main_thread() || flag_of_handler != nullptr || sigaction(SIGINT, nullptr, &before) != 0)
        return;
    // A handler of Python has an entry in C; where there is none, the signal does what it did.
    if (before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL)
        return;
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    flag_of_handler = flag;
    is_on = sigaction(SIGINT, &action, nullptr) == 0;
    if (!is_on)
        flag_of_handler = nullptr;
}

void Interrupt::end() {
    if (!is_on)
        return;
    sigaction(SIGINT, &before, nullptr);
    flag_of_handler = nullptr;
    is_on = false;
    if (*flag == 0)
        return;
    *flag = 0;
    PyErr_SetInterrupt();
    if (PyErr_CheckSignals() != 0)
        throw nanobind::python_error();
}

Interrupt::~Interrupt() {
    if (!is_on)
        return;
    sigaction(SIGINT, &before, nullptr);
    flag_of_handler = nullptr;
}

} // namespace sarrus_python
