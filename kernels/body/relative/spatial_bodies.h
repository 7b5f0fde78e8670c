/* Links in space read from bodies in absolute coordinates, and orientations of bodies for those who ask: Euler parameters, which
 * follow the motion continuously. */
#ifndef SARRUS_BODY_RELATIVE_SPATIAL_BODIES_H
#define SARRUS_BODY_RELATIVE_SPATIAL_BODIES_H

#include "kernels/body/relative/spatial_links.h"

/* p of a rotation R, from the largest of 4 e_k²; p and −p are the same. */
LANE_FUNCTION space_parameters sarrus_parameters_of(const space_rotation *r) {
    const real one = real_set(1.0), x = r->row[0].x, y = r->row[1].y, z = r->row[2].z;
    const real square[4] = {one + x + y + z, one + x - y - z, one - x + y - z, one - x - y + z};
    const real yz = r->row[2].y - r->row[1].z, zx = r->row[0].z - r->row[2].x, xy = r->row[1].x - r->row[0].y;
    const real sum_yz = r->row[2].y + r->row[1].z, sum_zx = r->row[0].z + r->row[2].x, sum_xy = r->row[1].x + r->row[0].y;
    const real by[4][4] = {
        {square[0], yz, zx, xy}, {yz, square[1], sum_xy, sum_zx}, {zx, sum_xy, square[2], sum_yz}, {xy, sum_zx, sum_yz, square[3]}};
    real most = square[0], p[4] = {by[0][0], by[0][1], by[0][2], by[0][3]};
    for (int32_t k = 1; k < 4; ++k) {
        const mask larger = real_lt(most, square[k]);
        most = real_select(larger, square[k], most);
        LANE_EACH (i, 4)
            p[i] = real_select(larger, by[k][i], p[i]);
    }
    const real scale = real_set(0.5) / real_sqrt(most);
    const space_parameters out = {scale * p[0], {scale * p[1], scale * p[2], scale * p[3]}};
    return out;
}

/* The rotation with these columns. */
LANE_FUNCTION space_rotation sarrus_rotation_of_columns(const space_vector e[3]) {
    space_rotation out;
    LANE_EACH (r, 3) {
        out.row[r].x = sarrus_component(e[0], r);
        out.row[r].y = sarrus_component(e[1], r);
        out.row[r].z = sarrus_component(e[2], r);
    }
    return out;
}

LANE_FUNCTION space_parameters sarrus_parameters_back(space_parameters p) {
    p.e = space_scaled(real_set(-1.0), p.e);
    return p;
}

/* (cos ½φ, sin ½φ along axis k). */
LANE_FUNCTION space_parameters sarrus_parameters_turn(real angle, int32_t k) {
    real sine, cosine;
    real_sincos(real_set(0.5) * angle, &sine, &cosine);
    const real zero = real_set(0.0);
    const space_parameters out = {cosine, {k == 0 ? sine : zero, k == 1 ? sine : zero, k == 2 ? sine : zero}};
    return out;
}

/* Euler parameters of the axes e in the axes f at the coordinates q. */
LANE_FUNCTION space_parameters sarrus_link_parameters(const sarrus_link_here *at, const sarrus_mech_link *link, const real *q) {
    const real zero = real_set(0.0);
    if (link->form == SARRUS_LINK_TURN || link->form == SARRUS_LINK_SCREW)
        return sarrus_parameters_turn(lane_at(q, link->q), 2);
    if (link->form == SARRUS_LINK_CYLINDER)
        return sarrus_parameters_turn(lane_at(q, link->q + 1), 2);
    if (link->form == SARRUS_LINK_PLANE)
        return sarrus_parameters_turn(lane_at(q, link->q + 2), 2);
    if (link->form == SARRUS_LINK_UNIVERSAL)
        return space_compose(sarrus_parameters_turn(lane_at(q, link->q), at->first),
                             sarrus_parameters_turn(lane_at(q, link->q + 1), at->second));
    if (link->form == SARRUS_LINK_BALL)
        return space_parameters_at(lane_from(q, link->q));
    return sarrus_parameters_turn(zero, 2);
}

/* p of the link's body but for its sign, from that of the inboard one (in `out`, where it already stands):
 * p_in ∘ p_f ∘ p(q) ∘ p_e⁻¹, the axes in the frames of their bodies. */
