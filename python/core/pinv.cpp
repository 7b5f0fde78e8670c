// Pseudoinverses of a stack of matrices.
#include <cstdint>
#include <optional>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind.h"
#include "failure.h"
#include "sarrus/pinv.h"
#include "unlocked.h"

namespace sarrus_python {

using Stack = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using OutStack = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstNumbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ranks = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstRanks = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What is not wanted or not given is None. Shapes are those of sarrus_pinv_batch; sarrus/pseudoinverse.py sees to them.
static void compute(const nb::dict &how, const Stack &a, const std::optional<Stack> &b, const OutStack &x, const Ranks &rank,
                    const Numbers &kept, const Numbers &dropped, const std::optional<ConstRanks> &max_rank,
                    const std::optional<ConstNumbers> &violation) {
    sarrus_pinv_options options = {};
    options.method = static_cast<sarrus_pinv_method>(nb::cast<int>(how["method"]));
    options.rank_method = static_cast<sarrus_rank_method>(nb::cast<int>(how["rank_method"]));
    options.rank_tolerance = nb::cast<double>(how["tolerance"]);
    options.n_threads = nb::cast<int>(how["threads"]);
    options.backend = static_cast<sarrus_backend>(nb::cast<int>(how["backend"]));
    sarrus_pinv_batch batch = {};
    batch.n_matrices = a.shape(0);
    batch.m = static_cast<int>(a.shape(1));
    batch.n = static_cast<int>(a.shape(2));
    batch.n_rhs = b ? static_cast<int>(b->shape(2)) : 0;
    batch.a = a.data();
    batch.b = b ? b->data() : nullptr;
    batch.x = x.data();
    batch.rank = rank.data();
    batch.kept = kept.data();
    batch.dropped = dropped.data();
    batch.max_rank = max_rank ? max_rank->data() : nullptr;
    batch.violation = violation ? violation->data() : nullptr;
    const size_t n_columns = b ? b->shape(2) : a.shape(1);
    if (x.shape(0) != a.shape(0) || x.shape(1) != a.shape(2) || x.shape(2) != n_columns ||
        (b && (b->shape(0) != a.shape(0) || b->shape(1) != a.shape(1))))
        throw nb::value_error("the stacks do not fit together");
    for (const size_t n : {rank.shape(0), kept.shape(0), dropped.shape(0), max_rank ? max_rank->shape(0) : a.shape(0),
                           violation ? violation->shape(0) : a.shape(0)})
        if (n != a.shape(0))
            throw nb::value_error("one number for each matrix is needed");
    Context context;
    sarrus_status status;
    {
        Unlocked unlocked;
        status = sarrus_pinv_compute(context.get(), &options, &batch);
    }
    context.check(status, "the pseudoinverses cannot be computed");
}

void pinv_bind(nb::module_ &module) {
    module.def("pinv_compute", &compute, nb::arg("how"), nb::arg("a"), nb::arg("b").none(), nb::arg("x"), nb::arg("rank"),
               nb::arg("kept"), nb::arg("dropped"), nb::arg("max_rank").none(), nb::arg("violation").none());
}

} // namespace sarrus_python
