/* The model card: what the plan is, in words, for `sarrus check`. At most 100 columns; long lists are cut with a count. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"
#include "plan/constraints.h"
#include "plan/report_text.h"

enum { GROUP_NONE = -1 };

typedef struct card {
    FILE *out;
    const sarrus_plan *plan;
    const sarrus_model *model;
    bool *is_cut;       /* [n_joints] */
    int *group;         /* [n_bodies] set of bodies that rows with shared multipliers connect */
    bool *group_is_put; /* [n_bodies] by its number: it is on the card, or counted */
} card;

static const char *body_name(const card *to, int body) {
    return body >= 0 ? to->model->bodies[body].name : "ground";
}

/* What a row of this form is called in space. */
static const char *spatial_label(int32_t form) {
    static const char *const labels[] = {
#define SARRUS_SPATIAL_ROW(name, value, kind, label) [value] = label,
#include "sarrus/spatial_row.def"
    };
    return labels[form];
}

/* What row i is called within its joint. */
static const char *row_label(const sarrus_plan *plan, int i_row) {
    const int owner = plan->row[i_row].joint;
    const sarrus_mech_joint *joint = &plan->joint[owner];
    if (owner >= plan->mech.n_joints && joint->n_rows == 2)
        return i_row == joint->row ? "first normal" : "second normal"; /* of a curve in space */
    if (owner >= plan->mech.n_joints && joint->n_rows == 3)
        return i_row == joint->row ? "contact" : i_row == joint->row + 1 ? "first slip" : "second slip"; /* of what rolls */
    if (owner >= plan->mech.n_joints)
        return sarrus_constraint_label(plan->model->constraints[owner - plan->mech.n_joints].type);
    if (plan->mech.space == SARRUS_SPACE_SPATIAL)
        return spatial_label(plan->row[i_row].form);
    static const char *const labels[SARRUS_N_JOINT_TYPES][3] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    [value] = {label_0, label_1, label_2},
#include "sarrus/joint.def"
    };
    int k = i_row - joint->row;
    return joint->signal >= 0 && k == joint->n_rows - 1 ? "drive" : labels[joint->kind][k];
}

void sarrus_plan_row_name(const sarrus_plan *plan, int i_row, char *text, size_t n_text) {
    const int owner = plan->row[i_row].joint;
    snprintf(text, n_text, "%s %s, %s", owner < plan->mech.n_joints ? "joint" : "constraint", sarrus_plan_owner_name(plan, owner),
             row_label(plan, i_row));
}

/* The row as "A.x", for long lists. */
static void put_row(const sarrus_plan *plan, sarrus_report_list *list, int i_row) {
    char word[10 * SARRUS_CARD_NAME_WIDTH];
    snprintf(word, sizeof word, "%s.%s", sarrus_plan_owner_name(plan, plan->row[i_row].joint), row_label(plan, i_row));
    sarrus_report_list_put(list, word);
}

static void put_constraint_types(const card *to) {
    const sarrus_model *model = to->model;
    sarrus_report_label(to->out, "constraints");
    fprintf(to->out, "%d", model->n_constraints);
    const char *before = ": ";
    for (int type = 0; type < SARRUS_N_CONSTRAINT_TYPES; ++type) {
        int n = 0;
        for (int i = 0; i < model->n_constraints; ++i)
            n += (int)model->constraints[i].type == type;
        if (n == 0)
            continue;
        fprintf(to->out, "%s%d %s", before, n, sarrus_constraint_word((sarrus_constraint_type)type));
        before = ", ";
    }
    fputc('\n', to->out);
}

/* What signals move ground by. */
static void put_ground(const card *to) {
    sarrus_report_label(to->out, "ground");
    fputs("moves in ", to->out);
    const char *word;
    for (int i = 0; (word = sarrus_model_ground_motion(to->model, i)); ++i)
        fprintf(to->out, "%s%s", i > 0 ? ", " : "", word);
    fputc('\n', to->out);
}

