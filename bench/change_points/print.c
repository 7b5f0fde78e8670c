/* What `sarrus bench change-points` says: errors by asymmetry and method, a mechanism at a time; counts by method; the study. */
#include <math.h>
#include <string.h>

#include "edge/json.h"

#include "bench/measure/measure.h"

#include "bench/change_points/change_points.h"

enum { N_INTEGRATORS = 5, MAX_PROCESSOR = 128 };

void sarrus_change_point_count(const sarrus_change_point_report *report, int i_method, sarrus_change_point_tally *out) {
    *out = (sarrus_change_point_tally){.n_runs = 0};
    for (int i = 0; i < report->n_runs; i++) {
        const sarrus_change_point_run *run = &report->runs[i];
        if (i_method >= 0 && run->i_method != i_method)
            continue;
        out->n_runs++;
        out->n[run->verdict]++;
        out->seconds += run->seconds;
        out->n_steps += run->work.n_steps;
        out->n_evaluations += run->work.n_evaluations;
    }
}

static const sarrus_change_point_run *find_run(const sarrus_change_point_report *report, int i_mechanism, int i_delta,
                                               int i_method) {
    for (int i = 0; i < report->n_runs; i++) {
        const sarrus_change_point_run *run = &report->runs[i];
        if (run->i_mechanism == i_mechanism && run->i_delta == i_delta && run->i_method == i_method)
            return run;
    }
    return NULL;
}

/* The error, with "!" behind it when it is silently wrong; the word when the run is marked. */
static void print_cell(FILE *stream, const sarrus_change_point_run *run) {
    if (run == NULL)
        fprintf(stream, " %10s", "");
    else if (run->verdict == SARRUS_CHANGE_POINT_MARKED)
        fprintf(stream, " %10.10s", sarrus_instance_status_word(run->status));
    else if (run->verdict == SARRUS_CHANGE_POINT_HUNG || run->verdict == SARRUS_CHANGE_POINT_REFUSED)
        fprintf(stream, " %10s", sarrus_change_point_verdict_words[run->verdict]);
    else
        fprintf(stream, " %9.1e%c", run->error, run->verdict == SARRUS_CHANGE_POINT_SILENT ? '!' : ' ');
}

static bool has_runs(const sarrus_change_point_report *report, int i_method) {
    sarrus_change_point_tally tally;
    sarrus_change_point_count(report, i_method, &tally);
    return tally.n_runs > 0;
}

/* Columns are the methods from `i_begin` to before `i_end` that have runs. */
static void print_errors(FILE *stream, const sarrus_change_point_report *report, int i_mechanism, int i_begin, int i_end) {
    fprintf(stream, "%8s", "delta");
    for (int k = i_begin; k < i_end; k++) {
        const sarrus_change_point_method *method = &sarrus_change_point_methods[k];
        if (has_runs(report, k))
            fprintf(stream, " %10.10s", i_begin == 0 ? method->integrator : method->pinv);
    }
    fputc('\n', stream);
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_DELTAS; i++) {
        if (find_run(report, i_mechanism, i, 0) == NULL)
            continue;
        fprintf(stream, "%8s", sarrus_change_point_deltas[i]);
        for (int k = i_begin; k < i_end; k++) {
            if (has_runs(report, k))
                print_cell(stream, find_run(report, i_mechanism, i, k));
        }
        fputc('\n', stream);
    }
}

static void print_tally(FILE *stream, const char *integrator, const char *pinv, const sarrus_change_point_tally *t) {
    fprintf(stream, "%-14s %-12s %5d %6d %7d %8d %15d %5d %10llu %11llu %9.2f\n", integrator, pinv, t->n_runs,
            t->n[SARRUS_CHANGE_POINT_RIGHT], t->n[SARRUS_CHANGE_POINT_MARKED], t->n[SARRUS_CHANGE_POINT_REFUSED],
            t->n[SARRUS_CHANGE_POINT_SILENT], t->n[SARRUS_CHANGE_POINT_HUNG], (unsigned long long)t->n_steps,
            (unsigned long long)t->n_evaluations, t->seconds);
}

static void print_summary(FILE *stream, const sarrus_change_point_report *report) {
    sarrus_change_point_tally tally;
    fprintf(stream, "\n%-14s %-12s %5s %6s %7s %8s %15s %5s %10s %11s %9s\n", "integrator", "pinv", "runs", "right", "marked",
            "refused", "silently wrong", "hung", "steps", "evaluations", "s");
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_METHODS; i++) {
        sarrus_change_point_count(report, i, &tally);
        if (tally.n_runs > 0)
            print_tally(stream, sarrus_change_point_methods[i].integrator, sarrus_change_point_methods[i].pinv, &tally);
    }
    sarrus_change_point_count(report, -1, &tally);
    print_tally(stream, "all", "", &tally);
}

static void print_study(FILE *stream, const sarrus_change_point_report *report) {
    fprintf(stream, "\nchange_point.yaml, %d instances, cranks 1 m with standard deviation sd, 2 s\n", report->n_drawn);
    fprintf(stream, "%6s %-15s %6s %7s %10s %10s %12s %9s %7s\n", "sd", "method", "wrong", "marked", "largest", "energy",
            "evaluations", "ms", "ratio");
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_STUDIES * SARRUS_CHANGE_POINT_N_STUDY_METHODS; i++) {
        const sarrus_change_point_study_row *row = &report->study[i];
        fprintf(stream, "%6s %-15s %6d %7d %10.1e %10.1e %12llu %9.2f %7.2f\n", row->sd, row->method, row->n_wrong, row->n_marked,
                row->largest, row->largest_energy, (unsigned long long)row->n_evaluations, 1e3 * row->seconds, row->ratio);
    }
    if (report->n_foreign > 0)
        fprintf(stream, "FAILED: %d instances were drawn other than in the table\n", report->n_foreign);
}