LANE_FUNCTION space_parameters sarrus_link_orientation(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link,
                                                       const real *q, const real *out) {
    sarrus_mech_link alone = *link;
    alone.inboard = -1; /* the axes f in the inboard body's own frame */
    const sarrus_link_here at = sarrus_link_find(parameter, ws, &alone);
    const space_rotation f = sarrus_rotation_of_columns(at.f), e = sarrus_rotation_of_columns(at.of_e);
    const space_parameters p_f = sarrus_parameters_of(&f), p_e = sarrus_parameters_back(sarrus_parameters_of(&e));
    const space_parameters p = space_compose(space_compose(p_f, sarrus_link_parameters(&at, link, q)), p_e);
    if (link->inboard < 0)
        return p;
    return space_compose(space_parameters_at(lane_from(out, space_q(link->inboard) + SPACE_TURN)), p);
}

/* The body's coordinates, in `out`, where those of the inboard body stand. hand [n_bodies] says which of p and −p is meant. */
LANE_BODY void sarrus_link_show(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link, const real *q,
                                const real *hand, real *out) {
    real *to = lane_from(out, space_q(link->body));
    space_vector_put(sarrus_tree_centre(ws, link->body), to);
    if (link->form == SARRUS_LINK_FREE) {
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            lane_at(to, k) = lane_at(q, link->q + k);
        return;
    }
    const space_parameters p = sarrus_link_orientation(parameter, ws, link, q, out);
    lane_at(to, SPACE_TURN) = lane_at(hand, link->body) * p.e0;
    space_vector_put(space_scaled(lane_at(hand, link->body), p.e), lane_from(to, SPACE_TURN + 1));
}

/* Coordinates [SPACE_NQ] of a body, to be read by its links. */
LANE_BODY void sarrus_link_take(sarrus_workspace *ws, int32_t body, const real *q) {
    const space_rotation a = space_rotation_of(lane_from(q, SPACE_TURN));
    sarrus_link_put_rotation(ws, body, &a);
    sarrus_tree_vector_put(space_vector_at(q), ws->body_q, space_q(body));
    for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
        frame_at(ws->body_q, space_q(body) + k) = lane_at(q, k);
}

/* What the outboard body does seen from the inboard one: the joint's axes and points at the poses and velocities of the
 * workspace. */
typedef struct sarrus_link_seen {
    sarrus_link_here at;
    space_vector e[3], d, omega, d_dot;
} sarrus_link_seen;

LANE_FUNCTION sarrus_link_seen sarrus_link_look(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link) {
    sarrus_link_seen out;
    out.at = sarrus_link_find(parameter, ws, link);
    const space_rotation a = sarrus_tree_rotation(ws, link->body);
    const space_vector arm = space_rotate(&a, out.at.arm), point = space_sum(sarrus_tree_centre(ws, link->body), arm);
    LANE_EACH (k, 3)
        out.e[k] = space_rotate(&a, out.at.of_e[k]);
    out.d = space_less(point, sarrus_link_point(ws, link, &out.at));
    out.omega = space_rotate(&a, sarrus_frame_vector(ws->body_v, space_v(link->body) + SPACE_TURN));
    out.d_dot = space_sum(sarrus_tree_velocity(ws, link->body), space_turned(out.omega, arm));
    if (link->inboard >= 0) {
        const space_rotation b = sarrus_tree_rotation(ws, link->inboard);
        const space_vector omega = space_rotate(&b, sarrus_frame_vector(ws->body_v, space_v(link->inboard) + SPACE_TURN));
        const space_vector reach = space_less(point, sarrus_tree_centre(ws, link->inboard));
        out.d_dot = space_less(out.d_dot, space_sum(sarrus_tree_velocity(ws, link->inboard), space_turned(omega, reach)));
        out.omega = space_less(out.omega, omega);
    }
    return out;
}

/* The coordinates of turns, and of a BALL. */
LANE_FUNCTION void sarrus_link_read_turns(const sarrus_link_seen *seen, const sarrus_mech_link *link, real *q) {
    const sarrus_link_here *at = &seen->at;
    const space_vector *e = seen->e, *f = at->f;
    if (link->form == SARRUS_LINK_UNIVERSAL) {
        const int32_t i = at->first, j = at->second, k = 2;
        const real sign = i == 0 ? real_set(1.0) : real_set(-1.0);
        lane_at(q, link->q) = real_atan2(sign * space_dot(f[k], e[j]), space_dot(f[j], e[j]));
        lane_at(q, link->q + 1) = real_atan2(sign * space_dot(f[i], e[k]), space_dot(f[i], e[i]));
    } else if (link->form == SARRUS_LINK_BALL) {
        space_rotation r;
        LANE_EACH (j, 3) {
            r.row[j].x = space_dot(f[j], e[0]);
            r.row[j].y = space_dot(f[j], e[1]);
            r.row[j].z = space_dot(f[j], e[2]);
        }
        const space_parameters p = sarrus_parameters_of(&r);
        lane_at(q, link->q) = p.e0;
        space_vector_put(p.e, lane_from(q, link->q + 1));
    } else if (link->form == SARRUS_LINK_TURN || link->form == SARRUS_LINK_SCREW || link->form == SARRUS_LINK_CYLINDER ||
               link->form == SARRUS_LINK_PLANE) {
        const int32_t last = link->form == SARRUS_LINK_PLANE ? 2 : link->form == SARRUS_LINK_CYLINDER ? 1 : 0;
        lane_at(q, link->q + last) = real_atan2(space_dot(f[1], e[0]), space_dot(f[0], e[0]));
    }
}

