/* Poses, quasi-velocities and their rates, and the forces that go with them (S4 1.1, 1.2, 2.10, 2.15). */
#include <string.h>

#include "kinematics/kinematics.h"
#include "plan/rotation.h"
#include "sarrus/status.h"

sarrus_status sarrus_kinematics_poses(const sarrus_kinematics *k, size_t n_instances, const double *q, double *positions,
                                      double *rotations) {
    if (!q || !sarrus_kinematics_has(k, n_instances))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n, n_bodies = (size_t)k->n_bodies;
    kinematics_state state;
    const bool good = sarrus_kinematics_state_create(k, &state);
    for (size_t i = 0; good && i < n_instances; ++i) {
        sarrus_kinematics_place(k, i, q + i * n, &state);
        for (size_t b = 0; b < n_bodies; ++b) {
            if (rotations)
                memcpy(rotations + 9 * (i * n_bodies + b), state.pose + 12 * b, 9 * sizeof *rotations);
            if (positions)
                memcpy(positions + 3 * (i * n_bodies + b), state.pose + 12 * b + 9, 3 * sizeof *positions);
        }
    }
    sarrus_kinematics_state_free(&state);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* V and V̇ of a body from the screws on its path, the outermost first: what a screw is turned by is the motion of the pairs behind
 * it,  V̇ = Σ l^i q̈_i − Σ ad(V behind i) l^i q̇_i. `accelerations` NULL: 0. */
static void body_motion(const sarrus_kinematics *k, int body, const double *speeds, const double *accelerations,
                        kinematics_state *state, double velocity[6], double rate[6]) {
    const int *path = k->path + k->start[body];
    memset(velocity, 0, 6 * sizeof *velocity);
    memset(rate, 0, 6 * sizeof *rate);
    for (int s = sarrus_kinematics_look(k, body, state) - 1; s >= 0; --s) {
        const double *screw = state->within + 6 * (ptrdiff_t)s, speed = speeds[path[s]];
        double turned[6];
        sarrus_screw_derive(velocity, screw, turned);
        for (int c = 0; c < 6; ++c) {
            rate[c] += turned[c] * speed + (accelerations ? screw[c] * accelerations[path[s]] : 0.0);
            velocity[c] += screw[c] * speed;
        }
    }
}

sarrus_status sarrus_kinematics_motion(const sarrus_kinematics *k, size_t n_instances, const double *q, const double *speeds,
                                       const double *accelerations, double *velocities, double *rates) {
    if (!q || !speeds || !velocities || !sarrus_kinematics_has(k, n_instances))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n, n_bodies = (size_t)k->n_bodies;
    kinematics_state state;
    const bool good = sarrus_kinematics_state_create(k, &state);
    for (size_t i = 0; good && i < n_instances; ++i) {
        sarrus_kinematics_place(k, i, q + i * n, &state);
        for (size_t b = 0; b < n_bodies; ++b) {
            double rate[6];
            body_motion(k, (int)b, speeds + i * n, accelerations ? accelerations + i * n : NULL, &state,
                        velocities + 6 * (i * n_bodies + b), rate);
            if (rates)
                memcpy(rates + 6 * (i * n_bodies + b), rate, sizeof rate);
        }
    }
    sarrus_kinematics_state_free(&state);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}

/* m (v̇ + ω × v), I ω̇ + ω × I ω, at q̈ = 0. */
static void body_force(const double mass[KINEMATICS_MASS], const double velocity[6], const double rate[6], double out[6]) {
    double momentum[6], cross[3];
    sarrus_screw_weigh(mass, rate, out);
    sarrus_screw_weigh(mass, velocity, momentum);
    for (int part = 0; part < 2; ++part) {
        sarrus_vector_cross(velocity + 3, momentum + 3 * part, cross);
        for (int c = 0; c < 3; ++c)
            out[3 * part + c] += cross[c];
    }
}

static void instance_forces(const sarrus_kinematics *k, size_t i, const double *speeds, kinematics_state *state, double *terms,
                            double *weights) {
    const kinematics_instance own = sarrus_kinematics_instance(k, i);
    memset(terms, 0, (size_t)k->n * sizeof *terms);
    if (weights)
        memset(weights, 0, (size_t)k->n * sizeof *weights);
    for (int b = 0; b < k->n_bodies; ++b) {
        const int *path = k->path + k->start[b];
        const double *mass = own.mass + KINEMATICS_MASS * (ptrdiff_t)b, *pose = state->pose + 12 * (ptrdiff_t)b;
        double velocity[6], rate[6], force[6], weight[6] = {0, 0, 0, 0, 0, 0};
        body_motion(k, b, speeds, NULL, state, velocity, rate);
        body_force(mass, velocity, rate, force);
        for (int c = 0; c < 3; ++c)
            weight[c] = mass[0] * (pose[c] * own.gravity[0] + pose[3 + c] * own.gravity[1] + pose[6 + c] * own.gravity[2]);
        for (int s = 0; s < k->start[b + 1] - k->start[b]; ++s) {
            terms[path[s]] += sarrus_screw_product(state->within + 6 * (ptrdiff_t)s, force);
            if (weights)
                weights[path[s]] += sarrus_screw_product(state->within + 6 * (ptrdiff_t)s, weight);
        }
    }
}

sarrus_status sarrus_kinematics_forces(const sarrus_kinematics *k, size_t n_instances, const double *q, const double *speeds,
                                       double *velocity_terms, double *weights) {
    if (!q || !speeds || !velocity_terms || !sarrus_kinematics_has(k, n_instances))
        return SARRUS_BAD_ARGUMENT;
    const size_t n = (size_t)k->n;
    kinematics_state state;
    const bool good = sarrus_kinematics_state_create(k, &state);
    for (size_t i = 0; good && i < n_instances; ++i) {
        sarrus_kinematics_place(k, i, q + i * n, &state);
        instance_forces(k, i, speeds + i * n, &state, velocity_terms + i * n, weights ? weights + i * n : NULL);
    }
    sarrus_kinematics_state_free(&state);
    return good ? SARRUS_OK : SARRUS_NO_MEMORY;
}
