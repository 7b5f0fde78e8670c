/* Every public function with what no caller should hand it: NULL for each pointer, indices before the first and behind the last,
 * counts whose products wrap. Each has a process of its own, so that a crash is one function's. The headers say which functions
 * there are: one without a case here fails the test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sarrus/sarrus.h"
#include "tests/api/hostile_compare.h"
#include "tests/api/hostile_kinematics.h"
#include "tests/api/hostile_device.h"
#include "tests/api/hostile_draws.h"
#include "tests/api/hostile_plan.h"
#include "tests/api/hostile_world.h"
#include "tests/support/place.h"

static const char scenario[] = "sarrus: 1\nname: hostile\nspace: planar\nparameters: {m: 1.0}\n"
                               "bodies: [{name: a, mass: \"=m\", inertia: 0.1, position: [0, -0.5]}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                               "integrator: {method: rk4, dt: 0.01, t_end: 0.05}\n"
                               "batch: {instances: 3, parameters: [{name: m, distribution: uniform, low: 1, high: 2}]}\n";

static bool backend_n_devices(void) {
    return sarrus_backend_n_devices((sarrus_backend)77) == -1 && sarrus_backend_n_devices((sarrus_backend)-1) == -1;
}

static bool batch_create(void) {
    sarrus_batch *out = NULL;
    sarrus_batch_options few = {.n_threads = -1}, devices = {.n_devices = -1}, backend = {.backend = (sarrus_backend)77},
                         kernels = {.specialize = (sarrus_specialize)77};
    bool good = bad_and_told(sarrus_batch_create(w.context, NULL, NULL, N, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, NULL, N, NULL, NULL)) &&
                bad(sarrus_batch_create(NULL, NULL, NULL, N, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, NULL, 0, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, NULL, N + 1, w.draws, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, &few, N, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, &devices, N, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, &backend, N, NULL, &out)) &&
                bad_and_told(sarrus_batch_create(w.context, w.plan, &kernels, N, NULL, &out));
    for (int i = 0; i < N_HUGE && good; ++i)
        good = sarrus_batch_create(w.context, w.plan, NULL, huge_counts[i], NULL, &out) == SARRUS_NO_MEMORY && out == NULL;
    return good;
}

static bool batch_of_other_draws(void) {
    sarrus_draws *draws = NULL;
    sarrus_batch *out = NULL;
    return sarrus_draws_create(NULL, w.other, 1, N, &draws) == SARRUS_OK &&
           bad_and_told(sarrus_batch_create(w.context, w.plan, NULL, N, draws, &out));
}

static bool batch_advance(void) {
    return bad(sarrus_batch_advance(NULL, 1)) && bad(sarrus_batch_advance(w.batch, UINT64_MAX)) &&
           bad(sarrus_batch_advance(w.batch, UINT64_C(1) << 60)) && sarrus_batch_advance(w.batch, 1) == SARRUS_OK &&
           bad(sarrus_batch_advance(w.batch, UINT64_MAX));
}

static bool batch_observe(void) {
    double q[16 * N];
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_Q] = q;
    bool good = bad(sarrus_batch_observe(NULL, &o)) && bad(sarrus_batch_observe(w.batch, NULL)) &&
                sarrus_batch_observe(w.batch, &o) == SARRUS_OK;
    const sarrus_observation one = o;
    for (int i = 0; i < N_HUGE && good; ++i) {
        o = one, o.i_time_first = huge_counts[i];
        good = bad(sarrus_batch_observe(w.batch, &o));
        o = one, o.n_times = huge_counts[i];
        good = good && bad(sarrus_batch_observe(w.batch, &o));
        o = one, o.n_times = huge_counts[i], o.i_time_first = 0 - huge_counts[i];
        good = good && bad(sarrus_batch_observe(w.batch, &o));
        o = one, o.n_times_stride = huge_counts[i] | UINT64_C(1) << 60;
        good = good && bad(sarrus_batch_observe(w.batch, &o));
        o = one, o.every_steps = huge_counts[i];
        good = good && bad(sarrus_batch_observe(w.batch, &o));
        o = one, o.last_steps = huge_counts[i];
        good = good && bad(sarrus_batch_observe(w.batch, &o));
    }
    o = one, o.n_times = o.n_times_stride = UINT64_C(1) << 30, o.every_steps = UINT64_C(1) << 40;
    o.destination[SARRUS_OBSERVE_Q] = NULL;
    return good && bad(sarrus_batch_observe(w.batch, &o));
}

static bool batch_texts(void) {
    return sarrus_batch_backend_name(NULL) == NULL && sarrus_batch_device_name(NULL) == NULL && sarrus_batch_failure(NULL) == NULL;
}

static bool batch_numbers(void) {
    return isnan(sarrus_batch_time(NULL)) && isnan(sarrus_batch_interval(NULL)) && sarrus_batch_step(NULL) == 0 &&
           sarrus_batch_n_instances(NULL) == 0;
}

static bool batch_view(void) {
    sarrus_view view;
    bool good = bad(sarrus_batch_view(NULL, SARRUS_FIELD_Q, &view)) && bad(sarrus_batch_view(w.batch, SARRUS_FIELD_Q, NULL));
    for (int i = 0; i < N_BAD && good; ++i)
        good = bad(sarrus_batch_view(w.batch, (sarrus_field)bad_indices[i], &view));
    return good;
}

static bool batch_of_instance(void) {
    const uint64_t wrong[] = {N, N + 1, UINT64_MAX, UINT64_C(1) << 61, (uint64_t)INT64_MIN};
    sarrus_instance_statistics counted;
    sarrus_instance_verdict found;
    double q[3], v[3];
    bool good = bad(sarrus_batch_statistics(NULL, 0, &counted)) && bad(sarrus_batch_statistics(w.batch, 0, NULL)) &&
                bad(sarrus_batch_verdict(NULL, 0, &found)) && bad(sarrus_batch_verdict(w.batch, 0, NULL)) &&
                bad(sarrus_batch_state(NULL, 0, q, v)) && sarrus_batch_state(w.batch, 0, NULL, NULL) == SARRUS_OK &&
                sarrus_batch_status(NULL, 0) == SARRUS_INSTANCE_NOT_RUN && sarrus_batch_failed_step(NULL, 0) == 0;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0] && good; ++i)
        good = bad(sarrus_batch_statistics(w.batch, wrong[i], &counted)) && bad(sarrus_batch_verdict(w.batch, wrong[i], &found)) &&
               bad(sarrus_batch_state(w.batch, wrong[i], q, v)) &&
               sarrus_batch_status(w.batch, wrong[i]) == SARRUS_INSTANCE_NOT_RUN &&
               sarrus_batch_failed_step(w.batch, wrong[i]) == 0;
    return good;
}

static bool batch_events(void) {
    const sarrus_rank_event *events;
    uint64_t n;
    sarrus_batch_rank_events_clear(NULL);
    return bad(sarrus_batch_rank_events(NULL, &events, &n)) && bad(sarrus_batch_rank_events(w.batch, NULL, &n)) &&
           bad(sarrus_batch_rank_events(w.batch, &events, NULL));
}

static bool batch_counts(void) {
    uint64_t a = 5, b = 5;
    sarrus_batch_path_counts(NULL, &a, &b);
    sarrus_batch_path_counts(w.batch, NULL, NULL);
    const bool are_none = a == 0 && b == 0;
    a = b = 5;
    sarrus_batch_library_counts(NULL, &a, &b);
    sarrus_batch_library_counts(w.batch, NULL, NULL);
    return are_none && a == 0 && b == 0;
}

static bool batch_specialization(void) {
    sarrus_specialization out = {.state = SARRUS_SPECIALIZATION_READY};
    sarrus_batch_specialization(NULL, &out);
    sarrus_batch_specialization(w.batch, NULL);
    return out.state == SARRUS_SPECIALIZATION_OFF && sarrus_specialization_state_word((sarrus_specialization_state)-1) != NULL &&
           sarrus_specialization_state_word((sarrus_specialization_state)77) != NULL;
}

static bool batch_rest(void) {
    return bad(sarrus_batch_copy_episodes(NULL, (uint64_t[N]){0})) && bad(sarrus_batch_copy_episodes(w.batch, NULL)) &&
           bad(sarrus_batch_reset(NULL)) && sarrus_batch_observable_width(NULL, SARRUS_OBSERVE_Q) == 0;
}

static bool batch_fields(void) {
    const sarrus_field q = SARRUS_FIELD_Q;
    double out[64] = {0};
    bool good =
        bad(sarrus_batch_copy_out(NULL, q, out)) && bad(sarrus_batch_copy_out(w.batch, q, NULL)) &&
        bad(sarrus_batch_copy_out_some(NULL, q, NULL, out)) && bad(sarrus_batch_copy_out_some(w.batch, q, NULL, NULL)) &&
        bad(sarrus_batch_copy_state(NULL, NULL, out, out)) && bad(sarrus_batch_copy_state(w.batch, NULL, NULL, out)) &&
        bad(sarrus_batch_copy_state(w.batch, NULL, out, NULL)) && bad(sarrus_batch_copy_seen(NULL, NULL, 1, NULL, out)) &&
        bad(sarrus_batch_copy_seen(w.batch, NULL, 1, NULL, out)) && bad(sarrus_batch_copy_seen(w.batch, NULL, -1, NULL, out)) &&
        bad(sarrus_batch_copy_in(NULL, q, NULL, out)) && bad(sarrus_batch_copy_in(w.batch, q, NULL, NULL)) &&
        bad(sarrus_batch_copy_observable(NULL, SARRUS_OBSERVE_Q, out)) && bad(sarrus_batch_copy_joint_points(NULL, out)) &&
        bad(sarrus_batch_copy_observable(w.batch, SARRUS_OBSERVE_Q, NULL)) && bad(sarrus_batch_copy_joint_points(w.batch, NULL)) &&
        sarrus_batch_field_width(NULL, q) == 0 && !sarrus_batch_parameter_label(NULL, 0) &&
        sarrus_batch_copy_in(w.batch, SARRUS_FIELD_TIME, NULL, out) == SARRUS_UNSUPPORTED;
    for (int i = 0; i < N_BAD && good; ++i) {
        const sarrus_field none = (sarrus_field)bad_indices[i];
        good = bad(sarrus_batch_copy_out(w.batch, none, out)) && bad(sarrus_batch_copy_out_some(w.batch, none, NULL, out)) &&
               bad(sarrus_batch_copy_in(w.batch, none, NULL, out)) && sarrus_batch_field_width(w.batch, none) == 0 &&
               bad(sarrus_batch_copy_seen(w.batch, &(sarrus_seen){.i = bad_indices[i], .j = -1}, 1, NULL, out)) &&
               bad(sarrus_batch_copy_observable(w.batch, (sarrus_observable)bad_indices[i], out)) &&
               sarrus_batch_observable_width(w.batch, (sarrus_observable)bad_indices[i]) == 0 &&
               !sarrus_batch_parameter_label(w.batch, bad_indices[i]);
    }
    return good;
}

static bool batch_restarts(void) {
    const sarrus_redraw wrong = {.size = 3};
    unsigned char bytes[64] = {0};
    const size_t n = sarrus_batch_save_size(w.batch);
    return bad(sarrus_batch_reset_some(NULL, NULL)) && bad(sarrus_batch_assemble(NULL, NULL)) &&
           bad(sarrus_batch_redraw(NULL, NULL)) && bad(sarrus_batch_redraw(w.batch, &wrong)) && sarrus_batch_refusal(w.batch) &&
           !sarrus_batch_refusal(NULL) && sarrus_batch_save_size(NULL) == 0 && bad(sarrus_batch_save(NULL, bytes, n)) &&
           bad(sarrus_batch_save(w.batch, NULL, n)) && bad(sarrus_batch_save(w.batch, bytes, 64)) &&
           bad(sarrus_batch_save(w.batch, bytes, SIZE_MAX)) && bad(sarrus_batch_load(NULL, bytes, 64)) &&
           bad(sarrus_batch_load(w.batch, NULL, 64)) && sarrus_batch_load(w.batch, bytes, 64) == SARRUS_BAD_INPUT &&
           sarrus_batch_load(w.batch, bytes, 0) == SARRUS_BAD_INPUT;
}

static bool destroyers(void) {
    sarrus_batch_destroy(NULL);
    sarrus_context_destroy(NULL);
    sarrus_draws_destroy(NULL);
    sarrus_model_destroy(NULL);
    sarrus_plan_destroy(NULL);
    sarrus_warnings_destroy(NULL);
    return true;
}

static bool context(void) {
    sarrus_context_clear(NULL);
    return bad(sarrus_context_create(NULL)) && sarrus_context_n_diagnostics(NULL) == 0 &&
           sarrus_context_diagnostic(NULL, 0) == NULL && sarrus_context_diagnostic(w.context, 0) == NULL &&
           sarrus_context_diagnostic(w.context, SIZE_MAX) == NULL;
}

static bool draws(void) {
    sarrus_draws *out = NULL;
    bool good = bad_and_told(sarrus_draws_create(w.context, NULL, 1, N, &out)) &&
                bad_and_told(sarrus_draws_create(w.context, w.model, 1, N, NULL)) &&
                bad_and_told(sarrus_draws_create(w.context, w.model, 1, 0, &out)) &&
                bad_and_told(sarrus_draws_create_part(w.context, NULL, 1, 0, N, &out)) &&
                bad_and_told(sarrus_draws_create_part(w.context, w.model, 1, 0, N, NULL)) &&
                bad_and_told(sarrus_draws_create_part(w.context, w.model, 1, UINT64_MAX, 1, &out)) &&
                bad_and_told(sarrus_draws_create_part(w.context, w.model, 1, 0, 0, &out)) && sarrus_draws_n_parameters(NULL) == 0 &&
                !sarrus_draws_label(NULL, 0) && !sarrus_draws_values(NULL, 0) && !sarrus_draws_units(NULL, 0);
    for (int i = 0; i < N_BAD && good; ++i)
        good = !sarrus_draws_label(w.draws, bad_indices[i]) && !sarrus_draws_values(w.draws, bad_indices[i]) &&
               !sarrus_draws_units(w.draws, bad_indices[i]);
    for (int i = 0; i < N_HUGE && good; ++i)
        good = sarrus_draws_create(NULL, w.model, 1, huge_counts[i], &out) == SARRUS_NO_MEMORY && out == NULL;
    return good;
}

static bool model(void) {
    return sarrus_model_resolved(NULL) == NULL && sarrus_model_name(NULL) == NULL && sarrus_model_n_instances(NULL) == 0 &&
           sarrus_model_seed(NULL) == 0 && sarrus_model_ground_motion(NULL, 0) == NULL &&
           sarrus_model_ground_motion(w.model, -1) == NULL && sarrus_model_ground_motion(w.model, INT_MAX) == NULL;
}

static bool words(void) {
    bool good = sarrus_version() != NULL;
    for (int i = 0; i < N_BAD && good; ++i) {
        const int k = bad_indices[i];
        good = sarrus_instance_status_text((sarrus_instance_status)k) && sarrus_instance_status_word((sarrus_instance_status)k) &&
               sarrus_integrator_text((sarrus_integrator)k) && sarrus_integrator_word((sarrus_integrator)k) &&
               sarrus_integrator_is_adaptive((sarrus_integrator)k) == 0 && sarrus_observable_text((sarrus_observable)k) &&
               sarrus_observable_unit((sarrus_observable)k) && sarrus_pinv_method_text((sarrus_pinv_method)k) &&
               sarrus_formulation_word((sarrus_formulation)k) && sarrus_pinv_method_word((sarrus_pinv_method)k) &&
               sarrus_rank_method_text((sarrus_rank_method)k) && sarrus_rank_method_word((sarrus_rank_method)k) &&
               sarrus_rank_method_tolerance((sarrus_rank_method)k) == 0.0 && sarrus_status_text((sarrus_status)k) &&
               sarrus_warning_kind_title((sarrus_warning_kind)k) && sarrus_warning_kind_word((sarrus_warning_kind)k);
    }
    return good;
}

static bool pinv(void) {
    double a[4] = {1, 0, 0, 1}, b[2] = {1, 1}, x[4];
    const sarrus_pinv_batch one = {.n_matrices = 1, .m = 2, .n = 2, .a = a, .x = x};
    const sarrus_pinv_options bad_options[] = {{.method = (sarrus_pinv_method)-1},
                                               {.method = (sarrus_pinv_method)77},
                                               {.rank_method = (sarrus_rank_method)77},
                                               {.rank_tolerance = (double)NAN},
                                               {.n_threads = -1},
                                               {.backend = (sarrus_backend)77}};
    sarrus_pinv_batch p = one;
    bool good = bad_and_told(sarrus_pinv_compute(w.context, NULL, NULL)) && sarrus_pinv_compute(NULL, NULL, &one) == SARRUS_OK;
    p.a = NULL;
    good = good && bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    p = one, p.x = NULL;
    good = good && bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    p = one, p.n_rhs = 1, p.b = NULL;
    good = good && bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    p = one, p.n_rhs = -1, p.b = b;
    good = good && bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    p = one, p.m = 0;
    good = good && bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    for (size_t i = 0; i < sizeof bad_options / sizeof bad_options[0] && good; ++i)
        good = bad_and_told(sarrus_pinv_compute(w.context, &bad_options[i], &one)) || i == 1;
    for (int i = 0; i < N_HUGE && good; ++i) {
        p = one, p.n_matrices = huge_counts[i] | UINT64_C(1) << 59;
        good = bad_and_told(sarrus_pinv_compute(w.context, NULL, &p));
    }
    for (int i = 0; i < N_BAD && good; ++i) {
        const sarrus_pinv_options options = {.method = (sarrus_pinv_method)bad_indices[i]};
        good = isnan(sarrus_pinv_count_flops(&options, 2, 2, 0, 2, 1.0)) &&
               sarrus_pinv_options_resolve(&options, bad_indices[i], bad_indices[i]).method == options.method;
    }
    return good && isnan(sarrus_pinv_count_flops(NULL, -1, 2, 0, 2, 1.0)) && !isnan(sarrus_pinv_count_flops(NULL, 2, 2, 0, 2, 1.0));
}

static void ignore_dataset(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes,
                           const char *units, void *user) {
    (void)path, (void)n_dims, (void)dims, (void)type, (void)stored_bytes, (void)units, (void)user;
}

static bool result(void) {
    sarrus_result_info info;
    bool good = bad_and_told(sarrus_result_group_info_read(w.context, NULL, 0, &info)) &&
                bad_and_told(sarrus_result_group_info_read(w.context, "/dev/null", 0, NULL));
    for (int i = 0; i < N_BAD && good; ++i)
        good = bad_indices[i] >= 0 || bad_and_told(sarrus_result_group_info_read(w.context, "/dev/null", bad_indices[i], &info));
    return good && bad_and_told(sarrus_result_info_read(w.context, NULL, &info)) &&
           bad_and_told(sarrus_result_info_read(w.context, "/dev/null", NULL)) &&
           bad_and_told(sarrus_result_visit(w.context, NULL, ignore_dataset, NULL)) &&
           bad_and_told(sarrus_result_visit(w.context, "/dev/null", NULL, NULL));
}

static bool run(void) {
    sarrus_run_summary summary;
    sarrus_run_options options = {.plan = w.plan};
    const sarrus_run_options few = {.n_ranks = -1}, no_group = {.study_group = -1}, nowhere = {.output_path = ""};
    const sarrus_run_options again = {.output_path = "x", .n_instances = 3};
    bool good = bad_and_told(sarrus_result_path_check(w.context, NULL, 0)) &&
                bad_and_told(sarrus_result_path_check(w.context, "", 0)) &&
                bad_and_told(sarrus_run(w.context, w.model, &few, &summary)) &&
                bad_and_told(sarrus_run(w.context, w.model, &no_group, &summary)) &&
                bad_and_told(sarrus_run(w.context, w.model, &nowhere, &summary)) &&
                bad_and_told(sarrus_run_retry(w.context, w.model, "y", &again, &summary)) &&
                bad_and_told(sarrus_results_merge(w.context, NULL, 1, "x", 0)) &&
                bad_and_told(sarrus_run(w.context, NULL, &options, &summary)) &&
                bad_and_told(sarrus_run(w.context, w.model, &options, NULL)) && !sarrus_run(w.context, w.model, NULL, &summary) &&
                bad_and_told(sarrus_run_retry(w.context, w.model, "x", &options, &summary)) && /* to no path */
                bad_and_told(sarrus_run(w.context, w.other, &options, &summary));
    for (int i = 0; i < N_HUGE && good; ++i) {
        options.n_instances = huge_counts[i];
        good = sarrus_run(w.context, w.model, &options, &summary) == SARRUS_NO_MEMORY;
    }
    return good;
}