static void put_head(const card *to) {
    const sarrus_model *model = to->model;
    const bool is_spatial = model->space == SARRUS_SPACE_SPATIAL;
    int n_of_type[SARRUS_N_JOINT_TYPES] = {0};
    for (int i = 0; i < model->n_joints; ++i)
        ++n_of_type[model->joints[i].type];
    const char *title = model->name[0] ? model->name : is_spatial ? "spatial mechanism" : "planar linkage";
    sarrus_report_column(to->out, title,
                         sarrus_report_width(title) < SARRUS_CARD_COLUMNS ? sarrus_report_width(title) : SARRUS_CARD_COLUMNS);
    fputs("\n\n", to->out);
    sarrus_report_line(to->out, "bodies", "%d, besides ground; %s", model->n_bodies, is_spatial ? "spatial" : "planar");
    sarrus_report_label(to->out, "joints");
    fprintf(to->out, "%d", model->n_joints);
    const char *before = ": ";
    for (int type = 0; type < SARRUS_N_JOINT_TYPES; ++type) {
        if (n_of_type[type] > 0) {
            fprintf(to->out, "%s%d %s", before, n_of_type[type], sarrus_joint_word((sarrus_joint_type)type));
            before = ", ";
        }
    }
    fputc('\n', to->out);
    if (model->n_constraints > 0)
        put_constraint_types(to);
    if (to->plan->mech.moves_ground)
        put_ground(to);
    sarrus_report_line(to->out, "forces", "%d; signals %d, driven %s %d, external inputs %d", model->n_forces, model->n_signals,
                       is_spatial ? "coordinates" : "joints", to->plan->mech.n_drives, model->n_inputs);
    sarrus_report_line(to->out, "plan", "%016" PRIx64, to->plan->hash);
}

/* Rows that hold speeds and say nothing of positions. */
static int count_slips(const sarrus_model *model) {
    int n = 0;
    for (int i = 0; i < model->n_constraints; ++i) {
        const sarrus_constraint *constraint = &model->constraints[i];
        if (constraint->type == SARRUS_CONSTRAINT_NONHOLONOMIC)
            n += constraint->slip_kind == SARRUS_SLIP_ROLLING ? 2 : 1; /* the row of contact is one of positions */
    }
    return n;
}

static void put_sizes(const card *to) {
    const sarrus_plan *plan = to->plan;
    const sarrus_plan_independence *found = &plan->independence;
    int n = plan->mech.n_v, m = plan->mech.m, r = found->n_independent;
    sarrus_report_title(to->out, "Coordinates and constraints");
    if (plan->mech.n_q == n)
        sarrus_report_line(to->out, "coordinates n", "%d", n);
    else
        sarrus_report_line(to->out, "speeds n", "%d; %d coordinates, with %d unit lengths of Euler parameters", n, plan->mech.n_q,
                           plan->mech.n_bodies);
    sarrus_report_line(to->out, "size", "%.6g m", plan->start.size);
    sarrus_report_line(to->out, "constraints m", "%d", m);
    sarrus_report_line(to->out, "rank r", "%d, the largest in %d configurations; %d at t = 0", r, found->n_configurations,
                       m > 0 ? found->rank_at_t0 : 0);
    sarrus_report_line(to->out, "degrees of freedom", "%d = n - r", n - r);
    const int n_slips = count_slips(to->model);
    if (n_slips > 0)
        sarrus_report_line(to->out, "nonholonomic", "%d of the constraints are in the speeds alone", n_slips);
    sarrus_report_line(to->out, "redundant constraints", "%d = m - r", m - r);
    if (m > r)
        sarrus_report_line(to->out, "singular values", "smallest counted %.1e, largest not counted %.1e, of the largest",
                           found->smallest_kept, found->largest_dropped);
    else if (m > 0)
        sarrus_report_line(to->out, "singular values", "smallest %.1e of the largest, all counted", found->smallest_kept);
}

/* Bodies that may be without mass or inertia, with what they may be without. */
static void put_lacking(const card *to) {
    const sarrus_plan *plan = to->plan;
    if (!plan->lack)
        return;
    sarrus_report_list list = sarrus_report_list_begin(to->out, "may lack inertia", plan->mech.n_lacking);
    for (int b = 0; b < plan->mech.n_bodies; ++b) {
        const sarrus_plan_lack *lack = &plan->lack[b];
        const char *what = lack->inertia == 0.0 ? "mass" : lack->mass == 0.0 ? "inertia" : "mass, inertia";
        char word[10 * SARRUS_CARD_NAME_WIDTH];
        if (lack->mass == 0.0 && lack->inertia == 0.0)
            continue;
        snprintf(word, sizeof word, "%s (%s)", body_name(to, b), what);
        sarrus_report_list_put(&list, word);
    }
    sarrus_report_list_end(&list);
}

