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
    out.y = frame_beyond(array, i, 1);
#if defined(SARRUS_KERNELS_SPATIAL)
    out.z = frame_beyond(array, i, 2);
#endif
    return out;
}
LANE_FUNCTION void sarrus_tree_vector_put(space_vector a, real *array, int32_t i) {
    frame_at(array, i) = a.x;
    frame_beyond(array, i, 1) = a.y;
#if defined(SARRUS_KERNELS_SPATIAL)
    frame_beyond(array, i, 2) = a.z;
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
    LANE_EACH (k, 3)
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
    LANE_EACH (k, SPACE_NV)
        x[k] = frame_beyond(array, SPACE_NV * i, k);
    return space_twist_of_numbers(x);
}
LANE_FUNCTION void sarrus_twist_put(space_twist s, real *array, int32_t i) {
    real x[SPACE_NV];
    space_twist_to_numbers(s, x);
    LANE_EACH (k, SPACE_NV)
        frame_beyond(array, SPACE_NV * i, k) = x[k];
}
LANE_FUNCTION space_wrench sarrus_wrench_take(const real *array, int32_t i) {
    real x[SPACE_NV];
    LANE_EACH (k, SPACE_NV)
        x[k] = frame_beyond(array, SPACE_NV * i, k);
    return space_wrench_of_numbers(x);
}
LANE_FUNCTION void sarrus_wrench_put(real *array, int32_t i, space_wrench w) {
    real x[SPACE_NV];
    space_wrench_to_numbers(w, x);
    LANE_EACH (k, SPACE_NV)
        frame_beyond(array, SPACE_NV * i, k) = x[k];
}
LANE_FUNCTION space_twist sarrus_motion_of(const sarrus_workspace *ws, int32_t speed) {
    return sarrus_twist_take(ws->motion, speed);
}
LANE_FUNCTION void sarrus_motion_put(sarrus_workspace *ws, int32_t speed, space_twist s) {
    sarrus_twist_put(s, ws->motion, speed);
}

/* The point on ground where a link's tree hangs. */
LANE_FUNCTION space_vector sarrus_tree_ground(const real *parameter, const sarrus_mech_link *link) {
#if defined(SARRUS_KERNELS_SPATIAL)
    return sarrus_parameter_vector(parameter, link->origin);
#else
    const space_vector out = {lane_at(parameter, link->origin), lane_at(parameter, link->origin + 1)};
    return out;
#endif
}

/* A root that slides along ground takes the origin of its tree along, as one that floats does: what hangs on it may come as far as
 * it will, and is not seen from ever farther away. */
LANE_FUNCTION int sarrus_link_travels(const sarrus_mechanism *mech, const sarrus_mech_link *link) {
    return mech->tree.has_travellers && link->inboard < 0 &&
           (link->form == SARRUS_LINK_SLIDE || link->form == SARRUS_LINK_CYLINDER || link->form == SARRUS_LINK_SCREW ||
            link->form == SARRUS_LINK_PLANE);
}

/* The point that the screws of a link's tree are about: that of its root's joint, on ground, so that turns there are pure, or on a
 * root that slides there; the centre of a body that floats. */
LANE_FUNCTION space_vector sarrus_tree_origin(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                              const sarrus_mech_link *link) {
    const int32_t root = link->root;
    if (mech->tree.has_travellers && sarrus_link_travels(mech, &mech->tree.link[mech->tree.link_of[root]]))
        return space_less(sarrus_tree_centre(ws, root), sarrus_tree_vector(ws->arm, SPACE_DIMENSION * root));
    return link->origin < 0 ? sarrus_tree_centre(ws, root) : sarrus_tree_ground(parameter, link);
}
LANE_FUNCTION space_vector sarrus_tree_origin_of(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                                 int32_t body) {
    return sarrus_tree_origin(mech, parameter, ws, &mech->tree.link[mech->tree.link_of[body]]);
}

/* From the origin of a body's tree to its centre of mass. */
LANE_FUNCTION space_vector sarrus_tree_arm(const sarrus_workspace *ws, int32_t body) {
    return sarrus_tree_vector(ws->arm, SPACE_DIMENSION * body);
}
LANE_FUNCTION void sarrus_tree_arm_put(sarrus_workspace *ws, int32_t body, space_vector arm) {
    sarrus_tree_vector_put(arm, ws->arm, SPACE_DIMENSION * body);
}

/* Whether the centre of mass of a link's body is what its tree is placed by, and follows from nothing else. */
LANE_FUNCTION int sarrus_link_leads(const sarrus_mechanism *mech, const sarrus_mech_link *link) {
    return link->joint < 0 || sarrus_link_travels(mech, link);
}

/* The centre of mass from its arm, of a body that does not lead. */
LANE_FUNCTION void sarrus_tree_centre_find(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                           const sarrus_mech_link *link) {
    if (sarrus_link_leads(mech, link))
        return;
    const space_vector centre = space_sum(sarrus_tree_origin(mech, parameter, ws, link), sarrus_tree_arm(ws, link->body));
    sarrus_tree_vector_put(centre, ws->body_q, space_q(link->body));
}

/* Whether a body turns about the origin of its tree and does nothing else: its twist and its rate have no velocity at the origin.
 * What follows from it is decided by the plan: compilers may not leave out a product with 0. */
LANE_FUNCTION int sarrus_body_is_pure(const sarrus_mechanism *mech, int32_t body) {
    return mech->tree.link[mech->tree.link_of[body]].is_pure;
}

/* What hangs on a body, itself included. */
LANE_FUNCTION space_inertia sarrus_composite_take(const sarrus_workspace *ws, int32_t body) {
    real x[SPACE_INERTIA_NUMBERS];
    LANE_EACH (k, SPACE_INERTIA_NUMBERS)
        x[k] = frame_beyond(ws->composite, SPACE_INERTIA_NUMBERS * body, k);
    return space_inertia_of_numbers(x);
}
LANE_FUNCTION void sarrus_composite_put(sarrus_workspace *ws, int32_t body, const space_inertia *i) {
    real x[SPACE_INERTIA_NUMBERS];
    space_inertia_to_numbers(i, x);
    LANE_EACH (k, SPACE_INERTIA_NUMBERS)
        frame_beyond(ws->composite, SPACE_INERTIA_NUMBERS * body, k) = x[k];
}

/* The inertia of a link's body about the origin of its tree. */
LANE_FUNCTION space_inertia sarrus_tree_inertia(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                                const sarrus_mech_link *link) {
    const real *p = sarrus_body_parameters(mech, parameter, link->body);
    const space_vector arm = sarrus_tree_arm(ws, link->body);
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, link->body);
    real tensor[6];
    LANE_EACH (k, 6)
        tensor[k] = lane_at(p, SARRUS_SB_INERTIA + k);
    return space_inertia_of(lane_at(p, SARRUS_SB_MASS), arm, tensor, link->is_diagonal, &a);
#else
    return space_inertia_of(lane_at(p, SARRUS_PB_MASS), arm, lane_at(p, SARRUS_PB_INERTIA));
#endif
}

#endif