static bool run_groups(void) {
    const uint64_t n_too_many = UINT64_MAX;
    sarrus_run_summary summary, summaries[2];
    sarrus_run_group groups[2] = {{.model = w.model, .plan = w.plan}, {.model = w.other, .n_instances = 2}};
    bool good = bad_and_told(sarrus_run_groups(w.context, NULL, 2, NULL, NULL, &summary, summaries)) &&
                bad_and_told(sarrus_run_groups(w.context, groups, 2, NULL, NULL, NULL, summaries)) &&
                bad_and_told(sarrus_run_groups(w.context, groups, 0, NULL, NULL, &summary, summaries)) &&
                sarrus_run_groups(w.context, groups, 2, NULL, NULL, &summary, NULL) == SARRUS_OK && summary.n_instances == N + 2;
    for (int i = 0; i < N_BAD && good; ++i)
        good = bad_and_told(sarrus_run_groups(w.context, groups, bad_indices[i], NULL, NULL, &summary, summaries));
    const sarrus_run_options of_one[] = {{.plan = w.plan}, {.n_instances = 1}, {.first_instance = 1},
                                         {.n_part = 1},    {.shows_steps = 1}, {.study_group_file = ""}};
    for (size_t i = 0; i < sizeof of_one / sizeof of_one[0] && good; ++i)
        good = bad_and_told(sarrus_run_groups(w.context, groups, 2, NULL, &of_one[i], &summary, summaries));
    for (int i = 0; i < N_HUGE && good; ++i) {
        groups[1].n_instances = huge_counts[i];
        good = sarrus_run_groups(w.context, groups, 2, NULL, NULL, &summary, summaries) == SARRUS_NO_MEMORY;
    }
    groups[1] = (sarrus_run_group){.model = w.other, .first_instance = n_too_many};
    sarrus_context_clear(w.context);
    good = good && bad(sarrus_run_groups(w.context, groups, 2, NULL, NULL, &summary, summaries));
    sarrus_context_clear(w.context);
    groups[1] = (sarrus_run_group){.model = w.other, .plan = w.plan};
    good = good && bad_and_told(sarrus_run_groups(w.context, groups, 2, NULL, NULL, &summary, summaries));
    groups[1].model = NULL;
    return good && bad_and_told(sarrus_run_groups(w.context, groups, 2, NULL, NULL, &summary, summaries));
}