static int group_root(int *group, int body) {
    while (group[body] != body) {
        group[body] = group[group[body]];
        body = group[body];
    }
    return body;
}

/* The group of a row whose multiplier is not unique, GROUP_NONE when it is unique or holds no body. */
static int group_of_row(const card *to, int i_row) {
    int32_t bodies[SARRUS_ROW_BODIES];
    const int n = sarrus_plan_row_bodies(to->plan, i_row, bodies);
    int body = bodies[1] >= 0 ? bodies[1] : bodies[0];
    for (int k = 2; k < n; ++k)
        body = body < 0 ? bodies[k] : body;
    return to->plan->independence.row_is_unique[i_row] || body < 0 ? GROUP_NONE : group_root(to->group, body);
}

static bool joint_is_in_group(const card *to, int i_joint, int group) {
    const sarrus_mech_joint *joint = &to->plan->joint[i_joint];
    for (int i = joint->row; i < joint->row + joint->n_rows; ++i) {
        if (group_of_row(to, i) == group)
            return true;
    }
    return false;
}

/* A null vector of Jᵀ is zero on unique rows, and it splits into null vectors of the sets of rows that no body connects: so the
 * reactions that a dependent row leaves open belong to joints of its own set. */
static void groups_make(const card *to) {
    const sarrus_plan *plan = to->plan;
    for (int b = 0; b < to->model->n_bodies; ++b)
        to->group[b] = b;
    for (int i = 0; i < plan->mech.m; ++i) {
        int32_t bodies[SARRUS_ROW_BODIES];
        const int n = plan->independence.row_is_unique[i] ? 0 : sarrus_plan_row_bodies(plan, i, bodies);
        for (int k = 0, first = -1; k < n; ++k) {
            if (bodies[k] >= 0 && first >= 0) {
                int x = group_root(to->group, first), y = group_root(to->group, bodies[k]);
                to->group[x > y ? x : y] = x > y ? y : x;
            }
            first = first < 0 ? bodies[k] : first;
        }
    }
}

static void put_group(const card *to, int group) {
    const sarrus_plan *plan = to->plan;
    const sarrus_plan_independence *found = &plan->independence;
    int n_dependent = plan->mech.m - found->n_independent, n_rows = 0, n_joints = 0, n_named = 0;
    for (int d = 0; d < n_dependent; ++d)
        n_rows += group_of_row(to, found->dependent[d]) == group;
    const int n_owners = plan->mech.n_joints + plan->mech.n_constraints;
    for (int i = 0; i < n_owners; ++i)
        n_joints += joint_is_in_group(to, i, group);
    sarrus_report_list rows = sarrus_report_list_begin(to->out, "redundant", n_rows);
    for (int d = 0; d < n_dependent; ++d) {
        if (group_of_row(to, found->dependent[d]) != group)
            continue;
        char word[10 * SARRUS_CARD_NAME_WIDTH];
        sarrus_plan_row_name(plan, found->dependent[d], word, sizeof word);
        sarrus_report_list_put(&rows, word);
        ++n_named;
    }
    sarrus_report_list_end(&rows);
    sarrus_report_list joints = sarrus_report_list_begin(to->out, n_named == 1 ? "  leaves open" : "  leave open", n_joints);
    for (int i = 0; i < n_owners; ++i) {
        if (joint_is_in_group(to, i, group))
            sarrus_report_list_put(&joints, sarrus_plan_owner_name(plan, i));
    }
    sarrus_report_list_end(&joints);
}

static void put_redundancy(const card *to) {
    const sarrus_plan_independence *found = &to->plan->independence;
    int n_dependent = to->plan->mech.m - found->n_independent, n_groups = 0;
    bool none_is_put = false;
    sarrus_report_title(to->out, "Redundant constraints and the joints whose reactions they leave open");
    if (n_dependent == 0)
        sarrus_report_line(to->out, "redundant", "none");
    groups_make(to);
    for (int d = 0; d < n_dependent; ++d) {
        const int group = group_of_row(to, found->dependent[d]);
        bool *is_put = group == GROUP_NONE ? &none_is_put : &to->group_is_put[group];
        if (!*is_put && n_groups++ < SARRUS_CARD_MAX_LINES / 4)
            put_group(to, group);
        *is_put = true;
    }
    if (n_groups > SARRUS_CARD_MAX_LINES / 4)
        sarrus_report_line(to->out, "", "… and %d more groups", n_groups - SARRUS_CARD_MAX_LINES / 4);
}

