/* Forward kinematics of trees of revolute and prismatic pairs by rotation matrices, with numbers that carry derivatives along:
 * it shares nothing with the screws of src/kinematics. A jet<D> is a number with one infinitesimal more than D; nested p times
 * it holds the mixed derivative by p coordinates, each of its own level, to round-off. */
#ifndef TESTS_KINEMATICS_JETS_H
#define TESTS_KINEMATICS_JETS_H

#include <array>
#include <cmath>
#include <vector>

namespace jets {

template <class D> struct jet {
    D value, slope;
    jet() : value(0.0), slope(0.0) {
    }
    jet(double x) : value(x), slope(0.0) {
    }
    jet(const D &x, const D &y) : value(x), slope(y) {
    }
};
template <class D> jet<D> operator+(const jet<D> &x, const jet<D> &y) {
    return {x.value + y.value, x.slope + y.slope};
}
template <class D> jet<D> operator-(const jet<D> &x, const jet<D> &y) {
    return {x.value - y.value, x.slope - y.slope};
}
template <class D> jet<D> operator*(const jet<D> &x, const jet<D> &y) {
    return {x.value * y.value, x.value * y.slope + x.slope * y.value};
}
inline double cosine(double x) {
    return std::cos(x);
}
inline double sine(double x) {
    return std::sin(x);
}
template <class D> jet<D> sine(const jet<D> &x);
template <class D> jet<D> cosine(const jet<D> &x) {
    return {cosine(x.value), D(-1.0) * sine(x.value) * x.slope};
}
template <class D> jet<D> sine(const jet<D> &x) {
    return {sine(x.value), cosine(x.value) * x.slope};
}

/* The number without and with all infinitesimals of nested jets. */
inline double top(double x) {
    return x;
}
template <class D> double top(const jet<D> &x) {
    return top(x.slope);
}

template <class T> struct vector {
    T x[3];
    T &operator[](int i) {
        return x[i];
    }
    const T &operator[](int i) const {
        return x[i];
    }
};
template <class T> using matrix = vector<vector<T>>;

template <class T> T dot(const vector<T> &x, const vector<T> &y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
template <class T> vector<T> times(const matrix<T> &a, const vector<T> &x) {
    return {dot(a[0], x), dot(a[1], x), dot(a[2], x)};
}
template <class T> vector<T> times_transposed(const matrix<T> &a, const vector<T> &x) {
    vector<T> y;
    for (int i = 0; i < 3; ++i)
        y[i] = a[0][i] * x[0] + a[1][i] * x[1] + a[2][i] * x[2];
    return y;
}
template <class T> matrix<T> times(const matrix<T> &a, const matrix<T> &b) {
    matrix<T> c;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
    return c;
}

/* A body and the pair by which it hangs; numbers in the inertial frame at q = 0. */
struct body {
    int inboard; /* −1: ground */
    bool turns;
    vector<double> axis, at, position;
    matrix<double> rotation;
    double mass;
    matrix<double> inertia; /* in its own frame */
};

template <class T> matrix<T> turn(const vector<double> &axis, const T &q) {
    matrix<T> r;
    const T c = cosine(q), s = sine(q);
    const double x = axis[0], y = axis[1], z = axis[2];
    const double cross[3][3] = {{0, -z, y}, {z, 0, -x}, {-y, x, 0}};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            r[i][k] = T(axis[i] * axis[k]) + c * T((i == k ? 1.0 : 0.0) - axis[i] * axis[k]) + s * T(cross[i][k]);
    return r;
}

template <class T> struct pose {
    vector<T> p;
    matrix<T> r;
};

/* Body b: what its own pair does to it, then the next one on the way to ground, which carries both. */
template <class T> pose<T> place(const std::vector<body> &tree, int b, const std::vector<T> &q) {
    pose<T> found;
    for (int i = 0; i < 3; ++i) {
        found.p[i] = T(tree[(size_t)b].position[i]);
        for (int k = 0; k < 3; ++k)
            found.r[i][k] = T(tree[(size_t)b].rotation[i][k]);
    }
    for (int i = b; i >= 0; i = tree[(size_t)i].inboard) {
        const body &by = tree[(size_t)i];
        if (!by.turns) {
            for (int k = 0; k < 3; ++k)
                found.p[k] = found.p[k] + q[(size_t)i] * T(by.axis[k]);
            continue;
        }
        const matrix<T> r = turn(by.axis, q[(size_t)i]);
        vector<T> arm;
        for (int k = 0; k < 3; ++k)
            arm[k] = found.p[k] - T(by.at[k]);
        arm = times(r, arm);
        for (int k = 0; k < 3; ++k)
            found.p[k] = T(by.at[k]) + arm[k];
        found.r = times(r, found.r);
    }
    return found;
}

/* Velocity of the centre of mass and turn of body b in its own frame for q̇_i = 1. */
template <class T> std::array<T, 6> screw(const std::vector<body> &tree, int b, int i, const std::vector<T> &q) {
    std::vector<jet<T>> moved;
    for (size_t k = 0; k < q.size(); ++k)
        moved.push_back(jet<T>(q[k], T((int)k == i ? 1.0 : 0.0)));
    const pose<jet<T>> at = place(tree, b, moved);
    matrix<T> r, rate;
    vector<T> v;
    for (int k = 0; k < 3; ++k) {
        v[k] = at.p[k].slope;
        for (int l = 0; l < 3; ++l) {
            r[k][l] = at.r[k][l].value;
            rate[k][l] = at.r[k][l].slope;
        }
    }
    const vector<T> own = times_transposed(r, v);
    matrix<T> back;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            back[k][l] = r[l][k];
    const matrix<T> cross = times(back, rate); /* Rᵀ Ṙ */
    return {own[0], own[1], own[2], cross[2][1], cross[0][2], cross[1][0]};
}

/* A_ij = Σ m v_i·v_j + ω_i·I ω_j. */
template <class T> T inertia(const std::vector<body> &tree, int i, int j, const std::vector<T> &q) {
    T sum(0.0);
    for (size_t b = 0; b < tree.size(); ++b) {
        const std::array<T, 6> x = screw(tree, (int)b, i, q), y = screw(tree, (int)b, j, q);
        for (int k = 0; k < 3; ++k) {
            sum = sum + T(tree[b].mass) * x[(size_t)k] * y[(size_t)k];
            for (int l = 0; l < 3; ++l)
                sum = sum + x[(size_t)(3 + k)] * T(tree[b].inertia[k][l]) * y[(size_t)(3 + l)];
        }
    }
    return sum;
}

/* q with one infinitesimal for every coordinate of `by`, level by level. */
template <class T> std::vector<jet<T>> seed(const std::vector<T> &q, int by) {
    std::vector<jet<T>> out;
    for (size_t k = 0; k < q.size(); ++k)
        out.push_back(jet<T>(q[k], T((int)k == by ? 1.0 : 0.0)));
    return out;
}

/* The mixed derivative of f(q) by `by`, by[0] the outermost level; `order` is known to the compiler. */
template <int order, class T, class F> double derive(const F &f, const std::vector<T> &q, const int *by) {
    if constexpr (order == 0)
        return top(f(q));
    else
        return derive<order - 1>(f, seed(q, *by), by + 1);
}

} // namespace jets

#endif
