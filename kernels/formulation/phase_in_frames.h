/* The phases of kernels that are specialised as straight code: each on local arrays, which take in what the phases before have left
 * in the workspace, and leave there what others will ask for. Part of phase.h. */
#ifndef SARRUS_FORMULATION_PHASE_IN_FRAMES_H
#define SARRUS_FORMULATION_PHASE_IN_FRAMES_H

/* A local copy of an evaluation, on local arrays: field by field, because a copy of the whole is a string move through memory,
 * which waits for what was stored there a moment before. */
LANE_FUNCTION void sarrus_frame_open(sarrus_evaluation *outside, sarrus_workspace *ws, sarrus_evaluation *ev) {
    ws->seen = outside->ws->seen;
    ev->mech = outside->mech;
    ev->ws = ws;
    ev->outside = outside;
    ev->parameter = outside->parameter;
    ev->input = outside->input;
    ev->tile = outside->tile;
    ev->alpha = outside->alpha;
    ev->beta = outside->beta;
    ev->held = outside->held;
    ev->max_rank = outside->max_rank;
    ev->rank_now = outside->rank_now;
    ev->found = outside->found;
    ev->healthy = outside->healthy;
    ev->is_swapped = outside->is_swapped;
    ev->is_slow = outside->is_slow;
    ev->is_blurred = outside->is_blurred;
    ev->power = outside->power;
    ev->state_violation = outside->state_violation;
    ev->state = outside->state;
    ev->at_q = outside->at_q;
    ev->at_v = outside->at_v;
    ev->stage_violation = outside->stage_violation;
    ev->crossed = outside->crossed;
    ev->external = outside->external;
    ev->external_user = outside->external_user;
    ev->rank_path = outside->rank_path;
    ev->rank_path_user = outside->rank_path_user;
    ev->stop = outside->stop;
    ev->wants_force = outside->wants_force;
    ev->wants_closeness = outside->wants_closeness;
    ev->wants_violation = outside->wants_violation;
    ev->is_looking = outside->is_looking;
    ev->sits_out = outside->sits_out;
    ev->sees_all_rows = outside->sees_all_rows;
    ev->is_strict = ev->is_in_stretch = 0;
    ev->is_configured = outside->is_configured;
    ev->is_factored = outside->is_factored;
    ev->n_evaluations = outside->n_evaluations;
    ev->n_rank_revealing = outside->n_rank_revealing;
}

/* What a correction has counted. */
LANE_FUNCTION void sarrus_frame_close_correction(const sarrus_evaluation *ev) {
    sarrus_evaluation *outside = ev->outside;
    outside->is_factored = ev->is_factored;
    outside->is_swapped = ev->is_swapped;
    outside->is_blurred = ev->is_blurred;
    outside->n_evaluations = ev->n_evaluations;
    outside->n_rank_revealing = ev->n_rank_revealing;
}

/* What an acceleration has found besides. */
LANE_FUNCTION void sarrus_frame_close_acceleration(const sarrus_evaluation *ev) {
    sarrus_evaluation *outside = ev->outside;
    sarrus_frame_close_correction(ev);
    outside->found = ev->found;
    outside->is_slow = ev->is_slow;
    outside->power = ev->power;
    outside->is_configured = ev->is_configured;
}

/* to[n] ← from[n], arrays of evaluations. */
LANE_FUNCTION void sarrus_frame_copy(const real *from, int32_t n, real *to) {
    PLAN_EACH (i, 0, n)
        frame_at(to, i) = frame_at(from, i);
}

/* A state from the arrays of a tile or of the workspace. */
LANE_FUNCTION void sarrus_frame_take_state(const real *q, const real *v, real *q_here, real *v_here) {
    sarrus_frame_take(q, sarrus_constant_plan.n_q, q_here);
    sarrus_frame_take(v, sarrus_constant_plan.n_v, v_here);
}

/* In space absolute coordinates make the code so long that its pieces stand once each. */
#if defined(SARRUS_KERNELS_SPATIAL) && !defined(SARRUS_KERNELS_RELATIVE)
#define SARRUS_PHASES_IN_PIECES
#endif

