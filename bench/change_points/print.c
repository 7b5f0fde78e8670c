/* What `sarrus bench change-points` says: errors by asymmetry and method, a mechanism at a time; counts by method; the study. */
#include <math.h>
#include <string.h>

#include "bench/measure/measure.h"
#include "bench/report/sheet.h"

#include "bench/change_points/change_points.h"

enum { N_INTEGRATORS = 5, MAX_PROCESSOR = 128, MAX_CELL = 32 };

void sarrus_change_point_count(const sarrus_change_point_report *report, int i_method, sarrus_change_point_tally *out) {
    *out = (sarrus_change_point_tally){.n_runs = 0};
    for (int i = 0; i < report->n_runs; ++i) {
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
    for (int i = 0; i < report->n_runs; ++i) {
        const sarrus_change_point_run *run = &report->runs[i];
        if (run->i_mechanism == i_mechanism && run->i_delta == i_delta && run->i_method == i_method)
            return run;
    }
    return NULL;
}

/* The error, with "!" behind it when it is silently wrong; the word when the run is marked. */
static const char *cell_text(const sarrus_change_point_run *run, char text[MAX_CELL]) {
    if (run == NULL)
        text[0] = '\0';
    else if (run->verdict == SARRUS_CHANGE_POINT_MARKED)
        snprintf(text, MAX_CELL, "%.10s", sarrus_instance_status_word(run->status));
    else if (run->verdict == SARRUS_CHANGE_POINT_HUNG || run->verdict == SARRUS_CHANGE_POINT_REFUSED)
        snprintf(text, MAX_CELL, "%s", sarrus_change_point_verdict_words[run->verdict]);
    else
        snprintf(text, MAX_CELL, "%9.1e%c", run->error, run->verdict == SARRUS_CHANGE_POINT_SILENT ? '!' : ' ');
    return text;
}

static bool has_runs(const sarrus_change_point_report *report, int i_method) {
    sarrus_change_point_tally tally;
    sarrus_change_point_count(report, i_method, &tally);
    return tally.n_runs > 0;
}

/* Columns are the methods from `i_begin` to before `i_end` that have runs. */
static void errors_show(sarrus_sheet *sheet, const sarrus_change_point_report *report, int i_mechanism, int i_begin, int i_end) {
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_DELTAS; ++i) {
        if (find_run(report, i_mechanism, i, 0) == NULL)
            continue;
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "delta", 8, NULL, sarrus_change_point_deltas[i]);
        for (int k = i_begin; k < i_end; ++k) {
            const sarrus_change_point_method *method = &sarrus_change_point_methods[k];
            char heading[MAX_CELL], text[MAX_CELL];
            snprintf(heading, sizeof heading, "%.10s", i_begin == 0 ? method->integrator : method->pinv);
            if (has_runs(report, k))
                sarrus_sheet_text(sheet, heading, 10, NULL, cell_text(find_run(report, i_mechanism, i, k), text));
        }
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

/* Of one method, or of all: −1. */
static void tally_show(sarrus_sheet *sheet, const sarrus_change_point_report *report, int i_method) {
    static const int widths[SARRUS_CHANGE_POINT_N_VERDICTS] = {6, 7, 8, 15, 5};
    const sarrus_change_point_method *method = i_method < 0 ? NULL : &sarrus_change_point_methods[i_method];
    sarrus_change_point_tally tally;
    sarrus_change_point_count(report, i_method, &tally);
    if (tally.n_runs == 0)
        return;
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "integrator", -14, "integrator", method == NULL ? "all" : method->integrator);
    sarrus_sheet_text(sheet, "pinv", -12, "pinv", method == NULL ? "all" : method->pinv);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "bound", method == NULL ? (double)NAN : method->bound);
    sarrus_sheet_count(sheet, "runs", 5, "runs", (uint64_t)tally.n_runs);
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_VERDICTS; ++i) {
        const char *word = sarrus_change_point_verdict_words[i];
        sarrus_sheet_count(sheet, word, widths[i], word, (uint64_t)tally.n[i]);
    }
    sarrus_sheet_count(sheet, "steps", 10, "steps", tally.n_steps);
    sarrus_sheet_count(sheet, "evaluations", 11, "evaluations", tally.n_evaluations);
    sarrus_sheet_number(sheet, "s", 9, "%.2f", "seconds", tally.seconds);
    sarrus_sheet_row_end(sheet);
}

