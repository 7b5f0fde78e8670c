/* Operations of the fast path, counted from the plan's tables: a mirror of the bodies in kernels/, one function a body, in their
 * order. An addition, subtraction or multiplication is one flop and an FMA two; divisions and square roots are counted
 * together and apart, and so are sine-cosine pairs. Negations, comparisons, selections, magnitudes and maxima are no flops.
 * Operations whose result nothing uses (the speed of a pin's point without stabilization) are not counted: compilers drop
 * them. tests/kernels/test_counts.cpp runs the bodies with counting numbers and holds every figure here against them. */
#include <math.h>

#include "plan/cost.h"

typedef struct counts {
    double flops, divisions, sincos;
} counts;

static void counts_add(counts *to, double flops, double divisions) {
    to->flops += flops;
    to->divisions += divisions;
}

static void counts_add_times(counts *to, double factor, counts from) {
    to->flops += factor * from.flops;
    to->divisions += factor * from.divisions;
    to->sincos += factor * from.sincos;
}

static int n_moving(int parent, int child) {
    return (parent >= 0) + (child >= 0);
}

/* sarrus_signals */
static void signals_count(const sarrus_mechanism *mech, counts *to) {
    for (int i = 0; i < mech->n_signals; ++i) {
        const sarrus_mech_signal *signal = &mech->signal[i];
        switch (signal->kind) {
        case SARRUS_SIGNAL_RAMP:
            counts_add(to, 3, 0);
            break;
        case SARRUS_SIGNAL_SINE:
            counts_add(to, 10, 0);
            to->sincos += 1;
            break;
        case SARRUS_SIGNAL_POLYNOMIAL:
            counts_add(to, 6.0 * signal->n + 1, 0);
            break;
        case SARRUS_SIGNAL_TABLE:
            counts_add(to, 17, 0);
            break;
        default: /* constant */
            break;
        }
    }
}

/* Whether a time is ever looked at. */
static bool time_matters(const sarrus_mechanism *mech) {
    for (int i = 0; i < mech->n_signals; ++i) {
        if (mech->signal[i].kind != SARRUS_SIGNAL_CONSTANT)
            return true;
    }
    return false;
}

enum {
    ARM_FLOPS = 6,
    PLACE_FLOPS = 8,
    POINT_FLOPS = 12,
    VECTOR_FLOPS = 6,
    ALONG_FLOPS = 40,
    DISTANCE_FLOPS = 37,
    FORCE_AT_FLOPS = 6
};

/* sarrus_row_angle */
static double angle_flops(const sarrus_mech_joint *joint) {
    return (joint->child >= 0 ? 1 : 0) + (joint->parent >= 0 ? 2 : 0);
}

