// The whole main job in one call, and its summary as a dict.
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind.h"
#include "failure.h"
#include "interrupt.h"
#include "model.h"
#include "sarrus/run.h"
#include "sarrus/study.h"
#include "unlocked.h"

namespace sarrus_python {

using Sample = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What the progress function calls, and whether that raised.
struct Watcher {
    nb::object function;
    std::optional<nb::python_error> raised;
};

static int progress_tell(const sarrus_progress *progress, void *user) {
    auto *watcher = static_cast<Watcher *>(user);
    Locked locked;
    try {
        if (PyErr_CheckSignals() != 0)
            throw nb::python_error();
        if (!watcher->function.is_none())
            watcher->function(progress->instance_steps, progress->n_instance_steps, progress->time, progress->t_end,
                              progress->n_failed);
    } catch (nb::python_error &error) {
        watcher->raised.emplace(error);
        return 1;
    } catch (...) {
        // The interpreter ends while the function waits for the lock (see unlocked.cpp).
        park();
    }
    return 0;
}

static nb::dict count_of(const sarrus_run_count &count) {
    nb::dict out;
    out["total"] = count.total;
    out["most"] = count.most;
    out["mean"] = count.mean;
    return out;
}

static nb::dict failures_of(const sarrus_run_summary &summary) {
    nb::dict out;
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        if (summary.n_failed_by_status[i] == 0)
            continue;
        nb::dict own;
        own["count"] = summary.n_failed_by_status[i];
        own["first_instance"] = summary.first_failure[i].instance;
        own["first_time"] = summary.first_failure[i].time;
        out[sarrus_instance_status_word(static_cast<sarrus_instance_status>(i))] = own;
    }
    return out;
}

static nb::dict summary_of(const sarrus_run_summary &summary, bool is_complete) {
    nb::dict out;
    out["is_complete"] = is_complete;
    out["n_instances"] = summary.n_instances;
    out["n_failed"] = summary.n_failed;
    out["failures"] = failures_of(summary);
    out["n_steps"] = summary.n_steps;
    out["n_output_times"] = summary.n_output_times;
    out["t_end"] = summary.t_end;
    out["resumed_at"] = summary.is_resumed != 0 ? nb::cast(summary.resumed_time) : nb::none();
    out["wall_seconds"] = summary.wall_seconds;
    out["integrate_seconds"] = summary.integrate_seconds;
    out["instance_steps_per_second"] = summary.instance_steps_per_second;
    out["max_position_error"] = summary.max_position_error;
    out["max_velocity_error"] = summary.max_velocity_error;
    out["max_violation"] = summary.max_violation;
    out["max_energy_error"] = summary.max_energy_error;
    out["nearest_change_point"] = summary.nearest_change_point;
    out["nearest_change_point_time"] = summary.nearest_change_point_time;
    out["nearest_change_point_instance"] = summary.nearest_change_point_instance;
    out["n_rank_changes"] = summary.n_rank_changes;
    out["output_bytes"] = summary.output_bytes;
    out["backend"] = summary.backend;
    out["device"] = summary.device;
    out["is_adaptive"] = summary.is_adaptive != 0;
    out["steps"] = count_of(summary.steps);
    out["rejections"] = count_of(summary.rejections);
    out["evaluations"] = count_of(summary.evaluations);
    out["specialization"] = sarrus_specialization_state_word(summary.specialization.state);
    return out;
}

static sarrus_status model_run(sarrus_context *context, const Model &model, const std::vector<const sarrus_plan *> &plans,
                               sarrus_run_options *options, sarrus_run_summary *summary) {
    if (!sarrus_document_is_mixed(model.get())) {
        options->plan = plans[0];
        return sarrus_run(context, model.group(0), options, summary);
    }
    std::vector<sarrus_run_group> groups(plans.size());
    for (size_t g = 0; g < plans.size(); ++g) {
        groups[g].model = model.group(static_cast<int>(g));
        groups[g].plan = plans[g];
        groups[g].file = sarrus_document_file(model.get(), static_cast<int>(g));
    }
    return sarrus_run_groups(context, groups.data(), static_cast<int>(groups.size()), sarrus_document_resolved(model.get()),
                             options, summary, nullptr);
}

