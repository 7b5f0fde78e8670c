/* The state of a mechanism in relative coordinates: what the links of its tree do. Joints, forces and rows see the bodies, whose
 * coordinates and speeds stand in the workspace (ws->body_q, ws->body_v); what they say of bodies is brought to the tree's speeds.
 * The same functions as absolute.h. */
#ifndef SARRUS_BODY_RELATIVE_STATE_H
#define SARRUS_BODY_RELATIVE_STATE_H

#include "kernels/body/relative/coordinates.h"
#include "kernels/body/relative/own_frames.h"

/* Poses, M and its factor at q. */
PLAN_PIECE void sarrus_state_pose(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    sarrus_workspace here;
    mech = sarrus_plan_here(mech);
    ws = sarrus_workspace_here(ws, &here);
    sarrus_tree_place(mech, parameter, q, ws);
    if (mech->tree.is_articulated) {
        if (mech->integrator.is_adaptive)
            sarrus_tree_hefts(mech, parameter, ws);
        return;
    }
    if (mech->tree.is_recursive) {
        if (mech->integrator.is_adaptive)
            sarrus_tree_hefts(mech, parameter, ws);
        sarrus_articulated_factor(mech, parameter, ws);
        return;
    }
    if (mech->tree.in_own_frames)
        sarrus_own_mass(mech, parameter, q, ws);
    else
        sarrus_tree_mass(mech, parameter, ws);
    sarrus_tree_factor(mech, ws);
}

/* The part of it that accelerations and energies ask for; poses are left to who wants them, but where they are taken from
 * accelerations. */
LANE_FUNCTION int sarrus_state_prepares_poses(const sarrus_mechanism *mech) {
    return !mech->tree.in_own_frames || mech->integrator.is_adaptive;
}
PLAN_BODY void sarrus_state_prepare(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    if (sarrus_state_prepares_poses(mech)) {
        sarrus_state_pose(mech, parameter, q, ws);
        return;
    }
    sarrus_own_mass(mech, parameter, q, ws);
    sarrus_tree_factor(mech, ws);
}

/* Rows at (q, v); the poses and signals are there already. */
PLAN_BODY void sarrus_state_rows(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                 sarrus_workspace *ws, int wanted) {
    (void)q;
    sarrus_tree_move(mech, ws, v);
    sarrus_tree_rows(mech, parameter, ws, wanted);
}

/* ‖Φ‖². */
LANE_FUNCTION real sarrus_state_violation_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                                  const real *q, const real *v) {
    (void)q;
    sarrus_tree_move(mech, ws, v);
    return sarrus_violation_squared(mech, parameter, ws, ws->body_q, ws->body_v);
}

/* Springs and dampers along coordinates of the tree: h ← h − (k(x − rest) + c ẋ) of each. Returns −c ẋ² of all. */
LANE_FUNCTION real sarrus_tree_springs(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v, real *h) {
    real power = real_set(0.0);
    PLAN_EACH (i, 0, mech->tree.n_springs) {
        const sarrus_mech_spring *spring = &mech->tree.spring[i];
        const real *p = lane_from(parameter, spring->p);
        const real x = spring->is_against ? -frame_at(q, spring->q) : frame_at(q, spring->q);
        const real rate = spring->is_against ? -frame_at(v, spring->speed) : frame_at(v, spring->speed);
        const real drag = lane_at(p, 1) * rate, load = real_fma(lane_at(p, 0), x - lane_at(p, 2), drag);
        const real now = frame_at(h, spring->speed);
        frame_at(h, spring->speed) = spring->is_against ? now + load : now - load;
        power = real_fnma(drag, rate, power);
    }
    return power;
}

/* Their energies ½k(x − rest)². */
LANE_FUNCTION real sarrus_tree_springs_energy(const sarrus_mechanism *mech, const real *parameter, const real *q) {
    real sum = real_set(0.0);
    PLAN_EACH (i, 0, mech->tree.n_springs) {
        const sarrus_mech_spring *spring = &mech->tree.spring[i];
        const real *p = lane_from(parameter, spring->p);
        const real stretch = (spring->is_against ? -frame_at(q, spring->q) : frame_at(q, spring->q)) - lane_at(p, 2);
        sum = real_fma(lane_at(p, 0) * stretch, stretch, sum);
    }
    return real_set(0.5) * sum;
}