#if defined(SARRUS_PHASES_IN_PIECES)
/* Vectors of the sides of all rows; those on ground have none, but for the turning parts where it moves. */
LANE_FUNCTION void sarrus_frame_copy_sides(const real *from, int has_ground, real *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    PLAN_EACH (i_side, 0, 2 * mech->m) {
        if (has_ground || sarrus_side_body(mech, i_side) >= 0)
            sarrus_frame_vector_put(sarrus_frame_vector(from, 3 * i_side), to, 3 * i_side);
    }
}
#endif

#if defined(SARRUS_KERNELS_RELATIVE)
/* What follows from the rows and poses of others. */
LANE_FUNCTION void sarrus_frame_complete_rows(sarrus_workspace *ws) {
    sarrus_tree_reach(&sarrus_constant_plan, ws);
}
/* Before somebody works on the rows that phases have left in the workspace: reach and over are not handed on, and are whatever
 * was there. */
LANE_FUNCTION void sarrus_rows_complete(sarrus_workspace *ws) {
    sarrus_frame_complete_rows(ws);
}
LANE_FUNCTION void sarrus_frame_complete_poses(const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (b, 0, sarrus_constant_plan.n_bodies)
        sarrus_tree_centre_find(&sarrus_constant_plan, parameter, ws,
                                &sarrus_constant_plan.tree.link[sarrus_constant_plan.tree.link_of[b]]);
}
#else
LANE_FUNCTION void sarrus_rows_complete(sarrus_workspace *ws) {
    (void)ws;
}
LANE_FUNCTION void sarrus_frame_complete_poses(const real *parameter, sarrus_workspace *ws) {
    (void)parameter;
    (void)ws;
}
#endif
/* What the rows leave behind for corrections, and rotations and signals for more rows. */
LANE_FUNCTION void sarrus_frame_copy_rows(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
#if defined(SARRUS_KERNELS_RELATIVE)
    sarrus_frame_copy(from->leg, mech->tree.n_entries, to->leg);
    sarrus_frame_copy(from->whole, mech->m, to->whole);
#elif defined(SARRUS_KERNELS_SPATIAL)
    sarrus_frame_copy_sides(from->turn, mech->moves_ground, to->turn);
    PLAN_EACH (i, 0, mech->m) {
        if (mech->row[i].kind == SARRUS_ROW_GENERAL)
            sarrus_frame_vector_put(sarrus_frame_vector(from->direction, 3 * i), to->direction, 3 * i);
    }
#else
    sarrus_frame_copy(from->turn, 2 * mech->m, to->turn);
    if (mech->n_general_rows > 0)
        sarrus_frame_copy(from->direction, 2 * mech->m, to->direction);
#endif
}
#if defined(SARRUS_KERNELS_RELATIVE)
/* The factor of M. */
LANE_FUNCTION void sarrus_frame_copy_mass(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    const int32_t n_chain = mech->tree.is_articulated ? 0 : mech->tree.n_chain;
    PLAN_EACH (r, 0, n_chain) {
        if (mech->tree.chain[r] != mech->tree.owner[r])
            frame_at(to->share, r) = frame_at(from->share, r);
    }
    if (!mech->tree.is_articulated)
        sarrus_frame_copy(from->lightness, mech->n_v, to->lightness);
    if (mech->tree.is_recursive) {
        sarrus_frame_copy(from->hold, SPACE_NV * mech->n_v, to->hold);
        sarrus_frame_copy(from->motion, SPACE_NV * mech->n_v, to->motion);
    }
    if (mech->integrator.is_adaptive)
        sarrus_frame_copy(from->heft, mech->n_v, to->heft);
}
/* What the masses of bodies in frames of their own have found of the links. */
LANE_FUNCTION void sarrus_frame_copy_turns(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    const int32_t n_links = mech->tree.in_own_frames ? mech->tree.n_links : 0;
    PLAN_EACH (n, 0, n_links) {
        const sarrus_mech_link *link = &mech->tree.link[n];
        for (int32_t k = 0; k < (link->inboard >= 0 ? 5 : 2); ++k)
            frame_at(to->hang, 5 * link->body + k) = frame_at(from->hang, 5 * link->body + k);
        for (int32_t k = 0; link->inboard < 0 && k < SPACE_DIMENSION + 1; ++k) /* mass and place of all that hangs on it */
            frame_at(to->composite, SPACE_INERTIA_NUMBERS * link->body + k) =
                frame_at(from->composite, SPACE_INERTIA_NUMBERS * link->body + k);
    }
}
#endif
LANE_FUNCTION void sarrus_frame_copy_rotations(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
#if defined(SARRUS_KERNELS_SPATIAL)
    sarrus_frame_copy(from->rotation, 9 * mech->n_bodies, to->rotation);
#else
    sarrus_frame_copy(from->sine, mech->n_bodies, to->sine);
    sarrus_frame_copy(from->cosine, mech->n_bodies, to->cosine);
#endif
    sarrus_frame_copy(from->signal, 3 * mech->n_signals, to->signal);
    if (mech->moves_ground)
        sarrus_frame_copy(from->ground, SARRUS_GROUND_NUMBERS, to->ground);
#if defined(SARRUS_KERNELS_RELATIVE)
    PLAN_EACH (b, 0, mech->n_bodies) {
        sarrus_tree_arm_put(to, b, sarrus_tree_arm(from, b));
        if (sarrus_link_leads(mech, &mech->tree.link[mech->tree.link_of[b]]))
            sarrus_tree_vector_put(sarrus_tree_centre(from, b), to->body_q, space_q(b));
        if (SPACE_DIMENSION == 2) /* in space orientations are rotations */
            frame_at(to->body_q, space_q(b) + SPACE_TURN) = frame_at(from->body_q, space_q(b) + SPACE_TURN);
    }
    PLAN_EACH (i, 0, mech->n_v) {
        if (SPACE_DIMENSION == 3 || mech->tree.is_articulated || !mech->tree.speed[i].is_pure)
            sarrus_motion_put(to, i, sarrus_motion_of(from, i));
    }
    sarrus_frame_copy_mass(from, to);
    sarrus_frame_copy_turns(from, to);
#endif
}
/* What sarrus_prepare leaves. */
LANE_FUNCTION void sarrus_frame_copy_prepared(const sarrus_workspace *from, sarrus_workspace *to) {
#if defined(SARRUS_KERNELS_RELATIVE)
    if (!sarrus_state_prepares_poses(&sarrus_constant_plan)) {
        sarrus_frame_copy(from->signal, 3 * sarrus_constant_plan.n_signals, to->signal);
        sarrus_frame_copy_mass(from, to);
        sarrus_frame_copy_turns(from, to);
        return;
    }
#endif
    sarrus_frame_copy_rotations(from, to);
}
#if !defined(SARRUS_KERNELS_RELATIVE)
LANE_FUNCTION void sarrus_frame_copy_levers(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    if (mech->n_cranks == 0)
        return;
    PLAN_EACH (i, 0, 2 * mech->m) {
        const sarrus_mech_joint *joint = &mech->joint[mech->row[i / 2].joint];
        if ((i & 1 ? joint->child_crank : joint->parent_crank) >= 0 && !(joint->is_crank_pin && i / 2 < joint->row + 2))
            frame_at(to->lever, i) = frame_at(from->lever, i);
    }
}
#endif
LANE_FUNCTION void sarrus_frame_copy_factor(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
#if defined(SARRUS_PHASES_IN_PIECES)
    sarrus_frame_copy_levers(from, to);
    sarrus_frame_copy_sides(from->push, 0, to->push);
#elif !defined(SARRUS_KERNELS_RELATIVE)
    sarrus_frame_copy_levers(from, to);
    sarrus_frame_copy(from->push, 2 * mech->m, to->push);
#endif
    sarrus_frame_copy(from->factor, 4 * (mech->factor.n_blocks + mech->factor.n_entries), to->factor);
    sarrus_frame_copy(from->inverse, 2 * mech->factor.n_blocks, to->inverse);
    sarrus_frame_copy(from->refused, 1, to->refused);
}
/* The closeness of rows, which a factor that is found in place has left outside already: there and back only when somebody looks
 * ahead, who lets rows sit out or not with one and the same factor. */
