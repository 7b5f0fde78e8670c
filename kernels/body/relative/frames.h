/* Arrays of an evaluation in relative coordinates, as what they mean. */
#ifndef SARRUS_BODY_RELATIVE_FRAMES_H
#define SARRUS_BODY_RELATIVE_FRAMES_H

#include "kernels/body/mechanics.h"
#if defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/space/spatial_screw.h"
#else
#include "kernels/space/planar_screw.h"
#endif

/* A vector among the numbers of an array. */
LANE_FUNCTION space_vector sarrus_tree_vector(const real *array, int32_t i) {
    space_vector out;
    out.x = frame_at(array, i);
    out.y = frame_at(array, i + 1);
#if defined(SARRUS_KERNELS_SPATIAL)
    out.z = frame_at(array, i + 2);
#endif
    return out;
}
LANE_FUNCTION void sarrus_tree_vector_put(space_vector a, real *array, int32_t i) {
    frame_at(array, i) = a.x;
    frame_at(array, i + 1) = a.y;
#if defined(SARRUS_KERNELS_SPATIAL)
    frame_at(array, i + 2) = a.z;
#endif
}

/* Of a body: its centre of mass, that one's velocity, and the rotation from its frame to the inertial one. */
LANE_FUNCTION space_vector sarrus_tree_centre(const sarrus_workspace *ws, int32_t body) {
    return sarrus_tree_vector(ws->body_q, space_q(body));
}
LANE_FUNCTION space_vector sarrus_tree_velocity(const sarrus_workspace *ws, int32_t body) {
    return sarrus_tree_vector(ws->body_v, space_v(body));
}
LANE_FUNCTION space_rotation sarrus_tree_rotation(const sarrus_workspace *ws, int32_t body) {
    space_rotation a;
#if defined(SARRUS_KERNELS_SPATIAL)
    for (int32_t k = 0; k < 3; ++k)
        a.row[k] = sarrus_tree_vector(ws->rotation, 9 * body + 3 * k);
#else
    a.sine = frame_at(ws->sine, body);
    a.cosine = frame_at(ws->cosine, body);
#endif
    return a;
}

/* The twist of a speed, that of a body, how fast that one changes with the speeds as they are, and the wrench on a body. */
LANE_FUNCTION space_twist sarrus_twist_take(const real *array, int32_t i) {
    real x[SPACE_NV];
    for (int32_t k = 0; k < SPACE_NV; ++k)
        x[k] = frame_at(array, SPACE_NV * i + k);
    return space_twist_of_numbers(x);
}
LANE_FUNCTION void sarrus_twist_put(space_twist s, real *array, int32_t i) {
    real x[SPACE_NV];
    space_twist_to_numbers(s, x);
    for (int32_t k = 0; k < SPACE_NV; ++k)
        frame_at(array, SPACE_NV * i + k) = x[k];
}
LANE_FUNCTION space_wrench sarrus_wrench_take(const real *array, int32_t i) {
    real x[SPACE_NV];
    for (int32_t k = 0; k < SPACE_NV; ++k)
        x[k] = frame_at(array, SPACE_NV * i + k);
    return space_wrench_of_numbers(x);
}
LANE_FUNCTION void sarrus_wrench_put(real *array, int32_t i, space_wrench w) {
    real x[SPACE_NV];
    space_wrench_to_numbers(w, x);
    for (int32_t k = 0; k < SPACE_NV; ++k)
        frame_at(array, SPACE_NV * i + k) = x[k];
}
LANE_FUNCTION space_twist sarrus_motion_of(const sarrus_workspace *ws, int32_t speed) {
    return sarrus_twist_take(ws->motion, speed);
}
LANE_FUNCTION void sarrus_motion_put(sarrus_workspace *ws, int32_t speed, space_twist s) {
    sarrus_twist_put(s, ws->motion, speed);
}

/* What hangs on a body, itself included. */
LANE_FUNCTION space_inertia sarrus_composite_take(const sarrus_workspace *ws, int32_t body) {
    real x[SPACE_INERTIA_NUMBERS];
    for (int32_t k = 0; k < SPACE_INERTIA_NUMBERS; ++k)
        x[k] = frame_at(ws->composite, SPACE_INERTIA_NUMBERS * body + k);
    return space_inertia_of_numbers(x);
}
LANE_FUNCTION void sarrus_composite_put(sarrus_workspace *ws, int32_t body, const space_inertia *i) {
    real x[SPACE_INERTIA_NUMBERS];
    space_inertia_to_numbers(i, x);
    for (int32_t k = 0; k < SPACE_INERTIA_NUMBERS; ++k)
        frame_at(ws->composite, SPACE_INERTIA_NUMBERS * body + k) = x[k];
}

#endif