static bool document(void) {
    sarrus_document *out = NULL;
    const sarrus_override halves[] = {{NULL, "1"}, {"integrator.dt", NULL}};
    bool good = bad_and_told(sarrus_document_read_file(w.context, NULL, NULL, 0, &out)) &&
                bad_and_told(sarrus_document_read_file(w.context, "/dev/null", NULL, 0, NULL)) &&
                bad_and_told(sarrus_document_read_text(w.context, NULL, scenario, 1, NULL, 0, &out)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", NULL, 1, NULL, 0, &out)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", scenario, 1, NULL, 0, NULL)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", scenario, 1, NULL, 1, &out)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", scenario, 1, halves, SIZE_MAX, &out)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", scenario, 1, halves, 1, &out)) &&
                bad_and_told(sarrus_document_read_text(w.context, "a", scenario, 1, halves + 1, 1, &out)) && out == NULL;
    good = good && sarrus_document_is_mixed(NULL) == 0 && sarrus_document_n_groups(NULL) == 0 &&
           sarrus_document_model(NULL, 0) == NULL && sarrus_document_file(NULL, 0) == NULL &&
           sarrus_document_resolved(NULL) == NULL && sarrus_document_name(NULL) == NULL &&
           sarrus_document_read_text(w.context, "a", scenario, sizeof scenario - 1, NULL, 0, &out) == SARRUS_OK;
    for (int i = 0; i < N_BAD && good; ++i)
        good = sarrus_document_model(out, bad_indices[i]) == NULL && sarrus_document_file(out, bad_indices[i]) == NULL;
    sarrus_document_destroy(out);
    sarrus_document_destroy(NULL);
    return good;
}