LANE_FUNCTION void sarrus_frame_take_closeness(const sarrus_evaluation *outside, sarrus_workspace *to, int is_factored) {
    if (is_factored && outside->is_looking)
        sarrus_frame_copy(outside->ws->closeness, SARRUS_N_CLOSENESS, to->closeness);
}
LANE_FUNCTION void sarrus_frame_show_closeness(const sarrus_evaluation *outside, const sarrus_workspace *from, int is_factored) {
    if (outside->wants_closeness && (!is_factored || outside->is_looking))
        sarrus_frame_copy(from->closeness, SARRUS_N_CLOSENESS, outside->ws->closeness);
}
LANE_FUNCTION void sarrus_frame_copy_violation(const sarrus_workspace *from, sarrus_workspace *to) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_frame_copy(from->phi, mech->m, to->phi);
    sarrus_frame_copy(from->phi_dot, mech->m, to->phi_dot);
}

/* Rotations, signals and rows at (t, q, v). */
LANE_PHASE void sarrus_evaluate_rows(sarrus_evaluation *outside, real t, const real *q, const real *v) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real q_here[SARRUS_PLAN_N_COORDINATES], v_here[SARRUS_PLAN_N_SPEEDS];
    sarrus_frame_open(outside, &ws, &ev);
    sarrus_frame_directions(&ws);
    sarrus_frame_take_state(q, v, q_here, v_here);
    sarrus_evaluate_rows_body(&ev, t, q_here, v_here);
    sarrus_frame_copy_rows(&ws, outside->ws);
    sarrus_frame_copy_rotations(&ws, outside->ws);
    sarrus_frame_copy_violation(&ws, outside->ws);
    outside->is_configured = ev.is_configured;
    outside->is_factored = ev.is_factored;
}

