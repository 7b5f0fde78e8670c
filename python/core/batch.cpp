// A batch in the interpreter's hands: shapes are checked here, arrays are made by sarrus/batches.py.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "failure.h"
#include "interrupt.h"
#include "model.h"
#include "sarrus/batch.h"
#include "sarrus/device.h"
#include "sarrus/seen.h"
#include "sarrus/system.h"
#include "unlocked.h"

namespace sarrus_python {

using Array = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using ConstArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Mask = std::optional<nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
using WritableCounts = nb::ndarray<uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = std::optional<nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

static sarrus_field field_of(int field) {
    return static_cast<sarrus_field>(field);
}

class Batch {
  public:
    Batch(Model &model, uint64_t n, const nb::dict &options);
    ~Batch() {
        destroy();
    }
    Batch(const Batch &) = delete;
    Batch &operator=(const Batch &) = delete;

    sarrus_batch *get() const {
        return batch;
    }
    uint64_t n() const {
        return sarrus_batch_n_instances(batch);
    }

    // Runs a call of the library without the interpreter's lock. Ctrl-C stops a call that makes steps; else it is handled after it.
    template <typename Call> void run(Call call, bool makes_steps = false) const {
        if (getpid() != owner)
            failure_raise(SARRUS_UNSUPPORTED, "the batch was made before a fork; expected one that is made in this process");
        if (is_busy.exchange(true))
            busy_raise("the batch is in use by another thread; one thread at a time per batch");
        sarrus_status status;
        std::optional<Interrupt> interrupt;
        if (makes_steps)
            interrupt.emplace(&stop);
        {
            Unlocked unlocked;
            status = call(batch);
        }
        is_busy = false;
        if (interrupt)
            interrupt->end();
        if (status == SARRUS_OK)
            return;
        if (status == SARRUS_INTERRUPTED)
            failure_raise(status, "the batch was stopped; expected Batch.reset() before anything else");
        failure_raise(status, status == SARRUS_DEVICE_FAILED ? sarrus_batch_failure(batch) : sarrus_batch_refusal(batch));
    }

    const uint8_t *mask_of(const Mask &mask) const {
        if (!mask)
            return nullptr;
        if (mask->shape(0) != n())
            throw nb::value_error("a mask needs one entry for each instance");
        return mask->data();
    }

    // Raises unless the array has n rows of this width; NumPy arrays of any shape with as many numbers are taken.
    template <typename Any> void size_check(const Any &array, uint64_t width) const {
        if (array.size() != n() * width)
            throw nb::value_error("the array has another size than [instances, width]");
    }

  private:
    // In a process that was forked off, the threads of the batch are gone, and so is who would end them.
    void destroy() {
        if (batch == nullptr || getpid() != owner)
            return;
        Unlocked unlocked;
        sarrus_batch_destroy(batch);
    }

