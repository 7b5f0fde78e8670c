/* The model card: what the plan is, in words, for `sarrus check`. At most 100 columns; long lists are cut with a count. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/plan.h"

enum {
    COLUMNS = 98,
    LABEL_WIDTH = 24,
    NAME_WIDTH = 20, /* of a name in a table; longer ones are cut */
    MAX_LINES = 24,  /* of a table */
    MAX_LIST_LINES = 6,
    MAX_INDENTED = 16, /* levels of the tree drawn by indentation */
    GROUP_NONE = -1,
};

typedef struct card {
    FILE *out;
    const sarrus_plan *plan;
    const sarrus_model *model;
    int *child, *sibling; /* [n_bodies + 1] first child and next sibling in the tree, -1 none; ground is n_bodies */
    int *group;           /* [n_bodies] set of bodies that rows with shared multipliers connect */
} card;

static const char *const joint_types[] = {"revolute", "prismatic", "fixed", "distance"};

/* Characters of a UTF-8 text. */
static int text_width(const char *text) {
    int width = 0;
    for (; *text; ++text)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* The text in exactly `width` columns: filled up or cut. */
static void put_column(FILE *out, const char *text, int width) {
    int full = text_width(text);
    int shown = 0, n_shown = full <= width ? full : width - 1;
    for (; *text; ++text) {
        shown += ((unsigned char)*text & 0xC0) != 0x80;
        if (shown > n_shown)
            break;
        fputc(*text, out);
    }
    if (full > width)
        fputs("…", out);
    fprintf(out, "%*s", full < width ? width - full : 0, "");
}

static void put_title(const card *to, const char *title) {
    fprintf(to->out, "\n%s\n", title);
}

static void put_label(const card *to, const char *label) {
    fputs("  ", to->out);
    put_column(to->out, label, LABEL_WIDTH);
}

SARRUS_PRINTF(3, 4) static void put_line(const card *to, const char *label, const char *format, ...) {
    va_list arguments;
    put_label(to, label);
    va_start(arguments, format);
    vfprintf(to->out, format, arguments);
    va_end(arguments);
    fputc('\n', to->out);
}

/* A list of words behind a label, broken into lines. */
typedef struct word_list {
    const card *to;
    int column, n_lines, n_put, n_all;
    bool is_full;
} word_list;

static word_list list_begin(const card *to, const char *label, int n_all) {
    put_label(to, label);
    return (word_list){.to = to, .column = 2 + LABEL_WIDTH, .n_lines = 1, .n_all = n_all};
}

static void list_put(word_list *list, const char *word) {
    FILE *out = list->to->out;
    int width = text_width(word);
    width = width < 2 * NAME_WIDTH ? width : 2 * NAME_WIDTH;
    bool breaks = list->n_put > 0 && list->column + 2 + width >= COLUMNS;
    list->is_full = list->is_full || (breaks && list->n_lines == MAX_LIST_LINES);
    if (list->is_full)
        return;
    if (breaks) {
        fprintf(out, ",\n%*s", 2 + LABEL_WIDTH, "");
        list->column = 2 + LABEL_WIDTH;
        ++list->n_lines;
    } else if (list->n_put > 0) {
        fputs(", ", out);
        list->column += 2;
    }
    put_column(out, word, width);
    list->column += width;
    ++list->n_put;
}

static void list_end(const word_list *list) {
    FILE *out = list->to->out;
    if (list->n_put < list->n_all)
        fprintf(out, ",\n%*s… and %d more", 2 + LABEL_WIDTH, "", list->n_all - list->n_put);
    fputs(list->n_all == 0 ? "none\n" : "\n", out);
}

static const char *body_name(const card *to, int body) {
    return body >= 0 ? to->model->bodies[body].name : "ground";
}

/* What row i is called within its joint. */
static const char *row_label(const sarrus_plan *plan, int i_row) {
    const sarrus_mech_joint *joint = &plan->joint[plan->row[i_row].joint];
    static const char *const labels[][3] = {
        [SARRUS_KIND_REVOLUTE] = {"x", "y", ""},
        [SARRUS_KIND_PRISMATIC] = {"normal", "angle", ""},
        [SARRUS_KIND_FIXED] = {"x", "y", "angle"},
        [SARRUS_KIND_DISTANCE] = {"length", "", ""},
    };
    int k = i_row - joint->row;
    return joint->signal >= 0 && k == joint->n_rows - 1 ? "drive" : labels[joint->kind][k];
}

void sarrus_plan_row_name(const sarrus_plan *plan, int i_row, char *text, size_t n_text) {
    snprintf(text, n_text, "joint %s, %s", plan->model->joints[plan->row[i_row].joint].name, row_label(plan, i_row));
}

/* The row as "A.x", for long lists. */
static void list_put_row(word_list *list, int i_row) {
    const sarrus_plan *plan = list->to->plan;
    char word[10 * NAME_WIDTH];
    snprintf(word, sizeof word, "%s.%s", plan->model->joints[plan->row[i_row].joint].name, row_label(plan, i_row));
    list_put(list, word);
}

static void put_bytes(const card *to, const char *label, double bytes, const char *note) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit)
        bytes /= 1000;
    put_line(to, label, "%.*f %s%s", unit ? 1 : 0, bytes, units[unit], note);
}