/* ws->rhs ← −J x at the rows of the workspace. */
LANE_PHASE void sarrus_rows_oppose(sarrus_evaluation *outside, const real *x) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    real x_here[SARRUS_PLAN_N_SPEEDS], zero[SARRUS_PLAN_N_ROWS];
    sarrus_frame_directions(&ws);
    sarrus_frame_copy_rows(outside->ws, &ws);
    sarrus_frame_take(x, mech->n_v, x_here);
    PLAN_EACH (i, 0, mech->m)
        frame_at(zero, i) = real_set(0.0);
    sarrus_rows_subtract(mech, &ws, zero, x_here, ws.rhs);
    sarrus_frame_copy(ws.rhs, mech->m, outside->ws->rhs);
}

/* sarrus_correct_projection_body with `rhs` among the arrays of the workspace. */
LANE_FUNCTION void sarrus_correct_projection_here(sarrus_evaluation *outside, const real *rhs, mask active, real *out,
                                                  int is_factored, int wants_closeness) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real out_here[SARRUS_PLAN_N_SPEEDS];
    sarrus_frame_open(outside, &ws, &ev);
    ev.is_factored = is_factored;
    ev.wants_closeness = wants_closeness;
    sarrus_frame_directions(&ws);
    sarrus_frame_copy_rows(outside->ws, &ws);
    PLAN_EACH (i, 0, mech->m)
        frame_at(ws.rhs, i) = frame_at(rhs, i);
#if defined(SARRUS_KERNELS_RELATIVE)
    sarrus_frame_copy_mass(outside->ws, &ws);
    sarrus_frame_complete_rows(&ws);
