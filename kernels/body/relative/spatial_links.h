/* Links in space: from their coordinates to the pose of the outboard body and to the twists of their speeds, and back. The joint's
 * axes are f₁, f₂, f₃ in the inboard body and e₁, e₂, e₃ in the outboard one. */
#ifndef SARRUS_BODY_RELATIVE_SPATIAL_LINKS_H
#define SARRUS_BODY_RELATIVE_SPATIAL_LINKS_H

#include "kernels/body/relative/frames.h"

/* What a link of a joint is made of. */
typedef struct sarrus_link_here {
    const real *p;           /* parameters of the joint */
    space_vector f[3];       /* in the inertial frame */
    space_vector of_e[3];    /* e_k in the outboard body's frame */
    space_vector of_inboard; /* from the inboard body's centre to the joint's point on it, inertial frame; on ground the point */
    space_vector arm;        /* of the outboard body, in its frame */
    real sign;               /* 1, or −1 of a joint that is taken from its child */
    int32_t first, second;   /* of UNIVERSAL: axes of its two turns, from 0 */
} sarrus_link_here;

/* The axis k of a rotation's frame, or against it, of ±(1 + k). */
LANE_FUNCTION space_vector sarrus_axis_along(const space_rotation *a, int32_t axis) {
    const int32_t k = axis < 0 ? -axis - 1 : axis - 1;
    const space_vector out = {sarrus_component(a->row[0], k), sarrus_component(a->row[1], k), sarrus_component(a->row[2], k)};
    const space_vector against = {-out.x, -out.y, -out.z};
    return axis < 0 ? against : out;
}

/* a · b where the components of b with a bit in `zeros` are 0, and A s likewise. */
LANE_FUNCTION real sarrus_dot_sparse(space_vector a, space_vector b, int32_t zeros) {
    switch (zeros & 7) {
    case 0:
        return space_dot(a, b);
    case 1:
        return real_fma(a.y, b.y, a.z * b.z);
    case 2:
        return real_fma(a.x, b.x, a.z * b.z);
    case 3:
        return a.z * b.z;
    case 4:
        return real_fma(a.x, b.x, a.y * b.y);
    case 5:
        return a.y * b.y;
    case 6:
        return a.x * b.x;
    default:
        return real_set(0.0);
    }
}
LANE_FUNCTION space_vector sarrus_rotate_sparse(const space_rotation *a, space_vector s, int32_t zeros) {
    space_vector out;
    out.x = sarrus_dot_sparse(a->row[0], s, zeros);
    out.y = sarrus_dot_sparse(a->row[1], s, zeros);
    out.z = sarrus_dot_sparse(a->row[2], s, zeros);
    return out;
}

LANE_FUNCTION sarrus_link_here sarrus_link_find(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link) {
    sarrus_link_here at;
    const int32_t inboard_point = link->is_reversed ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT;
    const int32_t outboard_point = link->is_reversed ? SARRUS_SJ_PARENT : SARRUS_SJ_CHILD;
    const int32_t inboard_axes = link->is_reversed ? SARRUS_SJ_CHILD_AXES : SARRUS_SJ_PARENT_AXES;
    const int32_t outboard_axes = link->is_reversed ? SARRUS_SJ_PARENT_AXES : SARRUS_SJ_CHILD_AXES;
    at.p = lane_from(parameter, link->p);
    at.sign = real_set(link->is_reversed ? -1.0 : 1.0);
    at.first = link->is_reversed ? 1 : 0;
    at.second = link->is_reversed ? 0 : 1;
    at.of_inboard = sarrus_parameter_vector(at.p, inboard_point);
    at.arm = sarrus_parameter_vector(at.p, outboard_point);
    LANE_EACH (k, 3) {
        at.f[k] = sarrus_parameter_vector(at.p, inboard_axes + 3 * k);
        at.of_e[k] = sarrus_parameter_vector(at.p, outboard_axes + 3 * k);
    }
    if (link->inboard >= 0) {
        const space_rotation a = sarrus_tree_rotation(ws, link->inboard);
        at.of_inboard = sarrus_rotate_sparse(&a, at.of_inboard, link->inboard_zeros);
        LANE_EACH (k, 3)
            at.f[k] = link->inboard_axis[k] ? sarrus_axis_along(&a, link->inboard_axis[k]) : space_rotate(&a, at.f[k]);
    }
    return at;
}

/* A = Σ e_k (e_k in the body's frame)ᵀ. */
LANE_FUNCTION space_rotation sarrus_link_rotation(const sarrus_link_here *at, const sarrus_mech_link *link,
                                                  const space_vector e[3]) {
    space_rotation a;
    if (link->outboard_axis[0] && link->outboard_axis[1] && link->outboard_axis[2]) {
        real column[3][3];
        LANE_EACH (k, 3) {
            const int32_t axis = link->outboard_axis[k], to = axis < 0 ? -axis - 1 : axis - 1;
            column[to][0] = axis < 0 ? -e[k].x : e[k].x;
            column[to][1] = axis < 0 ? -e[k].y : e[k].y;
            column[to][2] = axis < 0 ? -e[k].z : e[k].z;
        }
        LANE_EACH (r, 3) {
            a.row[r].x = column[0][r];
            a.row[r].y = column[1][r];
            a.row[r].z = column[2][r];
        }
        return a;
    }
    LANE_EACH (r, 3) {
        a.row[r] = space_scaled(sarrus_component(e[0], r), at->of_e[0]);
        a.row[r] = space_add(a.row[r], sarrus_component(e[1], r), at->of_e[1]);
        a.row[r] = space_add(a.row[r], sarrus_component(e[2], r), at->of_e[2]);
    }
    return a;
}

