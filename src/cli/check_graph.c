#include "cli/check_graph.h"

#include "plan/plan.h"

/* Labels count from 1; ground is 0. */
static uint64_t label_of(const sarrus_graph *graph, int body) {
    return body < 0 ? 0 : (uint64_t)graph->label[body] + 1;
}

static void bodies_put(sarrus_json *json, const sarrus_plan *plan) {
    const sarrus_graph *graph = &plan->graph;
    sarrus_json_open(json, "bodies", '[');
    for (int k = 0; k < graph->n_bodies; ++k) {
        const int b = graph->order[k];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "name", plan->model->bodies[b].name);
        sarrus_json_count(json, "label", label_of(graph, b));
        sarrus_json_count(json, "inboard", label_of(graph, graph->inboard[b]));
        if (graph->joint[b] >= 0)
            sarrus_json_text(json, "joint", plan->model->joints[graph->joint[b]].name);
        else
            sarrus_json_null(json, "joint");
        sarrus_json_flag(json, "is_reversed", graph->is_reversed[b] != 0);
        sarrus_json_count(json, "depth", (uint64_t)graph->depth[b]);
        sarrus_json_count(json, "n_branch", (uint64_t)graph->n_branch[b]);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

static void cuts_put(sarrus_json *json, const sarrus_plan *plan) {
    static const char *const reasons[] = {[SARRUS_CUT_CHOSEN] = "chosen", [SARRUS_CUT_ASKED] = "asked", [SARRUS_CUT_TYPE] = "type"};
    const sarrus_graph *graph = &plan->graph;
    sarrus_json_open(json, "cuts", '[');
    for (int i = 0; i < graph->n_cuts; ++i) {
        const sarrus_joint *joint = &plan->model->joints[graph->cut[i]];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "joint", joint->name);
        sarrus_json_count(json, "parent", label_of(graph, joint->body[0]));
        sarrus_json_count(json, "child", label_of(graph, joint->body[1]));
        sarrus_json_count(json, "n_rows", (uint64_t)sarrus_joint_n_rows(plan->model->space, joint));
        sarrus_json_text(json, "reason", reasons[sarrus_graph_cut_reason(plan->model, graph->cut[i])]);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

void sarrus_check_graph_put(sarrus_json *json, const sarrus_plan *plan) {
    sarrus_json_open(json, "graph", '{');
    sarrus_json_count(json, "n_parts", (uint64_t)plan->parts.n);
    sarrus_json_count(json, "n_floating_parts", (uint64_t)plan->parts.n_floating);
    sarrus_json_count(json, "n_loops", (uint64_t)plan->parts.n_loops);
    bodies_put(json, plan);
    cuts_put(json, plan);
    sarrus_json_close(json, '}');
}
