#include "bench/plan/scenarios.h"

#include <math.h>

static void begin(FILE *out, const char *name) {
    fprintf(out, "sarrus: 1\nname: %s\nspace: planar\ngravity: [0, -9.81]\nbodies:\n", name);
}

static void end(FILE *out) {
    fprintf(out, "dynamics: {formulation: udwadia-kalaba}\nintegrator: {method: rk4, dt: 1.0e-4, t_end: 1.0e-3}\n");
}

static void body(FILE *out, const char *kind, int i, double x, double y) {
    fprintf(out, "  - {name: %s%d, mass: 1, inertia: 0.1, position: [%.6f, %.6f]}\n", kind, i, x, y);
}

/* A pin between two bodies; "" is ground. */
typedef struct pin_ends {
    const char *parent;
    int i_parent;
    const char *child;
    int i_child;
} pin_ends;

static void pin(FILE *out, const char *kind, int i, pin_ends ends, double x, double y) {
    fprintf(out, "  - {name: %s%d, type: revolute, bodies: [", kind, i);
    if (ends.parent[0] == '\0')
        fprintf(out, "ground");
    else
        fprintf(out, "%s%d", ends.parent, ends.i_parent);
    fprintf(out, ", %s%d], at: [%.6f, %.6f]}\n", ends.child, ends.i_child, x, y);
}

void sarrus_bench_chain_write(FILE *out, int n) {
    begin(out, "chain");
    for (int i = 0; i < n; ++i)
        body(out, "b", i, i + 0.5, 0.0);
    fprintf(out, "joints:\n");
    for (int i = 0; i < n; ++i)
        pin(out, "j", i, (pin_ends){i > 0 ? "b" : "", i - 1, "b", i}, i, 0.0);
    end(out);
}

void sarrus_bench_ladder_write(FILE *out, int n) {
    begin(out, "ladder");
    for (int i = 0; i <= n; ++i)
        body(out, "crank", i, i, 0.5);
    for (int i = 0; i < n; ++i)
        body(out, "rod", i, i + 0.5, 1.0);
    fprintf(out, "joints:\n");
    for (int i = 0; i <= n; ++i)
        pin(out, "base", i, (pin_ends){"", 0, "crank", i}, i, 0.0);
    for (int i = 0; i < n; ++i) {
        pin(out, "left", i, (pin_ends){"crank", i, "rod", i}, i, 1.0);
        pin(out, "right", i, (pin_ends){"rod", i, "crank", i + 1}, i + 1, 1.0);
    }
    end(out);
}

/* Bars at the node (x, y) of the lattice, one of each pair around it: their kinds and numbers. Returns how many. */
static int bars_at(int n, int x, int y, const char *kind[4], int number[4]) {
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        const int i = x - k % 2, j = y - k / 2;
        if (i < 0 || j < 0 || i >= n || j >= n)
            continue;
        kind[count] = k == 0 || k == 3 ? "up" : "down";
        number[count++] = i * n + j;
    }
    return count;
}

void sarrus_bench_lattice_write(FILE *out, int n) {
    int n_pins = 0;
    begin(out, "lattice");
    for (int k = 0; k < 2 * n * n; ++k)
        body(out, k % 2 ? "down" : "up", k / 2, k / 2 / n + 0.5, k / 2 % n + 0.5);
    fprintf(out, "joints:\n");
    for (int k = 0; k < n * n; ++k)
        pin(out, "cross", k, (pin_ends){"up", k, "down", k}, k / n + 0.5, k % n + 0.5);
    for (int node = 0; node < (n + 1) * (n + 1); ++node) {
        const char *kind[4];
        int number[4];
        const int x = node / (n + 1), y = node % (n + 1), count = bars_at(n, x, y, kind, number);
        for (int k = 1; k < count; ++k)
            pin(out, "node", n_pins++, (pin_ends){kind[k - 1], number[k - 1], kind[k], number[k]}, x, y);
    }
    pin(out, "base", 0, (pin_ends){"", 0, "up", 0}, 0.0, 0.0);
    end(out);
}

void sarrus_bench_wheel_write(FILE *out, int n) {
    const double turn = 2.0 * acos(-1.0) / n;
    begin(out, "wheel");
    body(out, "hub", 0, 0.0, 0.0);
    for (int i = 0; i < n; ++i)
        body(out, "spoke", i, 0.6 * cos(turn * i), 0.6 * sin(turn * i));
    fprintf(out, "joints:\n");
    pin(out, "axle", 0, (pin_ends){"", 0, "hub", 0}, 0.0, 0.0);
    for (int i = 0; i < n; ++i)
        pin(out, "root", i, (pin_ends){"hub", 0, "spoke", i}, 0.2 * cos(turn * i), 0.2 * sin(turn * i));
    for (int i = 0; i < n; ++i)
        pin(out, "rim", i, (pin_ends){"spoke", i, "spoke", (i + 1) % n}, cos(turn * (i + 0.5)), sin(turn * (i + 0.5)));
    end(out);
}

void sarrus_bench_pendulums_write(FILE *out, int n) {
    begin(out, "pendulums");
    for (int i = 0; i < n; ++i)
        body(out, "b", i, i, -0.5);
    fprintf(out, "joints:\n");
    for (int i = 0; i < n; ++i)
        pin(out, "j", i, (pin_ends){"", 0, "b", i}, i, 0.0);
    end(out);
}

void sarrus_bench_pins_write(FILE *out, int n) {
    const double golden = 2.399963;
    begin(out, "pins");
    body(out, "plate", 0, 0.0, 0.0);
    fprintf(out, "joints:\n");
    for (int i = 0; i < n; ++i) {
        const double r = sqrt((i + 1.0) / n);
        pin(out, "j", i, (pin_ends){"", 0, "plate", 0}, r * cos(golden * i), r * sin(golden * i));
    }
    end(out);
}