/* The joint's point of the inboard body in the inertial frame. */
LANE_FUNCTION space_vector sarrus_link_point(sarrus_workspace *ws, const sarrus_mech_link *link, const sarrus_link_here *at) {
    return link->inboard < 0 ? at->of_inboard : space_sum(sarrus_tree_centre(ws, link->inboard), at->of_inboard);
}

/* Axes turned by an angle about axis k of theirs: the next one towards the one after it. */
LANE_FUNCTION void sarrus_axes_turn(real angle, int32_t k, space_vector e[3]) {
    real sine, cosine;
    real_sincos(angle, &sine, &cosine);
    const int32_t i = (k + 1) % 3, j = (k + 2) % 3;
    const space_vector before = e[i];
    e[i] = space_add(space_scaled(cosine, before), sine, e[j]);
    e[j] = space_add(space_scaled(cosine, e[j]), -sine, before);
}

/* The axes e of the outboard body, and the first of a UNIVERSAL's second turn, at the coordinates q of a link. */
LANE_FUNCTION void sarrus_link_axes(const sarrus_link_here *at, const sarrus_mech_link *link, const real *q, space_vector e[3]) {
    LANE_EACH (k, 3)
        e[k] = at->f[k];
    if (link->form == SARRUS_LINK_TURN || link->form == SARRUS_LINK_SCREW)
        sarrus_axes_turn(frame_at(q, link->q), 2, e);
    if (link->form == SARRUS_LINK_CYLINDER)
        sarrus_axes_turn(frame_at(q, link->q + 1), 2, e);
    if (link->form == SARRUS_LINK_PLANE)
        sarrus_axes_turn(frame_at(q, link->q + 2), 2, e);
    if (link->form == SARRUS_LINK_UNIVERSAL) {
        sarrus_axes_turn(frame_at(q, link->q), at->first, e);
        sarrus_axes_turn(frame_at(q, link->q + 1), at->second, e);
    }
    if (link->form == SARRUS_LINK_BALL) {
        const real p[4] = {frame_at(q, link->q), frame_at(q, link->q + 1), frame_at(q, link->q + 2), frame_at(q, link->q + 3)};
        const space_rotation r = space_rotation_of_numbers(p);
        LANE_EACH (k, 3) {
            e[k] = space_scaled(sarrus_component(r.row[0], k), at->f[0]);
            e[k] = space_add(e[k], sarrus_component(r.row[1], k), at->f[1]);
            e[k] = space_add(e[k], sarrus_component(r.row[2], k), at->f[2]);
        }
    }
}

/* d, from the joint's point on the inboard body to that on the outboard one. */
LANE_FUNCTION space_vector sarrus_link_way(const sarrus_mechanism *mech, const real *parameter, const sarrus_link_here *at,
                                           const sarrus_mech_link *link, const real *q) {
    if (link->form == SARRUS_LINK_SCREW)
        return space_scaled(
            real_fma(lane_at(at->p, SARRUS_SJ_PITCH), frame_at(q, link->q), at->sign * lane_at(at->p, SARRUS_SJ_LENGTH)), at->f[2]);
    const int32_t n_slides = link->form == SARRUS_LINK_PLANE                                         ? 2
                             : link->form == SARRUS_LINK_SLIDE || link->form == SARRUS_LINK_CYLINDER ? 1
                                                                                                     : 0;
    space_vector d = space_nothing();
    PLAN_WITHIN(k, 0, n_slides) {
        const real zero = lane_at(lane_from(parameter, mech->freedom[link->freedom + k].p), SARRUS_SQ_ZERO);
        d = space_add(d, real_fma(at->sign, zero, frame_at(q, link->q + k)), at->f[n_slides == 1 ? 2 : k]);
    }
    return d;
}

/* Twists seen from the origin of the tree; `point` is from there, and nothing on a body that turns about it. */
LANE_FUNCTION space_twist sarrus_link_turn(const sarrus_mech_link *link, space_vector axis, space_vector point) {
    space_twist s;
    s.omega = axis;
    s.at = link->form == SARRUS_LINK_FREE || link->is_pure ? space_nothing() : space_cross(point, axis);
    return s;
}
LANE_FUNCTION space_twist sarrus_link_slide(space_vector axis) {
    space_twist s;
    s.omega = space_nothing();
    s.at = axis;
    return s;
}