void sarrus_change_point_print(FILE *stream, const sarrus_change_point_report *report) {
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_MECHANISMS; i++) {
        fprintf(stream, "\n%s by integrator, pinv auto\n", sarrus_change_point_mechanisms[i].name);
        print_errors(stream, report, i, 0, N_INTEGRATORS);
        fprintf(stream, "\n%s by pinv, %s\n", sarrus_change_point_mechanisms[i].name,
                sarrus_change_point_methods[N_INTEGRATORS].integrator);
        print_errors(stream, report, i, N_INTEGRATORS - 1, SARRUS_CHANGE_POINT_N_METHODS);
    }
    print_summary(stream, report);
    print_study(stream, report);
    fprintf(
        stream,
        "\nLargest error at 0.4, 0.8, 1.2 and 2 s of the first and the last crank, rad (slider: m), against motions in 57 digits.\n"
        "A word: the status of an instance that says that it ended; refused: cannot be assembled; !: silently wrong, by more\n"
        "than 1e-2 (rk4, 1e-3 s), 1 (semi-implicit, 1e-4 s) or 1e-6 (adaptive, rtol = atol = 1e-11). Whole program: %.0f s.\n",
        report->seconds);
}

static void write_run(sarrus_json *json, const sarrus_change_point_run *run) {
    const sarrus_change_point_method *method = &sarrus_change_point_methods[run->i_method];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "mechanism", sarrus_change_point_mechanisms[run->i_mechanism].name);
    sarrus_json_text(json, "delta", sarrus_change_point_deltas[run->i_delta]);
    sarrus_json_text(json, "integrator", method->integrator);
    sarrus_json_text(json, "pinv", method->pinv);
    sarrus_json_number(json, "error", run->error);
    sarrus_json_number(json, "energy_error", run->energy);
    sarrus_json_text(json, "status", sarrus_instance_status_word(run->status));
    sarrus_json_text(json, "verdict", sarrus_change_point_verdict_words[run->verdict]);
    sarrus_json_count(json, "steps", run->work.n_steps);
    sarrus_json_count(json, "evaluations", run->work.n_evaluations);
    sarrus_json_number(json, "seconds", run->seconds);
    sarrus_json_close(json, '}');
}

static void write_summary(sarrus_json *json, const sarrus_change_point_report *report) {
    sarrus_json_open(json, "summary", '[');
    for (int i = -1; i < SARRUS_CHANGE_POINT_N_METHODS; i++) {
        sarrus_change_point_tally tally;
        sarrus_change_point_count(report, i, &tally);
        if (tally.n_runs == 0)
            continue;
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "integrator", i < 0 ? "all" : sarrus_change_point_methods[i].integrator);
        sarrus_json_text(json, "pinv", i < 0 ? "all" : sarrus_change_point_methods[i].pinv);
        sarrus_json_number(json, "bound", i < 0 ? (double)NAN : sarrus_change_point_methods[i].bound);
        sarrus_json_count(json, "runs", (uint64_t)tally.n_runs);
        for (int k = 0; k < SARRUS_CHANGE_POINT_N_VERDICTS; k++)
            sarrus_json_count(json, sarrus_change_point_verdict_words[k], (uint64_t)tally.n[k]);
        sarrus_json_count(json, "steps", tally.n_steps);
        sarrus_json_count(json, "evaluations", tally.n_evaluations);
        sarrus_json_number(json, "seconds", tally.seconds);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

static void write_study(sarrus_json *json, const sarrus_change_point_report *report) {
    sarrus_json_open(json, "study", '[');
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_STUDIES * SARRUS_CHANGE_POINT_N_STUDY_METHODS; i++) {
        const sarrus_change_point_study_row *row = &report->study[i];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "sd", row->sd);
        sarrus_json_text(json, "method", row->method);
        sarrus_json_count(json, "instances", (uint64_t)report->n_drawn);
        sarrus_json_count(json, "wrong", (uint64_t)row->n_wrong);
        sarrus_json_count(json, "marked", (uint64_t)row->n_marked);
        sarrus_json_number(json, "largest_error", row->largest);
        sarrus_json_number(json, "largest_energy_error", row->largest_energy);
        sarrus_json_count(json, "evaluations", row->n_evaluations);
        sarrus_json_number(json, "seconds", row->seconds);
        sarrus_json_number(json, "ratio", row->ratio);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

void sarrus_change_point_print_json(FILE *stream, const sarrus_change_point_report *report) {
    char processor[MAX_PROCESSOR];
    sarrus_json json;
    sarrus_bench_processor_name(processor, sizeof processor);
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "change-points");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_json_text(&json, "processor", processor);
    sarrus_json_flag(&json, "quick", report->is_quick);
    sarrus_json_number(&json, "seconds", report->seconds);
    write_summary(&json, report);
    write_study(&json, report);
    sarrus_json_count(&json, "foreign_draws", (uint64_t)report->n_foreign);
    sarrus_json_open(&json, "runs", '[');
    for (int i = 0; i < report->n_runs; i++)
        write_run(&json, &report->runs[i]);
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}
