/* Any scenario that the reader takes, planned: no crash, no leak; a refusal has a text, and a plan fits together. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sarrus/plan.h"
#include "sarrus/scenario.h"
#include "sarrus/warning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition) {
    if (!condition) {
        abort();
    }
}

static void plan_look(const sarrus_plan *plan) {
    sarrus_plan_sizes sizes;
    sarrus_warnings *warnings = NULL;
    int n_chosen = 0;
    sarrus_plan_sizes_get(plan, &sizes);
    must(sizes.rank >= 0 && sizes.rank <= sizes.m && sizes.rank <= sizes.n && sizes.rank_at_t0 <= sizes.m);
    must(sizes.n_dof == sizes.n - sizes.rank && sizes.n_redundant == sizes.m - sizes.rank);
    for (int i = 0; i < sizes.n; ++i) {
        must(sarrus_plan_coordinate_name(plan, i) != NULL && sarrus_plan_speed_name(plan, i) != NULL);
    }
    for (int i = 0; i < sarrus_plan_n_orders(plan); ++i) {
        sarrus_plan_order order;
        sarrus_plan_order_get(plan, i, &order);
        n_chosen += order.is_chosen;
    }
    must(n_chosen <= 1 && sarrus_plan_report(plan)[0] != '\0');
    must(sarrus_warnings_create(NULL, plan, 0, &warnings) == SARRUS_OK);
    sarrus_warnings_destroy(warnings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    must(sarrus_context_create(&context) == SARRUS_OK);
    if (sarrus_scenario_read_text(context, "fuzz", (const char *)data, size, NULL, 0, &model) == SARRUS_OK) {
        const sarrus_status status = sarrus_plan_create(context, model, &plan);
        must((status == SARRUS_OK) == (plan != NULL));
        must(status == SARRUS_OK || sarrus_context_n_diagnostics(context) > 0);
        if (plan != NULL) {
            plan_look(plan);
        }
    }
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return 0;
}