    sarrus_batch *batch = nullptr;
    const pid_t owner = getpid();
    mutable volatile int32_t stop = 0;
    mutable std::atomic<bool> is_busy{false};
};

static std::optional<std::string> text_option(const nb::dict &options, const char *name) {
    if (!options.contains(name) || nb::object(options[name]).is_none())
        return std::nullopt;
    return nb::cast<std::string>(options[name]);
}

sarrus_batch_options batch_options_read(const nb::dict &options, BatchTexts *texts) {
    sarrus_batch_options out = {};
    texts->isa = text_option(options, "isa");
    texts->cache = text_option(options, "cache_dir");
    texts->compiler = text_option(options, "compiler");
    texts->cuda_prefixes = text_option(options, "cuda_prefixes");
    out.backend = static_cast<sarrus_backend>(nb::cast<int>(options["backend"]));
    out.isa = texts->isa ? texts->isa->c_str() : nullptr;
    out.n_threads = nb::cast<int>(options["threads"]);
    out.specialize = static_cast<sarrus_specialize>(nb::cast<int>(options["specialize"]));
    out.cache_dir = texts->cache ? texts->cache->c_str() : nullptr;
    out.compiler = texts->compiler ? texts->compiler->c_str() : nullptr;
    out.cuda_prefixes = texts->cuda_prefixes ? texts->cuda_prefixes->c_str() : nullptr;
    return out;
}

Batch::Batch(Model &model, uint64_t n, const nb::dict &options) {
    const sarrus_model *single = model.single();
    const sarrus_plan *plan = model.plan(0);
    BatchTexts texts;
    sarrus_batch_options own = batch_options_read(options, &texts);
    own.keep_rank_events = nb::cast<bool>(options["keep_rank_events"]);
    own.needs_all_rows = nb::cast<bool>(options["all_rows"]);
    own.first_instance = nb::cast<uint64_t>(options["first_instance"]);
    own.stop = &stop;
    const nb::object seed_given = options["seed"];
    const uint64_t seed = seed_given.is_none() ? sarrus_model_seed(single) : nb::cast<uint64_t>(seed_given);
    const bool draws_wanted = nb::cast<bool>(options["draw"]);
    std::optional<ConstArray> sample;
    if (!nb::object(options["sample"]).is_none())
        sample = nb::cast<ConstArray>(options["sample"]);
    Context context;
    Interrupt interrupt(&stop);
    sarrus_draws *draws = nullptr;
    sarrus_status status = SARRUS_OK;
    {
        Unlocked unlocked;
        if (sample)
            status = sarrus_draws_from_values(context.get(), single, nullptr, static_cast<int>(sample->shape(1)), n, sample->data(),
                                              &draws);
        else if (draws_wanted && own.first_instance == 0 && n > sarrus_model_n_instances(single))
            status = sarrus_draws_create(context.get(), single, seed, n, &draws); /* a larger study than the scenario's */
        else if (draws_wanted)
            status = sarrus_draws_create_part(context.get(), single, seed, own.first_instance, n, &draws);
        if (status == SARRUS_OK)
            status = sarrus_batch_create(context.get(), plan, &own, n, draws, &batch);
        sarrus_draws_destroy(draws);
    }
    try {
        interrupt.end();
        context.check(status, "the batch cannot be made");
    } catch (...) {
        destroy();
        throw;
    }
}

static nb::object view_make(const Batch &self, nb::handle owner, int field) {
    sarrus_view view;
    self.run([&](sarrus_batch *batch) { return sarrus_batch_view(batch, field_of(field), &view); });
    const size_t n_tiles = (self.n() + view.width - 1) / view.width;
    const size_t shape[] = {n_tiles, static_cast<size_t>(view.n_components), view.width};
    const int64_t strides[] = {static_cast<int64_t>(view.stride), static_cast<int64_t>(view.width), 1};
    return nb::cast(nb::ndarray<nb::numpy, double>(view.base, 3, shape, owner, strides));
}

// Address, device, tiles, components, doubles from a tile to the next.
static nb::tuple device_view(const Batch &self, int field) {
    sarrus_device_view view = {};
    self.run([&](sarrus_batch *batch) { return sarrus_batch_device_view(batch, field_of(field), &view); });
    return nb::make_tuple(reinterpret_cast<uintptr_t>(view.base), view.device, view.n_tiles, view.n_components, view.stride);
}

// An array in the memory of a GPU, as others take it by DLPack.
static nb::object device_array(uintptr_t address, int device, const std::vector<size_t> &shape, const std::vector<int64_t> &strides,
                               nb::handle owner) {
    if (shape.size() != strides.size())
        throw nb::value_error("shape and strides have other lengths");
    return nb::cast(nb::ndarray<nb::array_api, double>(reinterpret_cast<double *>(address), shape.size(), shape.data(), owner,
                                                       strides.data(), nb::dtype<double>(), nb::device::cuda::value, device));
}

static void queues_bind(nb::class_<Batch> &type) {
    type.def("device_view", &device_view)
        .def("advance_async",
             [](const Batch &self, uint64_t n_steps, uintptr_t stream) {
                 self.run([&](sarrus_batch *batch) {
                     return sarrus_batch_advance_async(batch, n_steps, reinterpret_cast<void *>(stream));
                 });
             })
        .def("copy_in_async",
             [](const Batch &self, int field, uintptr_t values, uintptr_t stream) {
                 self.run([&](sarrus_batch *batch) {
                     return sarrus_batch_copy_in_async(batch, field_of(field), reinterpret_cast<const double *>(values),
                                                       reinterpret_cast<void *>(stream));
                 });
             })
        .def("reset_some_async",
             [](const Batch &self, uintptr_t mask, uintptr_t stream) {
                 self.run([&](sarrus_batch *batch) {
                     return sarrus_batch_reset_some_async(batch, reinterpret_cast<const uint8_t *>(mask),
                                                          reinterpret_cast<void *>(stream));
                 });
             })
        .def("observe_async", [](const Batch &self, int observable, uintptr_t out, uintptr_t stream) {
            self.run([&](sarrus_batch *batch) {
                return sarrus_batch_observe_async(batch, static_cast<sarrus_observable>(observable),
                                                  reinterpret_cast<double *>(out), reinterpret_cast<void *>(stream));
            });
        });
}

static nb::bytes save(const Batch &self) {
    const size_t n_bytes = sarrus_batch_save_size(self.get());
    PyObject *bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(n_bytes));
    if (bytes == nullptr)
        throw nb::python_error();
    const nb::bytes out = nb::steal<nb::bytes>(bytes);
    void *data = PyBytes_AsString(bytes); // the macro is not of the stable interface
    self.run([&](sarrus_batch *batch) { return sarrus_batch_save(batch, data, n_bytes); });
    return out;
}

