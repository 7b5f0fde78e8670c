/* F(q, v, t, u) without gravity, the gyroscopic torques, then the free acceleration a_f = g + M⁻¹F (S5 eq 25); and the power of
 * those parts of F that are not in the potential energy: dampers and loads. */
#ifndef SARRUS_BODY_SPATIAL_FORCES_H
#define SARRUS_BODY_SPATIAL_FORCES_H

#include "kernels/body/spatial/elastic.h"
#include "kernels/body/spatial/mass.h"

LANE_FUNCTION void sarrus_force_at(sarrus_workspace *ws, const sarrus_body_here *body, int32_t i_body, const sarrus_point *p,
                                   space_vector force) {
    if (i_body < 0 && sarrus_ground_moves(ws))
        sarrus_ground_load(ws, space_dot(force, p->v));
    if (i_body < 0)
        return;
    sarrus_frame_vector_add(force, ws->force, space_v(i_body));
    sarrus_torque_on(ws, body, i_body, space_cross(p->arm, force));
}

/* The load of a source: a parameter, a signal or an external input. */
LANE_FUNCTION real sarrus_source_load(const sarrus_workspace *ws, const real *input, const sarrus_mech_force *force, int32_t k,
                                      const real *p) {
    if (force->source[k] == SARRUS_SOURCE_SIGNAL)
        return frame_at(ws->signal, 3 * force->index[k]);
    if (force->source[k] == SARRUS_SOURCE_INPUT)
        return lane_at(input, force->index[k]);
    return lane_at(p, SARRUS_SF_LOAD + k);
}

/* The three numbers of a force or a torque, in the inertial frame. */
LANE_FUNCTION space_vector sarrus_load_of(const sarrus_workspace *ws, const real *input, const sarrus_mech_force *force,
                                          const real *p, const sarrus_body_here *body) {
    space_vector load;
    load.x = sarrus_source_load(ws, input, force, 0, p);
    load.y = sarrus_source_load(ws, input, force, 1, p);
    load.z = sarrus_source_load(ws, input, force, 2, p);
    return force->in_body_frame ? sarrus_out_of_body(body, load) : load;
}

/* The two ends of a spring: a unit vector from the first to the second, and their distance. */
typedef struct sarrus_spring_here {
    sarrus_body_here body[2];
    sarrus_point end[2];
    space_vector w;
    real length;
} sarrus_spring_here;

LANE_FUNCTION sarrus_spring_here sarrus_spring_find(const sarrus_workspace *ws, const sarrus_mech_force *force, const real *p,
                                                    const real *q, const real *v) {
    sarrus_spring_here at;
    for (int32_t k = 0; k < 2; ++k) {
        at.body[k] = sarrus_body_find(ws, force->body[k], q, v);
        at.end[k] = sarrus_point_of(&at.body[k], sarrus_parameter_vector(p, k == 0 ? SARRUS_SF_A : SARRUS_SF_B));
    }
    const space_vector d = sarrus_vector_less(at.end[1].at, at.end[0].at);
    at.length = real_sqrt(space_dot(d, d));
    at.w = sarrus_vector_scale(real_inverse_or_zero(at.length), d);
    return at;
}

/* Spring and damper between two points: f = −(k(|d| − l0) + c w·ḋ) w on the second, −f on the first. Returns −c (w·ḋ)². */
LANE_FUNCTION real sarrus_force_spring(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                       const real *q, const real *v) {
    const sarrus_spring_here at = sarrus_spring_find(ws, force, p, q, v);
    const real rate = space_dot(at.w, sarrus_vector_less(at.end[1].v, at.end[0].v));
    const real drag = lane_at(p, SARRUS_SF_DAMPING) * rate;
    const real pull = real_fma(lane_at(p, SARRUS_SF_STIFFNESS), at.length - lane_at(p, SARRUS_SF_REST), drag);
    (void)input;
    sarrus_force_at(ws, &at.body[0], force->body[0], &at.end[0], sarrus_vector_scale(pull, at.w));
    sarrus_force_at(ws, &at.body[1], force->body[1], &at.end[1], sarrus_vector_scale(-pull, at.w));
    return -(drag * rate);
}

/* A torque on a body; returns its power. */
LANE_FUNCTION real sarrus_force_torque(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                       const real *q, const real *v) {
    const sarrus_body_here body = sarrus_body_find(ws, force->body[0], q, v);
    const space_vector torque = sarrus_load_of(ws, input, force, p, &body);
    sarrus_torque_on(ws, &body, force->body[0], torque);
    return space_dot(torque, body.omega);
}

