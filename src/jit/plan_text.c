/* Every member of sarrus_mechanism is written out by name, in the order of its declaration (C++ insists). */
#include "jit/plan_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/formulation_kind.h"
#include "jit/plan_text_runs.h"
#include "jit/plan_text_tree.h"
#include "plan/body.h"
#include "plan/cost.h"
#include "plan/lower.h"

/* The most flops that a step's code may hold. One flop makes about 28 bytes of straight code with AVX-512; up to two first-level
 * instruction caches of it pay, beyond that fetching it costs what the tables of the generic kernels cost: of N-four-bars with
 * projection N = 3 (60 KB) makes 1.75 times the generic steps, N = 4 (80 KB) 0.85 times. In runs, where the worst of the tables
 * counts, a flop makes a third of that: N = 4 (27 KB) makes 1.69 times the generic steps, N = 5 (29 KB) 1.53 times. */
static const double MOST_STRAIGHT_FLOPS = 2600.0, MOST_FLOPS_IN_RUNS = 4000.0;

/* In space the code is in pieces that stand once: 7,400 flops of it (a four-bar) make 1.8 times the generic steps, 13,500 (six
 * bodies in a ring) 1.2 times, after three times as long a compilation. */
static const double MOST_SPATIAL_FLOPS = 9000.0;

/* Over a tree the pieces of code in runs stand once, projections or not. Straight code of more than MOST_STRAIGHT_TREE_FLOPS
 * gives way to code in runs of less than WORTH_RUNS of it: a spatial chain of 16 takes 25,200 cycles a step straight (17 s of the
 * compiler) and 20,500 in runs (5 s), one of 8 the same both ways; a ring of six, whose laps are few, 8,800 and 12,700. Code in
 * runs of 14,600 flops (a Delta robot) makes 1.56 times the generic steps and takes 22 s to compile; beyond
 * MOST_TREE_FLOPS_IN_RUNS compilers would take more than half a minute. */
static const double MOST_STRAIGHT_TREE_FLOPS = 4000.0, WORTH_RUNS = 0.6, MOST_TREE_FLOPS_IN_RUNS = 20000.0;

/* What the SARRUS_PLAN_N_* are called, and what they are; an array of C has at least one element. */
static void size_write(FILE *out, const char *name, int32_t n) {
    fprintf(out, "#define SARRUS_PLAN_N_%s %" PRId32 "\n", name, n > 0 ? n : 1);
}

static void integers_write(FILE *out, const char *name, const int32_t *table, int32_t n) {
    fprintf(out, "    .%s = {", name);
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%" PRId32 ",", table[i]);
    fprintf(out, "%s},\n", n > 0 ? "" : "0");
}

static void places_write(FILE *out, const char *name, const sarrus_lane_offset *table, int32_t n) {
    fprintf(out, "    .%s = {", name);
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%" PRIu32 ",", table[i]);
    fprintf(out, "%s},\n", n > 0 ? "" : "0");
}

/* Hexadecimal: the number itself, not a rounding of it. An infinity or a NaN cannot be written so; plans hold none. */
static void numbers_write(FILE *out, const double *table, int32_t n) {
    fprintf(out, "{");
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%a,", table[i]);
    fprintf(out, "%s}", n > 0 ? "" : "0");
}

static int32_t count_knots(const sarrus_mechanism *mech) {
    int32_t n_knots = 0;
    for (int32_t i = 0; i < mech->n_signals; ++i) {
        const sarrus_mech_signal *s = &mech->signal[i];
        if (s->kind == SARRUS_SIGNAL_TABLE && s->knots + s->n + 1 > n_knots)
            n_knots = s->knots + s->n + 1;
    }
    return n_knots;
}

/* As far as kernels/body/plan_access.h goes. */
enum { MOST_WRITTEN_OUT = 12 };

static int32_t longest_column(const sarrus_mech_factor *f) {
    int32_t most = 0;
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        if (f->column[k + 1] - f->column[k] > most)
            most = f->column[k + 1] - f->column[k];
    }
    return most;
}

