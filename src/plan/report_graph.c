/* The section on the graph: parts, loops, the tree, the cut joints and, of a small mechanism, the matrices C and T. Labels count
 * from 1, as in the sources; ground is 0. */
#include <stdlib.h>
#include <string.h>

#include "plan/report_text.h"

enum {
    MAX_INDENTED = 16, /* levels of the tree drawn by indentation */
    MAX_BODIES = 12,   /* of a mechanism whose matrices are shown */
    MAX_COLUMNS = 20,
};

typedef struct page {
    FILE *out;
    const sarrus_model *model;
    const sarrus_graph *graph;
} page;

static const char *body_name(const page *to, int body) {
    return body >= 0 ? to->model->bodies[body].name : "ground";
}

/* The text, cut when it is longer than a name should be. */
static void put_name(const page *to, const char *name) {
    const int width = sarrus_report_width(name);
    sarrus_report_column(to->out, name, width < SARRUS_CARD_NAME_WIDTH ? width : SARRUS_CARD_NAME_WIDTH);
}

static void put_tree_line(const page *to, int body) {
    const sarrus_graph *graph = to->graph;
    const int depth = graph->depth[body], i_joint = graph->joint[body];
    fprintf(to->out, "%*s", 2 + SARRUS_CARD_LABEL_WIDTH + 2 * (depth < MAX_INDENTED ? depth : MAX_INDENTED), "");
    if (depth > MAX_INDENTED)
        fprintf(to->out, "(level %d) ", depth);
    fprintf(to->out, "%d ", graph->label[body] + 1);
    put_name(to, body_name(to, body));
    if (i_joint < 0) {
        fputs(", floating\n", to->out);
        return;
    }
    fputs(" by ", to->out);
    put_name(to, to->model->joints[i_joint].name);
    fprintf(to->out, " (%s)%s\n", sarrus_joint_word(to->model->joints[i_joint].type),
            graph->is_reversed[body] ? ", as its parent" : "");
}

static void put_tree(const page *to) {
    const int n_bodies = to->graph->n_bodies;
    sarrus_report_line(to->out, "tree", "ground");
    for (int k = 0; k < n_bodies && k < SARRUS_CARD_MAX_LINES; ++k)
        put_tree_line(to, to->graph->order[k]);
    if (n_bodies > SARRUS_CARD_MAX_LINES)
        fprintf(to->out, "%*s… and %d more bodies\n", 2 + SARRUS_CARD_LABEL_WIDTH, "", n_bodies - SARRUS_CARD_MAX_LINES);
}

/* Why these joints: what the rule is, or whose choice. */
static void put_reasons(const page *to) {
    const sarrus_graph *graph = to->graph;
    int n_rows = 0, n_of[3] = {0};
    for (int i = 0; i < graph->n_cuts; ++i) {
        n_rows += sarrus_joint_n_rows(to->model->space, &to->model->joints[graph->cut[i]]);
        ++n_of[sarrus_graph_cut_reason(to->model, graph->cut[i])];
    }
    if (graph->n_cuts == 0)
        return;
    sarrus_report_line(to->out, "  rows in cuts", "%d", n_rows);
    if (n_of[SARRUS_CUT_CHOSEN] > 0)
        sarrus_report_line(to->out, "  why", "%d so that the cuts have the fewest rows, and then paths are short",
                           n_of[SARRUS_CUT_CHOSEN]);
    if (n_of[SARRUS_CUT_ASKED] > 0)
        sarrus_report_line(to->out, "  why", "%d because the scenario says so (dynamics.cut)", n_of[SARRUS_CUT_ASKED]);
    if (n_of[SARRUS_CUT_TYPE] > 0)
        sarrus_report_line(to->out, "  why", "%d because joints of that type are never in the tree", n_of[SARRUS_CUT_TYPE]);
}

