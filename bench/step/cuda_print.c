/* The report of the step benchmark on a device, for people and for programs. */
#include "bench/step/cuda.h"

#include <math.h>
#include <string.h>

/* The row's rate over that of another path on the same mechanism, the nearest in size; NaN when there is none. */
static double ratio(const sarrus_bench_step_cuda_report *report, const sarrus_bench_step_cuda_row *row, sarrus_bench_path path) {
    double nearest = (double)INFINITY, rate = (double)NAN;
    for (int i = 0; i < report->n_rows; ++i) {
        const sarrus_bench_step_cuda_row *other = &report->rows[i];
        const double away = fabs(log((double)other->n_instances / (double)row->n_instances));
        if (other->path == path && strcmp(other->mechanism, row->mechanism) == 0 && other->rate > 0.0 && away < nearest) {
            nearest = away;
            rate = other->rate;
        }
    }
    return row->path == path ? (double)NAN : row->rate / rate;
}

static void row_show(sarrus_sheet *sheet, const sarrus_bench_step_cuda_report *report, const sarrus_bench_step_cuda_row *row) {
    const bool is_measured = row->n_samples > 0;
    char mechanism[20];
    snprintf(mechanism, sizeof mechanism, "%.18s", row->mechanism);
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "mechanism", -18, NULL, mechanism);
    sarrus_sheet_text(sheet, NULL, 0, "mechanism", row->mechanism);
    sarrus_sheet_text(sheet, "path", -8, "path", sarrus_bench_path_names[row->path]);
    sarrus_sheet_count(sheet, "instances", 9, "instances", row->n_instances);
    sarrus_sheet_count(sheet, "steps", 6, "steps", row->n_steps);
    sarrus_sheet_numbers(sheet, "samples", row->samples, row->n_samples);
    sarrus_sheet_number(sheet, "steps/s", 11, "%.4g", "instance_steps_per_second", is_measured ? row->rate : (double)NAN);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "flops_per_step", row->flops_per_step);
    sarrus_sheet_number(sheet, "of peak", 8, "%.2f%%", "fraction_of_peak", is_measured ? row->peak_share : (double)NAN);
    sarrus_sheet_number(sheet, "of copy", 8, "%.1f%%", "fraction_of_copy", is_measured ? row->memory_share : (double)NAN);
    sarrus_sheet_number(sheet, "xgeneric", 9, "%.2f", "ratio_to_generic", ratio(report, row, SARRUS_BENCH_GENERIC));
    sarrus_sheet_number(sheet, "xgesvdj", 9, "%.2f", "ratio_to_gesvdj", ratio(report, row, SARRUS_BENCH_GESVDJ_STAGED));
    sarrus_sheet_number(sheet, "energy", 9, "%.1e", "energy_change_joule", row->energy_change);
    sarrus_sheet_number(sheet, "violation", 9, "%.1e", "max_position_error", row->violation);
    sarrus_sheet_number(sheet, "deviation", 9, "%.1e", "max_deviation", row->deviation);
    sarrus_sheet_count(sheet, NULL, 0, "n_failed", row->n_failed);
    sarrus_sheet_text(sheet, NULL, 0, "kernels", row->kernels);
    const char *gate = row->failure != NULL ? row->failure : is_measured ? "ok" : "left out";
    /* A row of kernels for the plan that were not to be had measures the generic ones, and must say so. */
    const bool is_as_named = is_measured && (row->path != SARRUS_BENCH_FUSED || strncmp(row->kernels, "ready", 5) == 0);
    sarrus_sheet_text(sheet, "gate", 0, NULL, is_as_named || row->failure != NULL ? gate : row->kernels);
    sarrus_sheet_text(sheet, NULL, 0, "gate", gate);
    sarrus_sheet_row_end(sheet);
}

void sarrus_bench_step_cuda_show(const sarrus_bench_step_cuda_report *report) {
    const bool json = report->options->json;
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, json ? NULL : stdout, json ? stdout : NULL, "step");
    sarrus_bench_cuda_show(&sheet, &report->cuda);
    sarrus_json_number(&sheet.json, "deviation_bound", sarrus_bench_deviation_bound);
    sarrus_json_number(&sheet.json, "violation_bound", sarrus_bench_violation_bound);
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < report->n_rows; ++i)
        row_show(&sheet, report, &report->rows[i]);
    sarrus_sheet_table_end(&sheet);
    sarrus_sheet_note(
        &sheet,
        "\nfused: kernels for the plan alone; generic: those of every plan; gesvdj, syev: staged through cuSOLVER. steps: of a "
        "timed\ncall; steps/s: instance-steps a second. of peak: counted additions and multiplications over measured "
        "multiply-adds. of\ncopy: q and v in and out once a step, over a measured copy. energy: largest change over the steps "
        "in J, an error where\nneither motors nor dampers work. violation: largest ||Phi|| (at most %.0e). deviation: from svd "
        "on the CPU (at most %.0e).\n",
        sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
    sarrus_sheet_end(&sheet);
}