static bool scenario_read(void) {
    sarrus_model *out = NULL;
    const sarrus_override halves[] = {{NULL, "1"}, {"integrator.dt", NULL}};
    const size_t n = sizeof scenario - 1;
    return bad_and_told(sarrus_scenario_read_file(w.context, NULL, NULL, 0, &out)) &&
           bad_and_told(sarrus_scenario_read_file(w.context, "a.yaml", NULL, 0, NULL)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, NULL, scenario, n, NULL, 0, &out)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", NULL, n, NULL, 0, &out)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", scenario, n, NULL, 0, NULL)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", scenario, n, NULL, 1, &out)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", scenario, n, NULL, SIZE_MAX, &out)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", scenario, n, &halves[0], 1, &out)) &&
           bad_and_told(sarrus_scenario_read_text(w.context, "a", scenario, n, &halves[1], 1, &out));
}

static bool warnings(void) {
    sarrus_warnings *out = NULL;
    sarrus_warning one = {.n_values = 5};
    sarrus_warnings_get(w.warnings, 0, NULL);
    sarrus_warnings_get(NULL, 0, &one);
    bool good = bad_and_told(sarrus_warnings_create(w.context, NULL, 0, &out)) &&
                bad_and_told(sarrus_warnings_create(w.context, w.plan, 0, NULL)) && sarrus_warnings_count(NULL) == 0 &&
                one.n_values == 0 && one.name && one.text;
    for (int i = 0; i < N_BAD && good; ++i) {
        one = (sarrus_warning){.n_values = 5};
        sarrus_warnings_get(w.warnings, bad_indices[i], &one);
        good = one.n_values == 0 && one.name && one.text;
    }
    return good;
}