static void sizes_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_factor *f = &mech->factor;
    size_write(out, "BODIES", mech->n_bodies);
    size_write(out, "COORDINATES", mech->n_q);
    const bool has_tree = mech->tree.n_links > 0;
    size_write(out, "SPEEDS", has_tree ? sarrus_body_sizes_of(mech->space)->n_v * mech->n_bodies : mech->n_v);
    size_write(out, "ROWS", mech->m + has_tree);
    size_write(out, "LINES", mech->m + has_tree); /* no constraint has a constant plan */
    sarrus_plan_text_tree_sizes_write(out, mech);
    size_write(out, "JOINTS", mech->n_joints);
    size_write(out, "FREEDOMS", mech->n_freedoms);
    size_write(out, "FORCES", mech->n_forces);
    size_write(out, "SIGNALS", mech->n_signals);
    size_write(out, "KNOTS", count_knots(mech));
    size_write(out, "INDEPENDENT", f->n_independent);
    size_write(out, "DEPENDENT", f->n_dependent);
    size_write(out, "BLOCKS", f->n_blocks);
    size_write(out, "COLUMN", f->n_blocks + 1);
    size_write(out, "ENTRIES", f->n_entries);
    size_write(out, "PLACES", f->n_blocks + f->n_entries);
    size_write(out, "UPDATES", f->n_updates);
    size_write(out, "BLOCK_SHARES", f->n_block_shares);
    size_write(out, "SHARES", f->n_shares);
    size_write(out, "FILL", f->n_fill);
    size_write(out, "PADS", f->n_pads);
    size_write(out, "SCALES", f->n_scales);
    size_write(out, "FACTORED", f->n_rows);
    const int32_t longest = longest_column(f);
    fprintf(out,
            longest > MOST_WRITTEN_OUT ? "#define SARRUS_PLAN_LONGEST_COLUMN LOOP\n" : "#define SARRUS_PLAN_LONGEST_COLUMN %d\n",
            longest > 0 ? longest : 1);
}

static void joints_write(FILE *out, const sarrus_mechanism *mech) {
    fprintf(out, "  .joint = {");
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *j = &mech->joint[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,0},", j->kind, j->parent, j->child, j->row, j->n_rows, j->p,
                j->signal, j->elastic, j->is_crank_pin, j->parent_crank, j->child_crank, j->is_in_loop, j->is_within);
    }
    fprintf(out, "%s},\n  .freedom = {", mech->n_joints > 0 ? "" : "{0}");
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const sarrus_mech_freedom *f = &mech->freedom[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d,%d},", f->form, f->joint, f->p, f->elastic, f->signal, f->row, f->at);
    }
    fprintf(out, "%s},\n", mech->n_freedoms > 0 ? "" : "{0}");
}

static void rows_write(FILE *out, const sarrus_mechanism *mech) {
    fprintf(out, "  .row = {");
    for (int32_t i = 0; i < mech->m; ++i) {
        const sarrus_mech_row *r = &mech->row[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d},", r->kind, r->parent, r->child, r->joint, r->form, r->freedom);
    }
    fprintf(out, "%s},\n  .knots = ", mech->m > 0 ? "" : "{0}");
    numbers_write(out, mech->knots, count_knots(mech));
    fprintf(out, ",\n");
}

static void loads_write(FILE *out, const sarrus_mechanism *mech) {
    fprintf(out, "  .force = {");
    for (int32_t i = 0; i < mech->n_forces; ++i) {
        const sarrus_mech_force *f = &mech->force[i];
        fprintf(out, "{%d,{%d,%d},%d,{%d,%d,%d},{%d,%d,%d},%d},", f->type, f->body[0], f->body[1], f->p, f->source[0], f->source[1],
                f->source[2], f->index[0], f->index[1], f->index[2], f->in_body_frame);
    }
    fprintf(out, "%s},\n  .signal = {", mech->n_forces > 0 ? "" : "{0}");
    for (int32_t i = 0; i < mech->n_signals; ++i) {
        const sarrus_mech_signal *s = &mech->signal[i];
        fprintf(out, "{%d,%d,%d,%d},", s->kind, s->n, s->p, s->knots);
    }
    fprintf(out, "%s},\n", mech->n_signals > 0 ? "" : "{0}");
}