#endif
    if (mech->rank.method == SARRUS_RANK_VIOLATION)
        sarrus_frame_copy_violation(outside->ws, &ws);
    if (is_factored)
        sarrus_frame_copy_factor(outside->ws, &ws);
    sarrus_frame_take_closeness(outside, &ws, is_factored);
    sarrus_correct_projection_body(&ev, ws.rhs, active, out_here);
    PLAN_EACH (i, 0, mech->n_v)
        lane_at(out, i) = frame_at(out_here, i);
    if (!is_factored)
        sarrus_frame_copy_factor(&ws, outside->ws);
    if (is_factored || wants_closeness)
        sarrus_frame_show_closeness(outside, &ws, is_factored);
    sarrus_frame_close_correction(&ev);
}
LANE_PHASE void sarrus_correct_projection_again(sarrus_evaluation *outside, const real *rhs, mask active, real *out) {
    sarrus_correct_projection_here(outside, rhs, active, out, 1, outside->wants_closeness);
}
#if defined(SARRUS_PHASES_IN_PIECES)
/* The factor of the rows in the workspace. In space it is by far the longest piece of code, and there is one of it: the numbers
 * that it leaves for corrections and accelerations are few beside its operations. */
LANE_PHASE void sarrus_factor(sarrus_evaluation *outside) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    sarrus_frame_open(outside, &ws, &ev);
    sarrus_frame_directions(&ws);
    sarrus_frame_copy_rows(outside->ws, &ws);
    PLAN_EACH (i, 0, mech->m)
        frame_at(ws.rhs, i) = real_set(0.0);
    ev.is_factored = 0;
    (void)sarrus_correct_fast(&ev, ws.rhs);
    sarrus_frame_copy_factor(&ws, outside->ws);
    if (outside->wants_closeness)
        sarrus_frame_copy(ws.closeness, SARRUS_N_CLOSENESS, outside->ws->closeness);
    outside->is_factored = 1;
    outside->is_swapped = ev.is_swapped;
}
/* After whoever has used a fresh factor: closeness by all rows, unless the rank-revealing path, which looks too, was taken since
 * n_rank_revealing counted it. Returns whether the factor is now that of another choice of rows, to be used again. */
LANE_FUNCTION int sarrus_factor_swap(sarrus_evaluation *outside, int64_t n_rank_revealing) {
    const int32_t wants_closeness = outside->wants_closeness;
    if (outside->n_rank_revealing == n_rank_revealing && mask_any(sarrus_closeness_is_near(outside)))
        sarrus_rank_path_outside(outside, mask_none(), SARRUS_DOUBT_NONE);
    if (!sarrus_rows_are_swapped(outside))
        return 0;
    outside->wants_closeness = 0;
    sarrus_factor(outside);
    outside->wants_closeness = wants_closeness;
    return 1;
}
LANE_FUNCTION void sarrus_correct_projection(sarrus_evaluation *outside, const real *rhs, mask active, real *out) {
    const int was_factored = outside->is_factored;
    const int64_t n_rank_revealing = outside->n_rank_revealing;
    const int32_t wants_closeness = outside->wants_closeness;
    outside->wants_closeness = (!was_factored || outside->is_looking) && wants_closeness;
    if (!was_factored)
        sarrus_factor(outside);
    sarrus_correct_projection_again(outside, rhs, active, out);
    if (!was_factored && sarrus_factor_swap(outside, n_rank_revealing)) {
        outside->wants_closeness = 0;
        sarrus_correct_projection_again(outside, rhs, active, out);
    }
    outside->wants_closeness = wants_closeness;
}
#else
LANE_PHASE void sarrus_correct_projection_first(sarrus_evaluation *outside, const real *rhs, mask active, real *out) {
    sarrus_correct_projection_here(outside, rhs, active, out, 0, 0);
}
LANE_PHASE void sarrus_correct_projection_seen(sarrus_evaluation *outside, const real *rhs, mask active, real *out) {
    sarrus_correct_projection_here(outside, rhs, active, out, 0, 1);
}
LANE_FUNCTION void sarrus_correct_projection(sarrus_evaluation *outside, const real *rhs, mask active, real *out) {
    const int was_factored = outside->is_factored;
    const int32_t wants_closeness = outside->wants_closeness;
    outside->wants_closeness = (!was_factored || outside->is_looking) && wants_closeness;
    if (was_factored)
        sarrus_correct_projection_again(outside, rhs, active, out);
    else if (outside->wants_closeness)
        sarrus_correct_projection_seen(outside, rhs, active, out);
    else
        sarrus_correct_projection_first(outside, rhs, active, out);
    if (!was_factored && sarrus_rows_are_swapped(outside))
        sarrus_correct_projection_first(outside, rhs, active, out);
    outside->wants_closeness = wants_closeness;
}
#endif