static bool joint_is_driven(const sarrus_plan *plan, int i_joint) {
    const sarrus_mech_joint *joint = &plan->joint[i_joint];
    return joint->n_rows > 0 && sarrus_plan_row_is_drive(plan, joint->row + joint->n_rows - 1);
}

static void put_joint_line(const card *to, int i) {
    const sarrus_joint *joint = &to->model->joints[i];
    const sarrus_mech_joint *mech = &to->plan->joint[i];
    fputs("  ", to->out);
    sarrus_report_column(to->out, joint->name, SARRUS_CARD_NAME_WIDTH);
    fprintf(to->out, " %-10s", sarrus_joint_word(joint->type));
    sarrus_report_column(to->out, body_name(to, joint->body[0]), SARRUS_CARD_NAME_WIDTH - 4);
    fputc(' ', to->out);
    sarrus_report_column(to->out, body_name(to, joint->body[1]), SARRUS_CARD_NAME_WIDTH - 4);
    fprintf(to->out, " %4d  %-5s %-8s %s\n", mech->n_rows,
            mech->n_rows == 0 ? "-"
            : to->is_cut[i]   ? "cut"
                              : "tree",
            joint_is_driven(to->plan, i) ? "driven"
            : mech->elastic              ? "elastic"
                                         : "-",
            sarrus_plan_reaction_is_unique(to->plan, i) ? "yes" : "no");
}

/* What every joint in space leaves free. */
static void put_freedoms(const card *to) {
    const sarrus_plan *plan = to->plan;
    sarrus_report_title(to->out, "Free coordinates");
    for (int i = 0, first = 0; i < to->model->n_joints && i < SARRUS_CARD_MAX_LINES; ++i) {
        sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
        const int n = sarrus_joint_freedoms(&to->model->joints[i], forms);
        sarrus_report_list list = sarrus_report_list_begin(to->out, to->model->joints[i].name, n);
        for (int k = first; k < first + n; ++k) {
            char word[80];
            const sarrus_mech_freedom *freedom = &plan->freedom[k];
            const char *how = freedom->signal >= 0 ? "driven " : freedom->elastic ? "elastic " : "";
            snprintf(word, sizeof word, "%s%s", how, sarrus_freedom_text((sarrus_freedom)freedom->form));
            sarrus_report_list_put(&list, word);
        }
        sarrus_report_list_end(&list);
        first += n;
    }
}

static const char *coupled_name(const card *to, const sarrus_coupled *of) {
    return of->joint >= 0 ? to->model->joints[of->joint].name : "distance";
}

/* What follows (0) and what it follows (1): of a pair of bodies that of the point and the other one. */
static const char *side_name(const card *to, const sarrus_constraint *constraint, int k) {
    if (!sarrus_constraint_couples(constraint->type))
        return body_name(to, constraint->of[0].body[1 - k]);
    return coupled_name(to, &constraint->of[k]);
}

/* What every constraint beside joints couples. */
static void put_constraints(const card *to) {
    const sarrus_model *model = to->model;
    if (model->n_constraints == 0)
        return;
    fprintf(to->out, "\n  %-*s %-13s%-*s %-*s %4s  %s\n", SARRUS_CARD_NAME_WIDTH, "constraint", "type", SARRUS_CARD_NAME_WIDTH - 4,
            "follower", SARRUS_CARD_NAME_WIDTH - 4, "leader", "rows", "unique");
    for (int i = 0; i < model->n_constraints && i < SARRUS_CARD_MAX_LINES; ++i) {
        const sarrus_constraint *constraint = &model->constraints[i];
        fputs("  ", to->out);
        sarrus_report_column(to->out, constraint->name, SARRUS_CARD_NAME_WIDTH);
        fprintf(to->out, " %-13s", sarrus_constraint_word(constraint->type));
        sarrus_report_column(to->out, side_name(to, constraint, 0), SARRUS_CARD_NAME_WIDTH - 4);
        fputc(' ', to->out);
        sarrus_report_column(to->out, side_name(to, constraint, 1), SARRUS_CARD_NAME_WIDTH - 4);
        fprintf(to->out, " %4d  %s\n", to->plan->joint[model->n_joints + i].n_rows,
                sarrus_plan_reaction_is_unique(to->plan, model->n_joints + i) ? "yes" : "no");
    }
    if (model->n_constraints > SARRUS_CARD_MAX_LINES)
        fprintf(to->out, "  … and %d more constraints\n", model->n_constraints - SARRUS_CARD_MAX_LINES);
}

