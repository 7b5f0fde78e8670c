/* Links between bodies in frames of their own (own_frames.h): components along axes of joints, products without what is 0 in the
 * plan, inertias, and what becomes of vectors, wrenches and inertias from one body's frame to the next one's. */
#ifndef SARRUS_BODY_RELATIVE_OWN_LINKS_H
#define SARRUS_BODY_RELATIVE_OWN_LINKS_H

#include "kernels/body/relative/rows.h"

/* ---- axes ---- */

/* Of ± (1 + k): k, and ±1. */
LANE_FUNCTION int32_t sarrus_axis_index(int32_t axis) {
    return axis < 0 ? -axis - 1 : axis - 1;
}
LANE_FUNCTION real sarrus_axis_sign(int32_t axis) {
    return real_set(axis < 0 ? -1.0 : 1.0);
}

/* The vector with component a along axis k, b along the next one and c along the one after it. */
LANE_FUNCTION space_vector sarrus_from_axis(int32_t k, real a, real b, real c) {
    const space_vector out = {k == 0 ? a : k == 1 ? c : b, k == 1 ? a : k == 2 ? c : b, k == 2 ? a : k == 0 ? c : b};
    return out;
}
LANE_FUNCTION real sarrus_next(space_vector s, int32_t k) {
    return k == 0 ? s.y : k == 1 ? s.z : s.x;
}
LANE_FUNCTION real sarrus_after_next(space_vector s, int32_t k) {
    return k == 0 ? s.z : k == 1 ? s.x : s.y;
}

/* Which of a joint's axes is ± axis k of the body. */
LANE_FUNCTION int32_t sarrus_axis_which(const int32_t axis[3], int32_t k) {
    return sarrus_axis_index(axis[0]) == k ? 0 : sarrus_axis_index(axis[1]) == k ? 1 : 2;
}

/* The components of a body's vector along a joint's axes, and those of a vector along the axes in the body; `sign` of each axis. */
LANE_FUNCTION space_vector sarrus_axes_sign(const int32_t axis[3]) {
    const space_vector out = {sarrus_axis_sign(axis[0]), sarrus_axis_sign(axis[1]), sarrus_axis_sign(axis[2])};
    return out;
}
LANE_FUNCTION space_vector sarrus_along_axes(const int32_t axis[3], space_vector sign, space_vector s) {
    const space_vector out = {sign.x * sarrus_component(s, sarrus_axis_index(axis[0])),
                              sign.y * sarrus_component(s, sarrus_axis_index(axis[1])),
                              sign.z * sarrus_component(s, sarrus_axis_index(axis[2]))};
    return out;
}
LANE_FUNCTION space_vector sarrus_from_axes(const int32_t axis[3], space_vector sign, space_vector s) {
    const space_vector a = {sign.x * s.x, sign.y * s.y, sign.z * s.z};
    const space_vector out = {sarrus_component(a, sarrus_axis_which(axis, 0)), sarrus_component(a, sarrus_axis_which(axis, 1)),
                              sarrus_component(a, sarrus_axis_which(axis, 2))};
    return out;
}

/* A symmetric tensor: its moments xx, yy, zz, and its products yz, zx, xy, each by the axis that it is not of. */
typedef struct sarrus_own_tensor {
    space_vector moment, product;
} sarrus_own_tensor;

/* Signs of products along axes. */
LANE_FUNCTION space_vector sarrus_products_sign(const int32_t axis[3]) {
    const space_vector of = sarrus_axes_sign(axis), out = {of.y * of.z, of.z * of.x, of.x * of.y};
    return out;
}
LANE_FUNCTION space_vector sarrus_ones(void) {
    const space_vector out = {real_set(1.0), real_set(1.0), real_set(1.0)};
    return out;
}

/* Mass, h = m c and I about a point of a body. */
typedef struct sarrus_own_inertia {
    real mass;
    space_vector first;
    sarrus_own_tensor second;
} sarrus_own_inertia;

