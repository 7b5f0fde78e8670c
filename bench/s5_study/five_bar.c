#include "bench/s5_study/five_bar.h"

#include <math.h>
#include <string.h>

enum { N = SARRUS_FIVE_BAR_N, COUPLER = 3, N_CRANKS = 3 };
static const double gravity = 9.81; /* m/s² */

void sarrus_five_bar_mass(double mass[N]) {
    static const double values[N] = {1.0, 1.0, 0.1, 1.0, 1.0, 0.1, 1.0, 1.0, 0.1, 2.0, 2.0, 0.2};
    memcpy(mass, values, sizeof values);
}

void sarrus_five_bar_force(double force[N]) {
    double mass[N];
    sarrus_five_bar_mass(mass);
    for (int i = 0; i < N; ++i)
        force[i] = i % 3 == 1 ? -gravity * mass[i] : 0.0;
}

void sarrus_five_bar_state(double phi, double speed, double q[N], double v[N]) {
    const double s = sin(phi), c = cos(phi);
    for (int crank = 0; crank < N_CRANKS; ++crank) {
        const double place[] = {crank + 0.5 * s, -0.5 * c, phi}, rate[] = {0.5 * c * speed, 0.5 * s * speed, speed};
        memcpy(q + 3 * crank, place, sizeof place);
        memcpy(v + 3 * crank, rate, sizeof rate);
    }
    const double place[] = {1.0 + s, -c, 0.0}, rate[] = {c * speed, s * speed, 0.0};
    memcpy(q + 3 * COUPLER, place, sizeof place);
    memcpy(v + 3 * COUPLER, rate, sizeof rate);
}

typedef struct rows {
    const double *q, *v;
    double *phi, *jacobian, *gamma;
} rows;

/* Adds sign · (the point of a body, in its frame) to the two rows of a joint. */
static void add_point(const rows *r, int i_row, int i_body, double sign, const double point[2]) {
    const double *place = r->q + 3 * i_body, rate = r->v[3 * i_body + 2];
    const double c = cos(place[2]), s = sin(place[2]);
    const double arm[] = {c * point[0] - s * point[1], s * point[0] + c * point[1]};
    const double turn[] = {-arm[1], arm[0]};
    for (int axis = 0; axis < 2; ++axis) {
        double *row = r->jacobian + N * (i_row + axis) + 3 * i_body;
        r->phi[i_row + axis] += sign * (place[axis] + arm[axis]);
        row[axis] += sign;
        row[2] += sign * turn[axis];
        r->gamma[i_row + axis] += sign * arm[axis] * rate * rate;
    }
}

void sarrus_five_bar_rows(const double *q, const double *v, double *phi, double *jacobian, double *gamma) {
    const rows r = {q, v, phi, jacobian, gamma};
    memset(phi, 0, SARRUS_FIVE_BAR_M * sizeof *phi);
    memset(jacobian, 0, SARRUS_FIVE_BAR_M * N * sizeof *jacobian);
    memset(gamma, 0, SARRUS_FIVE_BAR_M * sizeof *gamma);
    for (int crank = 0; crank < N_CRANKS; ++crank) {
        const double top[] = {0.0, 0.5}, tip[] = {0.0, -0.5}, seat[] = {crank - 1.0, 0.0};
        const int ground_row = 2 * crank, coupler_row = 2 * (N_CRANKS + crank);
        add_point(&r, ground_row, crank, 1.0, top);
        phi[ground_row] -= crank;
        add_point(&r, coupler_row, COUPLER, 1.0, seat);
        add_point(&r, coupler_row, crank, -1.0, tip);
    }
}

double sarrus_five_bar_across(const double *q, const double *violation) {
    static const double factors[N_CRANKS] = {1.0, -2.0, 1.0};
    const double phi = (q[2] + q[5] + q[8]) / 3.0, along[] = {cos(phi), sin(phi)};
    double sum = 0.0;
    for (int row = 0; row < SARRUS_FIVE_BAR_M; ++row)
        sum += factors[row / 2 % N_CRANKS] * along[row % 2] * violation[row];
    return sum / sqrt(12.0);
}