static void put_head(const card *to) {
    const sarrus_model *model = to->model;
    int n_of_type[4] = {0};
    for (int i = 0; i < model->n_joints; ++i)
        ++n_of_type[model->joints[i].type];
    const char *title = model->name[0] ? model->name : "planar linkage";
    put_column(to->out, title, text_width(title) < COLUMNS ? text_width(title) : COLUMNS);
    fputs("\n\n", to->out);
    put_line(to, "bodies", "%d, besides ground; planar", model->n_bodies);
    put_label(to, "joints");
    fprintf(to->out, "%d", model->n_joints);
    const char *before = ": ";
    for (int type = 0; type < 4; ++type) {
        if (n_of_type[type] > 0) {
            fprintf(to->out, "%s%d %s", before, n_of_type[type], joint_types[type]);
            before = ", ";
        }
    }
    fputc('\n', to->out);
    put_line(to, "forces", "%d; signals %d, driven joints %d, external inputs %d", model->n_forces, model->n_signals,
             to->plan->mech.n_drives, model->n_inputs);
    put_line(to, "plan", "%016" PRIx64, to->plan->hash);
}

static void put_sizes(const card *to) {
    const sarrus_plan *plan = to->plan;
    const sarrus_plan_independence *found = &plan->independence;
    int n = plan->mech.n, m = plan->mech.m, r = found->n_independent;
    put_title(to, "Coordinates and constraints");
    put_line(to, "coordinates n", "%d", n);
    put_line(to, "constraints m", "%d", m);
    put_line(to, "rank r", "%d, the largest in %d configurations; %d at t = 0", r, found->n_configurations,
             m > 0 ? found->rank_at_t0 : 0);
    put_line(to, "degrees of freedom", "%d = n - r", n - r);
    put_line(to, "redundant constraints", "%d = m - r", m - r);
    if (m > r)
        put_line(to, "singular values", "smallest counted %.1e, largest not counted %.1e, of the largest", found->smallest_kept,
                 found->largest_dropped);
    else if (m > 0)
        put_line(to, "singular values", "smallest %.1e of the largest, all counted", found->smallest_kept);
    if (m > 0 && found->rank_at_t0 < r)
        put_line(to, "WARNING", "starts in a singular configuration: %d more degree%s of freedom at t = 0 only",
                 r - found->rank_at_t0, r - found->rank_at_t0 == 1 ? "" : "s");
}

/* Fills child and sibling: children in the order of their joints. */
static void tree_link(const card *to) {
    const sarrus_plan_graph *graph = &to->plan->graph;
    const sarrus_model *model = to->model;
    for (int b = 0; b <= model->n_bodies; ++b)
        to->child[b] = to->sibling[b] = -1;
    for (int i = model->n_joints - 1; i >= 0; --i) {
        if (graph->is_cut[i])
            continue;
        const int *end = model->joints[i].body;
        int body = end[0] >= 0 && graph->parent_joint[end[0]] == i ? end[0] : end[1];
        int parent = graph->parent_body[body] >= 0 ? graph->parent_body[body] : model->n_bodies;
        to->sibling[body] = to->child[parent];
        to->child[parent] = body;
    }
}

