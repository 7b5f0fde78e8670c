/* The printing half of the step benchmark. */
#include "bench/step/step.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/measure/measure.h"
#include "bench/report/sheet.h"

double sarrus_bench_row_ratio(const sarrus_bench_row *numerator, const sarrus_bench_row *denominator) {
    double ratios[SARRUS_BENCH_MAX_REPETITIONS];
    int n_ratios = 0;
    while (denominator != NULL && n_ratios < numerator->n_repetitions && n_ratios < denominator->n_repetitions) {
        ratios[n_ratios] = numerator->rates[n_ratios] / denominator->rates[n_ratios];
        n_ratios++;
    }
    return sarrus_bench_median(ratios, n_ratios);
}

const sarrus_bench_row *sarrus_bench_row_find(const sarrus_bench_mechanism *mechanism, const sarrus_bench_isa *isa, int i_pinv,
                                              int n_threads) {
    for (int i = 0; i < mechanism->n_rows; ++i) {
        const sarrus_bench_row *row = &mechanism->rows[i];
        if ((isa == NULL || row->isa == isa) && row->i_pinv == i_pinv && row->n_threads == n_threads)
            return row;
    }
    return NULL;
}

double sarrus_bench_peak_find(const sarrus_bench_step_report *report, const sarrus_bench_isa *isa, int n_threads) {
    for (int i = 0; i < report->n_peaks; ++i) {
        if (report->peaks[i].isa == isa && report->peaks[i].n_threads == n_threads)
            return report->peaks[i].rate;
    }
    return (double)NAN;
}

double sarrus_bench_row_peak_fraction(const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                                      const sarrus_bench_row *row) {
    if (strcmp(sarrus_bench_pinvs[row->i_pinv], "auto") != 0)
        return (double)NAN;
    return row->rate * mechanism->sizes.flops_per_step / sarrus_bench_peak_find(report, row->isa, row->n_threads);
}

static double row_ratio_to_lapack(const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row) {
    return sarrus_bench_row_ratio(row, sarrus_bench_row_find(mechanism, NULL, SARRUS_BENCH_N_PINVS - 1, row->n_threads));
}

static double row_ratio_to_svd(const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row) {
    return sarrus_bench_row_ratio(row, sarrus_bench_row_find(mechanism, row->isa, 1, row->n_threads));
}

static double row_speed_up(const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row) {
    return sarrus_bench_row_ratio(row, sarrus_bench_row_find(mechanism, row->isa, row->i_pinv, 1));
}

/* The beginning and the end of a row of either table; what tells batch sizes apart is their number of instances alone. */
static void row_begin(sarrus_sheet *sheet, const sarrus_bench_row *row, bool is_size) {
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, is_size ? NULL : "isa", -9, "isa", row->isa->name);
    sarrus_sheet_text(sheet, is_size ? NULL : "pinv", -7, "pinv", sarrus_bench_pinvs[row->i_pinv]);
    sarrus_sheet_count(sheet, is_size ? NULL : "threads", 7, "threads", (uint64_t)row->n_threads);
    sarrus_sheet_count(sheet, "instances", 9, "instances", row->n_instances);
    sarrus_sheet_count(sheet, NULL, 0, "steps_between_resets", row->n_steps);
    sarrus_sheet_numbers(sheet, "repetitions", row->rates, row->n_repetitions);
    sarrus_sheet_number(sheet, "steps/s", 12, "%.0f", "instance_steps_per_second", row->rate);
}

static void row_end(sarrus_sheet *sheet, const sarrus_bench_row *row) {
    sarrus_sheet_number(sheet, "revealing", 9, "%.1f%%", "rank_revealing_share", row->rank_revealing_share);
    sarrus_sheet_number(sheet, "violation", 10, "%.1e", "max_position_error", row->violation);
    sarrus_sheet_number(sheet, "deviation", 10, "%.1e", "max_deviation", row->deviation);
    sarrus_sheet_count(sheet, NULL, 0, "n_failed", row->n_failed);
    sarrus_sheet_gate(sheet, row->failure);
    sarrus_sheet_row_end(sheet);
}

static void row_show(sarrus_sheet *sheet, const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                     const sarrus_bench_row *row) {
    row_begin(sheet, row, false);
    sarrus_sheet_number(sheet, "x lapack", 9, "%.1f", "ratio_to_lapack", row_ratio_to_lapack(mechanism, row));
    sarrus_sheet_number(sheet, "x svd", 8, "%.1f", "ratio_to_svd", row_ratio_to_svd(mechanism, row));
    sarrus_sheet_number(sheet, "speed-up", 8, "%.2f", "speed_up", row_speed_up(mechanism, row));
    sarrus_sheet_number(sheet, "of peak", 8, "%.1f%%", "fraction_of_peak", sarrus_bench_row_peak_fraction(report, mechanism, row));
    row_end(sheet, row);
}