/* A force at a point of a body; returns its power. */
LANE_FUNCTION real sarrus_force_point(sarrus_workspace *ws, const sarrus_mech_force *force, const real *p, const real *input,
                                      const real *q, const real *v) {
    const sarrus_body_here body = sarrus_body_find(ws, force->body[0], q, v);
    const sarrus_point at = sarrus_point_of(&body, sarrus_parameter_vector(p, SARRUS_SF_A));
    const space_vector load = sarrus_load_of(ws, input, force, p, &body);
    sarrus_force_at(ws, &body, force->body[0], &at, load);
    return space_dot(load, at.v);
}

/* Of one body: ṙ̈ = g + f/m,  ω̇ = I⁻¹(τ − ω × (Iω + h)), h the momentum of its rotor (S3 4.6). */
LANE_FUNCTION void sarrus_force_settle(sarrus_workspace *ws, const real *p, int32_t body, const real *v, space_vector gravity) {
    const int32_t at = space_v(body), turn = at + SPACE_TURN;
    const space_vector omega = sarrus_frame_vector(v, turn), rotor = sarrus_parameter_vector(p, SARRUS_SB_ROTOR);
    const space_vector momentum = space_add(sarrus_inertia_times(p, omega), real_set(1.0), rotor);
    const space_vector torque = sarrus_vector_less(sarrus_frame_vector(ws->force, turn), space_cross(omega, momentum));
    sarrus_frame_vector_put(space_add(gravity, lane_at(p, SARRUS_SB_MINV), sarrus_frame_vector(ws->force, at)), ws->force, at);
    sarrus_frame_vector_put(sarrus_inertia_solve(p, torque), ws->force, turn);
}

/* ws->force ← F of all bodies, torques in their frames. Returns the power of dampers and loads, and of
 * springs in so far as ground, which moves, works on them. */
PLAN_BODY real sarrus_bodies_load(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                  const real *v, sarrus_workspace *ws) {
    const int32_t n_freedoms = mech->n_elastic > 0 ? mech->n_freedoms : 0;
    real power = real_set(0.0);
    PLAN_EACH (i, 0, SPACE_NV * mech->n_bodies)
        frame_at(ws->force, i) = real_set(0.0);
    if (mech->moves_ground)
        frame_at(ws->ground, SARRUS_SPATIAL_GROUND_POWER) = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        const real *p = lane_from(parameter, force->p);
#define SARRUS_FORCE(name, value, word, kernel, text)                                                                              \
    if (force->type == SARRUS_FORCE_##name)                                                                                        \
        power = power + sarrus_force_##kernel(ws, force, p, input, q, v);
#include "sarrus/force.def"
    }
    PLAN_EACH (i, 0, n_freedoms) {
        if (sarrus_freedom_is_elastic(&mech->freedom[i]))
            power = power + sarrus_force_elastic(ws, mech, parameter, &mech->freedom[i], q, v);
    }
    return mech->moves_ground ? power - frame_at(ws->ground, SARRUS_SPATIAL_GROUND_POWER) : power;
}

/* ws->force ← a_f; as above. */
PLAN_BODY real sarrus_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                        const real *v, sarrus_workspace *ws) {
    const real power = sarrus_bodies_load(mech, parameter, input, q, v, ws);
    const space_vector gravity = sarrus_parameter_vector(parameter, mech->p_gravity);
    PLAN_EACH (b, 0, mech->n_bodies)
        sarrus_force_settle(ws, sarrus_body_parameters(mech, parameter, b), b, v, gravity);
    return power;
}

/* Gravity's, that of springs between points and that of springs in joints. */
PLAN_BODY real sarrus_potential_energy(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                       const real *v) {
    const space_vector gravity = sarrus_parameter_vector(parameter, mech->p_gravity);
    const int32_t n_freedoms = mech->n_elastic > 0 ? mech->n_freedoms : 0;
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real mass = lane_at(sarrus_body_parameters(mech, parameter, b), SARRUS_SB_MASS);
        sum = real_fnma(mass, space_dot(gravity, sarrus_frame_vector(q, space_q(b))), sum);
    }
    PLAN_EACH (i, 0, mech->n_forces) {
        const sarrus_mech_force *force = &mech->force[i];
        const real *p = lane_from(parameter, force->p);
        if (force->type == SARRUS_FORCE_SPRING) {
            const real stretch = sarrus_spring_find(ws, force, p, q, v).length - lane_at(p, SARRUS_SF_REST);
            sum = real_fma(real_set(0.5) * lane_at(p, SARRUS_SF_STIFFNESS), stretch * stretch, sum);
        }
    }
    PLAN_EACH (i, 0, n_freedoms) {
        if (sarrus_freedom_is_elastic(&mech->freedom[i]))
            sum = sum + sarrus_elastic_energy(ws, mech, parameter, &mech->freedom[i], q, v);
    }
    return sum;
}

#endif
