#include "cli/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edge/json.h"
#include "cli/size_text.h"
#include "model/model.h"
#include "sarrus/version.h"

/* Loops that are open by more are told of. Beyond round-off and beyond what RK4 drifts by in an ordinary run: something feeds on
 * the violation. */
static const double position_error_limit = 1e-6;
static const double single_error_limit = 1e-4; /* where steps are made in single precision */
static const double energy_error_limit = 1e-3;

/* Share of the wall time that was not spent integrating. */
static double output_share(const sarrus_run_summary *summary) {
    return summary->wall_seconds > 0.0 ? 1.0 - summary->integrate_seconds / summary->wall_seconds : 0.0;
}

enum { INSTANCE_BYTES = 48 };

/* An instance as --instance takes it: of several scenarios with the number of its own. */
static const char *instance_text(const sarrus_summary_text *text, int group, uint64_t instance, char out[INSTANCE_BYTES]) {
    const int own = text->is_of_group ? text->group : group;
    if (text->n_groups > 0 || text->is_of_group)
        snprintf(out, INSTANCE_BYTES, "%d/%" PRIu64, own, instance);
    else
        snprintf(out, INSTANCE_BYTES, "%" PRIu64, instance);
    return out;
}

static const char *name_of(const sarrus_summary_text *text) {
    const char *name = text->n_groups > 0 ? text->name : sarrus_model_name(text->model);
    return *name != '\0' ? name : text->scenario;
}

static void errors_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    char number[INSTANCE_BYTES], instance[INSTANCE_BYTES + 12] = "";
    if (!isnan(summary->max_violation))
        fprintf(stream, "  constraints  open by at most %.2g of the size", summary->max_violation);
    if (!isnan(summary->max_violation) && !isnan(summary->max_position_error))
        fprintf(stream, "; at outputs position error %.2g, velocity error %.2g", summary->max_position_error,
                summary->max_velocity_error);
    if (!isnan(summary->max_violation))
        fprintf(stream, "\n  energy       balanced to %.2g\n", summary->max_energy_error);
    if (summary->n_study > 1)
        snprintf(instance, sizeof instance, ", instance %s",
                 instance_text(text, summary->nearest_change_point_group, summary->nearest_change_point_instance, number));
    if (!isnan(summary->nearest_change_point))
        fprintf(stream, "  change point as near as %.2g of an ordinary distance at t = %.4g s%s\n", summary->nearest_change_point,
                summary->nearest_change_point_time, instance);
}

static void count_print(const char *label, const sarrus_run_count *count, FILE *stream) {
    char mean[32], most[32];
    sarrus_count_text((uint64_t)(count->mean + 0.5), mean, sizeof mean);
    sarrus_count_text(count->most, most, sizeof most);
    fprintf(stream, "  %-12s %s an instance, at most %s\n", label, mean, most);
}

/* Why the kernels for this mechanism were not used, when nothing went wrong. */
static const char *reason_text(const sarrus_specialization *kernels) {
    switch (kernels->state) {
    case SARRUS_SPECIALIZATION_WAITING:
        return "the run is too short to pay for a compilation";
    case SARRUS_SPECIALIZATION_COMPILING:
        return "the run ended before they were compiled";
    default:
        return kernels->note;
    }
}

/* Which kernels have made the steps; nothing when there was no choice. */
static void kernels_print(const char *label, const sarrus_specialization *kernels, FILE *stream) {
    if (kernels->state == SARRUS_SPECIALIZATION_OFF)
        return;
    if (kernels->state != SARRUS_SPECIALIZATION_READY) {
        fprintf(stream, "  %-12s generic: %s\n", label, reason_text(kernels));
        return;
    }
    fprintf(stream, "  %-12s specialized, ", label);
    if (kernels->is_from_cache)
        fprintf(stream, "from the cache");
    else
        fprintf(stream, "compiled in %.2g s, used after %.2g s for %.3g %% of the steps", kernels->compile_seconds,
                kernels->ready_seconds, 100.0 * kernels->step_share);
    fprintf(stream, "%s%s\n", *kernels->note != '\0' ? "; " : "", kernels->note);
}

/* What a GPU's library was given, and what it did not do well; nothing when none was asked. */
static void library_print(const sarrus_run_summary *summary, FILE *stream) {
    char matrices[32], refused[32];
    if (summary->n_library_matrices == 0)
        return;
    sarrus_count_text(summary->n_library_matrices, matrices, sizeof matrices);
    sarrus_count_text(summary->n_library_refused, refused, sizeof refused);
    fprintf(stream, "  library      %s matrices by cuSOLVER, %s of them again by the native SVD\n", matrices,
            summary->n_library_refused > 0 ? refused : "none");
}