/* sarrus_row_free, points not included */
static double free_flops(const sarrus_mech_joint *joint) {
    if (!SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
        return angle_flops(joint);
    return (joint->parent >= 0 ? VECTOR_FLOPS : 0) + ALONG_FLOPS + 1;
}

/* sarrus_force_elastic */
static double elastic_flops(const sarrus_mech_joint *joint) {
    int n_bodies = n_moving(joint->parent, joint->child);
    double flops = free_flops(joint) + 4 + 2 * n_bodies;
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
        flops += POINT_FLOPS * n_bodies + 2 + 2 * n_bodies;
    return flops;
}

/* What the power of a force adds to it, the sum over the forces included. */
static double power_flops(const sarrus_mechanism *mech, const sarrus_mech_force *force) {
    if (!mech->has_work)
        return 0;
    if (force->type == SARRUS_FORCE_SPRING)
        return 2;
    if (force->type == SARRUS_FORCE_TORQUE)
        return force->body[0] >= 0 ? 2 : 1;
    return 8;
}

/* sarrus_free_acceleration */
static void forces_count(const sarrus_mechanism *mech, counts *to) {
    for (int i = 0; i < mech->n_forces; ++i) {
        const sarrus_mech_force *force = &mech->force[i];
        counts_add(to, power_flops(mech, force), 0);
        if (force->type == SARRUS_FORCE_SPRING) {
            int n_bodies = n_moving(force->body[0], force->body[1]);
            counts_add(to, 16 + (POINT_FLOPS + 2 + FORCE_AT_FLOPS) * n_bodies, 2);
        } else if (force->type == SARRUS_FORCE_TORQUE) {
            counts_add(to, force->body[0] >= 0 ? 1 : 0, 0);
        } else if (force->body[0] >= 0) {
            counts_add(to, ARM_FLOPS + FORCE_AT_FLOPS + (force->in_body_frame ? VECTOR_FLOPS : 0), 0);
        }
    }
    for (int i = 0; i < mech->n_joints; ++i) {
        if (mech->joint[i].elastic)
            counts_add(to, elastic_flops(&mech->joint[i]) + (mech->has_work ? 2 : 0), 0);
    }
    counts_add(to, 5.0 * mech->n_bodies, 0);
}

/* sarrus_rows */
static void rows_count(const sarrus_mechanism *mech, int wanted, counts *to) {
    const bool want_errors = wanted & SARRUS_WANT_ERRORS, want_gamma = wanted & SARRUS_WANT_GAMMA;
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        int n_bodies = n_moving(joint->parent, joint->child);
        const bool has_pin = SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_PIN, joint->kind);
        if (has_pin)
            counts_add(to, (want_errors ? POINT_FLOPS : ARM_FLOPS) * n_bodies + (want_gamma ? 8 : 0) + (want_errors ? 4 : 0), 0);
        else
            counts_add(to, POINT_FLOPS * n_bodies, 0);
        if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_LENGTH, joint->kind))
            counts_add(to, DISTANCE_FLOPS, 2);
        else if (!has_pin)
            counts_add(to, (joint->parent >= 0 ? VECTOR_FLOPS : 0) + ALONG_FLOPS, 0);
        if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_HOLD_ANGLE, joint->kind))
            counts_add(to, angle_flops(joint), 0);
        if (joint->signal >= 0)
            counts_add(to, free_flops(joint) + 3, 0);
    }
}

/* Flops of one side of a row, by what is known of the row's direction. */
typedef struct side_flops {
    int angle, axis, general;
} side_flops;

static int of_side(const sarrus_mech_row *row, side_flops each) {
    return row->kind == SARRUS_ROW_ANGLE ? each.angle : row->kind == SARRUS_ROW_GENERAL ? each.general : each.axis;
}

/* Sum over the moving sides of all rows. */
static double sides_flops(const sarrus_mechanism *mech, side_flops each) {
    double flops = 0;
    for (int i = 0; i < mech->m; ++i)
        flops += of_side(&mech->row[i], each) * n_moving(mech->row[i].parent, mech->row[i].child);
    return flops;
}

/* The same without the rows of crank pins, and with another number for the sides on cranks. */
static double sides_and_cranks_flops(const sarrus_mechanism *mech, side_flops free, side_flops crank) {
    double flops = 0;
    for (int i = 0; i < mech->m; ++i) {
        const sarrus_mech_row *row = &mech->row[i];
        const sarrus_mech_joint *joint = &mech->joint[row->joint];
        if (joint->is_crank_pin && i < joint->row + 2)
            continue;
        flops += row->parent < 0 ? 0 : of_side(row, joint->parent_crank < 0 ? free : crank);
        flops += row->child < 0 ? 0 : of_side(row, joint->child_crank < 0 ? free : crank);
    }
    return flops;
}

/* sarrus_gram. A share that begins its destination has nothing to add to. */
static double gram_flops(const sarrus_mech_factor *factor) {
    double flops = 0;
    for (int i = 0; i < factor->n_block_shares; ++i) {
        bool is_diagonal = factor->block_share[i].destination < factor->n_blocks;
        if (factor->block_share[i].is_crank)
            flops += (is_diagonal ? 3 : 4) * (i < factor->n_first_block_shares ? 1 : 2);
        else if (i < factor->n_first_block_shares)
            flops += is_diagonal ? 5 : 6;
        else
            flops += is_diagonal ? 8 : 10;
    }
    for (int i = 0; i < factor->n_shares; ++i) {
        int kind = factor->share[i].kind;
        flops += kind == SARRUS_SHARE_ROTATION || kind == SARRUS_SHARE_CRANK ? 2 : kind == SARRUS_SHARE_GENERAL ? 7 : 3;
    }
    return flops;
}

/* sarrus_ldlt_factor with a right side carried along. The first update of every entry goes to the diagonal. */
static double ldlt_flops(int n_blocks, int n_entries, int n_updates) {
    return 13.0 * n_blocks + 28.0 * n_entries + 16.0 * (n_updates - n_entries);
}

