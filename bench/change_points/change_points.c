/* `sarrus bench change-points`: two seconds of mechanisms that are all but singular every half turn, by asymmetry and by method,
 * against motions in 57 digits; and how many instances of a batch with drawn lengths go wrong. A run may be right, or say that it
 * did not get through; a run that is wrong and does not say so fails. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edge/exit_code.h"
#include "edge/diagnostics.h"

#include "bench/benches.h"
#include "bench/change_points/change_points.h"
#include "bench/measure/measure.h"

static const char usage[] = "usage: sarrus bench change-points [--json] [--quick | --all] [--scenarios DIR]\n"
                            "       sarrus bench change-points --lengths [--scenarios DIR]\n"
                            "  --json            machine-readable output\n"
                            "  --quick           four asymmetries, four methods, a third of the study\n"
                            "  --all             lapack, which is slow, at every asymmetry\n"
                            "  --lengths         prints what the study draws, for bench/change_points/reference.py\n"
                            "  --scenarios DIR   where change_point.yaml is\n";

typedef struct options {
    bool json, quick, has_all, lengths;
    const char *scenarios_folder;
} options;

static bool parse_options(int argc, char **argv, options *o) {
    *o = (options){.json = false};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            o->json = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            o->quick = true;
        } else if (strcmp(argv[i], "--all") == 0) {
            o->has_all = true;
        } else if (strcmp(argv[i], "--lengths") == 0) {
            o->lengths = true;
        } else if (strcmp(argv[i], "--scenarios") == 0 && i + 1 < argc) {
            o->scenarios_folder = argv[++i];
        } else {
            fprintf(stderr, "sarrus bench change-points: '%s' is not understood\n%s", argv[i], usage);
            return false;
        }
    }
    return true;
}

static bool is_among(const char *word, const char *const *words, int n) {
    for (int i = 0; i < n; i++) {
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
    for (int i_mechanism = 0; i_mechanism < SARRUS_CHANGE_POINT_N_MECHANISMS; i_mechanism++) {
        for (int i_delta = 0; i_delta < SARRUS_CHANGE_POINT_N_DELTAS; i_delta++) {
            for (int i_method = 0; i_method < SARRUS_CHANGE_POINT_N_METHODS; i_method++) {
                if (is_wanted(o, i_delta, &sarrus_change_point_methods[i_method]))
                    report->runs[report->n_runs++] =
                        (sarrus_change_point_run){.i_mechanism = i_mechanism, .i_delta = i_delta, .i_method = i_method};
            }
        }
    }
}

static sarrus_status measure(sarrus_context *context, const options *o, sarrus_change_point_report *report) {
    const double began = sarrus_bench_now();
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < report->n_runs && status == SARRUS_OK; i++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rrun %d of %d", i + 1, report->n_runs);
        status = sarrus_change_point_measure(context, o->scenarios_folder, &report->runs[i]);
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    report->n_drawn = report->is_quick ? SARRUS_CHANGE_POINT_N_DRAWN / 3 : SARRUS_CHANGE_POINT_N_DRAWN;
    if (status == SARRUS_OK)
        status = sarrus_change_point_study(context, o->scenarios_folder, report);
    report->seconds = sarrus_bench_now() - began;
    return status;
}

static int fail(const sarrus_context *context, sarrus_status status) {
    if (context != NULL)
        sarrus_diagnostics_print(context, stderr);
    fprintf(stderr, "sarrus bench change-points: error: %s\n", sarrus_status_text(status));
    return sarrus_exit_code(status);
}

static int run(sarrus_context *context, const options *o, sarrus_change_point_report *report) {
    report->is_quick = o->quick;
    list_runs(o, report);
    const sarrus_status status = measure(context, o, report);
    if (status != SARRUS_OK)
        return fail(context, status);
    if (o->json)
        sarrus_change_point_print_json(stdout, report);
    else
        sarrus_change_point_print(stdout, report);
    sarrus_change_point_tally all;
    sarrus_change_point_count(report, -1, &all);
    return sarrus_bench_finish("change-points",
                               all.n[SARRUS_CHANGE_POINT_SILENT] + all.n[SARRUS_CHANGE_POINT_HUNG] + report->n_foreign, NULL);
}

static int print_lengths(sarrus_context *context, const options *o) {
    const sarrus_status status = sarrus_change_point_print_lengths(context, o->scenarios_folder, stdout);
    return status != SARRUS_OK ? fail(context, status) : sarrus_bench_finish("change-points", 0, NULL);
}

int sarrus_bench_change_points(int argc, char **argv) {
    options o;
    if (sarrus_bench_help_is_asked(argc, argv, usage))
        return SARRUS_EXIT_DONE;
    if (!parse_options(argc, argv, &o))
        return SARRUS_EXIT_BAD_INPUT;
    sarrus_context *context = NULL;
    sarrus_change_point_report *report = calloc(1, sizeof *report);
    int code;
    if (report == NULL || sarrus_context_create(&context) != SARRUS_OK)
        code = fail(NULL, SARRUS_NO_MEMORY);
    else
        code = o.lengths ? print_lengths(context, &o) : run(context, &o, report);
    sarrus_context_destroy(context);
    free(report);
    return code;
}
