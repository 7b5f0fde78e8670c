/* Which formulation makes the steps: the one that the scenario names or, for `auto`, the one that is expected to be the faster of
 * those that can do the mechanism. */
#include <stdlib.h>

#include "core/formulation_kind.h"
#include "core/report.h"
#include "plan/build.h"
#include "plan/cost.h"
#include "plan/pin_tree.h"

/* By how much fewer operations the tree has to do with, of those that code_flops.c counts. It counts rows and solutions of
 * bodies twice, and what a tree adds to an output (the bodies) not at all: measured, scenarios with 3.5 to 6.8 run 1.7 to 3
 * times as fast over the tree, and those with 2.4 and less no faster. */
#define SARRUS_TREE_GAIN 2.5

/* The same of driven mechanisms in the plane: a driven row costs bodies little where they are cranks (crank.c). Measured with
 * kernels for the plan, those with 1.25 and more are 1.2 to 1.3 times as fast over the tree, those with 0.64 to 1.1 run 0.67 to 1.1
 * times. */
#define SARRUS_DRIVEN_TREE_GAIN 1.2

/* Planning over a tree takes more than linear time, so in the plane it is not tried where it would not be taken: bodies that hang
 * on one another are 1.4 times as fast over it and more (measured up to 128), and each row has 40 operations or more. */
enum { MOST_PLANAR_BODIES = 128, MOST_PLANAR_ROWS = 200 };

static bool is_short(const sarrus_mechanism *bodies) {
    return bodies->n_bodies <= MOST_PLANAR_BODIES && bodies->m <= bodies->n_v + MOST_PLANAR_ROWS;
}

/* Over a tree J is another one, over other speeds: who chooses how it is decomposed or what its rank is chooses J with it. */
static bool may_be_relative(const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    return (model->space == SARRUS_SPACE_SPATIAL || is_short(&plan->mech)) && model->dynamics.pinv == SARRUS_PINV_AUTO &&
           model->dynamics.rank_method == SARRUS_RANK_AUTO && sarrus_plan_relative_why_not(plan) == NULL;
}

/* Makes the plan over the tree as a trial: what speaks against it is no error of the scenario. Only what is no property of the
 * mechanism may not decide: the bits of a result do not depend on what memory there is. */
static sarrus_status try_relative(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    sarrus_context *aside = NULL;
    sarrus_status status = sarrus_context_create(&aside);
    if (status == SARRUS_OK)
        status = sarrus_plan_relative_make(aside, plan, wanted);
    sarrus_context_destroy(aside);
    return status == SARRUS_NO_MEMORY ? sarrus_report(context, status, "out of memory for the plan in relative coordinates")
                                      : status;
}

/* Whether a spring between points pulls at a body that is a tree by itself. Fixed steps are made in parts by what their middle
 * stages differ by, and all of that vanishes where the one acceleration of such a body has an extremum: stiff springs then take
 * parts that are too long, and instances end that bodies, which turn besides, carry on. */
static bool is_pulled_alone(const sarrus_mechanism *bodies, const sarrus_plan *tree) {
    const sarrus_mech_tree *t = &tree->mech.tree;
    if (!bodies->has_parts || tree->mech.m > 0)
        return false;
    for (int32_t i = 0; i < bodies->n_forces; ++i) {
        for (int side = 0; side < 2 && bodies->force[i].type == SARRUS_FORCE_SPRING; ++side) {
            const int32_t body = bodies->force[i].body[side];
            int32_t n_speeds = 0;
            for (int32_t k = 0; body >= 0 && k < t->n_links; ++k)
                n_speeds += t->link[k].root == t->link[tree->link_of[body]].root ? t->link[k].n_v : 0;
            if (n_speeds == 1)
                return true;
        }
    }
    return false;
}

/* In the plane the operations do not tell: kernels for a plan are 1.2 to 2.8 times as fast over the tree, which has a part of the
 * numbers, the generic ones about as fast, some less. So loops go over the tree as long as kernels can be made for it. */