/* Steps that were chosen are a result; fixed ones stand in the first line. */
static void work_print(const sarrus_run_summary *summary, FILE *stream) {
    char total[32];
    if (summary->is_adaptive) {
        count_print("steps", &summary->steps, stream);
        count_print("rejections", &summary->rejections, stream);
        count_print("evaluations", &summary->evaluations, stream);
    }
    if (summary->is_adaptive || summary->rank_changes.total > 0) {
        sarrus_count_text(summary->rank_changes.total, total, sizeof total);
        fprintf(stream, "  rank         %s change%s\n", summary->rank_changes.total > 0 ? total : "no",
                summary->rank_changes.total == 1 ? "" : "s");
    }
}

static bool is_before(const sarrus_run_failure *a, const sarrus_run_failure *b) {
    return a->group != b->group ? a->group < b->group : a->instance < b->instance;
}

/* The status of the first failure, in the order of the instances; 0: none has failed. */
static int first_failed_status(const sarrus_run_summary *summary) {
    int first = 0;
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i)
        if (summary->n_failed_by_status[i] > 0 &&
            (first == 0 || is_before(&summary->first_failure[i], &summary->first_failure[first])))
            first = i;
    return first;
}

/* How the one instance of a replay has ended. */
static void end_print(const sarrus_run_summary *summary, FILE *stream) {
    const int status = first_failed_status(summary);
    if (status == 0)
        fprintf(stream, "  status       ok\n");
    else
        fprintf(stream, "  status       %s at t = %g s: %s\n", sarrus_instance_status_word((sarrus_instance_status)status),
                summary->first_failure[status].time, sarrus_instance_status_text((sarrus_instance_status)status));
}

static void failures_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    char count[32], number[INSTANCE_BYTES];
    sarrus_count_text(summary->n_failed, count, sizeof count);
    fprintf(stream, "  failed       %s\n", summary->n_failed > 0 ? count : "none");
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        if (summary->n_failed_by_status[i] == 0)
            continue;
        sarrus_count_text(summary->n_failed_by_status[i], count, sizeof count);
        fprintf(stream, "               %s %s: %s", count, sarrus_instance_status_word((sarrus_instance_status)i),
                sarrus_instance_status_text((sarrus_instance_status)i));
        const sarrus_run_failure *first = &summary->first_failure[i];
        fprintf(stream, summary->n_study > 1 ? " (%sinstance %s, t = %g s)\n" : "\n",
                summary->n_failed_by_status[i] > 1 ? "first " : "", instance_text(text, first->group, first->instance, number),
                first->time);
    }
}

static bool is_same_reason(const sarrus_specialization *a, const sarrus_specialization *b) {
    return a->state == b->state && a->state != SARRUS_SPECIALIZATION_READY && strcmp(reason_text(a), reason_text(b)) == 0;
}

/* The kernels of several scenarios: in one line when there were none for the same reason. */
static void groups_kernels_print(const sarrus_summary_text *text, FILE *stream) {
    bool is_same = true;
    char label[24];
    for (int g = 0; g < text->n_groups; ++g)
        is_same = is_same && is_same_reason(&text->groups[g].summary->specialization, &text->groups[0].summary->specialization);
    if (text->n_groups > 0 && is_same)
        kernels_print("kernels", &text->groups[0].summary->specialization, stream);
    for (int g = 0; g < text->n_groups && !is_same; ++g) {
        snprintf(label, sizeof label, "kernels /%d", g);
        kernels_print(label, &text->groups[g].summary->specialization, stream);
    }
}

/* A line for each of several scenarios. */
static void groups_print(const sarrus_summary_text *text, FILE *stream) {
    for (int g = 0; g < text->n_groups; ++g) {
        const sarrus_run_summary *summary = text->groups[g].summary;
        char n_instances[32], n_failed[32], label[24];
        sarrus_count_text(summary->n_instances, n_instances, sizeof n_instances);
        sarrus_count_text(summary->n_failed, n_failed, sizeof n_failed);
        snprintf(label, sizeof label, "group /%d", g);
        fprintf(stream, "  %-12s %s: %s instance%s, %s failed\n", label, text->groups[g].file, n_instances,
                summary->n_instances == 1 ? "" : "s", summary->n_failed > 0 ? n_failed : "none");
    }
}

