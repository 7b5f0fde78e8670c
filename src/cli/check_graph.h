/* The graph of a mechanism as `sarrus check --json` shows it. */
#ifndef SARRUS_CLI_CHECK_GRAPH_H
#define SARRUS_CLI_CHECK_GRAPH_H

#include "edge/json.h"
#include "sarrus/plan.h"

/* The member "graph" of an object that is open. */
void sarrus_check_graph_put(sarrus_json *json, const sarrus_plan *plan);

#endif