static void put_uniqueness(const card *to) {
    const sarrus_plan_independence *found = &to->plan->independence;
    int n_joints = to->model->n_joints, n_unique = 0;
    bool is_full = to->plan->mech.m == found->n_independent;
    for (int i = 0; i < n_joints; ++i)
        n_unique += sarrus_plan_reaction_is_unique(to->plan, i);
    sarrus_report_title(to->out, "Uniqueness");
    sarrus_report_line(to->out, "accelerations a", "unique: every mass and inertia is positive, so M is definite on ker J");
    if (is_full)
        sarrus_report_line(to->out, "multipliers", "unique: J has full row rank");
    else
        sarrus_report_sentence(to->out, "multipliers", "not unique: m > r; those %s are reported",
                               sarrus_plan_weights_text(to->plan));
    sarrus_report_line(to->out, "joint reactions", "unique in %d of %d joints", n_unique, n_joints);
    if (n_joints == 0)
        return;
    fprintf(to->out, "\n  %-*s %-10s%-*s %-*s %4s  %-5s %-8s %s\n", SARRUS_CARD_NAME_WIDTH, "joint", "type",
            SARRUS_CARD_NAME_WIDTH - 4, "parent", SARRUS_CARD_NAME_WIDTH - 4, "child", "rows", "graph", "free", "unique");
    for (int i = 0; i < n_joints && i < SARRUS_CARD_MAX_LINES; ++i)
        put_joint_line(to, i);
    if (n_joints > SARRUS_CARD_MAX_LINES)
        fprintf(to->out, "  … and %d more joints\n", n_joints - SARRUS_CARD_MAX_LINES);
}

/* What was looked at, and what was taken. */
static void put_orders(const card *to) {
    const sarrus_plan *plan = to->plan;
    sarrus_report_line(to->out, "orders", "%-22s %14s %12s %8s", "", "factor + solve", "blocks of L", "levels");
    for (int i = 0; i < SARRUS_N_ORDERS; ++i) {
        const sarrus_plan_order *order = &plan->order[i];
        if (isinf(order->flops)) {
            sarrus_report_line(to->out, "", "%-22s %14s", order->name, "too many");
            continue;
        }
        sarrus_report_line(to->out, order->is_chosen ? "  taken" : "", "%-22s %8.0f flops %12d %8d", order->name, order->flops,
                           order->n_entries, order->n_levels);
    }
}

/* The bodies whose pins on ground are not in the factor. */
static void put_cranks(const card *to) {
    const sarrus_plan *plan = to->plan;
    sarrus_report_list list = sarrus_report_list_begin(to->out, "cranks, in closed form", plan->mech.n_cranks);
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        const sarrus_mech_joint *joint = &plan->joint[i];
        if (joint->is_crank_pin)
            sarrus_report_list_put(&list, plan->model->bodies[joint->child >= 0 ? joint->child : joint->parent].name);
    }
    sarrus_report_list_end(&list);
}

