// Kinematics by screws of the tree of a scenario.
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "failure.h"
#include "model.h"
#include "sarrus/kinematics.h"
#include "unlocked.h"

namespace sarrus_python {

using Coordinates = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

// Its model is kept by Python.
class Kinematics {
  public:
    // n_instances 0: the nominal mechanism, in as many configurations as are asked for.
    Kinematics(Model &model, uint64_t n_instances, uint64_t seed) : n_own(n_instances) {
        Context context;
        const sarrus_model *single = model.single();
        const sarrus_plan *plan = model.plan(0);
        sarrus_status status = SARRUS_OK;
        if (n_instances > 0)
            status = sarrus_draws_create(context.get(), single, seed, n_instances, &draws);
        if (status == SARRUS_OK)
            status = sarrus_kinematics_create(context.get(), plan, draws, &kinematics);
        if (status != SARRUS_OK)
            sarrus_draws_destroy(draws);
        context.check(status, "the kinematics cannot be made");
    }
    ~Kinematics() {
        sarrus_kinematics_destroy(kinematics);
        sarrus_draws_destroy(draws);
    }
    Kinematics(const Kinematics &) = delete;
    Kinematics &operator=(const Kinematics &) = delete;

    const sarrus_kinematics *get() const {
        return kinematics;
    }
    // N, of coordinates [N][width]; out holds n_each numbers for each.
    size_t check(const Coordinates &q, size_t width, const Numbers &out, size_t n_each) const {
        const size_t n = q.shape(0);
        if (q.shape(1) != width || n == 0 || out.size() != n * n_each || (n_own > 0 && n != n_own))
            failure_raise(SARRUS_BAD_ARGUMENT, "arrays of other shapes than those of the kinematics");
        return n;
    }
    template <class F> static void run(const F &call) {
        sarrus_status status;
        {
            Unlocked unlocked;
            status = call();
        }
        if (status != SARRUS_OK)
            failure_raise(status, "the kinematics refuse");
    }

  private:
    uint64_t n_own;
    sarrus_draws *draws = nullptr;
    sarrus_kinematics *kinematics = nullptr;
};

static size_t n_of(const Kinematics &self) {
    return static_cast<size_t>(sarrus_kinematics_n_pairs(self.get()));
}
static size_t bodies_of(const Kinematics &self) {
    return static_cast<size_t>(sarrus_kinematics_n_bodies(self.get()));
}

static nb::list pairs(const Kinematics &self) {
    nb::list out;
    for (int i = 0; i < sarrus_kinematics_n_pairs(self.get()); ++i) {
        sarrus_kinematics_pair pair;
        if (sarrus_kinematics_pair_get(self.get(), i, &pair) == SARRUS_OK)
            out.append(nb::make_tuple(static_cast<int>(pair.kind), pair.body, pair.joint, pair.before));
    }
    return out;
}

static void products_bind(nb::class_<Kinematics> &type) {
    type.def("screws",
             [](const Kinematics &self, const Coordinates &q, const std::vector<int> &by, const Numbers &out) {
                 const size_t n = self.check(q, n_of(self), out, 6 * bodies_of(self) * n_of(self));
                 Kinematics::run([&] {
                     return sarrus_kinematics_screws(self.get(), n, q.data(), static_cast<int>(by.size()), by.data(), out.data());
                 });
             })
        .def("inertia",
             [](const Kinematics &self, const Coordinates &q, const std::vector<int> &by, const Numbers &out) {
                 const size_t n = self.check(q, n_of(self), out, n_of(self) * n_of(self));
                 Kinematics::run([&] {
                     return sarrus_kinematics_inertia(self.get(), n, q.data(), static_cast<int>(by.size()), by.data(), out.data());
                 });
             })
        .def("christoffel", [](const Kinematics &self, const Coordinates &q, const Numbers &out) {
            const size_t n = self.check(q, n_of(self), out, n_of(self) * n_of(self) * n_of(self));
            Kinematics::run([&] { return sarrus_kinematics_christoffel(self.get(), n, q.data(), out.data()); });
        });
}

static void motion(const Kinematics &self, const Coordinates &q, const Coordinates &speeds, const Coordinates &accelerations,
                   const Numbers &velocities, const Numbers &rates) {
    const size_t n = self.check(q, n_of(self), velocities, 6 * bodies_of(self));
    if (self.check(speeds, n_of(self), rates, 6 * bodies_of(self)) != n ||
        self.check(accelerations, n_of(self), rates, 6 * bodies_of(self)) != n)
        failure_raise(SARRUS_BAD_ARGUMENT, "coordinates, speeds and accelerations of different numbers of instances");
    Kinematics::run([&] {
        return sarrus_kinematics_motion(self.get(), n, q.data(), speeds.data(), accelerations.data(), velocities.data(),
                                        rates.data());
    });
}

static void forces(const Kinematics &self, const Coordinates &q, const Coordinates &speeds, const Numbers &terms,
                   const Numbers &weights) {
    const size_t n = self.check(q, n_of(self), terms, n_of(self));
    if (self.check(speeds, n_of(self), weights, n_of(self)) != n)
        failure_raise(SARRUS_BAD_ARGUMENT, "coordinates and speeds of different numbers of instances");
    Kinematics::run(
        [&] { return sarrus_kinematics_forces(self.get(), n, q.data(), speeds.data(), terms.data(), weights.data()); });
}

void kinematics_bind(nb::module_ &module) {
    nb::class_<Kinematics> type(module, "Kinematics");
    type.def(nb::init<Model &, uint64_t, uint64_t>(), nb::keep_alive<1, 2>())
        .def_prop_ro("n", [](const Kinematics &self) { return n_of(self); })
        .def_prop_ro("n_bodies", [](const Kinematics &self) { return bodies_of(self); })
        .def("pairs", &pairs)
        .def("coordinates",
             [](const Kinematics &self, const Coordinates &bodies, size_t n_q, const Numbers &out) {
                 const size_t n = self.check(bodies, n_q, out, n_of(self));
                 Kinematics::run([&] { return sarrus_kinematics_coordinates(self.get(), n, bodies.data(), out.data()); });
             })
        .def("poses",
             [](const Kinematics &self, const Coordinates &q, const Numbers &positions, const Numbers &rotations) {
                 const size_t n = self.check(q, n_of(self), positions, 3 * bodies_of(self));
                 self.check(q, n_of(self), rotations, 9 * bodies_of(self));
                 Kinematics::run([&] {
                     return sarrus_kinematics_poses(self.get(), n, q.data(), positions.data(), rotations.data());
                 });
             })
        .def("motion", &motion)
        .def("forces", &forces);
    products_bind(type);
}

} // namespace sarrus_python