/* The cases, each with the functions that it asks, behind "sarrus_". */
static const struct {
    const char *functions;
    bool (*ask)(void);
} cases[] = {
    {"backend_n_devices", backend_n_devices},
    {"batch_create", batch_create},
    {"batch_create", batch_of_other_draws},
    {"batch_advance", batch_advance},
    {"batch_observe", batch_observe},
    {"batch_backend_name batch_device_name batch_failure", batch_texts},
    {"batch_time batch_interval batch_step batch_n_instances", batch_numbers},
    {"batch_view", batch_view},
    {"batch_device_view batch_advance_async batch_copy_in_async batch_reset_some_async batch_observe_async", on_device},
    {"batch_statistics batch_verdict batch_state batch_status batch_failed_step", batch_of_instance},
    {"batch_rank_events batch_rank_events_clear", batch_events},
    {"batch_path_counts batch_library_counts", batch_counts},
    {"batch_specialization specialization_state_word", batch_specialization},
    {"batch_reset batch_observable_width batch_copy_episodes", batch_rest},
    {"batch_copy_out batch_copy_out_some batch_copy_state batch_copy_seen batch_copy_in batch_copy_observable", batch_fields},
    {"batch_copy_joint_points batch_field_width batch_parameter_label", batch_fields},
    {"batch_reset_some batch_assemble batch_redraw batch_refusal batch_save_size batch_save batch_load", batch_restarts},
    {"batch_destroy context_destroy draws_destroy model_destroy plan_destroy warnings_destroy", destroyers},
    {"context_create context_clear context_n_diagnostics context_diagnostic", context},
    {"draws_create draws_create_part draws_n_parameters draws_label draws_values draws_units", draws},
    {"draws_from_values", draws_given},
    {"draws_from_units", draws_of_units},
    {"reliability_find", reliability},
    {"batch_copy_systems", systems},
    {"compare", compare},
    {"kinematics_create", kinematics_made},
    {"kinematics_destroy kinematics_n_pairs kinematics_n_bodies kinematics_pair_get kinematics_coordinates kinematics_poses "
     "kinematics_screws kinematics_motion kinematics_inertia kinematics_christoffel kinematics_forces",
     kinematics_asked},
    {"comparison_states comparison_n_rows comparison_reference comparison_row comparison_destroy compare_verdict_word "
     "compare_paper_of",
     comparison_rows},
    {"model_resolved model_name model_ground_motion model_n_instances model_seed", model},
    {"version instance_status_text instance_status_word integrator_text integrator_word integrator_is_adaptive observable_text "
     "observable_unit formulation_word pinv_method_text pinv_method_word rank_method_text rank_method_word rank_method_tolerance "
     "status_text "
     "warning_kind_title warning_kind_word",
     words},
    {"pinv_compute pinv_count_flops pinv_options_resolve", pinv},
    {"plan_create plan_create_watched plan_sizes_get plan_n_orders plan_order_get plan_hash plan_report plan_coordinate_name "
     "plan_speed_name plan_joint_name plan_joint_parent plan_joint_child plan_joint_coordinates",
     plan_made},
    {"document_read_file document_read_text document_destroy document_is_mixed document_n_groups document_model document_file "
     "document_resolved document_name",
     document},
    {"result_info_read result_group_info_read result_visit", result},
    {"run_groups", run_groups},
    {"run result_path_check results_merge run_retry", run},
    {"scenario_read_file scenario_read_text", scenario_read},
    {"warnings_create warnings_count warnings_get", warnings},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static void every_call_is_answered(void **state) {
    (void)state;
    const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* which cmocka would catch */
    int n_wrong = 0;
    for (int i = 0; i < N_CASES; ++i) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(SECONDS);
            for (size_t k = 0; k < sizeof crashes / sizeof crashes[0]; ++k)
                signal(crashes[k], SIG_DFL);
            _exit(cases[i].ask() ? 0 : 1);
        }
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        if (how != 0)
            print_message("%s: %s %d\n", cases[i].functions, WIFSIGNALED(how) ? "ended by signal" : "wrong answer, exit code",
                          WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
        n_wrong += how != 0;
    }
    assert_int_equal(n_wrong, 0);
}