/* The tables of the factor that the kernels read; the plan's own (shares, fill and pads by index) are left out. */
static void factor_write(FILE *out, const sarrus_mech_factor *f) {
    fprintf(out, "  .factor = {.n_independent = %d, .n_rows = %d, .n_blocks = %d, .n_entries = %d, .n_updates = %d,\n",
            f->n_independent, f->n_rows, f->n_blocks, f->n_entries, f->n_updates);
    integers_write(out, "column", f->column, f->n_blocks + 1);
    fprintf(out,
            "    .n_block_shares = %d, .n_first_block_shares = %d, .n_shares = %d, .n_first = %d, .n_fill = %d, .n_pads = %d,\n"
            "    .n_scales = %d, .n_dependent = %d,\n",
            f->n_block_shares, f->n_first_block_shares, f->n_shares, f->n_first, f->n_fill, f->n_pads, f->n_scales, f->n_dependent);
    integers_write(out, "dependent", f->dependent, f->n_dependent);
    fprintf(out, "    .guard = ");
    numbers_write(out, f->guard, 2 * f->n_blocks);
    fprintf(out, "  },\n");
}

static void lane_shares_write(FILE *out, const char *name, const sarrus_lane_share *share, int32_t n) {
    fprintf(out, "    .%s = {", name);
    for (int32_t i = 0; i < n; ++i) {
        fprintf(out, "{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},", share[i].destination,
                share[i].push, share[i].turn, share[i].mass, share[i].direction_i, share[i].direction_j);
    }
    fprintf(out, "%s},\n", n > 0 ? "" : "{0}");
}

static void lane_block_shares_write(FILE *out, const sarrus_lane_block_share *share, int32_t n) {
    fprintf(out, "    .block_share = {");
    for (int32_t i = 0; i < n; ++i) {
        fprintf(out, "{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},", share[i].destination, share[i].push, share[i].turn,
                share[i].mass);
    }
    fprintf(out, "%s},\n", n > 0 ? "" : "{0}");
}

static void lane_scales_write(FILE *out, const sarrus_lane_scale *scale, int32_t n) {
    fprintf(out, "    .scale = {");
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "{%" PRIu32 ",%" PRIu32 "},", scale[i].at, scale[i].mass);
    fprintf(out, "%s},\n", n > 0 ? "" : "{0}");
}

/* In the order of sarrus_lane_tables. */
static void lane_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_factor *f = &mech->factor;
    const sarrus_lane_tables *lane = &mech->lane;
    fprintf(out, "  .lane = {.width = %d,\n", lane->width);
    integers_write(out, "block_segment", lane->block_segment, 2 * SARRUS_N_LANE_BLOCK_KINDS + 1);
    integers_write(out, "segment", lane->segment, 2 * SARRUS_N_LANE_KINDS + 1);
    lane_block_shares_write(out, lane->block_share, f->n_block_shares);
    lane_shares_write(out, "share", lane->share, f->n_shares);
    places_write(out, "fill", lane->fill, f->n_fill);
    places_write(out, "pad", lane->pad, f->n_pads);
    lane_scales_write(out, lane->scale, f->n_scales);
    places_write(out, "row", lane->row, f->n_rows);
    places_write(out, "at", lane->at, f->n_rows);
    places_write(out, "dependent", lane->dependent, f->n_dependent);
    places_write(out, "entry_row", lane->entry_row, f->n_entries);
    integers_write(out, "first_update", lane->first_update, f->n_entries);
    places_write(out, "update", lane->update, f->n_updates);
    fprintf(out, "  },\n");
}

static void layout_write(FILE *out, const sarrus_tile_layout *layout) {
    const sarrus_verdict_layout *verdict = &layout->verdict;
    const sarrus_passage_layout *passage = &layout->passage;
    const sarrus_adaptive_layout *adaptive = &layout->adaptive;
    fprintf(out, "  .layout = {");
#define SARRUS_TILE_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, layout->name);
#include "sarrus/field.def"
    fprintf(out, "\n    .verdict = {");
#define SARRUS_VERDICT_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, verdict->name);
#include "sarrus/field.def"
    fprintf(out, "},\n    .passage = {");
#define SARRUS_PASSAGE_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, passage->name);
#define SARRUS_PASSAGE_ROW_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, passage->name);
#include "sarrus/field.def"
    fprintf(out, "},\n    .adaptive = {");
#define SARRUS_ADAPTIVE_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, adaptive->name);
#define SARRUS_ADAMS_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, adaptive->name);
#define SARRUS_RUNGE_KUTTA_FIELD(name, ...) fprintf(out, ".%s = %d, ", #name, adaptive->name);
#include "sarrus/field.def"
    fprintf(out, "},\n    .n_arrays = %d},\n", layout->n_arrays);
}