/* sarrus_ldlt_backward */
static double backward_flops(int n_blocks, int n_entries) {
    return 4.0 * n_blocks + 8.0 * n_entries;
}

double sarrus_plan_factor_flops(int n_blocks, int n_entries, int n_updates) {
    return ldlt_flops(n_blocks, n_entries, n_updates) + backward_flops(n_blocks, n_entries);
}

/* sarrus_correct on the fast path: push, the cranks' part of the right side (swings 5, and 7 where they end), S, LDLᵀ with the
 * right side carried along, back substitution, M⁻¹Jᵀ times it. A pad is a row like any other here. */
static void correct_count(const sarrus_mechanism *mech, bool is_factored, counts *to) {
    const sarrus_mech_factor *factor = &mech->factor;
    if (is_factored) {
        counts_add(to, 2.0 * factor->n_blocks + 8.0 * factor->n_entries, 0);
    } else {
        counts_add(to, sides_and_cranks_flops(mech, (side_flops){1, 1, 1}, (side_flops){1, 2, 5}), 0);
        counts_add(to, gram_flops(factor) + 2.0 * factor->n_scales, 0);
        counts_add(to, ldlt_flops(factor->n_blocks, factor->n_entries, factor->n_updates), factor->n_blocks);
    }
    counts_add(to, backward_flops(factor->n_blocks, factor->n_entries), 0);
    counts_add(to, sides_and_cranks_flops(mech, (side_flops){2, 4, 7}, (side_flops){2, 2, 2}), 0);
    counts_add(to, sides_and_cranks_flops(mech, (side_flops){0, 0, 0}, (side_flops){2, 3, 6}) + 12.0 * mech->n_cranks, 0);
}

/* sarrus_rows_subtract: a pin's rows take each body's share off as they go, the others form J_i x first. */
static double subtract_flops(const sarrus_mechanism *mech) {
    int n_pin_rows = 0;
    for (int i = 0; i < mech->m; ++i)
        n_pin_rows += mech->row[i].kind == SARRUS_ROW_X || mech->row[i].kind == SARRUS_ROW_Y;
    return sides_flops(mech, (side_flops){2, 3, 6}) + mech->m - n_pin_rows;
}

/* sarrus_configure */
static void configure_count(const sarrus_mechanism *mech, counts *to) {
    to->sincos += mech->n_bodies;
    signals_count(mech, to);
}

/* The power of the drives, or of all constraints with Baumgarte's terms, and its sum with that of the forces. */
static double drives_flops(const sarrus_mechanism *mech) {
    if (mech->has_baumgarte)
        return 11.0 * mech->n_bodies + 1;
    double flops = mech->has_work ? 1 : 0;
    for (int i = 0; i < mech->n_joints && mech->m > 0; ++i)
        flops += mech->joint[i].signal >= 0 ? 2 : 0;
    return flops;
}

/* sarrus_accelerate, after a projection at the same place that has left its rotations, or its factor as well. */
static counts evaluation_count(const sarrus_mechanism *mech, bool is_configured, bool is_factored) {
    counts to = {0};
    if (!is_configured)
        configure_count(mech, &to);
    forces_count(mech, &to);
    rows_count(mech, mech->has_baumgarte ? SARRUS_WANT_ERRORS | SARRUS_WANT_GAMMA : SARRUS_WANT_GAMMA, &to);
    if (mech->has_baumgarte && mech->m > 0)
        counts_add(&to, 2 + 4.0 * mech->m, 0);
    counts_add(&to, subtract_flops(mech), 0);
    correct_count(mech, is_factored, &to);
    counts_add(&to, drives_flops(mech), 0);
    return to;
}

/* sarrus_evaluate_rows and sarrus_rows_norm */
static counts rows_and_norm_count(const sarrus_mechanism *mech) {
    counts to = {0};
    configure_count(mech, &to);
    rows_count(mech, SARRUS_WANT_ERRORS, &to);
    counts_add(&to, 2.0 * mech->m, 1);
    return to;
}

/* sarrus_project. Every step: one Newton iteration on the positions, looked at before and after, and the velocities once.
 * Above a tolerance: the look alone, since a step that is projected is the exception. */
