/* Functions of a plan with what no caller should hand them. */
#ifndef SARRUS_TESTS_API_HOSTILE_PLAN_H
#define SARRUS_TESTS_API_HOSTILE_PLAN_H

#include "sarrus/sarrus.h"
#include "tests/api/hostile_world.h"

static bool names_nothing(const sarrus_plan *plan, int i) {
    return !sarrus_plan_coordinate_name(plan, i) && !sarrus_plan_speed_name(plan, i) && !sarrus_plan_joint_name(plan, i) &&
           sarrus_plan_joint_parent(plan, i) == -2 && sarrus_plan_joint_child(plan, i) == -2 &&
           sarrus_plan_joint_coordinates(plan, i, NULL) == -1;
}

static bool plan_made(void) {
    sarrus_plan *out = NULL;
    sarrus_plan_sizes sizes = {.n = 5};
    sarrus_plan_order order = {.flops = 5.0};
    sarrus_plan_sizes_get(NULL, &sizes);
    sarrus_plan_sizes_get(w.plan, NULL);
    sarrus_plan_order_get(w.plan, 0, NULL);
    sarrus_plan_order_get(NULL, 0, &order);
    bool good = bad_and_told(sarrus_plan_create(w.context, NULL, &out)) &&
                bad_and_told(sarrus_plan_create(w.context, w.model, NULL)) &&
                bad_and_told(sarrus_plan_create_watched(w.context, NULL, NULL, &out)) &&
                bad_and_told(sarrus_plan_create_watched(w.context, w.model, NULL, NULL)) && sizes.n == 0 && order.flops == 0.0 &&
                order.name && sarrus_plan_n_orders(NULL) == 0 && sarrus_plan_hash(NULL) == 0 && sarrus_plan_report(NULL) == NULL &&
                names_nothing(NULL, 0) && !sarrus_plan_coordinate_name(w.plan, 3) && !sarrus_plan_speed_name(w.plan, 3);
    for (int i = 0; i < N_BAD && good; ++i) {
        order = (sarrus_plan_order){.flops = 5.0};
        sarrus_plan_order_get(w.plan, bad_indices[i], &order);
        good = order.flops == 0.0 && order.name && names_nothing(w.plan, bad_indices[i]);
    }
    return good;
}

#endif
