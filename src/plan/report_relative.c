/* The section on relative coordinates: how many they are, and what is left of the rows. */
#include "plan/report_text.h"

static void put_cuts(FILE *out, const sarrus_plan *plan) {
    const sarrus_graph *graph = &plan->graph;
    sarrus_report_list list = sarrus_report_list_begin(out, "cut joints", graph->n_cuts);
    for (int i = 0; i < graph->n_cuts; ++i)
        sarrus_report_list_put(&list, plan->model->joints[graph->cut[i]].name);
    sarrus_report_list_end(&list);
}

void sarrus_report_relative(FILE *out, const sarrus_plan *absolute) {
    const sarrus_plan *plan = absolute->relative;
    if (!plan)
        return;
    const sarrus_mechanism *mech = &plan->mech;
    const int rank = plan->independence.n_independent;
    sarrus_report_title(out, "Relative coordinates, in which steps are made");
    sarrus_report_line(out, "coordinates", "%d, speeds %d: of the joints of a tree; bodies that float %d", mech->n_q, mech->n_v,
                       plan->graph.n_floating);
    sarrus_report_line(out, "constraints", "%d, of cut joints%s and drives; %d are met by the coordinates", mech->m,
                       mech->n_constraints > 0 ? ", constraints" : "", mech->tree.n_rows_within);
    sarrus_report_line(out, "rank", "%d; degrees of freedom %d, redundant %d", rank, mech->n_v - rank, mech->m - rank);
    put_cuts(out, plan);
    sarrus_report_line(out, "mass matrix M", "%d numbers below and on the diagonal (full: %.0f)", mech->tree.n_chain,
                       0.5 * mech->n_v * (mech->n_v + 1.0));
    sarrus_report_line(out, "factor L of S", "%d blocks of 2x2 below a diagonal of %d", mech->factor.n_entries,
                       mech->factor.n_blocks);
}
