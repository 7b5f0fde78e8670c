// sarrus._core: the C library for the interpreter. What users call is in the package's Python files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bind.h"
#include "model.h"
#include "sarrus/method.h"
#include "sarrus/observable.h"
#include "sarrus/status.h"
#include "sarrus/version.h"
#include "unlocked.h"

extern "C" { // of the program, whose own headers are of C alone
#include "edge/kernel_places.h"
}

namespace sarrus_python {

// word → value, in the order of the table.
static nb::dict pinv_methods() {
    nb::dict out;
    for (int i = 0; i < SARRUS_N_PINV_METHODS; ++i)
        out[sarrus_pinv_method_word(static_cast<sarrus_pinv_method>(i))] = i;
    return out;
}

static nb::dict rank_methods() {
    nb::dict out;
    for (int i = 0; i < SARRUS_N_RANK_METHODS; ++i)
        out[sarrus_rank_method_word(static_cast<sarrus_rank_method>(i))] = i;
    return out;
}

// word → (value, sentence)
static nb::dict instance_statuses() {
    nb::dict out;
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        const auto own = static_cast<sarrus_instance_status>(i);
        out[sarrus_instance_status_word(own)] = nb::make_tuple(i, sarrus_instance_status_text(own));
    }
    return out;
}

// word → (value, unit, sentence)
static nb::dict observables() {
    static const char *const words[] = {
#define SARRUS_OBSERVABLE(name, width, unit, text) #name,
#include "sarrus/observables.def"
    };
    nb::dict out;
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        const auto own = static_cast<sarrus_observable>(i);
        out[nb::str(words[i]).attr("lower")()] = nb::make_tuple(i, sarrus_observable_unit(own), sarrus_observable_text(own));
    }
    return out;
}

// (cache, compiler, prefixes of NVIDIA's libraries), as the program finds them; None: the environment names none.
static nb::tuple kernel_places() {
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    return nb::make_tuple(places.cache, places.compiler, places.cuda);
}

static nb::dict call_statuses() {
    nb::dict out;
#define SARRUS_STATUS(name, value, text) out[#name] = value;
#include "sarrus/status.def"
    return out;
}

} // namespace sarrus_python

NB_MODULE(_core, module) {
    namespace own = sarrus_python;
    module.doc() = "The C library, as the package's Python files use it.";
    module.attr("version") = sarrus_version();
    module.def("pinv_methods", &own::pinv_methods);
    module.def("rank_methods", &own::rank_methods);
    module.def("instance_statuses", &own::instance_statuses);
    module.def("observables", &own::observables);
    module.def("call_statuses", &own::call_statuses);
    module.def("kernel_places", &own::kernel_places);
    module.def("threads_park", &own::threads_park);
    nanobind::set_leak_warnings(false); // of what threads that are parked hold
    own::model_bind(module);
    own::sample_bind(module);
    own::batch_bind(module);
    own::run_bind(module);
    own::streams_bind(module);
    own::pinv_bind(module);
    own::compare_bind(module);
    own::kinematics_bind(module);
}
