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

void park() {
    while (true)
        pause();
}

Unlocked::Unlocked() : state(PyEval_SaveThread()) {
}

// The end may come while the thread waits for the lock: before CPython 3.14 the wait then ends by pthread_exit(), an unwinding of
// the stack that arrives here as an exception without a type.
Unlocked::~Unlocked() {
    if (is_ending && !is_main_thread())
        park();
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        park();
    }
}

Locked::Locked() {
    if (is_ending && !is_main_thread())
        park();
    try {
        state = PyGILState_Ensure();
    } catch (...) {
        park();
    }
}

Locked::~Locked() {
    PyGILState_Release(state);
}

} // namespace sarrus_python
