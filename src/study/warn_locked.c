/* Draws that lock what redundant constraints leave free: lengths or axes that no longer fit one another make a constraint that held
 * nothing hold. */
#include <math.h>
#include <stdio.h>

#include "plan/plan.h"
#include "sarrus/batch.h"
#include "study/draws.h"
#include "study/warning_list.h"

/* Instances that are assembled on trial, and coordinates of them at most: some hundredths of a second. */
enum { MAX_TRIALS = 32, MIN_TRIALS = 4 };
static const double max_coordinates = 2e4;

/* The ranks at t = 0 of instances with these draws (NULL: the nominal ones), ranks[n]; NaN of one that has failed. A batch that
 * cannot be made says so in its run. */
static bool ranks_find(const sarrus_plan *plan, const sarrus_draws *draws, uint64_t n, double *ranks) {
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1};
    sarrus_batch *batch = NULL;
    const bool good = sarrus_batch_create(NULL, plan, &options, n, draws, &batch) == SARRUS_OK &&
                      sarrus_batch_copy_observable(batch, SARRUS_OBSERVE_RANK, ranks) == SARRUS_OK;
    sarrus_batch_destroy(batch);
    return good;
}

void sarrus_warn_of_locked_draws(sarrus_warnings *warnings, const sarrus_plan *plan) {
    const int rank = plan->independence.n_independent, n_v = plan->mech.n_v;
    if (plan->model->batch.n_sampled == 0 || plan->mech.m == rank)
        return;
    const uint64_t n = (uint64_t)fmin(fmax(max_coordinates / n_v, MIN_TRIALS), MAX_TRIALS);
    const sarrus_draw_request request = {.seed = plan->model->batch.seed, .n_study = n, .n_instances = n, .is_plain = true};
    sarrus_draws *draws = NULL;
    double ranks[MAX_TRIALS], nominal, n_locked = 0.0, largest = rank;
    const bool good = sarrus_draws_make(NULL, plan->model, &request, &draws) == SARRUS_OK && ranks_find(plan, NULL, 1, &nominal) &&
                      ranks_find(plan, draws, n, ranks);
    sarrus_draws_destroy(draws);
    for (uint64_t i = 0; good && i < n; ++i) {
        n_locked += ranks[i] > fmax(rank, nominal);
        largest = fmax(largest, ranks[i]);
    }
    if (n_locked == 0.0)
        return;
    const double numbers[3] = {n_locked / (double)n, largest - rank, n_v - largest};
    char left[64] = "nothing can move";
    if (numbers[2] > 0.0)
        (void)snprintf(left, sizeof left, "%g degree%s of freedom %s left", numbers[2], numbers[2] == 1.0 ? "" : "s",
                       numbers[2] == 1.0 ? "is" : "are");
    sarrus_warnings_add(
        warnings, SARRUS_WARNING_LOCKED_DRAWS, "", numbers, 3,
        "in %g of %llu instances drawn on trial up to %g of the redundant constraints hold after all, since what is "
        "drawn does not fit together, and %s there; draws that keep the fit, or a bushing in place of a joint, let "
        "them move",
        n_locked, (unsigned long long)n, numbers[1], left);
}