/* Whether some case names the function whose name, behind "sarrus_", is the first `length` bytes of `name`. */
static bool is_asked(const char *name, size_t length) {
    for (int i = 0; i < N_CASES; ++i)
        for (const char *at = cases[i].functions; *at != '\0'; at += strspn(at, " ")) {
            const size_t n = strcspn(at, " ");
            if (n == length && strncmp(at, name, n) == 0)
                return true;
            at += n;
        }
    return false;
}

/* Counts the functions that one header declares; those that no case asks are printed and counted apart. */
static void header_count(const char *path, int *n_found, int *n_missing) {
    char *text = calloc(TEXT, 1);
    FILE *file = fopen(path, "r");
    regex_t pattern;
    regmatch_t match[2];
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, TEXT - 1, file) > 0);
    fclose(file);
    assert_int_equal(regcomp(&pattern, "[ *]sarrus_([a-z0-9_]+)\\(", REG_EXTENDED), 0);
    for (const char *at = text; regexec(&pattern, at, 2, match, 0) == 0; at += match[0].rm_eo) {
        const size_t length = (size_t)(match[1].rm_eo - match[1].rm_so);
        ++*n_found;
        if (is_asked(at + match[1].rm_so, length))
            continue;
        print_message("%s: no case for sarrus_%.*s\n", path, (int)length, at + match[1].rm_so);
        ++*n_missing;
    }
    regfree(&pattern);
    free(text);
}

