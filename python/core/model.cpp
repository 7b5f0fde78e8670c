#include "model.h"

#include <unistd.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "failure.h"
#include "interrupt.h"
#include "sarrus/study.h"
#include "sarrus/warning.h"
#include "unlocked.h"

namespace sarrus_python {

Model::Model(const std::string &name, const std::string *text, const Settings &settings) {
    Context context;
    std::vector<sarrus_override> overrides;
    for (const auto &[path, value] : settings)
        overrides.push_back({path.c_str(), value.c_str()});
    sarrus_status status;
    {
        Unlocked unlocked;
        status = text == nullptr
                     ? sarrus_document_read_file(context.get(), name.c_str(), overrides.data(), overrides.size(), &document)
                     : sarrus_document_read_text(context.get(), name.c_str(), text->data(), text->size(), overrides.data(),
                                                 overrides.size(), &document);
    }
    try {
        context.check(status, "the scenario cannot be used");
    } catch (...) { // a warning that is to be an error, too
        sarrus_document_destroy(document);
        throw;
    }
    plans.resize(static_cast<size_t>(n_groups()), nullptr);
}

Model::~Model() {
    for (sarrus_plan *own : plans)
        sarrus_plan_destroy(own);
    sarrus_document_destroy(document);
}

const sarrus_model *Model::group(int i) const {
    if (i < 0 || i >= n_groups())
        throw nb::index_error("the document has no such group");
    return sarrus_document_model(document, i);
}

const sarrus_model *Model::single() const {
    if (sarrus_document_is_mixed(document))
        failure_raise(SARRUS_UNSUPPORTED, "the document is a list of scenarios; expected a single scenario");
    return group(0);
}

const sarrus_plan *Model::plan(int i) {
    const sarrus_model *own = group(i);
    sarrus_plan *&made = plans[static_cast<size_t>(i)];
    while (is_planning) { // by another thread
        Unlocked unlocked;
        usleep(1000);
    }
    if (made != nullptr)
        return made;
    Context context;
    volatile int32_t stop = 0;
    Interrupt interrupt(&stop);
    sarrus_plan_options options = {&stop, nullptr, nullptr};
    sarrus_plan *fresh = nullptr;
    sarrus_status status;
    is_planning = true;
    {
        Unlocked unlocked;
        status = sarrus_plan_create_watched(context.get(), own, &options, &fresh);
    }
    is_planning = false;
    made = status == SARRUS_OK ? fresh : nullptr;
    interrupt.end();
    context.check(status, "the scenario cannot be planned");
    return made;
}

static nb::dict sizes_of(const sarrus_plan *plan) {
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(plan, &sizes);
    nb::dict out;
    out["n_bodies"] = sizes.n_bodies;
    out["n_joints"] = sizes.n_joints;
    out["n_constraints"] = sizes.n_constraints;
    out["n_coordinates"] = sizes.n_coordinates;
    out["n"] = sizes.n;
    out["m"] = sizes.m;
    out["rank"] = sizes.rank;
    out["rank_at_t0"] = sizes.rank_at_t0;
    out["n_dof"] = sizes.n_dof;
    out["n_redundant"] = sizes.n_redundant;
    out["n_inputs"] = sizes.n_inputs;
    out["bytes_per_instance"] = sizes.bytes_per_instance;
    return out;
}

static std::vector<std::string> names_of(const sarrus_plan *plan, bool of_speeds) {
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(plan, &sizes);
    std::vector<std::string> names;
    for (int i = 0; i < (of_speeds ? sizes.n : sizes.n_coordinates); ++i)
        names.emplace_back(of_speeds ? sarrus_plan_speed_name(plan, i) : sarrus_plan_coordinate_name(plan, i));
    return names;
}

static std::vector<std::string> joints_of(const sarrus_plan *plan) {
    std::vector<std::string> names;
    for (int i = 0; sarrus_plan_joint_name(plan, i) != nullptr; ++i)
        names.emplace_back(sarrus_plan_joint_name(plan, i));
    return names;
}

// (parent, child) of each joint, −1 ground.
static std::vector<std::pair<int, int>> joint_bodies_of(const sarrus_plan *plan) {
    std::vector<std::pair<int, int>> bodies;
    for (int i = 0; sarrus_plan_joint_name(plan, i) != nullptr; ++i)
        bodies.emplace_back(sarrus_plan_joint_parent(plan, i), sarrus_plan_joint_child(plan, i));
    return bodies;
}

// (free coordinates, driven ones) of each joint.
static std::vector<std::pair<int, int>> joint_coordinates_of(const sarrus_plan *plan) {
    std::vector<std::pair<int, int>> counts;
    for (int i = 0; sarrus_plan_joint_name(plan, i) != nullptr; ++i) {
        int n_driven = 0;
        const int n = sarrus_plan_joint_coordinates(plan, i, &n_driven);
        counts.emplace_back(n, n_driven);
    }
    return counts;
}

// What may not be meant: (kind, whether it matters, name, sentence), as `sarrus check` tells it.
static nb::list warnings_of(const sarrus_plan *plan, uint64_t n_instances) {
    Context context;
    sarrus_warnings *made = nullptr;
    nb::list out;
    const sarrus_status status = sarrus_warnings_create(context.get(), plan, n_instances, &made);
    const std::unique_ptr<sarrus_warnings, decltype(&sarrus_warnings_destroy)> warnings(made, &sarrus_warnings_destroy);
    context.check(status, "the scenario cannot be looked through");
    for (int i = 0; i < sarrus_warnings_count(made); ++i) {
        sarrus_warning own;
        sarrus_warnings_get(made, i, &own);
        out.append(nb::make_tuple(sarrus_warning_kind_word(own.kind), own.matters != 0, own.name, own.text));
    }
    return out;
}

// Labels of what is drawn, in the model's order.
static std::vector<std::string> parameters_of(const sarrus_model *model) {
    Context context;
    sarrus_draws *made = nullptr;
    std::vector<std::string> labels;
    const sarrus_status status = sarrus_draws_create_part(context.get(), model, 0, 0, 1, &made);
    const std::unique_ptr<sarrus_draws, decltype(&sarrus_draws_destroy)> draws(made, &sarrus_draws_destroy);
    context.check(status, "the parameters cannot be drawn");
    for (int i = 0; i < sarrus_draws_n_parameters(made); ++i)
        labels.emplace_back(sarrus_draws_label(made, i));
    return labels;
}

void model_bind(nb::module_ &module) {
    nb::class_<Model>(module, "Model")
        .def(
            "__init__",
            [](Model *self, const std::string &name, const std::optional<std::string> &text, const Settings &settings) {
                new (self) Model(name, text ? &*text : nullptr, settings);
            },
            nb::arg("name"), nb::arg("text").none(), nb::arg("settings"))
        .def_prop_ro("is_mixed", [](const Model &self) { return sarrus_document_is_mixed(self.get()) != 0; })
        .def_prop_ro("n_groups", &Model::n_groups)
        .def_prop_ro("name", [](const Model &self) { return std::string(sarrus_document_name(self.get())); })
        .def_prop_ro("resolved", [](const Model &self) { return std::string(sarrus_document_resolved(self.get())); })
        .def("n_instances", [](const Model &self, int i) { return sarrus_model_n_instances(self.group(i)); })
        .def("seed", [](const Model &self, int i) { return sarrus_model_seed(self.group(i)); })
        .def("sizes", [](Model &self, int i) { return sizes_of(self.plan(i)); })
        .def("card", [](Model &self, int i) { return std::string(sarrus_plan_report(self.plan(i))); })
        .def("coordinates", [](Model &self, int i) { return names_of(self.plan(i), false); })
        .def("speeds", [](Model &self, int i) { return names_of(self.plan(i), true); })
        .def("joints", [](Model &self, int i) { return joints_of(self.plan(i)); })
        .def("joint_bodies", [](Model &self, int i) { return joint_bodies_of(self.plan(i)); })
        .def("joint_coordinates", [](Model &self, int i) { return joint_coordinates_of(self.plan(i)); })
        .def("parameters", [](const Model &self, int i) { return parameters_of(self.group(i)); })
        .def("warnings", [](Model &self, int i, uint64_t n_instances) { return warnings_of(self.plan(i), n_instances); });
}

} // namespace sarrus_python
