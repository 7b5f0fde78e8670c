/* F(q, v, t, u) without gravity, then the free acceleration a_f = g + M⁻¹F (S5 eq 25); and the power of those parts of F that are
 * not in the potential energy: dampers and loads. */
#ifndef SARRUS_BODY_FORCES_H
#define SARRUS_BODY_FORCES_H

#include "kernels/body/force/point.h"
#include "kernels/body/force/spring.h"
#include "kernels/body/force/torque.h"
#include "kernels/body/row_parts.h"

/* The power on ground of a force (fx, fy) on the parent and its opposite on the child, without that of their turning parts. */
LANE_FUNCTION real sarrus_shift_power(const sarrus_workspace *ws, const sarrus_mech_joint *joint, real fx, real fy) {
    const real *speeds = frame_from(ws->ground, SARRUS_GROUND_SPEEDS);
    const real power = real_fma(fx, frame_at(speeds, 0), fy * frame_at(speeds, 1));
    return joint->parent < 0 ? power : joint->child < 0 ? -power : real_set(0.0);
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
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind)) {
        real fx = load * frame_at(ws->direction, 2 * scratch), fy = load * frame_at(ws->direction, 2 * scratch + 1);
        if (joint->parent >= 0) {
            frame_at(ws->force, space_v(joint->parent)) = frame_at(ws->force, space_v(joint->parent)) + fx;
            frame_at(ws->force, space_v(joint->parent) + 1) = frame_at(ws->force, space_v(joint->parent) + 1) + fy;
        }
        if (sarrus_ground_moves(ws))
            sarrus_ground_load(ws, sarrus_shift_power(ws, joint, fx, fy));
        if (joint->child >= 0) {
            frame_at(ws->force, space_v(joint->child)) = frame_at(ws->force, space_v(joint->child)) - fx;
            frame_at(ws->force, space_v(joint->child) + 1) = frame_at(ws->force, space_v(joint->child) + 1) - fy;
        }
    }
    sarrus_torque_on(ws, joint->parent, -(load * frame_at(ws->turn, 2 * scratch)));
    sarrus_torque_on(ws, joint->child, -(load * frame_at(ws->turn, 2 * scratch + 1)));
    return -(drag * rate);
}

/* ws->force ← F of all bodies. Call before sarrus_rows, which reuses what elastic joints write. Returns the power of dampers and
 * loads, and of springs in so far as ground, which moves, works on them. */
PLAN_BODY real sarrus_bodies_load(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                  const real *v, sarrus_workspace *ws) {
    real power = real_set(0.0);
    PLAN_EACH (i, 0, SPACE_NV * mech->n_bodies)
        frame_at(ws->force, i) = real_set(0.0);
    if (mech->moves_ground)
        frame_at(ws->ground, SARRUS_GROUND_POWER) = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        const real *p = lane_from(parameter, force->p);
#define SARRUS_FORCE(name, value, word, kernel, text)                                                                              \
    if (force->type == SARRUS_FORCE_##name)                                                                                        \
        power = power + sarrus_force_##kernel(ws, force, p, input, q, v);
#include "sarrus/force.def"
    }
    PLAN_EACH (i, 0, mech->n_elastic > 0 ? mech->n_joints : 0) {
        if (mech->joint[i].elastic == SARRUS_ELASTIC_BY_BODIES)
            power = power + sarrus_force_elastic(ws, parameter, &mech->joint[i], q, v);
    }
    return mech->moves_ground ? power - frame_at(ws->ground, SARRUS_GROUND_POWER) : power;
}

/* ws->force ← a_f; as above. */
PLAN_BODY real sarrus_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                        const real *v, sarrus_workspace *ws) {
    const real power = sarrus_bodies_load(mech, parameter, input, q, v, ws);
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