static void redraw(const Batch &self, const Mask &mask, const Counts &seeds, const Counts &episodes, const Counts &numbers) {
    for (const Counts *counts : {&seeds, &episodes, &numbers})
        if (*counts && (*counts)->shape(0) != self.n())
            throw nb::value_error("seeds, episodes and numbers need one entry for each instance");
    const sarrus_redraw how = {sizeof how, self.mask_of(mask), seeds ? seeds->data() : nullptr,
                               episodes ? episodes->data() : nullptr, numbers ? numbers->data() : nullptr};
    self.run([&](sarrus_batch *batch) { return sarrus_batch_redraw(batch, &how); }, true);
}

// arrays: pairs of an observable and where [n][n_times][width] goes.
static void observe(const Batch &self, uint64_t n_times, uint64_t every, bool observe_first,
                    const std::vector<std::pair<int, Array>> &arrays) {
    sarrus_observation observation = {};
    observation.n_times = n_times;
    observation.every_steps = every;
    observation.observe_first = observe_first;
    observation.n_times_stride = n_times;
    for (const auto &[observable, array] : arrays) {
        if (observable < 0 || observable >= SARRUS_N_OBSERVABLES)
            throw nb::value_error("there is no such observable");
        const int width = sarrus_batch_observable_width(self.get(), static_cast<sarrus_observable>(observable));
        self.size_check(array, n_times * static_cast<uint64_t>(width));
        observation.destination[observable] = array.data();
    }
    self.run([&](sarrus_batch *batch) { return sarrus_batch_observe(batch, &observation); }, true);
}

// out: [6][n] violation, energy mismatch, error, work, nearest change point and its time.
static void verdicts(const Batch &self, const Array &out) {
    self.size_check(out, 6);
    double *data = out.data();
    const uint64_t n = self.n();
    self.run([&](sarrus_batch *batch) {
        for (uint64_t i = 0; i < n; ++i) {
            sarrus_instance_verdict own;
            const sarrus_status status = sarrus_batch_verdict(batch, i, &own);
            if (status != SARRUS_OK)
                return status;
            const double values[] = {own.violation, own.energy_mismatch,      own.error,
                                     own.work,      own.nearest_change_point, own.nearest_change_point_time};
            for (uint64_t k = 0; k < 6; ++k)
                data[k * n + i] = values[k];
        }
        return SARRUS_OK;
    });
}

// out: [4][n] steps, rejections, evaluations, changes of rank.
static void statistics(const Batch &self, const nb::ndarray<uint64_t, nb::c_contig, nb::device::cpu> &out) {
    self.size_check(out, 4);
    uint64_t *data = out.data();
    const uint64_t n = self.n();
    self.run([&](sarrus_batch *batch) {
        for (uint64_t i = 0; i < n; ++i) {
            sarrus_instance_statistics own;
            const sarrus_status status = sarrus_batch_statistics(batch, i, &own);
            if (status != SARRUS_OK)
                return status;
            const uint64_t values[] = {own.n_steps, own.n_rejected, own.n_evaluations, own.n_rank_changes};
            for (uint64_t k = 0; k < 4; ++k)
                data[k * n + i] = values[k];
        }
        return SARRUS_OK;
    });
}

static nb::dict specialization_of(const Batch &self) {
    sarrus_specialization own;
    sarrus_batch_specialization(self.get(), &own);
    nb::dict out;
    out["state"] = sarrus_specialization_state_word(own.state);
    out["is_from_cache"] = own.is_from_cache != 0;
    out["compile_seconds"] = own.compile_seconds;
    out["ready_seconds"] = own.ready_seconds;
    out["step_share"] = own.step_share;
    out["note"] = own.note;
    return out;
}

