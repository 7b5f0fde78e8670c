// The parts of the module, each bound by its own file.
#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include "sarrus/batch.h"

namespace sarrus_python {

namespace nb = nanobind;

// What the texts of sarrus_batch_options point into.
struct BatchTexts {
    std::optional<std::string> isa, cache, compiler, cuda_prefixes;
};

// The entries backend, threads, isa, specialize, cache_dir, compiler and cuda_prefixes, all of which are there.
sarrus_batch_options batch_options_read(const nb::dict &options, BatchTexts *texts);

void batch_bind(nb::module_ &module);
void compare_bind(nb::module_ &module);
void kinematics_bind(nb::module_ &module);
void pinv_bind(nb::module_ &module);
void run_bind(nb::module_ &module);
void sample_bind(nb::module_ &module);
void streams_bind(nb::module_ &module);

} // namespace sarrus_python