static void dense_write(FILE *out, const sarrus_mech_dense *dense) {
    const double(*const weights[2])[SARRUS_DENSE_DEGREE + 1] = {dense->q, dense->v};
    fprintf(out, ",\n    .dense = {.n_nodes = %d, .has_first = %d, .node = ", dense->n_nodes, dense->has_first);
    numbers_write(out, dense->node, SARRUS_DENSE_NODES);
    for (int32_t w = 0; w < 2; ++w) {
        fprintf(out, ",\n      .%s = {", w == 0 ? "q" : "v");
        for (int32_t k = 0; k < SARRUS_DENSE_WEIGHTS; ++k) {
            numbers_write(out, weights[w][k], SARRUS_DENSE_DEGREE + 1);
            fprintf(out, ",");
        }
        fprintf(out, "}");
    }
    fprintf(out, "}");
}

static void integrator_write(FILE *out, const sarrus_mech_integrator *how) {
    fprintf(out,
            "  .integrator = {.method = %d, .is_adaptive = %d, .is_tangential = %d, .has_step_gains = %d, .max_order = %d,\n"
            "    .n_stages = %d, .error_order = %d, .dt = %a, .rtol = %a, .atol = %a, .max_steps = %a,\n    .a = {",
            how->method, how->is_adaptive, how->is_tangential, how->has_step_gains, how->max_order, how->n_stages, how->error_order,
            how->dt, how->rtol, how->atol, how->max_steps);
    for (int32_t s = 0; s < SARRUS_MAX_STAGES; ++s) {
        numbers_write(out, how->a[s], SARRUS_MAX_STAGES - 1);
        fprintf(out, ",");
    }
    fprintf(out, "},\n    .c = ");
    numbers_write(out, how->c, SARRUS_MAX_STAGES);
    fprintf(out, ", .e = ");
    numbers_write(out, how->e, SARRUS_MAX_STAGES);
    fprintf(out, ",\n    .gamma_star = ");
    numbers_write(out, how->gamma_star, SARRUS_MAX_ORDER + 2);
    fprintf(out, ",\n    .damped = ");
    numbers_write(out, how->damped, SARRUS_MAX_ORDER + 1);
    fprintf(out, ", .ringing = ");
    numbers_write(out, how->ringing, SARRUS_MAX_ORDER + 1);
    fprintf(out, ", .gain = ");
    numbers_write(out, how->gain, SARRUS_MAX_ORDER + 1);
    fprintf(out, ", .across = %a", how->across);
    dense_write(out, &how->dense);
    fprintf(out, "},\n");
}

