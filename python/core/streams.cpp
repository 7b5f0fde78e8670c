// Random numbers that are a function of where they are used (python/sarrus/gym/streams.py).
#include <cstdint>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bind.h"

namespace sarrus_python {

using Counts = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static constexpr uint64_t golden = 0x9E3779B97F4A7C15, first = 0xBF58476D1CE4E5B9, second = 0x94D049BB133111EB;

// The output function of SplitMix64, a permutation of 64 bits.
static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * first;
    x = (x ^ (x >> 27)) * second;
    return x ^ (x >> 31);
}

static void uniforms(const Counts &seeds, const Counts &episodes, uint64_t stream, const Numbers &out) {
    const size_t n = out.shape(0), width = out.shape(1);
    if (seeds.shape(0) != n || episodes.shape(0) != n)
        throw nb::value_error("seeds and episodes are one for each row");
    for (size_t i = 0; i < n; ++i) {
        uint64_t head = mixed(seeds.data()[i] + golden);
        head = mixed(head + (episodes.data()[i] + 1) * golden);
        head = mixed(head + (stream + 1) * first);
        for (size_t k = 0; k < width; ++k)
            out.data()[i * width + k] = static_cast<double>(mixed(head + (k + 1) * golden) >> 11) * 0x1p-53;
    }
}

void streams_bind(nb::module_ &module) {
    module.def("uniforms", &uniforms);
}

} // namespace sarrus_python