/* ws->force ← M⁻¹ (h + what springs and dampers do), from h there; returns `power` and that of dampers. */
LANE_FUNCTION real sarrus_tree_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                                 real power, sarrus_workspace *ws) {
    if (mech->tree.n_springs > 0)
        power = power + sarrus_tree_springs(mech, parameter, q, v, ws->force);
    sarrus_tree_solve_back(mech, ws, ws->force);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->force, i) = frame_at(ws->lightness, i) * frame_at(ws->force, i);
    sarrus_tree_solve(mech, ws, ws->force);
    return power;
}

/* What acts on a link's body but for its joints; of accelerations by articulated bodies its inertia alone besides. */
LANE_FUNCTION void sarrus_wrench_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                       const sarrus_mech_link *link, space_vector gravity) {
    const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, link);
    sarrus_wrench_put(ws->wrench, link->body, sarrus_body_wrench(mech, parameter, ws, link, &own, gravity));
    if (mech->tree.is_articulated)
        sarrus_articulated_put(ws, link->body, &own);
}

/* ws->force ← a_f = M⁻¹ h; returns the power of dampers and loads. */
PLAN_PIECE real sarrus_state_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *input,
                                               const real *q, const real *v, sarrus_workspace *ws) {
    sarrus_workspace here;
    mech = sarrus_plan_here(mech);
    ws = sarrus_workspace_here(ws, &here);
    if (mech->tree.in_own_frames) {
        const real of_torques = sarrus_own_gather(mech, parameter, input, q, v, ws, ws->force);
        return sarrus_tree_free_acceleration(mech, parameter, q, v, of_torques, ws);
    }
    sarrus_tree_move(mech, ws, v);
    const space_vector gravity = sarrus_tree_gravity(mech, parameter);
    real power = mech->tree.has_loads ? sarrus_bodies_load(mech, parameter, input, ws->body_q, ws->body_v, ws) : real_set(0.0);
    sarrus_mech_link now;
    PLAN_RUNS(LINKS, i, lap, 0, mech->tree.n_links,
              sarrus_wrench_begin(mech, parameter, ws, sarrus_link_at(mech, i, lap, &now), gravity))
    if (mech->tree.is_articulated) {
        PLAN_EACH (i, 0, mech->n_v)
            frame_at(ws->pushed, i) = real_set(0.0);
        if (mech->tree.n_springs > 0)
            power = power + sarrus_tree_springs(mech, parameter, q, v, ws->pushed);
        sarrus_articulated_inward(mech, ws, 1);
        sarrus_articulated_spread(mech, ws);
        return power;
    }
    sarrus_tree_gather(mech, ws, ws->force);
    return sarrus_tree_free_acceleration(mech, parameter, q, v, power, ws);
}

/* T and V at the poses of the workspace. */
LANE_FUNCTION real sarrus_state_kinetic(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                        const real *v) {
    real sum = real_set(0.0);
    if (mech->tree.in_own_frames)
        return sarrus_own_kinetic(mech, parameter, q, v, ws);
    sarrus_tree_move(mech, ws, v);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const space_inertia own = sarrus_tree_inertia(mech, parameter, ws, &mech->tree.link[mech->tree.link_of[b]]);
        sum = sum + sarrus_body_vis_viva(mech, ws, b, &own);
    }
    return real_set(0.5) * sum;
}
LANE_FUNCTION real sarrus_state_potential(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                          const real *v) {
    (void)v;
    const real of_bodies = mech->tree.in_own_frames ? sarrus_own_potential(mech, parameter, q, ws)
                                                    : sarrus_potential_energy(mech, parameter, ws, ws->body_q, ws->body_v);
    return mech->tree.n_springs > 0 ? of_bodies + sarrus_tree_springs_energy(mech, parameter, q) : of_bodies;
}

