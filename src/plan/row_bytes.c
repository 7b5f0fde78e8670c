#include "plan/row_bytes.h"

#include "plan/body.h"
#include "plan/plan.h"

double sarrus_channel_bytes(const sarrus_plan *plan, unsigned channels, double width) {
    const int n_q = plan->mech.n_q, n = plan->mech.n_v, n_reaction = sarrus_body_sizes_of(plan->mech.space)->n_v,
              n_joints = plan->mech.n_joints, n_constraints = plan->mech.n_constraints,
              n_load = plan->mech.space == SARRUS_SPACE_SPATIAL ? 3 : 1, n_free = plan->mech.n_joint_numbers;
    const int n_dimension = sarrus_body_sizes_of(plan->mech.space)->dimension;
    int n_places = n_joints;
    for (int i = 0; i < n_joints; ++i)
        n_places += sarrus_joint_parts(plan->model->space, &plan->model->joints[i]);
    double bytes = 0.0;
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes_each, text)                                                                 \
    bytes += channels & bit ? (width > 0.0 ? width : bytes_each) * (numbers) : 0.0;
#include "sarrus/channel.def"
    return bytes;
}

double sarrus_point_numbers(const sarrus_plan *plan) {
    double n = 0.0;
    for (int i = 0; i < plan->model->output.n_points; ++i)
        for (unsigned orders = plan->model->output.points[i].orders; orders != 0; orders >>= 1)
            n += orders & 1U ? sarrus_body_sizes_of(plan->mech.space)->dimension : 0.0;
    return n;
}

double sarrus_output_bytes(const sarrus_plan *plan) {
    double bytes =
        8.0 * (plan->mech.n_drives + sarrus_point_numbers(plan)) + sarrus_channel_bytes(plan, plan->model->output.channels, 0.0);
#define SARRUS_ORIENTATION_FORM(name, word, n_numbers, units, scale, text, ...)                                                    \
    bytes += plan->model->output.orientations & 1U << SARRUS_ORIENTATION_##name ? 8.0 * (n_numbers)*plan->mech.n_bodies : 0.0;
#include "sarrus/orientation.def"
    return bytes;
}

/* Output times are held whole: where rows go with every instance there are two blocks of them, one is filled while the other is
 * written; what quantities and statistics look at is held once. Quantities take states, in which most of what they may name is. */
double sarrus_held_bytes(const sarrus_plan *plan) {
    const unsigned asked = plan->model->output.statistics;
    const bool is_watched = asked != 0 || plan->model->output.n_quantities > 0;
    const unsigned channels = is_watched ? asked | SARRUS_CHANNEL_STATE : 0;
    return (plan->model->output.has_kept ? 0.0 : 2.0 * sarrus_output_bytes(plan)) + sarrus_channel_bytes(plan, channels, 8.0) +
           (asked & SARRUS_STATISTICS_POINTS ? 8.0 * sarrus_point_numbers(plan) : 0.0) +
           (asked & SARRUS_STATISTICS_DRIVES ? 8.0 * plan->mech.n_drives : 0.0);
}