static nb::list rank_events_of(const Batch &self) {
    const sarrus_rank_event *events = nullptr;
    uint64_t n_events = 0;
    self.run([&](sarrus_batch *batch) { return sarrus_batch_rank_events(batch, &events, &n_events); });
    nb::list out;
    for (uint64_t i = 0; i < n_events; ++i)
        out.append(nb::make_tuple(events[i].instance, events[i].time, events[i].rank_before, events[i].rank_after));
    return out;
}

static void rank_events_clear(const Batch &self) {
    self.run([](sarrus_batch *batch) {
        sarrus_batch_rank_events_clear(batch);
        return SARRUS_OK;
    });
}

static std::vector<std::string> labels_of(const Batch &self) {
    std::vector<std::string> labels;
    for (int i = 0; i < sarrus_batch_field_width(self.get(), SARRUS_FIELD_PARAMETER); ++i)
        labels.emplace_back(sarrus_batch_parameter_label(self.get(), i));
    return labels;
}

static void steps_bind(nb::class_<Batch> &type) {
    type.def(nb::init<Model &, uint64_t, const nb::dict &>(), nb::keep_alive<1, 2>())
        .def_prop_ro("n", &Batch::n)
        .def_prop_ro("interval", [](const Batch &self) { return sarrus_batch_interval(self.get()); })
        .def_prop_ro("step", [](const Batch &self) { return sarrus_batch_step(self.get()); })
        .def_prop_ro("backend", [](const Batch &self) { return std::string(sarrus_batch_backend_name(self.get())); })
        .def_prop_ro("device", [](const Batch &self) { return std::string(sarrus_batch_device_name(self.get())); })
        .def_prop_ro("parameter_labels", &labels_of)
        .def_prop_ro("specialization", &specialization_of)
        .def("advance",
             [](const Batch &self, uint64_t n_steps) {
                 self.run([&](sarrus_batch *batch) { return sarrus_batch_advance(batch, n_steps); }, true);
             })
        .def("reset", [](const Batch &self) { self.run(sarrus_batch_reset); })
        .def(
            "reset_some",
            [](const Batch &self, const Mask &mask) {
                const uint8_t *own = self.mask_of(mask);
                self.run([&](sarrus_batch *batch) { return sarrus_batch_reset_some(batch, own); });
            },
            nb::arg().none())
        .def(
            "assemble",
            [](const Batch &self, const Mask &mask) {
                const uint8_t *own = self.mask_of(mask);
                self.run([&](sarrus_batch *batch) { return sarrus_batch_assemble(batch, own); }, true);
            },
            nb::arg().none())
        .def("redraw", &redraw, nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none())
        .def("copy_episodes", [](const Batch &self, const WritableCounts &out) {
            self.size_check(out, 1);
            self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_episodes(batch, out.data()); });
        });
}

static void copy_systems(const Batch &self, const Array &mass, const Array &force, const Array &jacobian, const Array &gamma) {
    const auto n = static_cast<uint64_t>(sarrus_batch_field_width(self.get(), SARRUS_FIELD_V));
    self.size_check(mass, n * n);
    self.size_check(force, n);
    self.size_check(jacobian, gamma.shape(1) * n);
    self.size_check(gamma, gamma.shape(1));
    const sarrus_systems out = {sizeof out, mass.data(), force.data(), jacobian.data(), gamma.data()};
    self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_systems(batch, &out); });
}

using SeenTable = nb::ndarray<const int32_t, nb::shape<-1, 6>, nb::c_contig, nb::device::cpu>;
using SeenPlaces = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using OwnPlaces = std::optional<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

// What rows of the table ask for; a place of the instances' own lies within their row of `own`.
static std::vector<sarrus_seen> seen_of(const Batch &self, const SeenTable &table, const SeenPlaces &at, const OwnPlaces &own) {
    // In space a body has seven coordinates and six speeds.
    const bool is_spatial =
        sarrus_batch_field_width(self.get(), SARRUS_FIELD_Q) != sarrus_batch_field_width(self.get(), SARRUS_FIELD_V);
    if (at.shape(0) != table.shape(0) || (own && own->shape(0) != self.n()))
        throw nb::value_error("places are as many as rows of the table, own places as many as instances");
    std::vector<sarrus_seen> seen(table.shape(0));
    for (size_t k = 0; k < seen.size(); ++k) {
        const int32_t *row = table.data() + 6 * k;
        seen[k] = {static_cast<sarrus_seen_kind>(row[0]), row[1], row[2], row[3], row[4], {}, nullptr, 0};
        std::copy_n(at.data() + 3 * k, 3, seen[k].at);
        if (row[5] < 0)
            continue;
        if (!own || static_cast<size_t>(row[5]) + (is_spatial ? 3 : 2) > own->shape(1))
            throw nb::value_error("a row of the table asks for an own place that there is none of");
        seen[k].own = own->data() + row[5];
        seen[k].stride = own->shape(1);
    }
    return seen;
}