/* What an acceleration finds in the workspace: nothing, the poses, or the factor of a projection at the same place too. A case for
 * each: where numbers may or may not be found in memory, compilers keep them there. */
enum { SARRUS_FOUND_NOTHING = 0, SARRUS_FOUND_POSES = 1, SARRUS_FOUND_FACTOR = 2 };

/* sarrus_accelerate_body with what is found and the rest of its own. */
LANE_FUNCTION void sarrus_accelerate_here(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a, int found,
                                          int wants_closeness) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real q_here[SARRUS_PLAN_N_COORDINATES], v_here[SARRUS_PLAN_N_SPEEDS], a_here[SARRUS_PLAN_N_SPEEDS];
    const int is_factored = found == SARRUS_FOUND_FACTOR;
    sarrus_frame_open(outside, &ws, &ev);
    ev.is_factored = is_factored;
    ev.wants_closeness = wants_closeness;
    ev.is_configured = found != SARRUS_FOUND_NOTHING;
    sarrus_frame_directions(&ws);
    if (ev.is_configured) {
        sarrus_frame_copy_rotations(outside->ws, &ws);
        sarrus_frame_complete_poses(outside->parameter, &ws);
    }
    if (is_factored) {
#if defined(SARRUS_PHASES_IN_PIECES) || defined(SARRUS_KERNELS_RELATIVE)
        sarrus_frame_copy_rows(outside->ws, &ws);
#endif
#if defined(SARRUS_KERNELS_RELATIVE)
        sarrus_frame_complete_rows(&ws);
#endif
        sarrus_frame_copy_factor(outside->ws, &ws);
    }
    sarrus_frame_take_closeness(outside, &ws, is_factored);
    sarrus_frame_take_state(q, v, q_here, v_here);
    sarrus_accelerate_body(&ev, t, q_here, v_here, a_here);
    PLAN_EACH (i, 0, mech->n_v)
        lane_at(a, i) = frame_at(a_here, i);
#if defined(SARRUS_KERNELS_RELATIVE)
    if (mech->tree.is_articulated) /* errors and gains are measured by M where steps end */
        sarrus_frame_copy_rotations(&ws, outside->ws);
    else if (!is_factored)
        sarrus_frame_copy_mass(&ws, outside->ws);
