#include "failure.h"

#include <new>

#include <nanobind/stl/string.h>

namespace sarrus_python {

Context::Context() {
    if (sarrus_context_create(&context) != SARRUS_OK)
        throw std::bad_alloc();
}

Context::~Context() {
    sarrus_context_destroy(context);
}

// A text of the library. A file's line may hold anything; what is not UTF-8 is replaced.
static nb::object text_of(const char *text) {
    if (text == nullptr)
        return nb::none();
    PyObject *made = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(strlen(text)), "replace");
    if (made == nullptr)
        throw nb::python_error();
    return nb::steal(made);
}

static nb::list diagnostics_of(const sarrus_context *context) {
    nb::list list;
    for (size_t i = 0; i < sarrus_context_n_diagnostics(context); ++i) {
        const sarrus_diagnostic *own = sarrus_context_diagnostic(context, i);
        list.append(nb::make_tuple(static_cast<int>(own->severity), text_of(own->file), own->line, own->column,
                                   text_of(own->message), text_of(own->source_line)));
    }
    return list;
}

[[noreturn]] static void raise(sarrus_status status, const nb::object &message, const nb::list &diagnostics) {
    nb::object exception =
        nb::module_::import_("sarrus.errors").attr("exception_make")(static_cast<int>(status), message, diagnostics);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
    throw nb::python_error();
}

void failure_raise(sarrus_status status, const char *message) {
    raise(status, text_of(message != nullptr ? message : sarrus_status_text(status)), nb::list());
}

void busy_raise(const char *message) {
    PyErr_SetString(nb::module_::import_("sarrus.errors").attr("BusyError").ptr(), message);
    throw nb::python_error();
}

void Context::check(sarrus_status status, const char *what) const {
    const nb::list diagnostics = diagnostics_of(context);
    if (status != SARRUS_OK)
        raise(status, text_of(what), diagnostics);
    if (nb::len(diagnostics) > 0)
        nb::module_::import_("sarrus.errors").attr("warnings_tell")(diagnostics);
}

} // namespace sarrus_python