static void copy_seen(const Batch &self, const SeenTable &table, const SeenPlaces &at, const OwnPlaces &own, const Mask &mask,
                      const Array &out) {
    const std::vector<sarrus_seen> seen = seen_of(self, table, at, own);
    self.size_check(out, seen.size());
    const uint8_t *masked = self.mask_of(mask);
    self.run([&](sarrus_batch *batch) {
        return sarrus_batch_copy_seen(batch, seen.data(), static_cast<int>(seen.size()), masked, out.data());
    });
}

static void fields_bind(nb::class_<Batch> &type) {
    type.def("field_width", [](const Batch &self, int field) { return sarrus_batch_field_width(self.get(), field_of(field)); })
        .def("observable_width",
             [](const Batch &self, int observable) {
                 return sarrus_batch_observable_width(self.get(), static_cast<sarrus_observable>(observable));
             })
        .def(
            "copy_out",
            [](const Batch &self, int field, const Mask &mask, const Array &out) {
                self.size_check(out, static_cast<uint64_t>(sarrus_batch_field_width(self.get(), field_of(field))));
                const uint8_t *own = self.mask_of(mask);
                self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_out_some(batch, field_of(field), own, out.data()); });
            },
            nb::arg(), nb::arg().none(), nb::arg())
        .def(
            "copy_state",
            [](const Batch &self, const Mask &mask, const Array &q, const Array &v) {
                self.size_check(q, static_cast<uint64_t>(sarrus_batch_field_width(self.get(), SARRUS_FIELD_Q)));
                self.size_check(v, static_cast<uint64_t>(sarrus_batch_field_width(self.get(), SARRUS_FIELD_V)));
                const uint8_t *own = self.mask_of(mask);
                self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_state(batch, own, q.data(), v.data()); });
            },
            nb::arg().none(), nb::arg(), nb::arg())
        .def(
            "copy_in",
            [](const Batch &self, int field, const Mask &mask, const ConstArray &values) {
                self.size_check(values, static_cast<uint64_t>(sarrus_batch_field_width(self.get(), field_of(field))));
                const uint8_t *own = self.mask_of(mask);
                self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_in(batch, field_of(field), own, values.data()); });
            },
            nb::arg(), nb::arg().none(), nb::arg())
        .def("copy_observable",
             [](const Batch &self, int observable, const Array &out) {
                 const auto own = static_cast<sarrus_observable>(observable);
                 self.size_check(out, static_cast<uint64_t>(sarrus_batch_observable_width(self.get(), own)));
                 self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_observable(batch, own, out.data()); });
             })
        .def("copy_systems", &copy_systems)
        .def("copy_seen", &copy_seen, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
        .def("copy_joint_points",
             [](const Batch &self, const nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu> &out) {
                 self.size_check(out, out.shape(1) * out.shape(2) * out.shape(3));
                 self.run([&](sarrus_batch *batch) { return sarrus_batch_copy_joint_points(batch, out.data()); });
             })
        .def("view", [](nb::handle self, int field) { return view_make(nb::cast<const Batch &>(self), self, field); })
        .def("observe", &observe)
        .def("save", &save)
        .def("load",
             [](const Batch &self, const nb::bytes &bytes) {
                 self.run([&](sarrus_batch *batch) { return sarrus_batch_load(batch, bytes.data(), bytes.size()); });
             })
        .def("verdicts", &verdicts)
        .def("statistics", &statistics)
        .def("rank_events", &rank_events_of)
        .def("rank_events_clear", &rank_events_clear);
}

void batch_bind(nb::module_ &module) {
    nb::class_<Batch> type(module, "Batch");
    steps_bind(type);
    fields_bind(type);
    queues_bind(type);
    module.def("device_array", &device_array);
}

} // namespace sarrus_python
