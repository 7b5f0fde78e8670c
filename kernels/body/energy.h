/* What a state is worth: T and V at the rotations and signals of the workspace. */
#ifndef SARRUS_BODY_ENERGY_H
#define SARRUS_BODY_ENERGY_H

#include "kernels/body/row_parts.h"

/* ½ vᵀMv. */
LANE_FUNCTION real sarrus_kinetic_energy(const sarrus_mechanism *mech, const real *parameter, const real *v) {
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real *p = lane_from(parameter, mech->p_body + SARRUS_PB_N * b);
        real vx = frame_at(v, space_v(b)), vy = frame_at(v, space_v(b) + 1), w = frame_at(v, space_v(b) + SPACE_TURN);
        sum = real_fma(lane_at(p, SARRUS_PB_MASS), real_fma(vx, vx, vy * vy), sum);
        sum = real_fma(lane_at(p, SARRUS_PB_INERTIA) * w, w, sum);
    }
    return real_set(0.5) * sum;
}

/* ½k(l − l0)² of a spring between two points. */
LANE_FUNCTION real sarrus_spring_energy(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *q,
                                        const real *v) {
    sarrus_point a = sarrus_point_of(ws, q, v, force->body[0], lane_at(p, SARRUS_PF_A_X), lane_at(p, SARRUS_PF_A_Y));
    sarrus_point b = sarrus_point_of(ws, q, v, force->body[1], lane_at(p, SARRUS_PF_B_X), lane_at(p, SARRUS_PF_B_Y));
    real dx = b.x - a.x, dy = b.y - a.y;
    real stretch = real_sqrt(real_fma(dx, dx, dy * dy)) - lane_at(p, SARRUS_PF_REST);
    return real_set(0.5) * lane_at(p, SARRUS_PF_STIFFNESS) * (stretch * stretch);
}

/* ½k(x − rest)² of the spring along a joint's free coordinate x. */
LANE_FUNCTION real sarrus_elastic_energy(sarrus_workspace *ws, const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                         const real *v) {
    const real *p = lane_from(parameter, joint->p);
    sarrus_point parent, child;
    sarrus_joint_points(ws, parameter, joint, q, v, &parent, &child);
    real stretch = sarrus_free_coordinate(ws, joint, p, q, &parent, &child) - lane_at(p, SARRUS_PJ_REST);
    return real_set(0.5) * lane_at(p, SARRUS_PJ_STIFFNESS) * (stretch * stretch);
}

/* Gravity's, that of springs between points and that of springs in joints. */
LANE_FUNCTION real sarrus_potential_energy(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                           const real *v) {
    real gx = lane_at(parameter, mech->p_gravity), gy = lane_at(parameter, mech->p_gravity + 1), sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        real mass = lane_at(parameter, mech->p_body + SARRUS_PB_N * b + SARRUS_PB_MASS);
        sum = real_fnma(mass, real_fma(gx, frame_at(q, space_q(b)), gy * frame_at(q, space_q(b) + 1)), sum);
    }
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        if (force->type == SARRUS_FORCE_SPRING)
            sum = sum + sarrus_spring_energy(ws, force, lane_from(parameter, force->p), q, v);
    }
    PLAN_EACH (i, 0, mech->n_elastic > 0 ? mech->n_joints : 0) {
        if (mech->joint[i].elastic == SARRUS_ELASTIC_BY_BODIES)
            sum = sum + sarrus_elastic_energy(ws, parameter, &mech->joint[i], q, v);
    }
    return sum;
}

#endif