static counts projection_count(const sarrus_mechanism *mech) {
    counts to = {0};
    if (mech->project == SARRUS_PROJECTION_NONE || mech->m == 0)
        return to;
    if (mech->project == SARRUS_PROJECTION_TOLERANCE)
        return rows_and_norm_count(mech);
    counts_add_times(&to, 2, rows_and_norm_count(mech));
    correct_count(mech, false, &to);
    counts_add(&to, 2.0 * mech->n_v + 3, 2); /* sarrus_project_step, and the goal of the iteration */
    correct_count(mech, false, &to);
    counts_add(&to, mech->n_v, 0);
    return to;
}

/* sarrus_stage_velocities */
static counts stage_velocities_count(const sarrus_mechanism *mech) {
    counts to = {0};
    if (mech->project != SARRUS_PROJECTION_EVERY_STEP || mech->m == 0)
        return to;
    configure_count(mech, &to);
    rows_count(mech, SARRUS_WANT_ERRORS, &to);
    correct_count(mech, false, &to);
    counts_add(&to, mech->n_v, 0);
    return to;
}

/* sarrus_free_coordinate, points not included */
static double coordinate_flops(const sarrus_mech_joint *joint) {
    if (!SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
        return n_moving(joint->parent, joint->child);
    return (joint->parent >= 0 ? VECTOR_FLOPS : 0) + 6;
}

/* sarrus_potential_energy */
static void potential_count(const sarrus_mechanism *mech, counts *to) {
    counts_add(to, 5.0 * mech->n_bodies, 0);
    for (int i = 0; i < mech->n_forces; ++i) {
        if (mech->force[i].type == SARRUS_FORCE_SPRING)
            counts_add(to, 10 + PLACE_FLOPS * n_moving(mech->force[i].body[0], mech->force[i].body[1]), 1);
    }
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        if (joint->elastic)
            counts_add(to, 5 + coordinate_flops(joint), 0);
        if (joint->elastic && SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
            counts_add(to, PLACE_FLOPS * n_moving(joint->parent, joint->child), 0);
    }
}

/* sarrus_violation_squared and its root */
static void open_count(const sarrus_mechanism *mech, counts *to) {
    for (int i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        const int n_bodies = n_moving(joint->parent, joint->child);
        counts_add(to, PLACE_FLOPS * n_bodies, 0);
        if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_LENGTH, joint->kind))
            counts_add(to, 8, 1);
        else if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_PIN, joint->kind))
            counts_add(to, 6, 0);
        else
            counts_add(to, (joint->parent >= 0 ? VECTOR_FLOPS : 0) + 7, 0);
        if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_HOLD_ANGLE, joint->kind))
            counts_add(to, n_bodies + 2, 0);
        if (joint->signal >= 0)
            counts_add(to, coordinate_flops(joint) + 3, 0);
    }
    counts_add(to, 0, 1);
}

/* sarrus_judge: energies 8 a body and 1, the balance 10. */
static counts judgement_count(const sarrus_mechanism *mech) {
    counts to = {0};
    if (mech->project == SARRUS_PROJECTION_NONE || mech->m == 0)
        configure_count(mech, &to);
    counts_add(&to, 8.0 * mech->n_bodies + 11, 0);
    potential_count(mech, &to);
    if (mech->project == SARRUS_PROJECTION_NONE && mech->m > 0)
        open_count(mech, &to);
    return to;
}

/* sarrus_ldlt_closeness, sarrus_passage_watch and sarrus_part_choose of lanes that have nothing to fear. A step that is projected
 * has looked at the pivots of both corrections by then. */
static void watch_count(const sarrus_mechanism *mech, counts *to) {
    if (!mech->is_watched) {
        counts_add(to, mech->has_parts ? 2 : 0, 0);
        return;
    }
    const int n_factors = mech->project == SARRUS_PROJECTION_EVERY_STEP ? 2 : 1;
    counts_add(to, n_factors * (6.0 * mech->factor.n_blocks + 1) + 2 + (mech->has_parts ? 1 : 0), 0);
}

/* sarrus_fixed_try and sarrus_fixed_end without the projection, once the steps follow one another: the step before has left what
 * the first stage needs. */
static counts rk4_count(const sarrus_mechanism *mech) {
    bool is_projected = mech->project == SARRUS_PROJECTION_EVERY_STEP && mech->m > 0;
    counts to = evaluation_count(mech, true, is_projected);
    counts_add_times(&to, 3, evaluation_count(mech, is_projected, is_projected));
    counts_add_times(&to, 3, stage_velocities_count(mech));
    counts_add(&to, 28.0 * mech->n_v + 1 + (time_matters(mech) ? 2 : 0), 1);
    if (mech->has_work)
        counts_add(&to, 7, 1);
    if (mech->wants_error)
        counts_add(&to, 11.0 * mech->n_bodies + 4, 0);
    return to;
}