static void mechanism_write(FILE *out, const sarrus_mechanism *mech, bool is_in_runs) {
    fprintf(out, "#define SARRUS_CONSTANT_PLAN 1\n%s%s%s", is_in_runs ? "#define SARRUS_PLAN_IN_RUNS 1\n" : "",
            mech->space == SARRUS_SPACE_SPATIAL ? "#define SARRUS_KERNELS_SPATIAL 1\n" : "",
            mech->tree.n_links > 0 ? "#define SARRUS_KERNELS_RELATIVE 1\n" : "");
    sizes_write(out, mech);
    fprintf(out,
            "#include \"kernels/lane/lane.h\"\n"
            "#include \"kernels/body/mechanism.h\"\n"
            "LANE_CONSTANT sarrus_mechanism sarrus_constant_plan = {\n"
            "  .space = %d, .is_single = %d,\n"
            "  .n_bodies = %d, .n_joints = %d, .n_forces = %d, .n_signals = %d, .n_inputs = %d, .n_drives = %d,\n"
            "  .n_freedoms = %d, .n_free = %d, .n_joint_numbers = %d, .n_q = %d, .n_v = %d, .m = %d,\n"
            "  .n_general_rows = %d, .n_cranks = %d,\n",
            mech->space, mech->is_single, mech->n_bodies, mech->n_joints, mech->n_forces, mech->n_signals, mech->n_inputs,
            mech->n_drives, mech->n_freedoms, mech->n_free, mech->n_joint_numbers, mech->n_q, mech->n_v, mech->m,
            mech->n_general_rows, mech->n_cranks);
    integers_write(out, "n_of_kind", mech->n_of_kind, SARRUS_N_JOINT_TYPES);
    fprintf(out,
            "  .n_elastic = %d, .max_joint_rows = %d, .n_parameters = %d, .p_gravity = %d, .p_baumgarte = %d, .p_body = %d,\n"
            "  .has_baumgarte = %d, .moves_ground = %d, .p_ground = %d,\n",
            mech->n_elastic, mech->max_joint_rows, mech->n_parameters, mech->p_gravity, mech->p_baumgarte, mech->p_body,
            mech->has_baumgarte, mech->moves_ground, mech->p_ground);
    integers_write(out, "ground_signal", mech->ground_signal, SARRUS_MOST_GROUND_SIGNALS);
    joints_write(out, mech);
    loads_write(out, mech);
    rows_write(out, mech);
    factor_write(out, &mech->factor);
    sarrus_plan_text_tree_write(out, mech);
    lane_write(out, mech);
    layout_write(out, &mech->layout);
    integrator_write(out, &mech->integrator);
    fprintf(out, "  .formulation = %d, .solve = %d, .method = %d, .project = %d, .rank = {.method = %d, .tolerance = %a},\n",
            mech->formulation, mech->solve, mech->method, mech->project, mech->rank.method, mech->rank.tolerance);
    integers_write(out, "independent", mech->independent, mech->factor.n_independent);
    fprintf(out, "  .rank_change_capacity = %d, .project_tolerance = %a, .guard = %a,\n", mech->rank_change_capacity,
            mech->project_tolerance, mech->guard);
    fprintf(out,
            "  .ordinary = %a, .weak_distance = %a, .weak_crossing = %a, .size = %a, .limit_violation = %a, "
            ".limit_energy = %a, "
            ".limit_error = %a,\n"
            "  .violation_unit = %a, .energy_floor = %a, .has_work = %d, .has_swing = %d, .is_judged = %d, .wants_error = %d, "
            ".has_parts = %d, .is_watched = %d};\n",
            mech->ordinary, mech->weak_distance, mech->weak_crossing, mech->size, mech->limit_violation, mech->limit_energy,
            mech->limit_error, mech->violation_unit, mech->energy_floor, mech->has_work, mech->has_swing, mech->is_judged,
            mech->wants_error, mech->has_parts, mech->is_watched);
}

double sarrus_plan_text_flops(const sarrus_plan *plan) {
    const bool is_projected = plan->mech.project != SARRUS_PROJECTION_NONE && plan->mech.m > 0;
    const bool has_pieces = plan->mech.space == SARRUS_SPACE_SPATIAL && plan->mech.tree.n_links == 0; /* each stands once */
    return plan->cost.code_flops * (is_projected && !has_pieces ? SARRUS_PLAN_PROJECTED_SHARE : 1.0);
}

bool sarrus_plan_text_gains(const sarrus_plan *plan, const char **why_not) {
    const bool has_joints_only = plan->mech.n_constraints == 0, is_definite = plan->mech.n_lacking == 0;
    const bool is_auto = plan->mech.solve == SARRUS_SOLVE_AUTO;
    const bool is_in_full = sarrus_formulation_is_in_full((sarrus_formulation)plan->mech.formulation);
    *why_not = !has_joints_only ? "specialized kernels are made for joints, without constraints beside them"
               : !is_auto       ? "only `pinv: auto` has something to gain from a constant plan"
               : is_in_full     ? "a formulation that is written out in full has nothing to gain from a constant plan"
               : !is_definite   ? "specialized kernels are made for bodies that have mass and inertia in every instance"
                                : NULL;
    return has_joints_only && is_auto && is_definite && !is_in_full;
}