static void work_of_run_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    fprintf(stream, "  speed        %.3g instance-steps/s on %s (%s)\n", summary->instance_steps_per_second, summary->backend,
            summary->device);
    fprintf(stream, "  wall time    %.3g s, %.1f %% of it for output\n", summary->wall_seconds, 100.0 * output_share(summary));
    if (text->n_groups == 0)
        kernels_print("kernels", &summary->specialization, stream);
    groups_kernels_print(text, stream);
    library_print(summary, stream);
    work_print(summary, stream);
    errors_print(text, summary, stream);
}

void sarrus_summary_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    char n_instances[32], n_steps[32], size[32];
    char number[INSTANCE_BYTES];
    sarrus_count_text(summary->n_instances, n_instances, sizeof n_instances);
    sarrus_count_text(summary->n_steps, n_steps, sizeof n_steps);
    sarrus_size_text(summary->output_bytes, size, sizeof size);
    fprintf(stream, "%s: ", name_of(text));
    if (text->is_replay)
        fprintf(stream, "instance %s of %" PRIu64 " again, ", instance_text(text, 0, summary->first_instance, number),
                summary->n_study);
    else
        fprintf(stream, "%s instance%s, ", n_instances, summary->n_instances == 1 ? "" : "s");
    if (text->n_groups > 0)
        fprintf(stream, "%d group%s, ", text->n_groups, text->n_groups == 1 ? "" : "s");
    if (!summary->is_adaptive)
        fprintf(stream, "%s steps, ", n_steps);
    fprintf(stream, "t = %g s%s\n", summary->t_end, text->is_complete ? "" : " (stopped)");
    const bool was_complete = summary->is_resumed && !(summary->wall_seconds > 0.0);
    if (!was_complete)
        work_of_run_print(text, summary, stream);
    if (text->is_replay)
        end_print(summary, stream);
    else
        failures_print(text, summary, stream);
    groups_print(text, stream);
    fprintf(stream, "  output       %s: %s, %" PRIu64 " %s%s\n", text->output, size, summary->n_output_times,
            text->is_replay ? "row" : "output time", summary->n_output_times == 1 ? "" : "s");
}

static void count_print_json(sarrus_json *json, const char *name, const sarrus_run_count *count) {
    sarrus_json_open(json, name, '{');
    sarrus_json_count(json, "total", count->total);
    sarrus_json_number(json, "mean", count->mean);
    sarrus_json_count(json, "max", count->most);
    sarrus_json_close(json, '}');
}

static void library_print_json(sarrus_json *json, const sarrus_run_summary *summary) {
    sarrus_json_open(json, "library", '{');
    sarrus_json_count(json, "n_matrices", summary->n_library_matrices);
    sarrus_json_count(json, "n_refused", summary->n_library_refused);
    sarrus_json_close(json, '}');
}

static void kernels_print_json(sarrus_json *json, const sarrus_specialization *kernels) {
    sarrus_json_open(json, "specialization", '{');
    sarrus_json_text(json, "state", sarrus_specialization_state_word(kernels->state));
    sarrus_json_flag(json, "from_cache", kernels->is_from_cache != 0);
    sarrus_json_number(json, "compile_seconds", kernels->compile_seconds);
    sarrus_json_number(json, "ready_seconds", kernels->ready_seconds);
    sarrus_json_number(json, "step_share", kernels->step_share);
    sarrus_json_text(json, "note", kernels->note);
    sarrus_json_close(json, '}');
}

/* Which part of the study this was, and an instance of each status with the command that replays the first of all. */
static void failures_print_json(sarrus_json *json, const sarrus_summary_text *text, const sarrus_run_summary *summary) {
    const int first = first_failed_status(summary);
    char *command = NULL, number[INSTANCE_BYTES];
    sarrus_json_count(json, "first_instance", summary->first_instance);
    sarrus_json_count(json, "n_study_instances", summary->n_study);
    sarrus_json_open(json, "first_failures", '[');
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        if (summary->n_failed_by_status[i] == 0)
            continue;
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "status", sarrus_instance_status_word((sarrus_instance_status)i));
        sarrus_json_text(json, "reason", sarrus_instance_status_text((sarrus_instance_status)i));
        if (text->n_groups > 0)
            sarrus_json_count(json, "group", (uint64_t)summary->first_failure[i].group);
        sarrus_json_count(json, "instance", summary->first_failure[i].instance);
        sarrus_json_number(json, "time", summary->first_failure[i].time);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    if (first != 0 && text->replay != NULL &&
        asprintf(&command, "%s%s", text->replay,
                 instance_text(text, summary->first_failure[first].group, summary->first_failure[first].instance, number)) >= 0)
        sarrus_json_text(json, "replay", command);
    else
        sarrus_json_null(json, "replay");
    free(command);
}