LANE_FUNCTION sarrus_own_inertia sarrus_own_take(const sarrus_workspace *ws, int32_t body) {
    const int32_t at = SPACE_INERTIA_NUMBERS * body;
    sarrus_own_inertia out;
    out.mass = frame_at(ws->composite, at);
    out.first.x = frame_beyond(ws->composite, at, 1);
    out.first.y = frame_beyond(ws->composite, at, 2);
    out.first.z = frame_beyond(ws->composite, at, 3);
    out.second.moment.x = frame_beyond(ws->composite, at, 4);
    out.second.moment.y = frame_beyond(ws->composite, at, 5);
    out.second.moment.z = frame_beyond(ws->composite, at, 6);
    out.second.product.x = frame_beyond(ws->composite, at, 7);
    out.second.product.y = frame_beyond(ws->composite, at, 8);
    out.second.product.z = frame_beyond(ws->composite, at, 9);
    return out;
}
LANE_FUNCTION void sarrus_own_put(sarrus_workspace *ws, int32_t body, const sarrus_own_inertia *all) {
    const int32_t at = SPACE_INERTIA_NUMBERS * body;
    frame_at(ws->composite, at) = all->mass;
    frame_beyond(ws->composite, at, 1) = all->first.x;
    frame_beyond(ws->composite, at, 2) = all->first.y;
    frame_beyond(ws->composite, at, 3) = all->first.z;
    frame_beyond(ws->composite, at, 4) = all->second.moment.x;
    frame_beyond(ws->composite, at, 5) = all->second.moment.y;
    frame_beyond(ws->composite, at, 6) = all->second.moment.z;
    frame_beyond(ws->composite, at, 7) = all->second.product.x;
    frame_beyond(ws->composite, at, 8) = all->second.product.y;
    frame_beyond(ws->composite, at, 9) = all->second.product.z;
}

/* B s, of which a diagonal one has no products. */
LANE_FUNCTION space_vector sarrus_own_times(const sarrus_own_tensor *b, int is_diagonal, space_vector s) {
    const space_vector m = b->moment, p = b->product;
    space_vector out = {m.x * s.x, m.y * s.y, m.z * s.z};
    if (is_diagonal)
        return out;
    out.x = real_fma(p.z, s.y, real_fma(p.y, s.z, out.x));
    out.y = real_fma(p.x, s.z, real_fma(p.z, s.x, out.y));
    out.z = real_fma(p.y, s.x, real_fma(p.x, s.y, out.z));
    return out;
}

/* Most vectors of a plan lie along one axis, or are none: bit k of `zeros` says that component k is 0. */
enum { SARRUS_ALONG_X = 6, SARRUS_ALONG_Y = 5, SARRUS_ALONG_Z = 3, SARRUS_NO_VECTOR = 7 };

/* to + r × f. */
LANE_FUNCTION space_vector sarrus_add_turned_x(space_vector to, real r, space_vector f) {
    to.y = real_fnma(r, f.z, to.y);
    to.z = real_fma(r, f.y, to.z);
    return to;
}
LANE_FUNCTION space_vector sarrus_add_turned_y(space_vector to, real r, space_vector f) {
    to.x = real_fma(r, f.z, to.x);
    to.z = real_fnma(r, f.x, to.z);
    return to;
}
LANE_FUNCTION space_vector sarrus_add_turned_z(space_vector to, real r, space_vector f) {
    to.x = real_fnma(r, f.y, to.x);
    to.y = real_fma(r, f.x, to.y);
    return to;
}
LANE_FUNCTION space_vector sarrus_add_turned(space_vector to, space_vector r, space_vector f, int32_t zeros) {
    switch (zeros) {
    case SARRUS_ALONG_X:
        return sarrus_add_turned_x(to, r.x, f);
    case SARRUS_ALONG_Y:
        return sarrus_add_turned_y(to, r.y, f);
    case SARRUS_ALONG_Z:
        return sarrus_add_turned_z(to, r.z, f);
    case SARRUS_NO_VECTOR:
        return to;
    default:
        to = zeros & 1 ? to : sarrus_add_turned_x(to, r.x, f);
        to = zeros & 2 ? to : sarrus_add_turned_y(to, r.y, f);
        return zeros & 4 ? to : sarrus_add_turned_z(to, r.z, f);
    }
}

