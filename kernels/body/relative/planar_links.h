/* Links in the plane: from their coordinates to the pose of the outboard body and to the twists of their speeds, and back. */
#ifndef SARRUS_BODY_RELATIVE_PLANAR_LINKS_H
#define SARRUS_BODY_RELATIVE_PLANAR_LINKS_H

#include "kernels/body/relative/frames.h"

/* 1, or −1 of a joint that is taken from its child: what the tree calls positive is then negative to the joint. */
LANE_FUNCTION real sarrus_link_sign(const sarrus_mech_link *link) {
    return real_set(link->is_reversed ? -1.0 : 1.0);
}

/* What a link of a joint is made of: the angle of the inboard body, the joint's point on it, and the arm of the outboard body. */
typedef struct sarrus_link_here {
    const real *p; /* parameters of the joint */
    real angle;    /* of the outboard body where the coordinate is 0 */
    space_vector
        of_inboard;   /* from the inboard body's centre to the joint's point on it, in the inertial frame; on ground the point */
    space_vector arm; /* of the outboard body, in its frame */
} sarrus_link_here;

LANE_FUNCTION sarrus_link_here sarrus_link_find(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link) {
    sarrus_link_here at;
    at.p = lane_from(parameter, link->p);
    const space_vector of_parent = {lane_at(at.p, SARRUS_PJ_PARENT_X), lane_at(at.p, SARRUS_PJ_PARENT_Y)};
    const space_vector of_child = {lane_at(at.p, SARRUS_PJ_CHILD_X), lane_at(at.p, SARRUS_PJ_CHILD_Y)};
    at.of_inboard = link->is_reversed ? of_child : of_parent;
    at.arm = link->is_reversed ? of_parent : of_child;
    at.angle = sarrus_link_sign(link) * lane_at(at.p, SARRUS_PJ_ANGLE0);
    if (link->inboard >= 0) {
        const space_rotation a = sarrus_tree_rotation(ws, link->inboard);
        at.of_inboard = space_rotate(&a, at.of_inboard);
        at.angle = at.angle + frame_at(ws->body_q, space_q(link->inboard) + SPACE_TURN);
    }
    return at;
}

/* The joint's point of the inboard body in the inertial frame. */
LANE_FUNCTION space_vector sarrus_link_point(sarrus_workspace *ws, const sarrus_mech_link *link, const sarrus_link_here *at) {
    return link->inboard < 0 ? at->of_inboard : space_sum(sarrus_tree_centre(ws, link->inboard), at->of_inboard);
}

/* The axis of a SLIDE: fixed in the joint's parent, which has the same angle as the child but for a constant. */
LANE_FUNCTION space_vector sarrus_link_axis(sarrus_workspace *ws, const sarrus_mech_link *link, const real *p) {
    const space_vector axis = {lane_at(p, SARRUS_PJ_AXIS_X), lane_at(p, SARRUS_PJ_AXIS_Y)};
    const int32_t parent = link->is_reversed ? link->body : link->inboard;
    if (parent < 0)
        return axis;
    const space_rotation a = sarrus_tree_rotation(ws, parent);
    return space_rotate(&a, axis);
}

LANE_FUNCTION void sarrus_link_put_angle(sarrus_workspace *ws, int32_t body, real angle) {
    frame_at(ws->body_q, space_q(body) + SPACE_TURN) = angle;
    real_sincos(angle, &frame_at(ws->sine, body), &frame_at(ws->cosine, body));
}

/* The twist of a turn about a point, seen from the origin of the tree. */
LANE_FUNCTION space_twist sarrus_link_turn(space_vector point) {
    space_twist s;
    s.omega = real_set(1.0);
    s.at.x = point.y;
    s.at.y = -point.x;
    return s;
}
LANE_FUNCTION space_twist sarrus_link_slide(space_vector axis) {
    space_twist s;
    s.omega = real_set(0.0);
    s.at = axis;
    return s;
}

/* A body that floats: the origin of its tree is its centre. */
LANE_FUNCTION void sarrus_link_place_free(sarrus_workspace *ws, const sarrus_mech_link *link, const real *q) {
    const real zero = real_set(0.0), one = real_set(1.0);
    const space_vector centre = {frame_at(q, link->q), frame_at(q, link->q + 1)}, nothing = {zero, zero};
    const space_vector x = {one, zero}, y = {zero, one};
    sarrus_tree_vector_put(centre, ws->body_q, space_q(link->body));
    sarrus_link_put_angle(ws, link->body, frame_at(q, link->q + SPACE_TURN));
    sarrus_tree_arm_put(ws, link->body, nothing);
    sarrus_motion_put(ws, link->v, sarrus_link_slide(x));
    sarrus_motion_put(ws, link->v + 1, sarrus_link_slide(y));
    sarrus_motion_put(ws, link->v + SPACE_TURN, sarrus_link_turn(nothing));
}

/* The pose of the link's body at q, and the twists of its speeds. The tree of a body on ground has its origin at the joint's point
 * there, or on the body where it slides. */