// What every run has: words of the batch, a stop, progress. `output` is kept, not copied.
static sarrus_run_options options_read(const char *output, const nb::dict &options, BatchTexts *texts, volatile int32_t *stop,
                                       Watcher *watcher) {
    sarrus_run_options own = {};
    own.output_path = output;
    own.batch = batch_options_read(options, texts);
    own.batch.stop = stop;
    own.progress = progress_tell;
    own.progress_user = watcher;
    own.no_clobber = nb::cast<bool>(options["no_clobber"]);
    own.resumes = nb::cast<bool>(options["resumes"]);
    own.checkpoint_seconds = nb::cast<double>(options["checkpoint_seconds"]);
    return own;
}

// Raises what the progress function has raised, or the signal that stopped the run.
static void raised_end(const Watcher &watcher, Interrupt *interrupt) {
    if (watcher.raised) {
        try {
            interrupt->end();
        } catch (nb::python_error &) { // the same signal, told twice
        }
        throw *watcher.raised;
    }
    interrupt->end();
}

// sample: [instances][parameters], columns in the model's order; None: drawn.
static nb::dict run(Model &model, const std::optional<std::string> &output, const nb::dict &options, uint64_t n_instances,
                    std::optional<uint64_t> seed, const std::optional<Sample> &sample, const nb::object &progress) {
    std::vector<const sarrus_plan *> plans;
    for (int g = 0; g < model.n_groups(); ++g)
        plans.push_back(model.plan(g));
    volatile int32_t stop = 0;
    BatchTexts texts;
    Watcher watcher{progress, std::nullopt};
    sarrus_run_options own = options_read(output ? output->c_str() : nullptr, options, &texts, &stop, &watcher);
    own.n_instances = n_instances;
    own.seed = seed ? &*seed : nullptr;
    Context context;
    sarrus_run_summary summary = {};
    sarrus_status status = SARRUS_OK;
    sarrus_draws *draws = nullptr;
    Interrupt interrupt(&stop);
    {
        Unlocked unlocked;
        if (sample)
            status = sarrus_draws_from_values(context.get(), model.group(0), nullptr, static_cast<int>(sample->shape(1)),
                                              sample->shape(0), sample->data(), &draws);
        own.draws = draws;
        if (status == SARRUS_OK)
            status = model_run(context.get(), model, plans, &own, &summary);
        sarrus_draws_destroy(draws);
    }
    raised_end(watcher, &interrupt);
    context.check(status, "the run failed");
    return summary_of(summary, status == SARRUS_OK);
}

// The failed instances of the result `before` again.
static nb::dict retry(Model &model, const std::string &before, const std::string &output, const nb::dict &options,
                      const nb::object &progress) {
    volatile int32_t stop = 0;
    BatchTexts texts;
    Watcher watcher{progress, std::nullopt};
    sarrus_run_options own = options_read(output.c_str(), options, &texts, &stop, &watcher);
    Context context;
    sarrus_run_summary summary = {};
    sarrus_status status = SARRUS_OK;
    Interrupt interrupt(&stop);
    {
        Unlocked unlocked;
        status = sarrus_run_retry(context.get(), model.group(0), before.c_str(), &own, &summary);
    }
    raised_end(watcher, &interrupt);
    context.check(status, "the run failed");
    nb::dict out = summary_of(summary, status == SARRUS_OK);
    out["n_retried"] = summary.n_instances;
    out["n_study"] = summary.n_study;
    return out;
}

void run_bind(nb::module_ &module) {
    module.def("run", &run, nb::arg("model"), nb::arg("output").none(), nb::arg("options"), nb::arg("n_instances"),
               nb::arg("seed").none(), nb::arg("sample").none(), nb::arg("progress").none());
    module.def("retry", &retry, nb::arg("model"), nb::arg("before"), nb::arg("output"), nb::arg("options"),
               nb::arg("progress").none());
}

} // namespace sarrus_python