/* to + A r likewise. */
LANE_FUNCTION space_vector sarrus_add_swung(space_vector to, space_vector w, space_vector rate, space_vector r, int32_t zeros) {
    if (!(zeros & 1)) {
        to.x = real_fnma(real_fma(w.y, w.y, w.z * w.z), r.x, to.x);
        to.y = real_fma(real_fma(w.x, w.y, rate.z), r.x, to.y);
        to.z = real_fnma(real_fnma(w.x, w.z, rate.y), r.x, to.z);
        if (zeros == SARRUS_ALONG_X)
            return to;
    }
    if (!(zeros & 2)) {
        to.x = real_fnma(real_fnma(w.x, w.y, rate.z), r.y, to.x);
        to.y = real_fnma(real_fma(w.x, w.x, w.z * w.z), r.y, to.y);
        to.z = real_fma(real_fma(w.y, w.z, rate.x), r.y, to.z);
    }
    if (!(zeros & 4)) {
        to.x = real_fma(real_fma(w.x, w.z, rate.y), r.z, to.x);
        to.y = real_fnma(real_fnma(w.y, w.z, rate.x), r.z, to.y);
        to.z = real_fnma(real_fma(w.x, w.x, w.y * w.y), r.z, to.z);
    }
    return to;
}

/* Of a body that turns about a fixed axis k of its own, with w²: A r = −w² (r − r_k). */
LANE_FUNCTION space_vector sarrus_add_spun(space_vector to, real w2, space_vector r, int32_t zeros) {
    if (!(zeros & 1))
        to.x = real_fnma(w2, r.x, to.x);
    if (!(zeros & 2))
        to.y = real_fnma(w2, r.y, to.y);
    if (!(zeros & 4))
        to.z = real_fnma(w2, r.z, to.z);
    return to;
}

/* ---- links ---- */

/* A number along the third of a joint's axes as one along the body's, or back. */
LANE_FUNCTION real sarrus_own_sense(const sarrus_mech_link *link, real x) {
    return link->is_against ? -x : x;
}

/* ws->hang: sine, cosine, r. */
enum { SARRUS_HANG_SPAN = 2, SARRUS_HANG_N = 5 };

/* The turn of a link's body, and (x, y) turned by it, or back. */
typedef struct sarrus_own_angle {
    real sine, cosine;
} sarrus_own_angle;

LANE_FUNCTION sarrus_own_angle sarrus_own_angle_of(const sarrus_workspace *ws, int32_t body) {
    const sarrus_own_angle out = {frame_at(ws->hang, SARRUS_HANG_N * body), frame_beyond(ws->hang, SARRUS_HANG_N * body, 1)};
    return out;
}
LANE_FUNCTION void sarrus_own_turn(sarrus_own_angle by, int32_t is_back, real *x, real *y) {
    const real a = *x, b = *y;
    *x = is_back ? real_fma(by.sine, b, by.cosine * a) : real_fnma(by.sine, b, by.cosine * a);
    *y = is_back ? real_fnma(by.sine, a, by.cosine * b) : real_fma(by.sine, a, by.cosine * b);
}

/* One vector or, b not NULL, two turned about axis k. */
LANE_FUNCTION void sarrus_own_turn_x(sarrus_own_angle by, int32_t is_back, space_vector *a, space_vector *b) {
    sarrus_own_turn(by, is_back, &a->y, &a->z);
    if (b)
        sarrus_own_turn(by, is_back, &b->y, &b->z);
}
LANE_FUNCTION void sarrus_own_turn_y(sarrus_own_angle by, int32_t is_back, space_vector *a, space_vector *b) {
    sarrus_own_turn(by, is_back, &a->z, &a->x);
    if (b)
        sarrus_own_turn(by, is_back, &b->z, &b->x);
}
LANE_FUNCTION void sarrus_own_turn_z(sarrus_own_angle by, int32_t is_back, space_vector *a, space_vector *b) {
    sarrus_own_turn(by, is_back, &a->x, &a->y);
    if (b)
        sarrus_own_turn(by, is_back, &b->x, &b->y);
}