PLAN_BODY void sarrus_link_place(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                 const sarrus_mech_link *link, const real *q) {
    if (link->form == SARRUS_LINK_FREE) {
        sarrus_link_place_free(ws, link, q);
        return;
    }
    const sarrus_link_here at = sarrus_link_find(parameter, ws, link);
    const real angle = link->form == SARRUS_LINK_TURN ? at.angle + frame_at(q, link->q) : at.angle;
    sarrus_link_put_angle(ws, link->body, angle);
    const space_rotation a = sarrus_tree_rotation(ws, link->body);
    const space_vector own = space_rotate(&a, at.arm);
    const space_vector nothing = {real_set(0.0), real_set(0.0)};
    space_vector point = at.of_inboard, arm = {-own.x, -own.y};
    if (link->inboard >= 0) {
        point = space_sum(sarrus_tree_arm(ws, link->inboard), at.of_inboard);
        arm = space_less(point, own);
    }
    if (link->form == SARRUS_LINK_SLIDE) {
        const space_vector axis = sarrus_link_axis(ws, link, at.p);
        const real way = real_fma(sarrus_link_sign(link), lane_at(at.p, SARRUS_PJ_SHIFT0), frame_at(q, link->q));
        const space_vector slid =
            space_sum(sarrus_link_travels(mech, link) ? space_sum(at.of_inboard, arm) : arm, space_scaled(way, axis));
        if (sarrus_link_travels(mech, link))
            sarrus_tree_vector_put(slid, ws->body_q, space_q(link->body));
        else
            arm = slid;
        sarrus_motion_put(ws, link->v, sarrus_link_slide(axis));
    }
    sarrus_tree_arm_put(ws, link->body, arm);
    sarrus_tree_centre_find(mech, parameter, ws, link);
    if (link->form == SARRUS_LINK_TURN)
        sarrus_motion_put(ws, link->v, sarrus_link_turn(link->is_pure ? nothing : point));
}

/* q, v of the link at the poses and velocities of the bodies in the workspace. */
LANE_BODY void sarrus_link_read(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                const sarrus_mech_link *link, real *q, real *v) {
    (void)mech;
    const int32_t body = link->body, inboard = link->inboard;
    if (link->form == SARRUS_LINK_FREE) {
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            lane_at(q, link->q + k) = frame_at(ws->body_q, space_q(body) + k);
            lane_at(v, link->v + k) = frame_at(ws->body_v, space_v(body) + k);
        }
        return;
    }
    const real zero = real_set(0.0);
    const sarrus_link_here at = sarrus_link_find(parameter, ws, link);
    const real rate = inboard < 0 ? zero : frame_at(ws->body_v, space_v(inboard) + SPACE_TURN);
    if (link->form == SARRUS_LINK_TURN) {
        lane_at(q, link->q) = frame_at(ws->body_q, space_q(body) + SPACE_TURN) - at.angle;
        lane_at(v, link->v) = frame_at(ws->body_v, space_v(body) + SPACE_TURN) - rate;
    } else if (link->form == SARRUS_LINK_SLIDE) {
        const space_rotation a = sarrus_tree_rotation(ws, body);
        const space_vector axis = sarrus_link_axis(ws, link, at.p), arm = space_rotate(&a, at.arm);
        const space_vector point = space_sum(sarrus_tree_centre(ws, body), arm), inboard_point = sarrus_link_point(ws, link, &at);
        const real turn = frame_at(ws->body_v, space_v(body) + SPACE_TURN);
        space_vector speed = space_sum(sarrus_tree_velocity(ws, body), space_turned(turn, arm));
        if (inboard >= 0) {
            const space_vector reach = space_less(point, sarrus_tree_centre(ws, inboard));
            speed = space_less(speed, space_sum(sarrus_tree_velocity(ws, inboard), space_turned(rate, reach)));
        }
        lane_at(q, link->q) =
            real_fnma(sarrus_link_sign(link), lane_at(at.p, SARRUS_PJ_SHIFT0), space_inner(axis, space_less(point, inboard_point)));
        lane_at(v, link->v) = space_inner(axis, speed);
    }
}

/* The body's coordinates, in `out`: all stand in the workspace. */
LANE_BODY void sarrus_link_show(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link, const real *q,
                                const real *hand, real *out) {
    (void)parameter;
    (void)hand;
    (void)q;
    for (int32_t k = 0; k < SPACE_NQ; ++k)
        lane_at(out, space_q(link->body) + k) = frame_at(ws->body_q, space_q(link->body) + k);
}

/* Coordinates [SPACE_NQ] of a body, to be read by its links. */
LANE_BODY void sarrus_link_take(sarrus_workspace *ws, int32_t body, const real *q) {
    const space_vector centre = {lane_at(q, 0), lane_at(q, 1)};
    sarrus_link_put_angle(ws, body, lane_at(q, SPACE_TURN));
    sarrus_tree_vector_put(centre, ws->body_q, space_q(body));
}

#endif