static void put_cuts(const page *to) {
    const sarrus_graph *graph = to->graph;
    sarrus_report_list list = sarrus_report_list_begin(to->out, "cut joints", graph->n_cuts);
    for (int i = 0; i < graph->n_cuts; ++i) {
        char word[10 * SARRUS_CARD_NAME_WIDTH];
        const sarrus_joint *joint = &to->model->joints[graph->cut[i]];
        snprintf(word, sizeof word, "%s (%s - %s)", joint->name, body_name(to, joint->body[0]), body_name(to, joint->body[1]));
        sarrus_report_list_put(&list, word);
    }
    sarrus_report_list_end(&list);
    put_reasons(to);
}

/* The joints of the loop that each cut closes. False: no memory. */
static bool put_loops(const page *to) {
    const sarrus_graph *graph = to->graph;
    int32_t *path = malloc(((size_t)graph->n_bodies + 1) * sizeof *path);
    for (int i = 0; path && i < graph->n_cuts && i < SARRUS_CARD_MAX_LINES / 2; ++i) {
        const sarrus_joint *joint = &to->model->joints[graph->cut[i]];
        const int n = sarrus_graph_path(graph, joint->body[0], joint->body[1], path);
        char label[2 * SARRUS_CARD_LABEL_WIDTH];
        snprintf(label, sizeof label, "  %.*s closes", SARRUS_CARD_LABEL_WIDTH - 10, joint->name);
        sarrus_report_list list = sarrus_report_list_begin(to->out, label, n);
        for (int k = 0; k < n; ++k)
            sarrus_report_list_put(&list, to->model->joints[path[k]].name);
        sarrus_report_list_end(&list);
    }
    if (path && graph->n_cuts > SARRUS_CARD_MAX_LINES / 2)
        sarrus_report_line(to->out, "", "… and %d more loops", graph->n_cuts - SARRUS_CARD_MAX_LINES / 2);
    free(path);
    return path != NULL;
}

static void put_matrix(const page *to, const char *title, const int8_t *entries, int n_rows, int n_columns) {
    fprintf(to->out, "  %s", title);
    for (int k = 0; k < n_columns; ++k)
        fprintf(to->out, "%*d", k == 0 ? 2 + SARRUS_CARD_LABEL_WIDTH - (int)strlen(title) : 3, k + 1);
    fputc('\n', to->out);
    for (int i = 0; i < n_rows; ++i) {
        fprintf(to->out, "  %21d", i + (n_rows == to->graph->n_bodies));
        for (int k = 0; k < n_columns; ++k) {
            const int entry = entries[i * n_columns + k];
            fprintf(to->out, entry == 0 ? "  ." : "%3d", entry);
        }
        fputc('\n', to->out);
    }
}

/* C and T of a small mechanism. False: no memory. */
static bool put_matrices(const page *to) {
    const sarrus_graph *graph = to->graph;
    const int n = graph->n_bodies, n_columns = n + graph->n_cuts;
    if (n > MAX_BODIES || n_columns > MAX_COLUMNS)
        return true;
    int8_t *c = malloc((size_t)(n + 1) * (size_t)n_columns + (size_t)n * (size_t)n);
    if (c == NULL)
        return false;
    int8_t *t = c + (size_t)(n + 1) * (size_t)n_columns;
    sarrus_graph_incidence(graph, to->model, c);
    sarrus_graph_paths(graph, t);
    put_matrix(to, "incidence C", c, n + 1, n_columns);
    put_matrix(to, "paths T", t, n, n);
    free(c);
    return true;
}

bool sarrus_report_graph(FILE *out, const sarrus_plan *plan) {
    const page to = {out, plan->model, &plan->graph};
    sarrus_report_title(out, "Graph");
    sarrus_report_line(out, "parts", "%d (without ground), of which floating %d", plan->parts.n, plan->parts.n_floating);
    sarrus_report_line(out, "loops", "%d", plan->parts.n_loops);
    put_tree(&to);
    put_cuts(&to);
    return put_loops(&to) && put_matrices(&to);
}
