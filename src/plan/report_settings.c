/* The model card: how the model is computed, with what instances, and what is written. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "plan/body.h"
#include "plan/report_text.h"
#include "plan/row_bytes.h"

static void put_rank_decision(FILE *out, const sarrus_plan *plan) {
    const sarrus_rank_method method = plan->model->dynamics.rank_method;
    char tolerance[40] = "";
    if (method != SARRUS_RANK_AUTO)
        snprintf(tolerance, sizeof tolerance, ", tol %g", plan->model->dynamics.rank_tolerance);
    sarrus_report_sentence(out, "rank decision", "%s%s: %s", sarrus_rank_method_word(method), tolerance,
                           sarrus_rank_method_text(method));
}

static void put_stabilization(FILE *out, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    static const char *const projections[] = {"none", "every step", "above a tolerance"};
    if (model->dynamics.has_step_gains)
        sarrus_report_line(out, "baumgarte", "alpha = beta, from the step");
    else if (plan->mech.has_baumgarte)
        sarrus_report_line(out, "baumgarte", "alpha %g 1/s, beta %g 1/s", model->values[model->dynamics.alpha].nominal,
                           model->values[model->dynamics.beta].nominal);
    else
        sarrus_report_line(out, "baumgarte", "none");
    if (model->dynamics.projection == SARRUS_PROJECTION_TOLERANCE)
        sarrus_report_line(out, "projection", "above an error of %g", model->dynamics.projection_tolerance);
    else
        sarrus_report_line(out, "projection", "%s", projections[model->dynamics.projection]);
}

static void put_integrator(FILE *out, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    const char *word = sarrus_integrator_word(model->integrator.method);
    char orders[24] = "";
    if (!sarrus_integrator_is_adaptive(model->integrator.method)) {
        sarrus_report_line(out, "integrator", "%s, dt %g s, t_end %g s: %" PRIu64 " steps%s", word, model->integrator.dt,
                           model->integrator.t_end, plan->n_steps, model->integrator.is_single ? ", single precision" : "");
        return;
    }
    if (model->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON)
        snprintf(orders, sizeof orders, ", orders 1 to %d", model->integrator.max_order);
    sarrus_report_line(out, "integrator", "%s%s, rtol %g, atol %g", word, orders, model->integrator.rtol, model->integrator.atol);
    sarrus_report_line(out, "steps", "the first %g s, at most %" PRIu64 ", to t_end %g s", model->integrator.dt,
                       model->integrator.max_steps, model->integrator.t_end);
}

static void put_limit(char *text, size_t size, double limit) {
    if (limit < SARRUS_NO_LIMIT)
        (void)snprintf(text, size, "%.3g", limit);
    else
        (void)snprintf(text, size, "off");
}

/* What an instance that is ok keeps to, as the plan has settled it. */
static void put_limits(FILE *out, const sarrus_plan *plan) {
    const sarrus_mechanism *mech = &plan->mech;
    const bool has_violation = mech->limit_violation < SARRUS_NO_LIMIT;
    char text[3][24];
    put_limit(text[0], sizeof text[0], has_violation ? mech->limit_violation / mech->violation_unit : mech->limit_violation);
    put_limit(text[1], sizeof text[1], mech->limit_energy);
    put_limit(text[2], sizeof text[2], mech->limit_error);
    sarrus_report_line(out, "limits", "violation %s, energy %s, error %s", text[0], text[1],
                       mech->integrator.is_adaptive ? "by rtol and atol" : text[2]);
}

static void put_dynamics(FILE *out, const sarrus_plan *plan) {
    const sarrus_pinv_method pinv = plan->model->dynamics.pinv;
    sarrus_report_title(out, "Dynamics");
    const sarrus_formulation wish = plan->model->dynamics.formulation;
    sarrus_report_line(out, "formulation", "%s%s", sarrus_formulation_word((sarrus_formulation)plan->mech.formulation),
                       wish == SARRUS_FORMULATION_AUTO ? ", chosen by the plan" : "");
    sarrus_report_sentence(out, "pinv", "%s: %s", sarrus_pinv_method_word(pinv), sarrus_pinv_method_text(pinv));
    put_rank_decision(out, plan);
    put_stabilization(out, plan);
    put_integrator(out, plan);
    put_limits(out, plan);
}