static void errors_print_json(sarrus_json *json, const sarrus_summary_text *text, const sarrus_run_summary *summary) {
    sarrus_json_number(json, "max_position_error", summary->max_position_error);
    sarrus_json_number(json, "max_velocity_error", summary->max_velocity_error);
    sarrus_json_number(json, "max_energy_error", summary->max_energy_error);
    sarrus_json_number(json, "max_violation", summary->max_violation);
    sarrus_json_number(json, "nearest_change_point", summary->nearest_change_point);
    sarrus_json_number(json, "nearest_change_point_time", summary->nearest_change_point_time);
    if (isnan(summary->nearest_change_point)) { /* nobody has looked */
        if (text->n_groups > 0)
            sarrus_json_null(json, "nearest_change_point_group");
        sarrus_json_null(json, "nearest_change_point_instance");
    } else {
        if (text->n_groups > 0)
            sarrus_json_count(json, "nearest_change_point_group", (uint64_t)summary->nearest_change_point_group);
        sarrus_json_count(json, "nearest_change_point_instance", summary->nearest_change_point_instance);
    }
    sarrus_json_count(json, "n_rank_changes", summary->n_rank_changes);
}

/* How a run, or one of its groups, went. */
static void run_print_json(sarrus_json *json, const sarrus_summary_text *text, const sarrus_run_summary *summary,
                           const uint64_t *seed, bool is_whole) {
    sarrus_json_text(json, "backend", summary->backend);
    sarrus_json_text(json, "device", summary->device);
    if (seed != NULL)
        sarrus_json_count(json, "seed", *seed);
    else
        sarrus_json_null(json, "seed");
    sarrus_json_count(json, "n_instances", summary->n_instances);
    sarrus_json_count(json, "n_failed", summary->n_failed);
    sarrus_json_open(json, "failed_by_status", '{');
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i)
        sarrus_json_count(json, sarrus_instance_status_word((sarrus_instance_status)i), summary->n_failed_by_status[i]);
    sarrus_json_close(json, '}');
    failures_print_json(json, text, summary);
    sarrus_json_count(json, "n_steps", summary->n_steps);
    sarrus_json_count(json, "n_output_times", summary->n_output_times);
    sarrus_json_number(json, "t_end", summary->t_end);
    sarrus_json_number(json, "resumed_at", summary->is_resumed ? summary->resumed_time : (double)NAN);
    sarrus_json_number(json, "wall_seconds", summary->wall_seconds);
    sarrus_json_number(json, "integrate_seconds", summary->integrate_seconds);
    if (is_whole)
        sarrus_json_number(json, "output_share", output_share(summary));
    sarrus_json_number(json, "instance_steps_per_second", summary->instance_steps_per_second);
    errors_print_json(json, text, summary);
    sarrus_json_flag(json, "is_adaptive", summary->is_adaptive != 0);
    count_print_json(json, "steps", &summary->steps);
    count_print_json(json, "rejections", &summary->rejections);
    count_print_json(json, "evaluations", &summary->evaluations);
    count_print_json(json, "rank_changes", &summary->rank_changes);
    if (is_whole)
        sarrus_json_count(json, "output_bytes", summary->output_bytes);
    kernels_print_json(json, &summary->specialization);
    library_print_json(json, summary);
}

static void groups_print_json(sarrus_json *json, const sarrus_summary_text *text) {
    sarrus_json_open(json, "groups", '[');
    for (int g = 0; g < text->n_groups; ++g) {
        const sarrus_summary_group *group = &text->groups[g];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "scenario", group->file);
        sarrus_json_text(json, "name", sarrus_model_name(group->model));
        run_print_json(json, text, group->summary, &group->seed, false);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

/* The seed of several scenarios, when it is one. */
static const uint64_t *seed_of(const sarrus_summary_text *text) {
    for (int g = 1; g < text->n_groups; ++g)
        if (text->groups[g].seed != text->groups[0].seed)
            return NULL;
    return text->n_groups > 0 ? &text->groups[0].seed : &text->seed;
}

void sarrus_summary_print_json(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    sarrus_json json;
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "sarrus", sarrus_version());
    sarrus_json_text(&json, "scenario", text->scenario);
    sarrus_json_text(&json, "name", text->n_groups > 0 ? text->name : sarrus_model_name(text->model));
    sarrus_json_text(&json, "output", text->output);
    sarrus_json_flag(&json, "complete", text->is_complete);
    run_print_json(&json, text, summary, seed_of(text), true);
    if (text->n_groups > 0)
        groups_print_json(&json, text);
    sarrus_json_close(&json, '}');
}

