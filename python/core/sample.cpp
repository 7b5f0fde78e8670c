// An own sample in a file, as `sarrus run --samples` reads it.
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "failure.h"
#include "model.h"
#include "unlocked.h"

extern "C" { // of the library itself, whose own headers are of C alone
#include "model/draws.h"
#include "study/sample_file.h"
}

namespace sarrus_python {

using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class Sample {
  public:
    explicit Sample(const std::string &path) : path(path) {
        Context context;
        sarrus_status status;
        {
            Unlocked unlocked;
            status = sarrus_sample_file_read(context.get(), path.c_str(), &table);
        }
        if (status != SARRUS_OK)
            sarrus_sample_table_free(&table);
        context.check(status, "the samples cannot be read");
    }
    ~Sample() {
        sarrus_sample_table_free(&table);
    }
    Sample(const Sample &) = delete;
    Sample &operator=(const Sample &) = delete;

    uint64_t n_rows() const {
        return table.n_rows;
    }
    int n_columns() const {
        return table.n_columns;
    }
    // None of an array without names.
    std::vector<std::string> labels() const {
        std::vector<std::string> out;
        for (int i = 0; table.labels != nullptr && i < table.n_columns; ++i)
            out.emplace_back(table.labels[i]);
        return out;
    }
    // out [n_rows][n_columns]
    void copy(const Table &out) const {
        if (out.shape(0) != table.n_rows || out.shape(1) != static_cast<size_t>(table.n_columns))
            failure_raise(SARRUS_BAD_ARGUMENT, "an array of another shape than [rows, columns]");
        for (size_t i = 0; i < out.size(); ++i)
            out.data()[i] = table.values[i];
    }
    // out [n_rows][parameters of the model], in the model's order. Columns of further paths of a draw go.
    void draw(const Model &model, const Table &out) {
        Context context;
        sarrus_draws *draws = nullptr;
        const sarrus_status status = sarrus_sample_draws(context.get(), path.c_str(), &table, model.single(), &draws);
        if (status == SARRUS_OK && (out.shape(0) != draws->n_instances || out.shape(1) != static_cast<size_t>(draws->n_sampled))) {
            sarrus_draws_destroy(draws);
            failure_raise(SARRUS_BAD_ARGUMENT, "an array of another shape than [rows, parameters]");
        }
        const size_t n = out.shape(0), n_sampled = out.shape(1);
        for (size_t i = 0; status == SARRUS_OK && i < n * n_sampled; ++i)
            out.data()[i] = draws->values[i % n_sampled * n + i / n_sampled];
        sarrus_draws_destroy(draws);
        context.check(status, "the samples are not those of the scenario");
    }

  private:
    const std::string path;
    sarrus_sample_table table = {};
};

void sample_bind(nb::module_ &module) {
    nb::class_<Sample>(module, "Sample")
        .def(nb::init<const std::string &>())
        .def_prop_ro("n_rows", &Sample::n_rows)
        .def_prop_ro("n_columns", &Sample::n_columns)
        .def_prop_ro("labels", &Sample::labels)
        .def("copy", &Sample::copy)
        .def("draw", &Sample::draw);
}

} // namespace sarrus_python