static void put_elimination(const card *to) {
    const sarrus_plan *plan = to->plan;
    const sarrus_mech_factor *factor = &plan->mech.factor;
    const sarrus_plan_cost *cost = &plan->cost;
    int n = factor->n_rows;
    sarrus_report_title(to->out,
                        plan->relative ? "Elimination over the bodies, which outputs take and steps do not" : "Elimination");
    sarrus_report_list list = sarrus_report_list_begin(to->out, "order of the rows", n);
    for (int k = 0; k < n; ++k)
        put_row(to->plan, &list, factor->row_of[k]);
    sarrus_report_list_end(&list);
    if (plan->mech.space == SARRUS_SPACE_PLANAR)
        put_cranks(to);
    put_orders(to);
    sarrus_report_line(to->out, "factor L", "%d blocks of 2x2 below a diagonal of %d (full: %.0f)", factor->n_entries,
                       factor->n_blocks, 0.5 * factor->n_blocks * (factor->n_blocks - 1.0) + 0.0);
    sarrus_report_line(to->out, "  fill-in, padding", "%d numbers", factor->n_fill + factor->n_pads);
    if (isnan(cost->flops_per_evaluation))
        return;
    sarrus_report_line(to->out, "one evaluation", "%.0f flops, %.0f divisions and roots, %.0f sin-cos pairs",
                       cost->flops_per_evaluation, cost->divisions_per_evaluation, cost->sincos_per_evaluation);
    double algebra = cost->algebra_flops_per_evaluation, dense = cost->dense_algebra_flops_per_evaluation;
    sarrus_report_line(to->out, "  its linear algebra", "%.0f flops", algebra);
    sarrus_report_line(to->out, "  with full matrices", "%.0f flops, of which linear algebra %.0f",
                       cost->flops_per_evaluation - algebra + dense, dense);
    if (!plan->mech.integrator.is_adaptive)
        sarrus_report_line(to->out, "one step", "%.0f flops, %.0f divisions and roots, %.0f sin-cos pairs", cost->flops_per_step,
                           cost->divisions_per_step, cost->sincos_per_step);
}

static void put_layout(const card *to) {
    const sarrus_mechanism *mech = &to->plan->mech;
    const sarrus_tile_layout *at = &mech->layout;
    sarrus_report_title(to->out, "Tile (numbers of one instance)");
    sarrus_report_line(to->out, "bytes per instance", "%" PRIu64 " = %d numbers", to->plan->cost.bytes_per_instance, at->n_arrays);
    if (mech->n_q == mech->n_v)
        sarrus_report_line(to->out, "state", "q from %d, v from %d, %d each; at t = 0: q from %d, v from %d", at->q, at->v,
                           mech->n_v, at->q0, at->v0);
    else
        sarrus_report_line(to->out, "state", "q from %d, %d of them, v from %d, %d; at t = 0: q from %d, v from %d", at->q,
                           mech->n_q, at->v, mech->n_v, at->q0, at->v0);
    sarrus_report_line(to->out, "parameters", "%d from %d; inputs %d from %d", mech->n_parameters, at->parameter, mech->n_inputs,
                       at->input);
    sarrus_report_line(to->out, "words", "status %d, status at t = 0 %d, failed step %d, rank %d", at->status, at->status0,
                       at->failed_step, at->rank);
}

/* False: no memory. */
static bool put_report(const card *to) {
    put_head(to);
    put_sizes(to);
    put_lacking(to);
    sarrus_report_relative(to->out, to->plan);
    const bool is_done = sarrus_report_graph(to->out, to->plan);
    put_redundancy(to);
    put_uniqueness(to);
    put_constraints(to);
    if (to->model->space == SARRUS_SPACE_SPATIAL)
        put_freedoms(to);
    put_elimination(to);
    put_layout(to);
    sarrus_report_settings(to->out, to->plan);
    return is_done;
}

sarrus_status sarrus_plan_report_write(sarrus_context *context, sarrus_plan *plan) {
    size_t n_bodies = (size_t)plan->model->n_bodies, n_text = 0;
    char *text = NULL;
    card to = {.plan = plan, .model = plan->model};
    to.is_cut = calloc((size_t)plan->model->n_joints + 1, sizeof *to.is_cut);
    to.group = calloc(n_bodies + 1, sizeof *to.group);
    to.group_is_put = calloc(n_bodies + 1, sizeof *to.group_is_put);
    to.out = to.is_cut && to.group && to.group_is_put ? open_memstream(&text, &n_text) : NULL;
    bool is_done = false;
    if (to.out) {
        for (int i = 0; i < plan->graph.n_cuts; ++i)
            to.is_cut[plan->graph.cut[i]] = true;
        is_done = put_report(&to) && !ferror(to.out);
        is_done = fclose(to.out) == 0 && is_done && text;
    }
    free(to.is_cut);
    free(to.group);
    free(to.group_is_put);
    if (!is_done) {
        free(text);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the model card");
    }
    free(plan->report);
    plan->report = text;
    return SARRUS_OK;
}