/* The same from one joint's axes in a body to those in another one, in `from` and `to`. */
LANE_FUNCTION void sarrus_own_turn_askew(sarrus_own_angle by, int32_t is_back, const int32_t from[3], const int32_t to[3],
                                         space_vector *a, space_vector *b) {
    const space_vector of_from = sarrus_axes_sign(from), of_to = sarrus_axes_sign(to);
    *a = sarrus_along_axes(from, of_from, *a);
    if (b)
        *b = sarrus_along_axes(from, of_from, *b);
    sarrus_own_turn_z(by, is_back, a, b);
    *a = sarrus_from_axes(to, of_to, *a);
    if (b)
        *b = sarrus_from_axes(to, of_to, *b);
}

/* One vector or two, for whom the plan is asked once: from the frame of the outboard body to that of the inboard one, or back. */
LANE_FUNCTION void sarrus_own_across(const sarrus_workspace *ws, const sarrus_mech_link *link, int32_t is_back, space_vector *a,
                                     space_vector *b) {
    const sarrus_own_angle by = sarrus_own_angle_of(ws, link->body);
    switch (link->way) {
    case SARRUS_OWN_TURN_X:
        sarrus_own_turn_x(by, is_back, a, b);
        break;
    case SARRUS_OWN_TURN_X + 1:
        sarrus_own_turn_y(by, is_back, a, b);
        break;
    case SARRUS_OWN_TURN_X + 2:
        sarrus_own_turn_z(by, is_back, a, b);
        break;
    case SARRUS_OWN_ASKEW:
        sarrus_own_turn_askew(by, is_back, is_back ? link->inboard_axis : link->outboard_axis,
                              is_back ? link->outboard_axis : link->inboard_axis, a, b);
        break;
    default:
        break;
    }
}

/* R B Rᵀ, turned about the axis k: a, b its moments along the next axis and the one after it; of their product, and of those of
 * either with k. */
LANE_FUNCTION void sarrus_own_turn_tensor(sarrus_own_angle by, real *a, real *b, real *ab, real *bk, real *ka) {
    const real first = real_fnma(by.sine, *ab, by.cosine * *a), second = real_fnma(by.sine, *b, by.cosine * *ab);
    const real trace = *a + *b, turned = real_fnma(by.sine, second, by.cosine * first), from_a = *ka;
    *ab = real_fma(by.cosine, second, by.sine * first);
    *a = turned;
    *b = trace - turned;
    *ka = real_fnma(by.sine, *bk, by.cosine * from_a);
    *bk = real_fma(by.sine, from_a, by.cosine * *bk);
}
LANE_FUNCTION void sarrus_own_turn_inertia(sarrus_own_angle by, int32_t k, sarrus_own_inertia *all) {
    space_vector *h = &all->first, *m = &all->second.moment, *p = &all->second.product;
    if (k == 0) {
        sarrus_own_turn(by, 0, &h->y, &h->z);
        sarrus_own_turn_tensor(by, &m->y, &m->z, &p->x, &p->y, &p->z);
    } else if (k == 1) {
        sarrus_own_turn(by, 0, &h->z, &h->x);
        sarrus_own_turn_tensor(by, &m->z, &m->x, &p->y, &p->z, &p->x);
    } else {
        sarrus_own_turn(by, 0, &h->x, &h->y);
        sarrus_own_turn_tensor(by, &m->x, &m->y, &p->z, &p->x, &p->y);
    }
}
LANE_FUNCTION void sarrus_own_inertia_in(const sarrus_workspace *ws, const sarrus_mech_link *link, sarrus_own_inertia *all) {
    const sarrus_own_angle by = sarrus_own_angle_of(ws, link->body);
    if (link->way != SARRUS_OWN_ASKEW) {
        if (link->way != SARRUS_OWN_STRAIGHT)
            sarrus_own_turn_inertia(by, link->axis, all);
        return;
    }
    all->first = sarrus_along_axes(link->outboard_axis, sarrus_axes_sign(link->outboard_axis), all->first);
    all->second.moment = sarrus_along_axes(link->outboard_axis, sarrus_ones(), all->second.moment);
    all->second.product = sarrus_along_axes(link->outboard_axis, sarrus_products_sign(link->outboard_axis), all->second.product);
    sarrus_own_turn_inertia(by, 2, all);
    all->first = sarrus_from_axes(link->inboard_axis, sarrus_axes_sign(link->inboard_axis), all->first);
    all->second.moment = sarrus_from_axes(link->inboard_axis, sarrus_ones(), all->second.moment);
    all->second.product = sarrus_from_axes(link->inboard_axis, sarrus_products_sign(link->inboard_axis), all->second.product);
}