/* Over a tree: straight code that fits into the caches, or code in runs, whichever is shorter for what it does. */
static sarrus_plan_text_form form_over_tree(const sarrus_plan *plan, double straight, double in_runs, double *n_flops) {
    const sarrus_mech_tree *tree = &plan->mech.tree;
    const bool is_spatial = plan->mech.space == SARRUS_SPACE_SPATIAL; /* in the plane straight code has stretches */
    const bool goes_by_runs = is_spatial && !tree->in_own_frames && !tree->is_recursive; /* all of its loops do */
    const bool repeats = straight > MOST_STRAIGHT_TREE_FLOPS && in_runs <= WORTH_RUNS * plan->cost.code_flops;
    const bool is_straight = straight <= SARRUS_PLAN_MOST_TREE_FLOPS && !(goes_by_runs && repeats);
    *n_flops = is_straight ? straight : in_runs;
    return is_straight                                                  ? SARRUS_PLAN_TEXT_STRAIGHT
           : in_runs <= MOST_TREE_FLOPS_IN_RUNS && !tree->in_own_frames ? SARRUS_PLAN_TEXT_IN_RUNS
                                                                        : SARRUS_PLAN_TEXT_NONE;
}

static sarrus_plan_text_form form_by_runs(const sarrus_plan *plan, const sarrus_mechanism *lowered,
                                          const sarrus_plan_text_runs *runs, double *n_flops) {
    const double straight = sarrus_plan_text_flops(plan);
    if (lowered->tree.n_links > 0)
        return form_over_tree(plan, straight, sarrus_plan_text_tree_runs_flops(runs, lowered), n_flops);
    *n_flops = sarrus_plan_text_runs_written(runs) * straight;
    return *n_flops <= MOST_FLOPS_IN_RUNS ? SARRUS_PLAN_TEXT_IN_RUNS : SARRUS_PLAN_TEXT_NONE;
}

sarrus_plan_text_form sarrus_plan_text_form_of(const sarrus_plan *plan, double *n_flops, const char **why_not) {
    static const char too_large[] = "the mechanism is too large: its code would not fit into the caches";
    sarrus_lowered lowered;
    sarrus_plan_text_runs runs;
    sarrus_plan_text_form form = SARRUS_PLAN_TEXT_NONE;
    *n_flops = sarrus_plan_text_flops(plan);
    if (!sarrus_plan_text_gains(plan, why_not))
        return SARRUS_PLAN_TEXT_NONE;
    const bool has_tree = plan->mech.tree.n_links > 0, has_runs = plan->mech.space == SARRUS_SPACE_PLANAR || has_tree;
    if (*n_flops <= (has_tree ? MOST_STRAIGHT_TREE_FLOPS : has_runs ? MOST_STRAIGHT_FLOPS : MOST_SPATIAL_FLOPS))
        return SARRUS_PLAN_TEXT_STRAIGHT;
    *why_not = too_large;
    if (!has_runs)
        return SARRUS_PLAN_TEXT_NONE;
    *why_not = "out of memory";
    if (!sarrus_plan_lower(plan, 1, &lowered))
        return SARRUS_PLAN_TEXT_NONE;
    if (sarrus_plan_text_runs_create(&runs, &lowered.mech)) {
        form = form_by_runs(plan, &lowered.mech, &runs, n_flops);
        *why_not = form == SARRUS_PLAN_TEXT_NONE ? too_large : NULL;
        sarrus_plan_text_runs_free(&runs);
    }
    sarrus_lowered_free(&lowered);
    return form;
}

static bool text_write(FILE *out, const sarrus_mechanism *mech, bool is_in_runs) {
    mechanism_write(out, mech, is_in_runs);
    if (!is_in_runs)
        return true;
    sarrus_plan_text_runs runs;
    if (!sarrus_plan_text_runs_create(&runs, mech))
        return false;
    const bool good = sarrus_plan_text_runs_write(out, &runs);
    sarrus_plan_text_runs_free(&runs);
    return good;
}

/* Places for tiles of one lane are indices, which is what a constant wants: nothing of it is left to compute. */
char *sarrus_plan_text(const sarrus_plan *plan, sarrus_plan_text_form form) {
    sarrus_lowered lowered;
    char *text = NULL;
    size_t length = 0;
    if (!sarrus_plan_lower(plan, 1, &lowered))
        return NULL;
    FILE *out = open_memstream(&text, &length);
    if (out) {
        if (plan->mech.is_single)
            fprintf(out, "#define SARRUS_LANE_SINGLE 1\n");
        const bool good = text_write(out, &lowered.mech, form == SARRUS_PLAN_TEXT_IN_RUNS) && !ferror(out);
        if (fclose(out) != 0 || !good) {
            free(text);
            text = NULL;
        }
    }
    sarrus_lowered_free(&lowered);
    return text;
}