static void put_sampled(FILE *out, const sarrus_sampled *sampled) {
    static const char *const words[][5] = {
#define SARRUS_DISTRIBUTION(name, value, word, first, second, third, fourth, text) [value] = {word, first, second, third, fourth},
#include "sarrus/distribution.def"
    };
    const char *const *word = words[sampled->kind];
    fprintf(out, "  %*s", SARRUS_CARD_LABEL_WIDTH, "");
    sarrus_report_column(out, sampled->label, 2 * SARRUS_CARD_NAME_WIDTH - 8);
    const double numbers[] = {sampled->a, sampled->b, sampled->c, sampled->d};
    fprintf(out, " %s", word[0]);
    for (int i = 0; i < 4 && word[1 + i] != NULL; ++i)
        fprintf(out, ", %s %.4g", word[1 + i], numbers[i]);
    if (sampled->n_values > 0)
        fprintf(out, ", %d value%s from %.4g to %.4g", sampled->n_values, sampled->n_values == 1 ? "" : "s", sampled->values[0],
                sampled->values[sampled->n_values - 1]);
    if (isfinite(sampled->min) || isfinite(sampled->max))
        fprintf(out, ", in [%.3g, %.3g]", sampled->min, sampled->max);
    if (sampled->n_targets > 1)
        fprintf(out, ", %d targets", sampled->n_targets);
    fputc('\n', out);
}

/* How the instances are sampled, where it is not at random. */
static void put_sampling(FILE *out, const sarrus_model *model) {
    static const char *const samplings[] = {
#define SARRUS_SAMPLING(name, value, word, text) [value] = word,
#include "sarrus/sampling.def"
    };
    static const char *const designs[] = {
#define SARRUS_DESIGN(name, value, word, text) [value] = word,
#include "sarrus/design.def"
    };
    const bool is_bare = model->batch.sampling == SARRUS_SAMPLING_SOBOL && !model->batch.is_scrambled;
    const sarrus_design design = model->batch.design;
    if (model->batch.n_sampled == 0)
        return;
    sarrus_report_line(out, "sampling", "%s%s%s", samplings[model->batch.sampling], is_bare ? ", not scrambled" : "",
                       model->batch.correlation != NULL ? ", correlated" : "");
    if (design != SARRUS_DESIGN_PLAIN)
        sarrus_report_line(out, "design", "%s, %" PRIu64 " %s of %" PRIu64 " instances", designs[design], model->batch.n_instances,
                           design == SARRUS_DESIGN_MORRIS ? "trajectories" : "points", sarrus_model_study_size(model, 1));
}

static void put_batch(FILE *out, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_report_title(out, "Batch");
    const uint64_t n_instances = sarrus_model_n_instances(model);
    sarrus_report_line(out, "instances", "%" PRIu64 ", seed %" PRIu64, n_instances, model->batch.seed);
    put_sampling(out, model);
    sarrus_report_bytes(out, "tiles", (double)n_instances * (double)sarrus_plan_stepped(plan)->cost.bytes_per_instance, "");
    sarrus_report_line(out, "sampled parameters", "%d", model->batch.n_sampled);
    for (int i = 0; i < model->batch.n_sampled && i < SARRUS_CARD_MAX_LINES; ++i)
        put_sampled(out, &model->batch.sampled[i]);
    if (model->batch.n_sampled > SARRUS_CARD_MAX_LINES)
        sarrus_report_line(out, "", "… and %d more", model->batch.n_sampled - SARRUS_CARD_MAX_LINES);
}

/* Bytes that the statistics of one time take: mean, standard deviation, skewness, extremes and quantiles of each
 * number. */
static double statistics_bytes(const sarrus_plan *plan) {
    const unsigned asked = plan->model->output.statistics;
    const double n_numbers = sarrus_channel_bytes(plan, asked, 1.0) +
                             (asked & SARRUS_STATISTICS_POINTS ? sarrus_point_numbers(plan) : 0.0) +
                             (asked & SARRUS_STATISTICS_DRIVES ? (double)plan->mech.n_drives : 0.0);
    return n_numbers > 0.0
               ? 8.0 * (1.0 + n_numbers * (5.0 + plan->model->output.n_levels * (plan->model->output.has_sketches ? 2.0 : 1.0)))
               : 0.0;
}