#endif
    if (outside->wants_force)
        sarrus_frame_copy(ws.force, mech->n_v, outside->ws->force);
    if (is_factored || wants_closeness)
        sarrus_frame_show_closeness(outside, &ws, is_factored);
    if (mech->integrator.has_step_gains)
        sarrus_frame_copy_violation(&ws, outside->ws);
    if (mech->integrator.is_adaptive && !(is_factored && SPACE_NQ != SPACE_NV)) {
        sarrus_frame_copy_rows(&ws, outside->ws);
        if (!is_factored)
            sarrus_frame_copy_rotations(&ws, outside->ws);
        if (!is_factored)
            sarrus_frame_copy_factor(&ws, outside->ws);
    }
    sarrus_frame_close_acceleration(&ev);
}
LANE_PHASE void sarrus_accelerate_again(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a) {
    sarrus_accelerate_here(outside, t, q, v, a, SARRUS_FOUND_FACTOR, outside->wants_closeness);
}
#if defined(SARRUS_PHASES_IN_PIECES)
LANE_FUNCTION void sarrus_accelerate(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a) {
    const int is_fresh = !outside->is_configured || !outside->is_factored, has_rows = sarrus_constant_plan.m > 0;
    const int64_t n_rank_revealing = outside->n_rank_revealing;
    const int32_t wants_closeness = outside->wants_closeness;
    outside->wants_closeness = (is_fresh || outside->is_looking) && wants_closeness;
    if (!outside->is_configured || (has_rows && !outside->is_factored)) {
        sarrus_evaluate_rows(outside, t, q, v);
        if (has_rows)
            sarrus_factor(outside);
    }
    sarrus_accelerate_again(outside, t, q, v, a);
    if (has_rows && is_fresh && sarrus_factor_swap(outside, n_rank_revealing)) {
        outside->wants_closeness = 0;
        sarrus_accelerate_again(outside, t, q, v, a);
    }
    outside->wants_closeness = wants_closeness;
}
#else
LANE_PHASE void sarrus_accelerate_first(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a) {
    sarrus_accelerate_here(outside, t, q, v, a, SARRUS_FOUND_NOTHING, 0);
}
LANE_PHASE void sarrus_accelerate_seen(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a) {
    sarrus_accelerate_here(outside, t, q, v, a, SARRUS_FOUND_POSES, 1);
}
/* Who looks at closeness begins a step, where the state has been measured; otherwise its poses are found here. Who does not is on
 * the way, where nothing has been. */
LANE_PHASE void sarrus_pose_alone(sarrus_evaluation *outside, real t, const real *q) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real q_here[SARRUS_PLAN_N_COORDINATES];
    sarrus_frame_open(outside, &ws, &ev);
    sarrus_frame_take(q, mech->n_q, q_here);
    sarrus_configure(&ev, t, q_here);
    sarrus_frame_copy_rotations(&ws, outside->ws);
    outside->is_configured = ev.is_configured;
}
LANE_FUNCTION void sarrus_accelerate(sarrus_evaluation *outside, real t, const real *q, const real *v, real *a) {
    if (sarrus_constant_plan.project != SARRUS_PROJECTION_NONE && outside->is_configured && outside->is_factored) {
        const int32_t wants_closeness = outside->wants_closeness;
        outside->wants_closeness = outside->is_looking && wants_closeness; /* others looked where the factor was made */
        sarrus_accelerate_again(outside, t, q, v, a);
        outside->wants_closeness = wants_closeness;
    } else if (outside->wants_closeness) {
        if (!outside->is_configured)
            sarrus_pose_alone(outside, t, q);
        sarrus_accelerate_seen(outside, t, q, v, a);
        if (sarrus_rows_are_swapped(outside))
            sarrus_accelerate_first(outside, t, q, v, a);
    } else {
        sarrus_accelerate_first(outside, t, q, v, a);
    }
}
#endif

/* T, V and, when it is wanted, ‖Φ‖ at (t, q, v) into ev->state and ev->state_violation; leaves rotations and signals. */
LANE_PHASE void sarrus_measure(sarrus_evaluation *outside, real t, const real *q, const real *v) {
    const sarrus_mechanism *mech = &sarrus_constant_plan;
    sarrus_workspace ws;
    sarrus_evaluation ev;
    real q_here[SARRUS_PLAN_N_COORDINATES], v_here[SARRUS_PLAN_N_SPEEDS];
    sarrus_frame_open(outside, &ws, &ev);
    sarrus_frame_take_state(q, v, q_here, v_here);
    if (ev.is_configured) {
        sarrus_frame_copy_rotations(outside->ws, &ws);
        sarrus_frame_complete_poses(outside->parameter, &ws);
    }
    sarrus_measure_body(&ev, t, q_here, v_here);
    if (!outside->is_configured)
        sarrus_frame_copy_prepared(&ws, outside->ws);
    outside->state = ev.state;
    outside->state_violation = ev.state_violation;
    outside->is_configured = 1;
    outside->is_factored = ev.is_factored;
}

#endif
