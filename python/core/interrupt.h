// Ctrl-C during a long call. The interpreter's own handler only makes a note that is read when Python code runs again; the library
// watches a flag of the caller instead.
#pragma once

#include <csignal>
#include <cstdint>

namespace sarrus_python {

// While it lives, SIGINT sets `*flag`, in calls from the main thread; elsewhere, and where Python has no handler of it, it does
// nothing. Made and destroyed with the interpreter's lock held.
class Interrupt {
  public:
    explicit Interrupt(volatile int32_t *flag);
    ~Interrupt();
    Interrupt(const Interrupt &) = delete;
    Interrupt &operator=(const Interrupt &) = delete;

    // To be called when the call is over: the handler of before is back, the flag 0, and if a signal came, its handler in Python is
    // run (which raises KeyboardInterrupt, if it is the usual one).
    void end();

  private:
    volatile int32_t *flag;
    bool is_on = false;
    struct sigaction before = {};
};

} // namespace sarrus_python