static void every_function_has_a_case(void **state) {
    (void)state;
    const char *folder = place_of_source("/include/sarrus");
    DIR *headers = opendir(folder);
    int n_found = 0, n_missing = 0;
    if (!headers)
        skip(); /* a bundle travels without headers */
    for (const struct dirent *entry; (entry = readdir(headers)) != NULL;) {
        char path[1024];
        const int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (n > 2 && strcmp(path + n - 2, ".h") == 0)
            header_count(path, &n_found, &n_missing);
    }
    closedir(headers);
    assert_true(n_found > 60 && n_missing == 0);
}

static int world_make(void **state) {
    (void)state;
    const sarrus_batch_options options = {.n_threads = 1, .backend = SARRUS_BACKEND_CPU}; /* threads would not be in the children */
    const size_t n = sizeof scenario - 1, n_other = (size_t)(strstr(scenario, "batch:") - scenario); /* without draws */
    const bool good = sarrus_context_create(&w.context) == SARRUS_OK &&
                      sarrus_scenario_read_text(w.context, "a", scenario, n, NULL, 0, &w.model) == SARRUS_OK &&
                      sarrus_scenario_read_text(w.context, "b", scenario, n_other, NULL, 0, &w.other) == SARRUS_OK &&
                      sarrus_plan_create(w.context, w.model, &w.plan) == SARRUS_OK &&
                      sarrus_draws_create(w.context, w.model, 1, N, &w.draws) == SARRUS_OK &&
                      sarrus_warnings_create(w.context, w.plan, 0, &w.warnings) == SARRUS_OK &&
                      sarrus_batch_create(w.context, w.plan, &options, N, w.draws, &w.batch) == SARRUS_OK;
    return good ? 0 : -1;
}

static int world_end(void **state) {
    (void)state;
    sarrus_batch_destroy(w.batch);
    sarrus_warnings_destroy(w.warnings);
    sarrus_draws_destroy(w.draws);
    sarrus_plan_destroy(w.plan);
    sarrus_model_destroy(w.model);
    sarrus_model_destroy(w.other);
    sarrus_context_destroy(w.context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_answered),
        cmocka_unit_test(every_function_has_a_case),
    };
    return cmocka_run_group_tests(tests, world_make, world_end);
}