/* Of the body after `body` in the walk that visits a body before its children, below `root`; -1 at the end. */
static int tree_next(const card *to, int body, int root) {
    int n_bodies = to->model->n_bodies;
    if (to->child[body] >= 0)
        return to->child[body];
    while (body != root && to->sibling[body] < 0)
        body = to->plan->graph.parent_body[body] >= 0 ? to->plan->graph.parent_body[body] : n_bodies;
    return body == root ? -1 : to->sibling[body];
}

static void put_tree_line(const card *to, int body) {
    const sarrus_plan_graph *graph = &to->plan->graph;
    int depth = graph->depth[body], i_joint = graph->parent_joint[body];
    fprintf(to->out, "%*s", 2 + LABEL_WIDTH + 2 * (depth < MAX_INDENTED ? depth : MAX_INDENTED), "");
    if (depth > MAX_INDENTED)
        fprintf(to->out, "(level %d) ", depth);
    int width = text_width(body_name(to, body));
    put_column(to->out, body_name(to, body), width < NAME_WIDTH ? width : NAME_WIDTH);
    if (i_joint < 0) {
        fputs(", floating\n", to->out);
        return;
    }
    const char *name = to->model->joints[i_joint].name;
    fputs(" by ", to->out);
    put_column(to->out, name, text_width(name) < NAME_WIDTH ? text_width(name) : NAME_WIDTH);
    fprintf(to->out, " (%s)\n", joint_types[to->model->joints[i_joint].type]);
}

/* The bodies below `root` (a floating body: itself first); returns how many lines there would be, n_put of them before. */
static int put_branch(const card *to, int root, int n_put) {
    int body = root < to->model->n_bodies ? root : to->child[root];
    for (; body >= 0; body = tree_next(to, body, root)) {
        if (n_put++ < MAX_LINES)
            put_tree_line(to, body);
    }
    return n_put;
}

static void put_tree(const card *to) {
    int n_bodies = to->model->n_bodies;
    tree_link(to);
    put_line(to, "tree", "ground");
    int n_put = put_branch(to, n_bodies, 0);
    for (int b = 0; b < n_bodies; ++b) {
        if (to->plan->graph.parent_body[b] < SARRUS_GROUND)
            n_put = put_branch(to, b, n_put);
    }
    if (n_put > MAX_LINES)
        fprintf(to->out, "%*s… and %d more bodies\n", 2 + LABEL_WIDTH, "", n_put - MAX_LINES);
}

static void put_graph(const card *to) {
    const sarrus_plan_graph *graph = &to->plan->graph;
    const sarrus_model *model = to->model;
    put_title(to, "Graph");
    put_line(to, "parts", "%d (ground taken away), of which floating %d", graph->n_components, graph->n_floating);
    put_line(to, "loops", "%d", graph->n_cuts);
    put_tree(to);
    word_list list = list_begin(to, "cut joints", graph->n_cuts);
    for (int i = 0; i < model->n_joints; ++i) {
        if (!graph->is_cut[i])
            continue;
        char word[10 * NAME_WIDTH];
        const sarrus_joint *joint = &model->joints[i];
        snprintf(word, sizeof word, "%s (%s - %s)", joint->name, body_name(to, joint->body[0]), body_name(to, joint->body[1]));
        list_put(&list, word);
    }
    list_end(&list);
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
    const sarrus_mech_row *row = &to->plan->row[i_row];
    int body = row->child >= 0 ? row->child : row->parent;
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
        const sarrus_mech_row *row = &plan->row[i];
        if (plan->independence.row_is_unique[i] || row->parent < 0 || row->child < 0)
            continue;
        int x = group_root(to->group, row->parent), y = group_root(to->group, row->child);
        to->group[x > y ? x : y] = x > y ? y : x;
    }
}