/* A row of the table over batch sizes. */
static void size_show(sarrus_sheet *sheet, const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row) {
    row_begin(sheet, row, true);
    sarrus_sheet_number(sheet, "ns/instance-step", 16, "%.2f", NULL, 1e9 / row->rate);
    /* Cost of an instance-step relative to the smallest batch. */
    sarrus_sheet_number(sheet, "relative", 10, "%.3f", "relative_cost", sarrus_bench_row_ratio(&mechanism->size_rows[0], row));
    row_end(sheet, row);
}

static void mechanism_show(sarrus_sheet *sheet, const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism) {
    const sarrus_plan_sizes *sizes = &mechanism->sizes;
    const sarrus_bench_row *smallest = &mechanism->size_rows[0];
    sarrus_json *json = &sheet->json;
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "name", mechanism->name);
    sarrus_json_text(json, "file", mechanism->file);
    sarrus_json_count(json, "n", (uint64_t)sizes->n);
    sarrus_json_count(json, "m", (uint64_t)sizes->m);
    sarrus_json_count(json, "rank", (uint64_t)sizes->rank);
    sarrus_json_count(json, "bytes_per_instance", sizes->bytes_per_instance);
    sarrus_json_number(json, "flops_per_step", sizes->flops_per_step);
    sarrus_json_number(json, "flops_per_evaluation", sizes->flops_per_evaluation);
    sarrus_json_number(json, "divisions_per_evaluation", sizes->divisions_per_evaluation);
    sarrus_sheet_note(sheet,
                      "\n%s: n %d, m %d, rank %d; %.0f flops a step, %.0f divisions an evaluation, %" PRIu64 " bytes an instance\n",
                      mechanism->name, sizes->n, sizes->m, sizes->rank, sizes->flops_per_step, sizes->divisions_per_evaluation,
                      sizes->bytes_per_instance);
    sarrus_sheet_table(sheet, "rows");
    for (int i = 0; i < mechanism->n_rows; ++i)
        row_show(sheet, report, mechanism, &mechanism->rows[i]);
    sarrus_sheet_table_end(sheet);
    if (mechanism->n_sizes > 0)
        sarrus_sheet_note(sheet, "\n%s, cost per instance over batch sizes (pinv auto, %s, %d threads):\n", mechanism->name,
                          smallest->isa->name, smallest->n_threads);
    sarrus_sheet_table(sheet, "sizes");
    for (int i = 0; i < mechanism->n_sizes; ++i)
        size_show(sheet, mechanism, &mechanism->size_rows[i]);
    sarrus_sheet_table_end(sheet);
    sarrus_json_close(json, '}');
}

void sarrus_bench_step_show(const sarrus_bench_step_report *report) {
    const sarrus_bench_step_options *options = report->options;
    char processor[SARRUS_SHEET_PROCESSOR];
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, options->json ? NULL : stdout, options->json ? stdout : NULL, "step");
    sarrus_sheet_processor(&sheet, processor);
    sarrus_json_number(&sheet.json, "deviation_bound", sarrus_bench_deviation_bound);
    sarrus_json_number(&sheet.json, "violation_bound", sarrus_bench_violation_bound);
    sarrus_sheet_note(&sheet, "%s, %d processors; medians of %d repetitions\npeak of multiply-adds, measured in this run:\n",
                      processor, sarrus_bench_n_processors(), options->n_repetitions);
    sarrus_sheet_table(&sheet, "peaks");
    for (int i = 0; i < report->n_peaks; ++i) {
        const sarrus_bench_peak *peak = &report->peaks[i];
        sarrus_sheet_row(&sheet);
        sarrus_sheet_text(&sheet, "isa", -9, "isa", peak->isa->name);
        sarrus_sheet_count(&sheet, "threads", 7, "threads", (uint64_t)peak->n_threads);
        sarrus_sheet_number(&sheet, "Gflop/s", 9, "%.1f", NULL, 1e-9 * peak->rate);
        sarrus_sheet_number(&sheet, NULL, 0, NULL, "flops_per_second", peak->rate);
        sarrus_sheet_row_end(&sheet);
    }
    sarrus_sheet_table_end(&sheet);
    sarrus_json_open(&sheet.json, "mechanisms", '[');
    for (int i = 0; i < report->n_mechanisms; ++i)
        mechanism_show(&sheet, report, &report->mechanisms[i]);
    sarrus_json_close(&sheet.json, ']');
    sarrus_sheet_note(
        &sheet,
        "\nsteps/s: instance-steps a second. of peak: counted additions and multiplications over the peak of the same\n"
        "instruction set and threads. revealing: share of evaluations that took the rank-revealing path. violation: largest\n"
        "||Phi|| after the run (at most %.0e). deviation: largest difference of a coordinate from svd (at most %.0e).\n",
        sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
    sarrus_sheet_end(&sheet);
}
