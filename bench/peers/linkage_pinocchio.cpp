// Pinocchio's articulated-body algorithm on a tree that linkage_pinocchio.py has written. What it uses of Pinocchio is compiled
// with this file, for this processor: the library of its wheel is built for any.
//
//   linkage_pinocchio MODEL accelerate              accelerations of the states in MODEL, by both conventions
//   linkage_pinocchio MODEL step H N                their coordinates after N steps of RK4
//   linkage_pinocchio MODEL CALL CONVENTION N       processor seconds, clock seconds and calls of at least N calls; CALL aba or rk4
//
// CONVENTION is local or world.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>

namespace {

using Vector = Eigen::VectorXd;
using pinocchio::Convention;

struct Tree {
    pinocchio::Model model;
    Vector damping;
    std::vector<Vector> q, v;
};

template <class Matrix> void take(std::istream &in, Matrix &&to) {
    for (Eigen::Index i = 0; i < to.rows(); ++i)
        for (Eigen::Index j = 0; j < to.cols(); ++j)
            in >> to(i, j);
}

// Each joint turns about, or slides along, the z of its frame, so that the cheapest of Pinocchio's joints serves.
Tree read(const char *name) {
    std::ifstream in(name);
    Tree tree;
    int n = 0, n_states = 0;
    Eigen::Vector3d gravity;
    take(in, gravity);
    tree.model.gravity.linear() = gravity;
    in >> n;
    tree.damping.resize(n);
    for (int i = 0; i < n; ++i) {
        std::size_t parent = 0;
        int is_turning = 0;
        double mass = 0.0;
        Eigen::Matrix3d rotation, inertia;
        Eigen::Vector3d place, center;
        in >> parent >> is_turning;
        take(in, rotation);
        take(in, place);
        in >> mass;
        take(in, center);
        take(in, inertia);
        in >> tree.damping[i];
        const pinocchio::SE3 placement(rotation, place);
        const std::string joint = "J" + std::to_string(i);
        const auto id = is_turning ? tree.model.addJoint(parent, pinocchio::JointModelRZ(), placement, joint)
                                   : tree.model.addJoint(parent, pinocchio::JointModelPZ(), placement, joint);
        tree.model.appendBodyToJoint(id, pinocchio::Inertia(mass, center, inertia));
    }
    in >> n_states;
    for (int i = 0; i < n_states; ++i) {
        Vector q(n), v(n);
        take(in, q);
        take(in, v);
        tree.q.push_back(q);
        tree.v.push_back(v);
    }
    if (!in || n_states == 0)
        throw std::runtime_error("the model cannot be read");
    return tree;
}

struct Stepper {
    const Tree &tree;
    Convention convention;
    pinocchio::Data data;
    Vector tau, q, v, v1, a1, v2, a2, v3, a3, v4;

    Stepper(const Tree &of, Convention by) : tree(of), convention(by), data(of.model) {
        for (Vector *each : {&tau, &q, &v, &v1, &a1, &v2, &a2, &v3, &a3, &v4})
            each->setZero(of.damping.size());
    }

    const Vector &accelerate(const Vector &at, const Vector &with) {
        tau.array() = -tree.damping.array() * with.array();
        return pinocchio::aba(tree.model, data, at, with, tau, convention);
    }

    // Coordinates of these joints are plain numbers: nothing need be asked of Pinocchio to advance them.
    void step(double h) {
        v1 = v;
        a1 = accelerate(q, v1);
        v2 = v + 0.5 * h * a1;
        a2 = accelerate(q + 0.5 * h * v1, v2);
        v3 = v + 0.5 * h * a2;
        a3 = accelerate(q + 0.5 * h * v2, v3);
        v4 = v + h * a3;
        const Vector &a4 = accelerate(q + h * v3, v4);
        q += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
};

void print(const Vector &numbers) {
    for (Eigen::Index i = 0; i < numbers.size(); ++i)
        std::printf("%.17g ", numbers[i]);
    std::printf("\n");
}

double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// The states take turns. A motion of RK4 begins anew every 100 steps.
void time_calls(const Tree &tree, bool is_step, Convention convention, long n_calls) {
    Stepper stepper(tree, convention);
    double sum = 0.0;
    const auto call = [&](long i) {
        const std::size_t k = std::size_t(is_step ? i / 100 : i) % tree.q.size();
        if (!is_step) {
            sum += stepper.accelerate(tree.q[k], tree.v[k])[0];
            return;
        }
        if (i % 100 == 0) {
            stepper.q = tree.q[k];
            stepper.v = tree.v[k];
        }
        stepper.step(1e-3);
        sum += stepper.q[0];
    };
    for (long i = 0; i < n_calls / 10 + 1; ++i)
        call(i);
    const auto clock = std::chrono::steady_clock::now();
    const double begin = processor_seconds();
    for (long i = 0; i < n_calls; ++i)
        call(i);
    const double end = processor_seconds();
    const std::chrono::duration<double> by_clock = std::chrono::steady_clock::now() - clock;
    std::printf("%.9g %.9g %ld %.17g\n", end - begin, by_clock.count(), n_calls, sum);
}

int run(int n_words, char **words) {
    const Tree tree = read(words[1]);
    const std::string what = words[2];
    if (what == "accelerate") {
        for (const Convention convention : {Convention::LOCAL, Convention::WORLD}) {
            Stepper stepper(tree, convention);
            for (std::size_t i = 0; i < tree.q.size(); ++i)
                print(stepper.accelerate(tree.q[i], tree.v[i]));
        }
        return 0;
    }
    if (n_words < 5)
        return 2;
    const long n = std::atol(words[4]);
    if (what == "step") {
        Stepper stepper(tree, Convention::LOCAL);
        for (std::size_t i = 0; i < tree.q.size(); ++i) {
            stepper.q = tree.q[i];
            stepper.v = tree.v[i];
            for (long k = 0; k < n; ++k)
                stepper.step(std::atof(words[3]));
            print(stepper.q);
        }
        return 0;
    }
    time_calls(tree, what == "rk4", std::strcmp(words[3], "world") == 0 ? Convention::WORLD : Convention::LOCAL, n);
    return 0;
}

} // namespace

int main(int n_words, char **words) {
    if (n_words < 3)
        return 2;
    try {
        return run(n_words, words);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s: %s\n", words[1], error.what());
        return 1;
    }
}