static void study_show(sarrus_sheet *sheet, const sarrus_change_point_report *report) {
    sarrus_sheet_note(sheet, "\nchange_point.yaml, %d instances, cranks 1 m with standard deviation sd, 2 s\n", report->n_drawn);
    sarrus_sheet_table(sheet, "study");
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_STUDIES * SARRUS_CHANGE_POINT_N_STUDY_METHODS; ++i) {
        const sarrus_change_point_study_row *row = &report->study[i];
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "sd", 6, "sd", row->sd);
        sarrus_sheet_text(sheet, "method", -15, "method", row->method);
        sarrus_sheet_count(sheet, NULL, 0, "instances", (uint64_t)report->n_drawn);
        sarrus_sheet_count(sheet, "wrong", 6, "wrong", (uint64_t)row->n_wrong);
        sarrus_sheet_count(sheet, "marked", 7, "marked", (uint64_t)row->n_marked);
        sarrus_sheet_number(sheet, "largest", 10, "%.1e", "largest_error", row->largest);
        sarrus_sheet_number(sheet, "energy", 10, "%.1e", "largest_energy_error", row->largest_energy);
        sarrus_sheet_count(sheet, "evaluations", 12, "evaluations", row->n_evaluations);
        sarrus_sheet_number(sheet, "s", 9, "%.5f", "seconds", row->seconds);
        sarrus_sheet_number(sheet, "ratio", 7, "%.2f", "ratio", row->ratio);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
    sarrus_json_count(&sheet->json, "foreign_draws", (uint64_t)report->n_foreign);
    if (report->n_foreign > 0)
        sarrus_sheet_note(sheet, "FAILED: %d instances were drawn other than in the table\n", report->n_foreign);
}

static void run_write(sarrus_json *json, const sarrus_change_point_run *run) {
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

void sarrus_change_point_show(const sarrus_change_point_report *report, bool json) {
    char processor[MAX_PROCESSOR];
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, json ? NULL : stdout, json ? stdout : NULL, "change-points");
    sarrus_bench_processor_name(processor, sizeof processor);
    sarrus_json_text(&sheet.json, "processor", processor);
    sarrus_json_flag(&sheet.json, "quick", report->is_quick);
    sarrus_json_number(&sheet.json, "seconds", report->seconds);
    for (int i = 0; i < SARRUS_CHANGE_POINT_N_MECHANISMS; ++i) {
        sarrus_sheet_note(&sheet, "\n%s by integrator, pinv auto\n", sarrus_change_point_mechanisms[i].name);
        errors_show(&sheet, report, i, 0, N_INTEGRATORS);
        sarrus_sheet_note(&sheet, "\n%s by pinv, %s\n", sarrus_change_point_mechanisms[i].name,
                          sarrus_change_point_methods[N_INTEGRATORS].integrator);
        errors_show(&sheet, report, i, N_INTEGRATORS - 1, SARRUS_CHANGE_POINT_N_METHODS);
    }
    sarrus_sheet_note(&sheet, "\n");
    sarrus_sheet_table(&sheet, "summary");
    for (int i = -1; i < SARRUS_CHANGE_POINT_N_METHODS; ++i)
        tally_show(&sheet, report, i);
    sarrus_sheet_table_end(&sheet);
    study_show(&sheet, report);
    sarrus_json_open(&sheet.json, "runs", '[');
    for (int i = 0; i < report->n_runs; ++i)
        run_write(&sheet.json, &report->runs[i]);
    sarrus_json_close(&sheet.json, ']');
    sarrus_sheet_note(
        &sheet,
        "\nLargest error at 0.4, 0.8, 1.2 and 2 s of the first and the last crank, rad (slider: m), against motions in 57 "
        "digits.\nA word: the status of an instance that says that it ended; refused: cannot be assembled; !: silently wrong, "
        "by more\nthan 1e-2 (rk4, 1e-3 s), 1 (semi-implicit, 1e-4 s) or 1e-6 (adaptive, rtol = atol = 1e-11). Whole program: "
        "%.0f s.\n",
        report->seconds);
    sarrus_sheet_end(&sheet);
}
