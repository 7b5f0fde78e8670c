// What a call of the library says, as an exception of Python: sarrus/errors.py makes it.
#pragma once

#include <nanobind/nanobind.h>

#include "sarrus/context.h"

namespace sarrus_python {

namespace nb = nanobind;

// Diagnostics of one call.
class Context {
  public:
    Context();
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;

    sarrus_context *get() const {
        return context;
    }

    // Raises what `status` and the diagnostics say, unless it is OK; warnings of a call that went well become warnings of Python.
    void check(sarrus_status status, const char *what) const;

  private:
    sarrus_context *context = nullptr;
};

// Raises the exception for `status` with one sentence; `message` may be NULL.
[[noreturn]] void failure_raise(sarrus_status status, const char *message);

// Raises the exception for an object that another thread uses.
[[noreturn]] void busy_raise(const char *message);

} // namespace sarrus_python