static void put_group(const card *to, int group) {
    const sarrus_plan *plan = to->plan;
    const sarrus_plan_independence *found = &plan->independence;
    int n_dependent = plan->mech.m - found->n_independent, n_rows = 0, n_joints = 0, n_named = 0;
    for (int d = 0; d < n_dependent; ++d)
        n_rows += group_of_row(to, found->dependent[d]) == group;
    for (int i = 0; i < plan->mech.n_joints; ++i)
        n_joints += joint_is_in_group(to, i, group);
    word_list rows = list_begin(to, "redundant", n_rows);
    for (int d = 0; d < n_dependent; ++d) {
        if (group_of_row(to, found->dependent[d]) != group)
            continue;
        char word[10 * NAME_WIDTH];
        sarrus_plan_row_name(plan, found->dependent[d], word, sizeof word);
        list_put(&rows, word);
        ++n_named;
    }
    list_end(&rows);
    word_list joints = list_begin(to, n_named == 1 ? "  leaves open" : "  leave open", n_joints);
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        if (joint_is_in_group(to, i, group))
            list_put(&joints, to->model->joints[i].name);
    }
    list_end(&joints);
}

static void put_redundancy(const card *to) {
    const sarrus_plan_independence *found = &to->plan->independence;
    int n_dependent = to->plan->mech.m - found->n_independent, n_groups = 0;
    put_title(to, "Redundant constraints and the joints whose reactions they leave open");
    if (n_dependent == 0)
        put_line(to, "redundant", "none");
    groups_make(to);
    for (int d = 0; d < n_dependent; ++d) {
        int group = group_of_row(to, found->dependent[d]);
        bool is_new = true;
        for (int e = 0; e < d; ++e)
            is_new = is_new && group_of_row(to, found->dependent[e]) != group;
        if (is_new && n_groups++ < MAX_LINES / 4)
            put_group(to, group);
    }
    if (n_groups > MAX_LINES / 4)
        put_line(to, "", "… and %d more groups", n_groups - MAX_LINES / 4);
}

static void put_joint_line(const card *to, int i) {
    const sarrus_joint *joint = &to->model->joints[i];
    const sarrus_mech_joint *mech = &to->plan->joint[i];
    fputs("  ", to->out);
    put_column(to->out, joint->name, NAME_WIDTH);
    fprintf(to->out, " %-10s", joint_types[joint->type]);
    put_column(to->out, body_name(to, joint->body[0]), NAME_WIDTH - 4);
    fputc(' ', to->out);
    put_column(to->out, body_name(to, joint->body[1]), NAME_WIDTH - 4);
    fprintf(to->out, " %4d  %-5s %-8s %s\n", mech->n_rows, to->plan->graph.is_cut[i] ? "cut" : "tree",
            mech->signal >= 0 ? "driven"
            : mech->elastic   ? "elastic"
                              : "-",
            sarrus_plan_reaction_is_unique(to->plan, i) ? "yes" : "no");
}

static void put_uniqueness(const card *to) {
    const sarrus_plan_independence *found = &to->plan->independence;
    int n_joints = to->model->n_joints, n_unique = 0;
    bool is_full = to->plan->mech.m == found->n_independent;
    for (int i = 0; i < n_joints; ++i)
        n_unique += sarrus_plan_reaction_is_unique(to->plan, i);
    put_title(to, "Uniqueness");
    put_line(to, "accelerations a", "unique: every mass and inertia is positive, so M is definite on ker J");
    put_line(to, "multipliers", "%s",
             is_full ? "unique: J has full row rank" : "not unique: m > r; those of least norm are reported");
    put_line(to, "joint reactions", "unique in %d of %d joints", n_unique, n_joints);
    if (n_joints == 0)
        return;
    fprintf(to->out, "\n  %-*s %-10s%-*s %-*s %4s  %-5s %-8s %s\n", NAME_WIDTH, "joint", "type", NAME_WIDTH - 4, "parent",
            NAME_WIDTH - 4, "child", "rows", "graph", "free", "unique");
    for (int i = 0; i < n_joints && i < MAX_LINES; ++i)
        put_joint_line(to, i);
    if (n_joints > MAX_LINES)
        fprintf(to->out, "  … and %d more joints\n", n_joints - MAX_LINES);
}