enum { MAX_HINT = 96 };

/* What makes the steps of this model finer. */
static const char *finer_steps(const sarrus_model *model, char text[MAX_HINT]) {
    if (sarrus_integrator_is_adaptive(model->integrator.method))
        snprintf(text, MAX_HINT, "rtol and atol below %g and %g", model->integrator.rtol, model->integrator.atol);
    else
        snprintf(text, MAX_HINT, "%sa dt below %g s",
                 model->integrator.method == SARRUS_INTEGRATOR_SEMI_IMPLICIT ? "the method rk4 or " : "", model->integrator.dt);
    return text;
}

static bool has_gains(const sarrus_model *model) {
    const sarrus_value_index gains[2] = {model->dynamics.alpha, model->dynamics.beta};
    bool has_any = model->dynamics.has_step_gains;
    for (int i = 0; i < 2; ++i)
        has_any = has_any || (gains[i] != SARRUS_NO_VALUE && model->values[gains[i]].nominal != 0.0);
    return has_any;
}

/* To whom advice is given: it depends on the model. */
typedef struct advice {
    const sarrus_model *model;
    const char *where; /* which of several scenarios it is about: "group 1: ", or "" */
    FILE *stream;
} advice;

/* Instances that ended because steps were too long for their motion. */
static void divergence_warn(const advice *to, const char *what) {
    const sarrus_model *model = to->model;
    char hint[MAX_HINT];
    FILE *stream = to->stream;
    fprintf(stream, "sarrus: warning: %s%s; %s would help", to->where, what, finer_steps(model, hint));
    if (model->dynamics.projection != SARRUS_PROJECTION_EVERY_STEP)
        fprintf(stream, ", and where the mechanism passes singular positions\n"
                        "                 'projection: every_step' does");
    fprintf(stream, "\n");
}

/* Advice that the model follows already is none. */
static void violation_warn(const advice *to, const char *what) {
    const sarrus_model *model = to->model;
    FILE *stream = to->stream;
    char hint[MAX_HINT];
    fprintf(stream, "sarrus: warning: %s%s; ", to->where, what);
    if (model->dynamics.projection != SARRUS_PROJECTION_NONE)
        fprintf(stream,
                "projection could not close the loops: drives that cannot be followed, or singular positions\n"
                "                 that steps jump over, where %s would help\n",
                finer_steps(model, hint));
    else
        fprintf(stream, "%s, %s'projection: every_step' would help\n", finer_steps(model, hint),
                has_gains(model) ? "larger gains or " : "baumgarte's gains or ");
}

/* Steps whose estimated errors have added up to limits.error. */
static void errors_warn(const advice *to) {
    const sarrus_model *model = to->model;
    fprintf(
        to->stream,
        "sarrus: warning: %sthe estimated errors of steps added up to more than limits.error; a dt below %g s%s or an adaptive\n"
        "                 method such as dopri5 would help\n",
        to->where, model->integrator.dt, model->integrator.has_substeps ? "" : ", 'substeps: auto'");
}

/* A passage that nobody can follow is not followed by other steps either; closed loops may help. Without parts of steps it may as
 * well have been a bend that a whole step is too long for. */
static void unresolved_warn(const advice *to) {
    const sarrus_model *model = to->model;
    FILE *stream = to->stream;
    const bool is_adaptive = sarrus_integrator_is_adaptive(model->integrator.method);
    const bool is_whole = !is_adaptive && !model->integrator.has_substeps;
    if (model->integrator.is_single) {
        fprintf(
            stream,
            "sarrus: warning: %smotions came near change points, where single precision ends; 'precision: double' goes on there,\n"
            "                 of the failed ones alone with --retry-failed\n",
            to->where);
        return;
    }
    fprintf(stream, "sarrus: warning: %s%s", to->where,
            is_whole ? "motions bent within less than a step, or could not be followed near change points"
                     : "motions could not be followed, most likely near change points");
    if (!is_adaptive)
        fprintf(stream, "; an adaptive method such as dopri5%s would help", is_whole ? ", or 'substeps: auto'," : "");
    else if (model->dynamics.projection != SARRUS_PROJECTION_EVERY_STEP)
        fprintf(stream, "; 'projection: every_step' would help");
    fprintf(stream, "\n");
}