LANE_FUNCTION void sarrus_link_put_rotation(sarrus_workspace *ws, int32_t body, const space_rotation *a) {
    LANE_EACH (k, 3)
        sarrus_tree_vector_put(a->row[k], ws->rotation, 9 * body + 3 * k);
}

/* A body that floats: slides along the inertial axes, turns about its own. */
LANE_FUNCTION void sarrus_link_place_free(sarrus_workspace *ws, const sarrus_mech_link *link, const real *q) {
    real p[4];
    LANE_EACH (k, 4)
        p[k] = frame_at(q, link->q + SPACE_TURN + k);
    const space_rotation a = space_rotation_of_numbers(p);
    const space_vector centre = sarrus_tree_vector(q, link->q);
    sarrus_tree_vector_put(centre, ws->body_q, space_q(link->body));
    sarrus_link_put_rotation(ws, link->body, &a);
    sarrus_tree_arm_put(ws, link->body, space_nothing());
    LANE_EACH (k, 3) {
        space_vector axis = space_nothing();
        axis.x = real_set(k == 0 ? 1.0 : 0.0);
        axis.y = real_set(k == 1 ? 1.0 : 0.0);
        axis.z = real_set(k == 2 ? 1.0 : 0.0);
        const space_vector own = {sarrus_component(a.row[0], k), sarrus_component(a.row[1], k), sarrus_component(a.row[2], k)};
        sarrus_motion_put(ws, link->v + k, sarrus_link_slide(axis));
        sarrus_motion_put(ws, link->v + SPACE_TURN + k, sarrus_link_turn(link, own, space_nothing()));
    }
}

/* The twists of a joint's speeds; `point` is the outboard body's, from the origin of the tree. */
LANE_FUNCTION void sarrus_link_move(const sarrus_link_here *at, sarrus_workspace *ws, const sarrus_mech_link *link,
                                    const space_vector e[3], space_vector point) {
    const int32_t form = link->form, v = link->v;
    if (form == SARRUS_LINK_TURN)
        sarrus_motion_put(ws, v, sarrus_link_turn(link, at->f[2], point));
    if (form == SARRUS_LINK_SLIDE || form == SARRUS_LINK_CYLINDER)
        sarrus_motion_put(ws, v, sarrus_link_slide(at->f[2]));
    if (form == SARRUS_LINK_CYLINDER)
        sarrus_motion_put(ws, v + 1, sarrus_link_turn(link, at->f[2], point));
    if (form == SARRUS_LINK_SCREW) {
        space_twist s = sarrus_link_turn(link, at->f[2], point);
        s.at = space_add(s.at, lane_at(at->p, SARRUS_SJ_PITCH), at->f[2]);
        sarrus_motion_put(ws, v, s);
    }
    if (form == SARRUS_LINK_UNIVERSAL) {
        sarrus_motion_put(ws, v, sarrus_link_turn(link, at->f[at->first], point));
        sarrus_motion_put(ws, v + 1, sarrus_link_turn(link, e[at->second], point));
    }
    if (form == SARRUS_LINK_PLANE) {
        sarrus_motion_put(ws, v, sarrus_link_slide(at->f[0]));
        sarrus_motion_put(ws, v + 1, sarrus_link_slide(at->f[1]));
        sarrus_motion_put(ws, v + 2, sarrus_link_turn(link, at->f[2], point));
    }
    PLAN_WITHIN(k, 0, form == SARRUS_LINK_BALL ? 3 : 0)
    sarrus_motion_put(ws, v + k, sarrus_link_turn(link, e[k], point));
}

/* The pose of the link's body at q, and the twists of its speeds. */
PLAN_BODY void sarrus_link_place(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                 const sarrus_mech_link *link, const real *q) {
    if (link->form == SARRUS_LINK_FREE) {
        sarrus_link_place_free(ws, link, q);
        return;
    }
    const sarrus_link_here at = sarrus_link_find(parameter, ws, link);
    space_vector e[3];
    sarrus_link_axes(&at, link, q, e);
    const space_rotation a = sarrus_link_rotation(&at, link, e);
    const space_vector way = sarrus_link_way(mech, parameter, &at, link, q);
    const space_vector from = link->inboard < 0 ? way : space_sum(sarrus_tree_arm(ws, link->inboard), at.of_inboard);
    const space_vector point = link->inboard < 0 ? way : space_sum(from, way);
    const space_vector own = sarrus_rotate_sparse(&a, at.arm, link->outboard_zeros);
    sarrus_link_put_rotation(ws, link->body, &a);
    if (sarrus_link_travels(mech, link)) {
        sarrus_tree_arm_put(ws, link->body, space_less(space_nothing(), own));
        sarrus_tree_vector_put(space_sum(at.of_inboard, space_less(way, own)), ws->body_q, space_q(link->body));
        sarrus_link_move(&at, ws, link, e, space_nothing());
    } else {
        sarrus_tree_arm_put(ws, link->body, space_less(point, own));
        sarrus_tree_centre_find(mech, parameter, ws, link);
        sarrus_link_move(&at, ws, link, e, point);
    }
}

#endif