static void put_elimination(const card *to) {
    const sarrus_plan *plan = to->plan;
    const sarrus_mech_factor *factor = &plan->mech.factor;
    const sarrus_plan_cost *cost = &plan->cost;
    int n = factor->n_independent;
    put_title(to, "Elimination");
    word_list list = list_begin(to, "order of the rows", n);
    for (int k = 0; k < n; ++k)
        list_put_row(&list, factor->row_of[k]);
    list_end(&list);
    put_line(to, "factor L", "%d blocks of 2x2 below a diagonal of %d (full: %d)", factor->n_entries, factor->n_blocks,
             factor->n_blocks * (factor->n_blocks - 1) / 2);
    put_line(to, "  fill-in, padding", "%d numbers", factor->n_fill + factor->n_pads);
    put_line(to, "one evaluation", "%.0f flops, %.0f divisions and roots, %.0f sin-cos pairs", cost->flops_per_evaluation,
             cost->divisions_per_evaluation, cost->sincos_per_evaluation);
    put_line(to, "  with full matrices", "%.0f flops for the linear algebra alone", cost->dense_flops_per_evaluation);
    if (!plan->mech.integrator.is_adaptive)
        put_line(to, "one step", "%.0f flops, %.0f divisions and roots, %.0f sin-cos pairs", cost->flops_per_step,
                 cost->divisions_per_step, cost->sincos_per_step);
}

static void put_layout(const card *to) {
    const sarrus_mechanism *mech = &to->plan->mech;
    const sarrus_tile_layout *at = &mech->layout;
    put_title(to, "Tile (numbers of one instance)");
    put_line(to, "bytes per instance", "%" PRIu64 " = %d numbers", to->plan->cost.bytes_per_instance, at->n_arrays);
    put_line(to, "state", "q from %d, v from %d, %d each; at t = 0: q from %d, v from %d", at->q, at->v, mech->n, at->q0, at->v0);
    put_line(to, "parameters", "%d from %d; inputs %d from %d", mech->n_parameters, at->parameter, mech->n_inputs, at->input);
    put_line(to, "words", "status %d, status at t = 0 %d, failed step %d, rank %d", at->status, at->status0, at->failed_step,
             at->rank);
}

static void put_dynamics(const card *to) {
    const sarrus_model *model = to->model;
    static const char *const projections[] = {"none", "every step", "above a tolerance"};
    put_title(to, "Dynamics");
    put_line(to, "formulation", "udwadia-kalaba");
    put_line(to, "pinv", "%s", sarrus_pinv_method_word(model->dynamics.pinv));
    if (model->dynamics.rank_method == SARRUS_RANK_AUTO)
        put_line(to, "rank decision", "auto: at most the rank of the assembled instance");
    else
        put_line(to, "rank decision", "%s, tol %g", sarrus_rank_method_word(model->dynamics.rank_method),
                 model->dynamics.rank_tolerance);
    if (model->dynamics.has_step_gains)
        put_line(to, "baumgarte", "alpha = beta, from the step");
    else if (to->plan->mech.has_baumgarte)
        put_line(to, "baumgarte", "alpha %g 1/s, beta %g 1/s", model->values[model->dynamics.alpha].nominal,
                 model->values[model->dynamics.beta].nominal);
    else
        put_line(to, "baumgarte", "none");
    if (model->dynamics.projection == SARRUS_PROJECTION_TOLERANCE)
        put_line(to, "projection", "above an error of %g", model->dynamics.projection_tolerance);
    else
        put_line(to, "projection", "%s", projections[model->dynamics.projection]);
    put_line(to, "integrator", "%s, dt %g s, t_end %g s: %" PRIu64 " steps", sarrus_integrator_word(model->integrator.method),
             model->integrator.dt, model->integrator.t_end, to->plan->n_steps);
}

static void put_sampled(const card *to, const sarrus_sampled *sampled) {
    static const char *const words[][3] = {{"normal", "mean", "sd"}, {"uniform", "from", "to"}, {"lognormal", "mu", "sigma"}};
    const char *const *word = words[sampled->kind];
    fprintf(to->out, "  %*s", LABEL_WIDTH, "");
    put_column(to->out, sampled->label, 2 * NAME_WIDTH - 8);
    fprintf(to->out, " %s, %s %.4g, %s %.4g", word[0], word[1], sampled->a, word[2], sampled->b);
    if (isfinite(sampled->min) || isfinite(sampled->max))
        fprintf(to->out, ", in [%.3g, %.3g]", sampled->min, sampled->max);
    if (sampled->n_targets > 1)
        fprintf(to->out, ", %d targets", sampled->n_targets);
    fputc('\n', to->out);
}