/* The same with sarrus_semi_implicit. */
static counts semi_implicit_count(const sarrus_mechanism *mech) {
    bool is_projected = mech->project == SARRUS_PROJECTION_EVERY_STEP && mech->m > 0;
    counts to = evaluation_count(mech, true, is_projected);
    counts_add(&to, 6.0 * mech->n_v + 11.0 * mech->n_bodies + (mech->has_work ? 2 : 0), 0);
    return to;
}

/* The same accelerations without the structure: D = J_I M^{-1/2} as a full matrix, half of D Dᵀ, LDLᵀ, two triangular solves,
 * and the two products with D. */
static double dense_count(const sarrus_mechanism *mech) {
    double n = mech->n_v, m = mech->factor.n_independent;
    return n * m + n * m * (m + 1) + m * m * m / 3 + 2 * m * m + 4 * n * m;
}

/* What a ground that moves adds, roughly: its pose, its points and vectors, its part of rows and their power. */
static double ground_flops(const sarrus_mechanism *mech) {
    int n_rows = 0;
    for (int i = 0; mech->moves_ground && i < mech->m; ++i)
        n_rows += mech->row[i].parent < 0 || mech->row[i].child < 0;
    return mech->moves_ground ? 23.0 + 20.0 * n_rows : 0.0;
}

double sarrus_plan_planar_flops(const sarrus_mechanism *mech) {
    return evaluation_count(mech, false, false).flops + ground_flops(mech);
}

/* Of mechanisms in space, of those with constraints beside joints, of a ground that moves and of relative coordinates nothing is
 * counted yet: their kernels have no mirror here, and a wrong number would be worse than none. How often lanes sweep whose bodies
 * lack mass nobody knows beforehand. */
static void leave_uncounted(sarrus_plan_cost *cost) {
    cost->flops_per_evaluation = cost->divisions_per_evaluation = cost->sincos_per_evaluation = (double)NAN;
    cost->flops_per_step = cost->divisions_per_step = cost->sincos_per_step = (double)NAN;
    cost->algebra_flops_per_evaluation = cost->dense_algebra_flops_per_evaluation = (double)NAN;
}

void sarrus_plan_cost_count(sarrus_plan *plan) {
    const sarrus_mechanism *mech = &plan->mech;
    sarrus_plan_cost *cost = &plan->cost;
    cost->bytes_per_instance = sizeof(double) * (uint64_t)mech->layout.n_arrays;
    leave_uncounted(cost);
    if (mech->space == SARRUS_SPACE_SPATIAL || sarrus_plan_is_relative(plan)) {
        cost->code_flops = sarrus_plan_is_relative(plan) ? sarrus_plan_tree_flops(mech) : sarrus_plan_spatial_flops(mech);
        return;
    }
    counts evaluation = evaluation_count(mech, false, false), algebra = {0};
    cost->code_flops = sarrus_plan_planar_flops(mech);
    if (mech->n_constraints > 0 || mech->n_lacking > 0 || mech->moves_ground)
        return;
    correct_count(mech, false, &algebra);
    counts step = mech->integrator.method == SARRUS_INTEGRATOR_RK4 ? rk4_count(mech) : semi_implicit_count(mech);
    counts_add_times(&step, 1, projection_count(mech));
    counts_add_times(&step, 1, judgement_count(mech));
    watch_count(mech, &step);
    counts_add(&step, 2, 0);          /* two tallies */
    if (mech->integrator.is_adaptive) /* another number for every order, and for steps in vain */
        step = (counts){(double)NAN, (double)NAN, (double)NAN};
    cost->flops_per_evaluation = evaluation.flops;
    cost->divisions_per_evaluation = evaluation.divisions;
    cost->sincos_per_evaluation = evaluation.sincos;
    cost->flops_per_step = step.flops;
    cost->divisions_per_step = step.divisions;
    cost->sincos_per_step = step.sincos;
    cost->algebra_flops_per_evaluation = algebra.flops;
    cost->dense_algebra_flops_per_evaluation = dense_count(mech);
}