/* How far a slide has come, in the frame of the outboard body; zeros: all but that of its axis. */
LANE_FUNCTION space_vector sarrus_own_way(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_link *link,
                                          const real *q) {
    const real zero = lane_at(lane_from(parameter, mech->freedom[link->freedom].p), SARRUS_SQ_ZERO);
    const real d = real_fma(real_set(link->is_reversed ? -1.0 : 1.0), zero, frame_at(q, link->q));
    return sarrus_from_axis(link->axis, sarrus_own_sense(link, d), real_set(0.0), real_set(0.0));
}

/* From the centre of mass of the outboard body to P, in its frame; zeros: link->outboard_zeros. */
LANE_FUNCTION space_vector sarrus_own_point(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_link *link) {
    const real *p = lane_from(parameter, mech->joint[link->joint].p);
    return sarrus_parameter_vector(p, link->is_reversed ? SARRUS_SJ_PARENT : SARRUS_SJ_CHILD);
}

/* r, and which of its components are 0. */
LANE_FUNCTION const sarrus_mech_link *sarrus_own_inboard(const sarrus_mechanism *mech, const sarrus_mech_link *link) {
    return &mech->tree.link[link->inboard_link];
}
LANE_FUNCTION space_vector sarrus_own_reach(const sarrus_workspace *ws, const sarrus_mech_link *link) {
    const int32_t at = SARRUS_HANG_N * link->body;
    const space_vector r = {frame_beyond(ws->hang, at, SARRUS_HANG_SPAN), frame_beyond(ws->hang, at, SARRUS_HANG_SPAN + 1),
                            frame_beyond(ws->hang, at, SARRUS_HANG_SPAN + 2)};
    return r;
}
LANE_FUNCTION void sarrus_own_reach_find(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                         const sarrus_mech_link *link) {
    if (link->inboard < 0)
        return;
    const real *p = lane_from(parameter, mech->joint[link->joint].p);
    const space_vector on = sarrus_parameter_vector(p, link->is_reversed ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT);
    const space_vector r = space_less(on, sarrus_own_point(mech, parameter, sarrus_own_inboard(mech, link)));
    sarrus_tree_vector_put(r, ws->hang, SARRUS_HANG_N * link->body + SARRUS_HANG_SPAN);
}

/* A wrench about P of the outboard body, as one about that of the inboard body. */
LANE_FUNCTION space_wrench sarrus_own_carry(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                            const sarrus_mech_link *link, const real *q, space_wrench w) {
    if (link->form == SARRUS_LINK_SLIDE)
        w.moment = sarrus_add_turned(w.moment, sarrus_own_way(mech, parameter, link, q), w.force, 7 & ~(1 << link->axis));
    sarrus_own_across(ws, link, 0, &w.moment, &w.force);
    w.moment = sarrus_add_turned(w.moment, sarrus_own_reach(ws, link), w.force, link->span_zeros);
    return w;
}

/* Its power with the link's speed, that of a body whose own one is `is_against`. */
LANE_FUNCTION real sarrus_own_power(const sarrus_mech_link *link, space_wrench w, int32_t is_against) {
    const int32_t k = link->axis;
    const real x = link->form == SARRUS_LINK_TURN ? sarrus_component(w.moment, k) : sarrus_component(w.force, k);
    return link->is_against != is_against ? -x : x;
}

#endif
