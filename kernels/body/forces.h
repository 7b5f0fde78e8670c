/* F(q, v, t, u) without gravity, then the free acceleration a_f = g + M⁻¹F (S5 eq 25); and the power of those parts of F that are
 * not in the potential energy: dampers and loads. */
#ifndef SARRUS_BODY_FORCES_H
#define SARRUS_BODY_FORCES_H

#include "kernels/body/kinematics.h"

LANE_FUNCTION void sarrus_force_at(sarrus_workspace *ws, int32_t body, const sarrus_point *p, real fx, real fy) {
    if (body < 0)
        return;
    frame_at(ws->force, space_v(body)) = frame_at(ws->force, space_v(body)) + fx;
    frame_at(ws->force, space_v(body) + 1) = frame_at(ws->force, space_v(body) + 1) + fy;
    const space_vector arm = {p->arm_x, p->arm_y}, force = {fx, fy};
    const real torque = space_moment(arm, force);
    frame_at(ws->force, space_v(body) + SPACE_TURN) = frame_at(ws->force, space_v(body) + SPACE_TURN) + torque;
}

LANE_FUNCTION void sarrus_torque_on(sarrus_workspace *ws, int32_t body, real torque) {
    if (body >= 0)
        frame_at(ws->force, space_v(body) + SPACE_TURN) = frame_at(ws->force, space_v(body) + SPACE_TURN) + torque;
}

/* Spring and damper between two points: f = −(k(|d| − l0) + c w·ḋ) w on the second, −f on the first; w = d/|d|. Returns
 * −c (w·ḋ)². */
LANE_FUNCTION real sarrus_force_spring(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *q,
                                       const real *v) {
    sarrus_point a = sarrus_point_of(ws, q, v, force->body[0], lane_at(p, SARRUS_PF_A_X), lane_at(p, SARRUS_PF_A_Y));
    sarrus_point b = sarrus_point_of(ws, q, v, force->body[1], lane_at(p, SARRUS_PF_B_X), lane_at(p, SARRUS_PF_B_Y));
    real dx = b.x - a.x, dy = b.y - a.y;
    real length = real_sqrt(real_fma(dx, dx, dy * dy));
    real inverse = real_inverse_or_zero(length);
    real wx = dx * inverse, wy = dy * inverse;
    real rate = real_fma(wx, b.vx - a.vx, wy * (b.vy - a.vy));
    real drag = lane_at(p, SARRUS_PF_DAMPING) * rate;
    real pull = real_fma(lane_at(p, SARRUS_PF_STIFFNESS), length - lane_at(p, SARRUS_PF_REST), drag);
    sarrus_force_at(ws, force->body[0], &a, pull * wx, pull * wy);
    sarrus_force_at(ws, force->body[1], &b, -(pull * wx), -(pull * wy));
    return -(drag * rate);
}

/* The load of a source: a parameter, a signal or an external input. */
LANE_FUNCTION real sarrus_source_load(sarrus_workspace *ws, const real *input, int32_t source, int32_t index, real value) {
    if (source == SARRUS_MECH_SIGNAL)
        return frame_at(ws->signal, 3 * index);
    if (source == SARRUS_MECH_INPUT)
        return lane_at(input, index);
    return value;
}

/* Returns the power of the force. */
LANE_FUNCTION real sarrus_force_point(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                      const real *q, const real *v) {
    sarrus_point at = sarrus_point_of(ws, q, v, force->body[0], lane_at(p, SARRUS_PF_A_X), lane_at(p, SARRUS_PF_A_Y));
    real fx = sarrus_source_load(ws, input, force->source[0], force->index[0], lane_at(p, SARRUS_PF_STIFFNESS));
    real fy = sarrus_source_load(ws, input, force->source[1], force->index[1], lane_at(p, SARRUS_PF_REST));
    if (force->in_body_frame)
        sarrus_vector_of(ws, force->body[0], fx, fy, &fx, &fy);
    sarrus_force_at(ws, force->body[0], &at, fx, fy);
    return real_fma(fx, at.vx, fy * at.vy);
}

