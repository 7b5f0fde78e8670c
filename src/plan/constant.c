/* Every member of sarrus_mechanism is written out by name, in the order of its declaration. */
#include "plan/constant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/lower.h"

static void integers_write(FILE *out, const char *name, const int32_t *table, int32_t n) {
    fprintf(out, "static const int32_t %s[] = {", name);
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%" PRId32 ",", table[i]);
    fprintf(out, "%s};\n", n > 0 ? "" : "0");
}

static void places_write(FILE *out, const char *name, const sarrus_lane_place *table, int32_t n) {
    fprintf(out, "static const sarrus_lane_place %s[] = {", name);
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%" PRIu32 ",", table[i]);
    fprintf(out, "%s};\n", n > 0 ? "" : "0");
}

/* Hexadecimal: the number itself, not a rounding of it. An infinity or a NaN cannot be written so; plans hold none. */
static void numbers_write(FILE *out, const double *table, int32_t n) {
    fprintf(out, "{");
    for (int32_t i = 0; i < n; ++i)
        fprintf(out, "%a,", table[i]);
    fprintf(out, "%s}", n > 0 ? "" : "0");
}

static void joints_write(FILE *out, const sarrus_mechanism *mech) {
    fprintf(out, "static const sarrus_mech_joint plan_joint[] = {");
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *j = &mech->joint[i];
        fprintf(out, "{%d,%d,%d,%d,%d,%d,%d,%d},", j->kind, j->parent, j->child, j->row, j->n_rows, j->p, j->signal, j->elastic);
    }
    fprintf(out, "%s};\nstatic const sarrus_mech_row plan_row[] = {", mech->n_joints > 0 ? "" : "{0}");
    for (int32_t i = 0; i < mech->m; ++i) {
        const sarrus_mech_row *r = &mech->row[i];
        fprintf(out, "{%d,%d,%d,%d},", r->kind, r->parent, r->child, r->joint);
    }
    fprintf(out, "%s};\n", mech->m > 0 ? "" : "{0}");
}

static void loads_write(FILE *out, const sarrus_mechanism *mech) {
    int32_t n_knots = 0;
    fprintf(out, "static const sarrus_mech_force plan_force[] = {");
    for (int32_t i = 0; i < mech->n_forces; ++i) {
        const sarrus_mech_force *f = &mech->force[i];
        fprintf(out, "{%d,{%d,%d},%d,{%d,%d},{%d,%d},%d},", f->type, f->body[0], f->body[1], f->p, f->source[0], f->source[1],
                f->index[0], f->index[1], f->in_body_frame);
    }
    fprintf(out, "%s};\nstatic const sarrus_mech_signal plan_signal[] = {", mech->n_forces > 0 ? "" : "{0}");
    for (int32_t i = 0; i < mech->n_signals; ++i) {
        const sarrus_mech_signal *s = &mech->signal[i];
        fprintf(out, "{%d,%d,%d,%d},", s->kind, s->n, s->p, s->knots);
        if (s->kind == SARRUS_MECH_TABLE && s->knots + s->n + 1 > n_knots)
            n_knots = s->knots + s->n + 1;
    }
    fprintf(out, "%s};\nstatic const double plan_knots[] = ", mech->n_signals > 0 ? "" : "{0}");
    numbers_write(out, mech->knots, n_knots);
    fprintf(out, ";\n");
}

static void lane_shares_write(FILE *out, const char *name, const sarrus_lane_share *share, int32_t n) {
    fprintf(out, "static const sarrus_lane_share %s[] = {", name);
    for (int32_t i = 0; i < n; ++i) {
        fprintf(out, "{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},", share[i].destination,
                share[i].push, share[i].turn, share[i].mass, share[i].direction_i, share[i].direction_j);
    }
    fprintf(out, "%s};\n", n > 0 ? "" : "{0}");
}

static int32_t n_couplings(const sarrus_mech_factor *f) {
    return f->n_dependent > 0 ? f->coupling_begin[f->n_dependent] : 0;
}

/* The tables of the factor that the kernels read; the plan's own (shares, fill and pads by index) are left out. */
static void factor_tables_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_factor *f = &mech->factor;
    const sarrus_lane_tables *lane = &mech->lane;
    integers_write(out, "plan_column", f->column, f->n_blocks + 1);
    integers_write(out, "plan_dependent", f->dependent, f->n_dependent);
    integers_write(out, "plan_coupling_begin", f->coupling_begin, f->n_dependent > 0 ? f->n_dependent + 1 : 0);
    integers_write(out, "plan_independent", mech->independent, f->n_independent);
    fprintf(out, "static const sarrus_lane_block_share plan_block_share[] = {");
    for (int32_t i = 0; i < f->n_block_shares; ++i) {
        const sarrus_lane_block_share *s = &lane->block_share[i];
        fprintf(out, "{%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "},", s->destination, s->push, s->turn, s->mass);
    }
    fprintf(out, "%s};\n", f->n_block_shares > 0 ? "" : "{0}");
    lane_shares_write(out, "plan_share", lane->share, f->n_shares);
    places_write(out, "plan_fill", lane->fill, f->n_fill);
    places_write(out, "plan_pad", lane->pad, f->n_pads);
    places_write(out, "plan_row_place", lane->row, f->n_independent);
    places_write(out, "plan_at_place", lane->at, f->n_independent);
    places_write(out, "plan_dependent_place", lane->dependent, f->n_dependent);
    places_write(out, "plan_entry_row", lane->entry_row, f->n_entries);
    places_write(out, "plan_update", lane->update, f->n_updates);
    integers_write(out, "plan_coupling_kind", lane->coupling_kind, n_couplings(f));
    lane_shares_write(out, "plan_coupling", lane->coupling, n_couplings(f));
}