static bool planar_tree_is_better(const sarrus_mechanism *bodies, const sarrus_plan *tree) {
    const bool is_projected = bodies->project != SARRUS_PROJECTION_NONE;
    if (tree->cost.code_flops * (is_projected ? SARRUS_PLAN_PROJECTED_SHARE : 1.0) > SARRUS_PLAN_MOST_TREE_FLOPS)
        return false;
    return bodies->n_drives == 0 || sarrus_plan_planar_flops(bodies) > SARRUS_DRIVEN_TREE_GAIN * tree->cost.code_flops;
}

static bool relative_is_better(const sarrus_plan *plan) {
    const sarrus_mechanism *bodies = &plan->mech;
    const sarrus_plan *tree = plan->relative;
    const bool hangs = tree->mech.n_v < bodies->n_v; /* something does, by a joint that a tree can have */
    if (!hangs || is_pulled_alone(bodies, tree))
        return false;
    if (tree->mech.m == 0) /* nothing is left to be closed */
        return true;
    if (bodies->space == SARRUS_SPACE_PLANAR)
        return planar_tree_is_better(bodies, tree);
    return SARRUS_TREE_GAIN * tree->cost.code_flops < sarrus_plan_spatial_flops(bodies);
}

/* The tree of pins along which shifts are eliminated has to hold all bodies. */
static sarrus_status check_pins(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_location where = sarrus_plan_formulation_place(plan->model);
    int32_t *tree = calloc((size_t)plan->mech.n_bodies + 1, SARRUS_PLAN_PIN_NUMBERS * sizeof *tree);
    const bool has_tree = tree && sarrus_plan_pin_tree(&plan->mech, tree);
    free(tree);
    if (!tree)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the tree of pins");
    if (has_tree)
        return SARRUS_OK;
    return sarrus_report_at(
        context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
        "'formulation: barycentric' eliminates shifts along pins, and not every body hangs on ground by joints that "
        "hold a point; expected another formulation");
}

/* What the formulations that are written out in full ask for: masses that can be inverted, or pins. */
static sarrus_status check_in_full(sarrus_context *context, const sarrus_plan *plan) {
    const sarrus_formulation wish = plan->model->dynamics.formulation;
    const sarrus_location where = sarrus_plan_formulation_place(plan->model);
    if (wish == SARRUS_FORMULATION_BARYCENTRIC)
        return check_pins(context, plan);
    if (!sarrus_formulation_is_in_full(wish) || !sarrus_formulation_inverts_mass(wish) || plan->mech.n_lacking == 0)
        return SARRUS_OK;
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_UNSUPPORTED, &where,
                            "'formulation: %s' inverts M, and bodies may lack mass or inertia; expected saddle, null-space, "
                            "udwadia-phohomsiri or udwadia-kalaba",
                            sarrus_formulation_word(wish));
}

sarrus_status sarrus_plan_formulation_choose(sarrus_context *context, sarrus_plan *plan, sarrus_order_kind wanted) {
    const sarrus_formulation wish = plan->model->dynamics.formulation;
    if (wish == SARRUS_FORMULATION_AUTO && plan->mech.is_single)
        plan->mech.formulation = SARRUS_FORMULATION_RELATIVE;
    if (wish == SARRUS_FORMULATION_RELATIVE || wish == SARRUS_FORMULATION_RECURSIVE || plan->mech.is_single)
        return sarrus_plan_relative_make(context, plan, wanted);
    if (wish != SARRUS_FORMULATION_AUTO)
        return check_in_full(context, plan);
    if (!may_be_relative(plan))
        return SARRUS_OK;
    plan->mech.formulation = SARRUS_FORMULATION_RELATIVE;
    const sarrus_status status = try_relative(context, plan, wanted);
    if (status == SARRUS_OK && relative_is_better(plan))
        return SARRUS_OK;
    sarrus_plan_destroy(plan->relative);
    plan->relative = NULL;
    plan->mech.formulation = SARRUS_FORMULATION_UDWADIA_KALABA;
    return status == SARRUS_INTERRUPTED || status == SARRUS_NO_MEMORY ? status : SARRUS_OK;
}
