/* `sarrus bench change-points`: two seconds of mechanisms that are all but singular every half turn, by asymmetry and by method,
 * against motions in 57 digits; and how many instances of a batch with drawn lengths go wrong. A run may be right, or say that it
 * did not get through; a run that is wrong and does not say so fails. */
#include <stdlib.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/change_points/change_points.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"

typedef struct options {
    bool json, quick, has_all, lengths;
    const char *scenarios_folder;
} options;

static bool is_among(const char *word, const char *const *words, int n) {
    for (int i = 0; i < n; ++i) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* LAPACK takes as long as everything else together: by default it has every other decade of one sign. */
static bool is_wanted(const options *o, int i_delta, const sarrus_change_point_method *method) {
    static const char *const quick_deltas[] = {"0", "1e-12", "-1e-6", "1e-3"};
    static const char *const quick_integrators[] = {"rk4", "dopri5", "verner65"};
    static const char *const quick_pinvs[] = {"auto", "svd"};
    static const char *const lapack_deltas[] = {"0", "1e-12", "1e-10", "1e-8", "1e-6", "1e-4", "1e-2"};
    const char *delta = sarrus_change_point_deltas[i_delta];
    if (o->quick)
        return is_among(delta, quick_deltas, 4) && is_among(method->integrator, quick_integrators, 3) &&
               is_among(method->pinv, quick_pinvs, 2);
    return o->has_all || strcmp(method->pinv, "lapack") != 0 || is_among(delta, lapack_deltas, 7);
}

static void list_runs(const options *o, sarrus_change_point_report *report) {
    for (int i_mechanism = 0; i_mechanism < SARRUS_CHANGE_POINT_N_MECHANISMS; ++i_mechanism) {
        for (int i_delta = 0; i_delta < SARRUS_CHANGE_POINT_N_DELTAS; ++i_delta) {
            for (int i_method = 0; i_method < SARRUS_CHANGE_POINT_N_METHODS; ++i_method) {
                if (is_wanted(o, i_delta, &sarrus_change_point_methods[i_method]))
                    report->runs[report->n_runs++] =
                        (sarrus_change_point_run){.i_mechanism = i_mechanism, .i_delta = i_delta, .i_method = i_method};
            }
        }
    }
}

/* A scenario that is not where it is said to be shows before the runs that need it, not in their last minute. */
static sarrus_status scenarios_look(sarrus_context *context, const options *o) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_MECHANISMS && status == SARRUS_OK; ++i) {
        sarrus_model *model = NULL;
        status = sarrus_change_point_read(context, o->scenarios_folder, &sarrus_change_point_mechanisms[i],
                                          sarrus_change_point_deltas[0], NULL, 0, &model);
        sarrus_model_destroy(model);
    }
    return status;
}

static sarrus_status measure(sarrus_context *context, const options *o, sarrus_change_point_report *report) {
    const double began = sarrus_bench_now();
    sarrus_status status = scenarios_look(context, o);
    for (int i = 0; i < report->n_runs && status == SARRUS_OK; ++i) {
        sarrus_bench_announce("\rrun %d of %d", i + 1, report->n_runs);
        status = sarrus_change_point_measure(context, o->scenarios_folder, &report->runs[i]);
    }
    sarrus_bench_announce("\n");
    report->n_drawn = report->is_quick ? SARRUS_CHANGE_POINT_N_DRAWN / 3 : SARRUS_CHANGE_POINT_N_DRAWN;
    if (status == SARRUS_OK)
        status = sarrus_change_point_study(context, o->scenarios_folder, report);
    report->seconds = sarrus_bench_now() - began;
    return status;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    const options *o = user;
    if (o->lengths)
        return sarrus_change_point_print_lengths(context, o->scenarios_folder, stdout);
    sarrus_change_point_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    report->is_quick = o->quick;
    list_runs(o, report);
    const sarrus_status status = measure(context, o, report);
    if (status == SARRUS_OK) {
        sarrus_change_point_tally all;
        sarrus_change_point_show(report, o->json);
        sarrus_change_point_count(report, -1, &all);
        *n_failures = all.n[SARRUS_CHANGE_POINT_SILENT] + all.n[SARRUS_CHANGE_POINT_HUNG] + report->n_foreign;
    }
    free(report);
    return status;
}

int sarrus_bench_change_points(int argc, char **argv) {
    options o = {.json = false};
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "four asymmetries, four methods, a third of the study", .flag = &o.quick},
        {"all", NULL, "lapack, which is slow, at every asymmetry", .flag = &o.has_all},
        {"lengths", NULL, "prints what the study draws, for bench/change_points/reference.py, and nothing else",
         .flag = &o.lengths},
        {"scenarios", "DIR", "where change_point.yaml is", .text = &o.scenarios_folder},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    return code >= 0 ? code : sarrus_bench_carry_out("change-points", NULL, work, &o);
}