static void factor_write(FILE *out, const sarrus_mechanism *mech) {
    const sarrus_mech_factor *f = &mech->factor;
    const sarrus_lane_tables *lane = &mech->lane;
    fprintf(out,
            "  .factor = {.n_independent = %d, .n_blocks = %d, .n_entries = %d, .n_updates = %d, .column = plan_column,\n"
            "    .n_block_shares = %d, .n_first_block_shares = %d, .n_shares = %d, .n_first = %d, .n_fill = %d, .n_pads = %d,\n"
            "    .n_dependent = %d, .dependent = plan_dependent, .coupling_begin = plan_coupling_begin},\n",
            f->n_independent, f->n_blocks, f->n_entries, f->n_updates, f->n_block_shares, f->n_first_block_shares, f->n_shares,
            f->n_first, f->n_fill, f->n_pads, f->n_dependent);
    fprintf(out, "  .lane = {.width = %d, .block_segment = {", lane->width);
    for (int32_t i = 0; i < 2 * SARRUS_N_LANE_BLOCK_KINDS + 1; ++i)
        fprintf(out, "%d,", lane->block_segment[i]);
    fprintf(out, "}, .segment = {");
    for (int32_t i = 0; i < 2 * SARRUS_N_LANE_KINDS + 1; ++i)
        fprintf(out, "%d,", lane->segment[i]);
    fprintf(out, "},\n    .block_share = plan_block_share, .share = plan_share, .fill = plan_fill, .pad = plan_pad,\n"
                 "    .row = plan_row_place, .at = plan_at_place, .dependent = plan_dependent_place,\n"
                 "    .entry_row = plan_entry_row, .update = plan_update, .coupling_kind = plan_coupling_kind,\n"
                 "    .coupling = plan_coupling},\n");
}

static void layout_write(FILE *out, const sarrus_tile_layout *l) {
    const sarrus_adaptive_layout *a = &l->adaptive;
    fprintf(out,
            "  .layout = {.parameter = %d, .q = %d, .v = %d, .q0 = %d, .v0 = %d, .input = %d, .status = %d, .status0 = %d,\n"
            "    .failed_step = %d, .rank = %d, .rank_now = %d, .n_changes = %d, .n_events = %d, .event = %d, .n_steps = %d,\n"
            "    .n_rejected = %d, .n_evaluations = %d,\n",
            l->parameter, l->q, l->v, l->q0, l->v0, l->input, l->status, l->status0, l->failed_step, l->rank, l->rank_now,
            l->n_changes, l->n_events, l->event, l->n_steps, l->n_rejected, l->n_evaluations);
    fprintf(out,
            "    .adaptive = {.is_started = %d, .t_now = %d, .t_before = %d, .step = %d, .gain = %d, .rank = %d, .now = %d,\n"
            "      .shown = %d, .input = %d, .is_rejected = %d, .memory = %d, .held = %d, .a_now = %d, .before = %d,\n"
            "      .a_before = %d, .order = %d, .last_order = %d, .n_equal = %d, .last_step = %d, .is_rising = %d,\n"
            "      .n_failures = %d, .psi = %d, .phi = %d},\n    .n_arrays = %d},\n",
            a->is_started, a->t_now, a->t_before, a->step, a->gain, a->rank, a->now, a->shown, a->input, a->is_rejected, a->memory,
            a->held, a->a_now, a->before, a->a_before, a->order, a->last_order, a->n_equal, a->last_step, a->is_rising,
            a->n_failures, a->psi, a->phi, l->n_arrays);
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
    fprintf(out, "},\n");
}

static void mechanism_write(FILE *out, const sarrus_mechanism *mech) {
    joints_write(out, mech);
    loads_write(out, mech);
    factor_tables_write(out, mech);
    fprintf(out,
            "static const sarrus_mechanism sarrus_constant_plan = {\n"
            "  .n_bodies = %d, .n_joints = %d, .n_forces = %d, .n_signals = %d, .n_inputs = %d, .n_drives = %d, .n = %d, .m = %d,\n"
            "  .n_general_rows = %d, .n_parameters = %d, .p_gravity = %d, .p_baumgarte = %d, .p_body = %d, .has_baumgarte = %d,\n"
            "  .joint = plan_joint, .force = plan_force, .signal = plan_signal, .row = plan_row, .knots = plan_knots,\n",
            mech->n_bodies, mech->n_joints, mech->n_forces, mech->n_signals, mech->n_inputs, mech->n_drives, mech->n, mech->m,
            mech->n_general_rows, mech->n_parameters, mech->p_gravity, mech->p_baumgarte, mech->p_body, mech->has_baumgarte);
    factor_write(out, mech);
    layout_write(out, &mech->layout);
    integrator_write(out, &mech->integrator);
    fprintf(out,
            "  .solve = %d, .method = %d, .project = %d, .rank = {.method = %d, .tolerance = %a},\n"
            "  .independent = plan_independent, .event_capacity = %d, .project_tolerance = %a, .guard = %a};\n",
            mech->solve, mech->method, mech->project, mech->rank.method, mech->rank.tolerance, mech->event_capacity,
            mech->project_tolerance, mech->guard);
}

char *sarrus_plan_constant_text(const sarrus_plan *plan, int32_t width) {
    sarrus_lowered lowered;
    char *text = NULL;
    size_t length = 0;
    if (!sarrus_plan_lower(plan, width, &lowered))
        return NULL;
    FILE *out = open_memstream(&text, &length);
    if (out) {
        mechanism_write(out, &lowered.mech);
        const int has_failed = ferror(out);
        if (fclose(out) != 0 || has_failed) {
            free(text);
            text = NULL;
        }
    }
    sarrus_lowered_free(&lowered);
    return text;
}