/* (x − less_x)ᵀ M (y − less_y), Σ (L x)_i D_i (L y)_i, of arrays of an evaluation; NULL: nothing less. */
LANE_FUNCTION real sarrus_tree_form(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *x,
                                    const real *less_x, const real *y, const real *less_y) {
    real sum = real_set(0.0);
    if (mech->tree.is_articulated)
        return sarrus_tree_product(mech, parameter, ws, x, less_x, y, less_y);
    PLAN_EACH (i, 0, mech->n_v) {
        const real of_x = sarrus_tree_part(mech, ws, i, x, less_x), of_y = sarrus_tree_part(mech, ws, i, y, less_y);
        sum = real_fma(of_x, of_y / frame_at(ws->lightness, i), sum);
    }
    return sum;
}
LANE_FUNCTION real sarrus_state_power_beyond(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                             const real *v, const real *a) {
    return sarrus_tree_form(mech, parameter, ws, v, (const real *)0, a, ws->force);
}
LANE_FUNCTION real sarrus_state_square_here(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                            const real *x, const real *less) {
    return sarrus_tree_form(mech, parameter, ws, x, less, x, less);
}
LANE_FUNCTION real sarrus_state_gain_here(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *v,
                                          const real *before) {
    return sarrus_tree_form(mech, parameter, ws, v, (const real *)0, v, before);
}

/* M_ii. */
LANE_FUNCTION real sarrus_state_inertia_at(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                           int32_t i) {
    (void)mech;
    (void)parameter;
    return frame_at(ws->heft, i);
}

/* out [n_v] ← D^{1/2} L x, and L⁻¹ D^{-1/2} z. */
LANE_BODY void sarrus_state_weigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *x,
                                  real *out) {
    (void)parameter;
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(out, i) = sarrus_tree_part(mech, ws, i, x, (const real *)0) / real_sqrt(frame_at(ws->lightness, i));
}
LANE_BODY void sarrus_state_unweigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *z,
                                    real *out) {
    (void)parameter;
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(out, i) = real_sqrt(frame_at(ws->lightness, i)) * lane_at(z, i);
    sarrus_tree_solve(mech, ws, out);
}

#if defined(SARRUS_KERNELS_SPATIAL)
/* The angles among a link's coordinates, and where the k-th of them stands in q and among the free coordinates. Of a joint that has
 * two the link begins with that of the body inboard. */
LANE_FUNCTION int32_t sarrus_link_n_angles(const sarrus_mech_link *link) {
    const int32_t form = link->form;
    const int is_one = form == SARRUS_LINK_TURN || form == SARRUS_LINK_CYLINDER || form == SARRUS_LINK_PLANE;
    return form == SARRUS_LINK_UNIVERSAL ? 2 : is_one ? 1 : 0;
}
LANE_FUNCTION int32_t sarrus_link_n_before(const sarrus_mech_link *link) {
    return link->form == SARRUS_LINK_PLANE ? 2 : link->form == SARRUS_LINK_CYLINDER ? 1 : 0;
}
LANE_FUNCTION int32_t sarrus_link_angle_in_q(const sarrus_mech_link *link, int32_t k) {
    return link->q + sarrus_link_n_before(link) + k;
}
LANE_FUNCTION int32_t sarrus_link_angle_at(const sarrus_mechanism *mech, const sarrus_mech_link *link, int32_t k) {
    const int is_other = link->form == SARRUS_LINK_UNIVERSAL && link->is_reversed;
    return mech->freedom[link->freedom + sarrus_link_n_before(link) + (is_other ? 1 - k : k)].at;
}

/* seen [n_free] ← the angles of the tree, in the lanes of `on`. */
LANE_FUNCTION void sarrus_links_see_angles(const sarrus_mechanism *mech, const real *q, mask on, real *seen) {
    for (int32_t n = 0; n < mech->tree.n_links; ++n) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        for (int32_t k = 0; k < sarrus_link_n_angles(link); ++k) {
            const int32_t at = sarrus_link_angle_at(mech, link, k);
            const real x = lane_at(q, sarrus_link_angle_in_q(link, k));
            lane_at(seen, at) = real_select(on, link->is_reversed ? -x : x, lane_at(seen, at));
        }
    }
}
#endif