/* Whose trajectories are kept, and statistics. */
static void put_over_instances(FILE *out, const sarrus_model *model) {
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {word, bit},
#include "sarrus/channel.def"
        {"drives", SARRUS_STATISTICS_DRIVES},
        {"points", SARRUS_STATISTICS_POINTS},
        {"quantities", SARRUS_STATISTICS_QUANTITIES},
    };
    enum { N_WORDS = sizeof words / sizeof words[0] };
    int n = 0;
    if (model->output.has_kept && model->output.n_kept == 0)
        sarrus_report_line(out, "trajectories", "none");
    else if (model->output.has_kept)
        sarrus_report_line(out, "trajectories", "of %d instance%s", model->output.n_kept, model->output.n_kept == 1 ? "" : "s");
    for (int i = 0; i < N_WORDS; ++i)
        n += (model->output.statistics & words[i].bit) != 0;
    if (n == 0)
        return;
    sarrus_report_list list = sarrus_report_list_begin(out, "statistics", n);
    for (int i = 0; i < N_WORDS; ++i)
        if ((model->output.statistics & words[i].bit) != 0)
            sarrus_report_list_put(&list, words[i].word);
    sarrus_report_list_end(&list);
    if (model->output.n_levels == 0)
        return;
    list = sarrus_report_list_begin(out, "quantiles", model->output.n_levels);
    for (int i = 0; i < model->output.n_levels; ++i) {
        char text[32];
        (void)snprintf(text, sizeof text, "%g", model->output.levels[i]);
        sarrus_report_list_put(&list, text);
    }
    sarrus_report_list_end(&list);
}

static void put_orientations(FILE *out, const sarrus_model *model) {
    static const char *const words[] = {
#define SARRUS_ORIENTATION_FORM(name, word, n, units, scale, text, ...) [SARRUS_ORIENTATION_##name] = word,
#include "sarrus/orientation.def"
    };
    enum { N_WORDS = sizeof words / sizeof words[0] };
    int n = 0;
    for (int i = 0; i < N_WORDS; ++i)
        n += (model->output.orientations >> i & 1U) != 0;
    if (n == 0)
        return;
    sarrus_report_list list = sarrus_report_list_begin(out, "orientations", n);
    for (int i = 0; i < N_WORDS; ++i)
        if ((model->output.orientations >> i & 1U) != 0)
            sarrus_report_list_put(&list, words[i]);
    sarrus_report_list_end(&list);
}

/* The names of points and of quantities. */
static void put_names(FILE *out, const sarrus_model *model) {
    if (model->output.n_points > 0) {
        sarrus_report_list list = sarrus_report_list_begin(out, "points", model->output.n_points);
        for (int i = 0; i < model->output.n_points; ++i)
            sarrus_report_list_put(&list, model->output.points[i].name);
        sarrus_report_list_end(&list);
    }
    if (model->output.n_quantities > 0) {
        sarrus_report_list list = sarrus_report_list_begin(out, "quantities", model->output.n_quantities);
        for (int i = 0; i < model->output.n_quantities; ++i)
            sarrus_report_list_put(&list, model->output.quantities[i].name);
        sarrus_report_list_end(&list);
    }
}

static void put_output(FILE *out, const sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    static const struct {
        const char *word;
        unsigned bit;
    } channels[] = {
#define SARRUS_CHANNEL(name, bit, word, numbers, bytes, text) {word, bit},
#include "sarrus/channel.def"
    };
    enum { N_CHANNELS = sizeof channels / sizeof channels[0] };
    uint64_t every = model->output.every > 0 ? model->output.every : 1, n_steps = plan->n_steps;
    uint64_t n_times = 1 + n_steps / every + (n_steps % every != 0);
    int n_channels = 0;
    for (int i = 0; i < N_CHANNELS; ++i)
        n_channels += model->output.channels & channels[i].bit ? 1 : 0;
    sarrus_report_title(out, "Output");
    const double interval = (double)every * model->integrator.grid;
    if (sarrus_integrator_is_adaptive(model->integrator.method))
        sarrus_report_line(out, "times", "%" PRIu64 ", every %g s", n_times, interval);
    else
        sarrus_report_line(out, "times", "%" PRIu64 ", every %" PRIu64 " steps (%g s)", n_times, every, interval);
    sarrus_report_list list = sarrus_report_list_begin(out, "channels", n_channels);
    for (int i = 0; i < N_CHANNELS; ++i) {
        if (model->output.channels & channels[i].bit)
            sarrus_report_list_put(&list, channels[i].word);
    }
    sarrus_report_list_end(&list);
    put_orientations(out, model);
    put_names(out, model);
    put_over_instances(out, model);
    const double n_kept = model->output.has_kept ? (double)model->output.n_kept : (double)sarrus_model_n_instances(model);
    sarrus_report_bytes(out, "result file", (double)n_times * (n_kept * sarrus_output_bytes(plan) + statistics_bytes(plan)),
                        " before compression");
}

void sarrus_report_settings(FILE *out, const sarrus_plan *plan) {
    put_dynamics(out, plan);
    put_batch(out, plan);
    put_output(out, plan);
}