/* What came of the limits that an instance keeps to, and what is far off although they allow it. */
static void limits_warn(const advice *to, const sarrus_run_summary *summary) {
    const sarrus_model *model = to->model;
    const uint64_t *n_failed = summary->n_failed_by_status;
    const double tolerance = model->dynamics.projection_tolerance, open = summary->max_position_error;
    char what[MAX_HINT];
    if (n_failed[SARRUS_INSTANCE_CONSTRAINT_VIOLATED] > 0)
        violation_warn(to, "loops came open");
    else if (model->dynamics.projection == SARRUS_PROJECTION_TOLERANCE && open > position_error_limit && open <= tolerance)
        fprintf(to->stream, "sarrus: warning: %sthe constraints are violated by up to %.2g; the projection tolerance allows %.2g\n",
                to->where, open, tolerance);
    else if (summary->max_violation > (model->integrator.is_single ? single_error_limit : position_error_limit)) {
        snprintf(what, sizeof what, "loops are open by up to %.2g of the mechanism's size", summary->max_violation);
        violation_warn(to, what);
    }
    if (summary->n_over_error_limit > 0)
        errors_warn(to);
    if (n_failed[SARRUS_INSTANCE_UNRESOLVED] > summary->n_over_error_limit)
        unresolved_warn(to);
    if (n_failed[SARRUS_INSTANCE_ENERGY_MISMATCH] > 0) {
        divergence_warn(to, "the energy of instances came out of balance");
    } else if (summary->max_energy_error > energy_error_limit) {
        snprintf(what, sizeof what, "the energy is out of balance by up to %.2g", summary->max_energy_error);
        divergence_warn(to, what);
    }
}

/* What failed, and the command that shows how. */
static void failure_warn(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    const int first = first_failed_status(summary);
    if (first == 0)
        return;
    char number[INSTANCE_BYTES];
    const sarrus_run_failure *failure = &summary->first_failure[first];
    (void)instance_text(text, failure->group, failure->instance, number);
    if (text->is_replay) {
        fprintf(stream, "sarrus: warning: instance %s failed at t = %g s (%s: %s); the file has its steps up to there\n", number,
                failure->time, sarrus_instance_status_word((sarrus_instance_status)first),
                sarrus_instance_status_text((sarrus_instance_status)first));
        return;
    }
    fprintf(stream, "sarrus: warning: %" PRIu64 " of %" PRIu64 " instances failed; their rows are NaN from the failure on\n",
            summary->n_failed, summary->n_instances);
    if (text->replay != NULL)
        fprintf(stream, "                 instance %s step by step: %s%s\n", number, text->replay, number);
}

static void group_warn(const advice *to, const sarrus_run_summary *summary) {
    if (summary->n_failed_by_status[SARRUS_INSTANCE_DIVERGED] > 0)
        divergence_warn(to, "instances diverged");
    limits_warn(to, summary);
    /* Changes that the steps saw; what shows at outputs between long steps may be more, and is told when it is all there is. */
    const bool is_seen = summary->rank_changes.total > 0;
    const uint64_t n_changes = is_seen ? summary->rank_changes.total : summary->n_rank_changes;
    if (n_changes > 0)
        fprintf(to->stream,
                "sarrus: warning: %sthe rank of the constraints changed %s%" PRIu64 " time%s (singular configurations)\n",
                to->where, is_seen ? "" : "between outputs, ", n_changes, n_changes == 1 ? "" : "s");
}

void sarrus_summary_warn(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream) {
    if (!text->is_complete)
        fprintf(stream, "sarrus: warning: stopped at t = %g s; %s is valid up to there, and marked as not complete%s\n",
                summary->t_end, text->output, summary->has_checkpoint ? "; the same command with --resume goes on" : "");
    failure_warn(text, summary, stream);
    if (text->n_groups == 0)
        group_warn(&(advice){.model = text->model, .where = "", .stream = stream}, summary);
    for (int g = 0; g < text->n_groups; ++g) {
        char where[24];
        snprintf(where, sizeof where, "group %d: ", g);
        group_warn(&(advice){.model = text->groups[g].model, .where = where, .stream = stream}, text->groups[g].summary);
    }
}