/* seen [n_free + n_curves] follows the angles of joints and the feet on curves at the state, in the lanes of `on`: coordinates of
 * the tree are what they are. */
LANE_BODY void sarrus_state_see_turns(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                      const real *v, mask on, real *seen) {
#if defined(SARRUS_KERNELS_SPATIAL)
    sarrus_links_see_angles(mech, q, on, seen);
#endif
    if (!mech->tree.follows_turns)
        return;
#if FRAME_STRIDE != LANE_STRIDE
    real q_here[SARRUS_PLAN_N_COORDINATES], v_here[SARRUS_PLAN_N_SPEEDS]; /* links look at arrays of an evaluation */
    sarrus_frame_take(q, mech->n_q, q_here);
    sarrus_frame_take(v, mech->n_v, v_here);
    q = q_here;
    v = v_here;
#endif
    sarrus_tree_place(mech, parameter, q, ws);
    sarrus_tree_move_links(mech, ws, v, 1);
    sarrus_turns_follow(mech, parameter, ws, ws->body_q, ws->body_v, on, seen);
}

/* sarrus_slips_squared at a state whose poses are in the workspace. */
LANE_FUNCTION real sarrus_state_slips_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                              const real *q, const real *v) {
    (void)q;
    sarrus_tree_move_links(mech, ws, v, 1);
    return sarrus_slips_squared(mech, parameter, ws, ws->body_q, ws->body_v);
}

/* sarrus_feet_time at a state of the tile; nobody else's poses are left in the workspace. */
LANE_BODY real sarrus_state_feet_time(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                      const real *v) {
#if FRAME_STRIDE == LANE_STRIDE
    sarrus_tree_place(mech, parameter, q, ws);
    sarrus_tree_move_links(mech, ws, v, 1);
    return sarrus_feet_time(mech, parameter, ws, ws->body_q, ws->body_v);
#else
    (void)mech, (void)parameter, (void)ws, (void)q, (void)v; /* there are no constraints on a device */
    return real_set(1e300);
#endif
}

/* What round-off of Φ is measured by; the numbers of q are `stride` apart. Points of bodies are as large as the mechanism and as
 * where it stands; the rows that the tree meets have their round-off in those of the loops. */
LANE_FUNCTION real sarrus_state_scale(const sarrus_mechanism *mech, const real *parameter, const real *q, size_t stride) {
    real scale = real_set(1.0), stand = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_q)
        scale = real_max(real_abs(q[(size_t)i * stride]), scale);
    PLAN_EACH (n, 0, mech->tree.n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        if (link->inboard >= 0 || link->joint < 0)
            continue;
        const space_vector at = sarrus_tree_ground(parameter, link);
        stand = real_max(real_abs(at.x), real_max(real_abs(at.y), stand));
#if defined(SARRUS_KERNELS_SPATIAL)
        stand = real_max(real_abs(at.z), stand);
#endif
    }
    return real_max(stand + real_set(mech->size), scale);
}
LANE_FUNCTION int32_t sarrus_state_n_rows(const sarrus_mechanism *mech) {
    return mech->m + mech->tree.n_rows_within;
}

/* The largest length and angle, or number of an orientation, of the poses of the workspace, if larger than what is there. */
LANE_FUNCTION void sarrus_state_extent(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                       const real *q, real *length, real *angle) {
    (void)q;
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        const space_vector centre = space_sum(sarrus_tree_origin_of(mech, parameter, ws, b), sarrus_tree_arm(ws, b));
        *length = real_max(real_abs(centre.x), real_max(real_abs(centre.y), *length));
#if defined(SARRUS_KERNELS_SPATIAL)
        *length = real_max(real_abs(centre.z), *length);
#endif
        if (SPACE_DIMENSION == 2)
            *angle = real_max(real_abs(frame_at(ws->body_q, space_q(b) + SPACE_TURN)), *angle);
    }
}

#endif
