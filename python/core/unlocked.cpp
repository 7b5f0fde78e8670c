#include "unlocked.h"

#include <atomic>

#include <sys/syscall.h>
#include <unistd.h>

namespace sarrus_python {

static std::atomic<bool> is_ending{false};

bool is_main_thread() {
    return static_cast<pid_t>(syscall(SYS_gettid)) == getpid();
}

void threads_park() {
    is_ending = true;
}

Unlocked::Unlocked() : state(PyEval_SaveThread()) {
}

Unlocked::~Unlocked() {
    while (is_ending && !is_main_thread())
        pause();
    PyEval_RestoreThread(state);
}

} // namespace sarrus_python