/* Which of p and −p the body of the workspace has, where the link stands at q, whole turns and all. */
LANE_FUNCTION void sarrus_link_read_hand(const real *parameter, sarrus_workspace *ws, const sarrus_mech_link *link, const real *q,
                                         real *hand) {
    const real *shown = ws->body_q;
    lane_at(hand, link->body) = real_set(1.0);
    if (link->form == SARRUS_LINK_FREE)
        return;
    const space_parameters p = sarrus_link_orientation(parameter, ws, link, q, shown);
    const space_parameters is = space_parameters_at(lane_from(shown, space_q(link->body) + SPACE_TURN));
    const mask is_other = real_lt(real_fma(p.e0, is.e0, space_dot(p.e, is.e)), real_set(0.0));
    lane_at(hand, link->body) = real_select(is_other, real_set(-1.0), real_set(1.0));
}

/* A screw tells its turns by how far it has come. */
LANE_FUNCTION void sarrus_link_read_screw(const sarrus_link_seen *seen, const sarrus_mech_link *link, real *q, real *v) {
    const sarrus_link_here *at = &seen->at;
    const real pitch = lane_at(at->p, SARRUS_SJ_PITCH);
    const real by_way = real_fnma(at->sign, lane_at(at->p, SARRUS_SJ_LENGTH), space_dot(at->f[2], seen->d)) / pitch;
    lane_at(q, link->q) = by_way - real_less_turns(by_way - lane_at(q, link->q));
    lane_at(v, link->v) = space_dot(at->f[2], seen->omega);
}

/* q, v of the link at the poses and velocities of the bodies in the workspace. */
LANE_BODY void sarrus_link_read(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                const sarrus_mech_link *link, real *q, real *v) {
    const int32_t form = link->form;
    if (form == SARRUS_LINK_FREE) {
        LANE_EACH (k, SPACE_NQ)
            lane_at(q, link->q + k) = frame_at(ws->body_q, space_q(link->body) + k);
        LANE_EACH (k, SPACE_NV)
            lane_at(v, link->v + k) = frame_at(ws->body_v, space_v(link->body) + k);
        return;
    }
    const sarrus_link_seen seen = sarrus_link_look(parameter, ws, link);
    const sarrus_link_here *at = &seen.at;
    const int32_t n_slides = form == SARRUS_LINK_PLANE ? 2 : form == SARRUS_LINK_SLIDE || form == SARRUS_LINK_CYLINDER ? 1 : 0;
    sarrus_link_read_turns(&seen, link, q);
    for (int32_t k = 0; k < n_slides; ++k) {
        const space_vector axis = at->f[n_slides == 1 ? 2 : k];
        const real zero = lane_at(lane_from(parameter, mech->freedom[link->freedom + k].p), SARRUS_SQ_ZERO);
        lane_at(q, link->q + k) = real_fnma(at->sign, zero, space_dot(axis, seen.d));
        lane_at(v, link->v + k) = space_dot(axis, seen.d_dot);
    }
    if (form == SARRUS_LINK_SCREW)
        sarrus_link_read_screw(&seen, link, q, v);
    if (form == SARRUS_LINK_TURN || form == SARRUS_LINK_CYLINDER || form == SARRUS_LINK_PLANE)
        lane_at(v, link->v + n_slides) = space_dot(at->f[2], seen.omega);
    if (form == SARRUS_LINK_UNIVERSAL) {
        lane_at(v, link->v) = space_dot(at->f[at->first], seen.omega);
        lane_at(v, link->v + 1) = space_dot(seen.e[at->second], seen.omega);
    }
    for (int32_t k = 0; form == SARRUS_LINK_BALL && k < 3; ++k)
        lane_at(v, link->v + k) = space_dot(seen.e[k], seen.omega);
}

#endif
