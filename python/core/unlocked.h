// The interpreter's lock, given away during a call of the library and taken back within one.
#pragma once

#include <nanobind/nanobind.h>

namespace sarrus_python {

// Without the lock while it lives. A thread other than the main one that wants it back when the interpreter ends is parked for
// good: Python would end the thread, which must not happen in a destructor.
class Unlocked {
  public:
    Unlocked();
    ~Unlocked();
    Unlocked(const Unlocked &) = delete;
    Unlocked &operator=(const Unlocked &) = delete;

  private:
    PyThreadState *state;
};

// With the lock while it lives, in a call back from the library; a thread that comes when the interpreter ends is parked likewise.
class Locked {
  public:
    Locked();
    ~Locked();
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;

  private:
    PyGILState_STATE state;
};

// Keeps the caller where it is until the process ends.
[[noreturn]] void park();

// From now on threads are parked; called when the interpreter is about to end.
void threads_park();

// Whether the caller is the main thread of the process.
bool is_main_thread();

} // namespace sarrus_python