/* A torque on a body; returns its power. */
LANE_FUNCTION real sarrus_force_torque(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                       const real *v) {
    const int32_t body = force->body[0];
    real torque = sarrus_source_load(ws, input, force->source[0], force->index[0], lane_at(p, SARRUS_PF_STIFFNESS));
    sarrus_torque_on(ws, body, torque);
    return body >= 0 ? torque * frame_at(v, space_v(body) + SPACE_TURN) : real_set(0.0);
}

/* Spring and damper along a joint's free coordinate x: load −(k(x − rest) + c ẋ), on the bodies through its row. Uses row
 * `scratch` of the workspace, whose values the joint's own rows overwrite later. Returns −c ẋ². */
LANE_FUNCTION real sarrus_force_elastic(sarrus_workspace *ws, const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                        const real *v) {
    const real *p = lane_from(parameter, joint->p);
    int32_t scratch = joint->row;
    sarrus_point parent, child;
    sarrus_joint_points(ws, parameter, joint, q, v, &parent, &child);
    sarrus_row_free(ws, scratch, joint, p, q, v, &parent, &child);
    real rate = frame_at(ws->phi_dot, scratch), drag = lane_at(p, SARRUS_PJ_DAMPING) * rate;
    real load = real_fma(lane_at(p, SARRUS_PJ_STIFFNESS), frame_at(ws->phi, scratch) - lane_at(p, SARRUS_PJ_REST), drag);
    if (joint->kind == SARRUS_JOINT_PRISMATIC) {
        real fx = load * frame_at(ws->direction, 2 * scratch), fy = load * frame_at(ws->direction, 2 * scratch + 1);
        if (joint->parent >= 0) {
            frame_at(ws->force, space_v(joint->parent)) = frame_at(ws->force, space_v(joint->parent)) + fx;
            frame_at(ws->force, space_v(joint->parent) + 1) = frame_at(ws->force, space_v(joint->parent) + 1) + fy;
        }
        if (joint->child >= 0) {
            frame_at(ws->force, space_v(joint->child)) = frame_at(ws->force, space_v(joint->child)) - fx;
            frame_at(ws->force, space_v(joint->child) + 1) = frame_at(ws->force, space_v(joint->child) + 1) - fy;
        }
    }
    sarrus_torque_on(ws, joint->parent, -(load * frame_at(ws->turn, 2 * scratch)));
    sarrus_torque_on(ws, joint->child, -(load * frame_at(ws->turn, 2 * scratch + 1)));
    return -(drag * rate);
}

/* ws->force becomes a_f. Call before sarrus_rows, which reuses what elastic joints write. Returns the power of dampers and
 * loads. */
PLAN_BODY real sarrus_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                        const real *v, sarrus_workspace *ws) {
    real power = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->force, i) = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        const real *p = lane_from(parameter, force->p);
        if (force->type == SARRUS_MECH_SPRING) {
            power = power + sarrus_force_spring(ws, force, p, q, v);
        } else if (force->type == SARRUS_MECH_TORQUE) {
            power = power + sarrus_force_torque(ws, force, p, input, v);
        } else {
            power = power + sarrus_force_point(ws, force, p, input, q, v);
        }
    }
    PLAN_EACH (i, 0, mech->n_elastic > 0 ? mech->n_joints : 0) {
        if (mech->joint[i].elastic)
            power = power + sarrus_force_elastic(ws, parameter, &mech->joint[i], q, v);
    }
    real gx = lane_at(parameter, mech->p_gravity), gy = lane_at(parameter, mech->p_gravity + 1);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real *p = lane_from(parameter, mech->p_body + SARRUS_PB_N * b);
        real m_inverse = lane_at(p, SARRUS_PB_MINV);
        frame_at(ws->force, space_v(b)) = real_fma(m_inverse, frame_at(ws->force, space_v(b)), gx);
        frame_at(ws->force, space_v(b) + 1) = real_fma(m_inverse, frame_at(ws->force, space_v(b) + 1), gy);
        frame_at(ws->force, space_v(b) + SPACE_TURN) = lane_at(p, SARRUS_PB_IINV) * frame_at(ws->force, space_v(b) + SPACE_TURN);
    }
    return power;
}

#endif