static void put_batch(const card *to) {
    const sarrus_model *model = to->model;
    put_title(to, "Batch");
    put_line(to, "instances", "%" PRIu64 ", seed %" PRIu64, model->batch.n_instances, model->batch.seed);
    put_bytes(to, "tiles", (double)model->batch.n_instances * (double)to->plan->cost.bytes_per_instance, "");
    put_line(to, "sampled parameters", "%d", model->batch.n_sampled);
    for (int i = 0; i < model->batch.n_sampled && i < MAX_LINES; ++i)
        put_sampled(to, &model->batch.sampled[i]);
    if (model->batch.n_sampled > MAX_LINES)
        put_line(to, "", "… and %d more", model->batch.n_sampled - MAX_LINES);
}

/* Bytes that one output of one instance takes in the file, before compression. */
static double output_bytes(const card *to) {
    const sarrus_mechanism *mech = &to->plan->mech;
    unsigned channels = to->model->output.channels;
    double bytes = 8.0 * mech->n_drives;
    bytes += channels & SARRUS_CHANNEL_STATE ? 16.0 * mech->n : 0.0;
    bytes += channels & SARRUS_CHANNEL_ENERGY ? 8.0 : 0.0;
    bytes += channels & SARRUS_CHANNEL_CONSTRAINT ? 16.0 : 0.0;
    bytes += channels & SARRUS_CHANNEL_RANK ? 2.0 : 0.0;
    bytes += channels & SARRUS_CHANNEL_REACTIONS ? 24.0 * mech->n_joints : 0.0;
    return bytes;
}

static void put_output(const card *to) {
    const sarrus_model *model = to->model;
    static const char *const names[] = {"state", "energy", "constraint", "rank", "reactions"};
    uint64_t every = model->output.every > 0 ? model->output.every : 1, n_steps = to->plan->n_steps;
    uint64_t n_times = 1 + n_steps / every + (n_steps % every != 0);
    int n_channels = 0;
    for (int i = 0; i < 5; ++i)
        n_channels += (model->output.channels >> i) & 1U ? 1 : 0;
    put_title(to, "Output");
    put_line(to, "times", "%" PRIu64 ", every %" PRIu64 " steps (%g s)", n_times, every, (double)every * model->integrator.dt);
    word_list list = list_begin(to, "channels", n_channels);
    for (int i = 0; i < 5; ++i) {
        if ((model->output.channels >> i) & 1U)
            list_put(&list, names[i]);
    }
    list_end(&list);
    put_bytes(to, "result file", (double)model->batch.n_instances * (double)n_times * output_bytes(to), " before compression");
}

static void put_card(const card *to) {
    put_head(to);
    put_sizes(to);
    put_graph(to);
    put_redundancy(to);
    put_uniqueness(to);
    put_elimination(to);
    put_layout(to);
    put_dynamics(to);
    put_batch(to);
    put_output(to);
}

sarrus_status sarrus_plan_card_write(sarrus_context *context, sarrus_plan *plan) {
    size_t n_bodies = (size_t)plan->model->n_bodies, n_text = 0;
    char *text = NULL;
    card to = {.plan = plan, .model = plan->model};
    to.child = calloc(n_bodies + 1, sizeof *to.child);
    to.sibling = calloc(n_bodies + 1, sizeof *to.sibling);
    to.group = calloc(n_bodies + 1, sizeof *to.group);
    to.out = to.child && to.sibling && to.group ? open_memstream(&text, &n_text) : NULL;
    bool is_done = false;
    if (to.out) {
        put_card(&to);
        is_done = !ferror(to.out);
        is_done = fclose(to.out) == 0 && is_done && text;
    }
    free(to.child);
    free(to.sibling);
    free(to.group);
    if (!is_done) {
        free(text);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the model card");
    }
    free(plan->card);
    plan->card = text;
    return SARRUS_OK;
}
