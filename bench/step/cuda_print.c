/* The report of the step benchmark on a device, for people and for programs. */
#include "bench/step/cuda.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The row's rate over that of another path on the same mechanism, the nearest in size; NaN when there is none. */
static double ratio(const sarrus_bench_step_cuda_report *report, const sarrus_bench_step_cuda_row *row, sarrus_bench_path path) {
    double nearest = (double)INFINITY, rate = (double)NAN;
    for (int i = 0; i < report->n_rows; i++) {
        const sarrus_bench_step_cuda_row *other = &report->rows[i];
        const double away = fabs(log((double)other->n_instances / (double)row->n_instances));
        if (other->path == path && strcmp(other->mechanism, row->mechanism) == 0 && other->rate > 0.0 && away < nearest) {
            nearest = away;
            rate = other->rate;
        }
    }
    return row->path == path ? (double)NAN : row->rate / rate;
}

static void print_cell(FILE *stream, int width, const char *format, double value) {
    char text[32] = "-";
    if (isfinite(value)) {
        snprintf(text, sizeof text, format, value);
    }
    fprintf(stream, " %*s", width, text);
}

void sarrus_bench_step_cuda_print_table(FILE *stream, const sarrus_bench_step_cuda_report *report) {
    sarrus_bench_cuda_print(stream, &report->cuda);
    fprintf(stream, "\n%-18s %-8s %9s %6s %11s %8s %8s %9s %9s %9s %9s %9s  %s\n", "mechanism", "path", "instances", "steps",
            "steps/s", "of peak", "of copy", "xgeneric", "xgesvdj", "energy", "violation", "deviation", "gate");
    for (int i = 0; i < report->n_rows; i++) {
        const sarrus_bench_step_cuda_row *row = &report->rows[i];
        fprintf(stream, "%-18.18s %-8s %9" PRIu64 " %6" PRIu64, row->mechanism, sarrus_bench_path_names[row->path],
                row->n_instances, row->n_steps);
        if (row->n_samples == 0) {
            fprintf(stream, "  %s\n", row->kernels);
            continue;
        }
        print_cell(stream, 11, "%.4g", row->rate);
        print_cell(stream, 8, "%.2f%%", 100.0 * row->peak_share);
        print_cell(stream, 8, "%.1f%%", 100.0 * row->memory_share);
        print_cell(stream, 9, "%.2f", ratio(report, row, SARRUS_BENCH_GENERIC));
        print_cell(stream, 9, "%.2f", ratio(report, row, SARRUS_BENCH_GESVDJ_STAGED));
        fprintf(stream, " %9.1e %9.1e %9.1e  %s\n", row->energy_change, row->violation, row->deviation,
                row->failure == NULL ? "ok" : row->failure);
    }
    fprintf(
        stream,
        "\nfused: kernels for the plan alone; generic: those of every plan; gesvdj, syev: staged through cuSOLVER. steps: of a "
        "timed\n"
        "call; steps/s: instance-steps a second. of peak: counted additions and multiplications over measured multiply-adds. of\n"
        "copy: q and v in and out once a step, over a measured copy. energy: largest change over the steps in J, an error where\n"
        "neither motors nor dampers work. violation: largest ||Phi|| (at most %.0e). deviation: from svd on the CPU (at most "
        "%.0e).\n",
        sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
}

static void row_write(sarrus_json *json, const sarrus_bench_step_cuda_report *report, const sarrus_bench_step_cuda_row *row) {
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "mechanism", row->mechanism);
    sarrus_json_text(json, "path", sarrus_bench_path_names[row->path]);
    sarrus_json_count(json, "instances", row->n_instances);
    sarrus_json_count(json, "steps", row->n_steps);
    sarrus_json_numbers(json, "samples", row->samples, row->n_samples);
    sarrus_json_number(json, "instance_steps_per_second", row->n_samples > 0 ? row->rate : (double)NAN);
    sarrus_json_number(json, "flops_per_step", row->flops_per_step);
    sarrus_json_number(json, "fraction_of_peak", row->n_samples > 0 ? row->peak_share : (double)NAN);
    sarrus_json_number(json, "fraction_of_copy", row->n_samples > 0 ? row->memory_share : (double)NAN);
    sarrus_json_number(json, "ratio_to_generic", ratio(report, row, SARRUS_BENCH_GENERIC));
    sarrus_json_number(json, "ratio_to_gesvdj", ratio(report, row, SARRUS_BENCH_GESVDJ_STAGED));
    sarrus_json_number(json, "energy_change_joule", row->energy_change);
    sarrus_json_number(json, "max_position_error", row->violation);
    sarrus_json_number(json, "max_deviation", row->deviation);
    sarrus_json_count(json, "n_failed", row->n_failed);
    sarrus_json_text(json, "kernels", row->kernels);
    sarrus_json_text(json, "gate", row->failure != NULL ? row->failure : row->n_samples > 0 ? "ok" : "left out");
    sarrus_json_close(json, '}');
}

void sarrus_bench_step_cuda_print_json(FILE *stream, const sarrus_bench_step_cuda_report *report) {
    sarrus_json json;
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "step");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_bench_cuda_write(&json, &report->cuda);
    sarrus_json_number(&json, "deviation_bound", sarrus_bench_deviation_bound);
    sarrus_json_number(&json, "violation_bound", sarrus_bench_violation_bound);
    sarrus_json_open(&json, "rows", '[');
    for (int i = 0; i < report->n_rows; i++) {
        row_write(&json, report, &report->rows[i]);
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}
