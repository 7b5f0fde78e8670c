/* The printing half of the step benchmark. */
#include "bench/step/step.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/measure/measure.h"

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
    for (int i = 0; i < mechanism->n_rows; i++) {
        const sarrus_bench_row *row = &mechanism->rows[i];
        if ((isa == NULL || row->isa == isa) && row->i_pinv == i_pinv && row->n_threads == n_threads) {
            return row;
        }
    }
    return NULL;
}

double sarrus_bench_peak_find(const sarrus_bench_step_report *report, const sarrus_bench_isa *isa, int n_threads) {
    for (int i = 0; i < report->n_peaks; i++) {
        if (report->peaks[i].isa == isa && report->peaks[i].n_threads == n_threads) {
            return report->peaks[i].rate;
        }
    }
    return (double)NAN;
}

double sarrus_bench_row_peak_fraction(const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                                      const sarrus_bench_row *row) {
    if (strcmp(sarrus_bench_pinvs[row->i_pinv], "auto") != 0) {
        return (double)NAN;
    }
    return row->rate * mechanism->sizes.flops_per_step / sarrus_bench_peak_find(report, row->isa, row->n_threads);
}

/* A number right-aligned in `width` columns with `n_digits` after the point, a dash for NaN. */
static void print_cell(FILE *stream, int width, int n_digits, double value) {
    if (isnan(value)) {
        fprintf(stream, " %*s", width, "-");
    } else {
        fprintf(stream, " %*.*f", width, n_digits, value);
    }
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

/* Worst cost per instance-step relative to the smallest batch. */
static double flatness(const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row) {
    return sarrus_bench_row_ratio(&mechanism->size_rows[0], row);
}

static void print_gate(FILE *stream, const sarrus_bench_row *row) {
    fprintf(stream, " %10.1e %10.1e  ", row->violation, row->deviation);
    if (row->failure == NULL) {
        fprintf(stream, "ok\n");
    } else {
        fprintf(stream, "FAILED: %s\n", row->failure);
    }
}

static void print_mechanism(FILE *stream, const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism) {
    const sarrus_plan_sizes *sizes = &mechanism->sizes;
    fprintf(stream, "\n%s: n %d, m %d, rank %d; %.0f flops a step, %.0f divisions an evaluation, %" PRIu64 " bytes an instance\n",
            mechanism->name, sizes->n, sizes->m, sizes->rank, sizes->flops_per_step, sizes->divisions_per_evaluation,
            sizes->bytes_per_instance);
    fprintf(stream, "%-9s %-7s %7s %9s %12s %9s %8s %8s %8s %9s %10s %10s  %s\n", "isa", "pinv", "threads", "instances", "steps/s",
            "x lapack", "x svd", "speed-up", "of peak", "revealing", "violation", "deviation", "gate");
    for (int i = 0; i < mechanism->n_rows; i++) {
        const sarrus_bench_row *row = &mechanism->rows[i];
        fprintf(stream, "%-9s %-7s %7d %9" PRIu64 " %12.0f", row->isa->name, sarrus_bench_pinvs[row->i_pinv], row->n_threads,
                row->n_instances, row->rate);
        print_cell(stream, 9, 1, row_ratio_to_lapack(mechanism, row));
        print_cell(stream, 8, 1, row_ratio_to_svd(mechanism, row));
        print_cell(stream, 8, 2, row->n_threads == 1 ? (double)NAN : row_speed_up(mechanism, row));
        const double fraction = 100.0 * sarrus_bench_row_peak_fraction(report, mechanism, row);
        print_cell(stream, 7, 1, fraction);
        fprintf(stream, "%s %8.1f%%", isnan(fraction) ? " " : "%", 100.0 * row->rank_revealing_share);
        print_gate(stream, row);
    }
    if (mechanism->n_sizes > 0) {
        fprintf(stream, "\n%s, cost per instance over batch sizes (pinv auto, %s, %d threads):\n%12s %12s %16s %10s\n",
                mechanism->name, mechanism->size_rows[0].isa->name, mechanism->size_rows[0].n_threads, "instances", "steps/s",
                "ns/instance-step", "relative");
    }
    for (int i = 0; i < mechanism->n_sizes; i++) {
        const sarrus_bench_row *row = &mechanism->size_rows[i];
        fprintf(stream, "%12" PRIu64 " %12.0f %16.2f %10.3f", row->n_instances, row->rate, 1e9 / row->rate,
                flatness(mechanism, row));
        print_gate(stream, row);
    }
}

void sarrus_bench_step_print_table(FILE *stream, const sarrus_bench_step_report *report) {
    char processor[128];
    sarrus_bench_processor_name(processor, sizeof processor);
    fprintf(stream, "%s, %d processors; medians of %d repetitions\n", processor, sarrus_bench_n_processors(),
            report->options->n_repetitions);
    fprintf(stream, "peak of multiply-adds, measured in this run (Gflop/s):\n");
    for (int i = 0; i < report->n_peaks; i++) {
        const sarrus_bench_peak *peak = &report->peaks[i];
        fprintf(stream, "  %-9s %d thread%s %8.1f\n", peak->isa->name, peak->n_threads, peak->n_threads == 1 ? " " : "s",
                1e-9 * peak->rate);
    }
    for (int i = 0; i < report->n_mechanisms; i++) {
        print_mechanism(stream, report, &report->mechanisms[i]);
    }
    fprintf(stream,
            "\nsteps/s: instance-steps a second. of peak: counted additions and multiplications over the peak of the same\n"
            "instruction set and threads. revealing: share of evaluations that took the rank-revealing path. violation: largest\n"
            "||Phi|| after the run (at most %.0e). deviation: largest difference of a coordinate from svd (at most %.0e).\n",
            sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
}

/* JSON has no NaN: null stands for it. */
static void print_json_number(FILE *stream, const char *key, double value) {
    if (isfinite(value)) {
        fprintf(stream, ", \"%s\": %.17g", key, value);
    } else {
        fprintf(stream, ", \"%s\": null", key);
    }
}

static void print_json_string(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(stream, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            fprintf(stream, "\\u%04x", (unsigned)*c);
        } else {
            fputc(*c, stream);
        }
    }
    fputc('"', stream);
}

static void print_json_row(FILE *stream, const sarrus_bench_row *row) {
    fprintf(stream,
            "{\"isa\": \"%s\", \"pinv\": \"%s\", \"threads\": %d, \"instances\": %" PRIu64 ", \"steps_between_resets\": %" PRIu64,
            row->isa->name, sarrus_bench_pinvs[row->i_pinv], row->n_threads, row->n_instances, row->n_steps);
    fprintf(stream, ", \"repetitions\": [");
    for (int i = 0; i < row->n_repetitions; i++) {
        fprintf(stream, "%s%.17g", i == 0 ? "" : ", ", row->rates[i]);
    }
    fprintf(stream, "]");
    print_json_number(stream, "instance_steps_per_second", row->rate);
    print_json_number(stream, "max_position_error", row->violation);
    print_json_number(stream, "max_deviation", row->deviation);
    print_json_number(stream, "rank_revealing_share", row->rank_revealing_share);
    fprintf(stream, ", \"n_failed\": %" PRIu64 ", \"gate\": ", row->n_failed);
    print_json_string(stream, row->failure == NULL ? "ok" : row->failure);
}

static void print_json_mechanism(FILE *stream, const sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism) {
    const sarrus_plan_sizes *sizes = &mechanism->sizes;
    fprintf(stream, "    {\"name\": ");
    print_json_string(stream, mechanism->name);
    fprintf(stream, ", \"file\": ");
    print_json_string(stream, mechanism->file);
    fprintf(stream, ", \"n\": %d, \"m\": %d, \"rank\": %d, \"bytes_per_instance\": %" PRIu64, sizes->n, sizes->m, sizes->rank,
            sizes->bytes_per_instance);
    print_json_number(stream, "flops_per_step", sizes->flops_per_step);
    print_json_number(stream, "flops_per_evaluation", sizes->flops_per_evaluation);
    print_json_number(stream, "divisions_per_evaluation", sizes->divisions_per_evaluation);
    fprintf(stream, ",\n     \"rows\": [");
    for (int i = 0; i < mechanism->n_rows; i++) {
        const sarrus_bench_row *row = &mechanism->rows[i];
        fprintf(stream, "%s\n      ", i == 0 ? "" : ",");
        print_json_row(stream, row);
        print_json_number(stream, "ratio_to_lapack", row_ratio_to_lapack(mechanism, row));
        print_json_number(stream, "ratio_to_svd", row_ratio_to_svd(mechanism, row));
        print_json_number(stream, "speed_up", row_speed_up(mechanism, row));
        print_json_number(stream, "fraction_of_peak", sarrus_bench_row_peak_fraction(report, mechanism, row));
        fprintf(stream, "}");
    }
    fprintf(stream, "],\n     \"sizes\": [");
    for (int i = 0; i < mechanism->n_sizes; i++) {
        fprintf(stream, "%s\n      ", i == 0 ? "" : ",");
        print_json_row(stream, &mechanism->size_rows[i]);
        print_json_number(stream, "relative_cost", flatness(mechanism, &mechanism->size_rows[i]));
        fprintf(stream, "}");
    }
    fprintf(stream, "]}");
}

void sarrus_bench_step_print_json(FILE *stream, const sarrus_bench_step_report *report) {
    char processor[128];
    sarrus_bench_processor_name(processor, sizeof processor);
    fprintf(stream, "{\"benchmark\": \"step\", \"version\": \"%s\", \"processor\": ", sarrus_version());
    print_json_string(stream, processor);
    fprintf(stream, ", \"processors\": %d", sarrus_bench_n_processors());
    print_json_number(stream, "deviation_bound", sarrus_bench_deviation_bound);
    print_json_number(stream, "violation_bound", sarrus_bench_violation_bound);
    fprintf(stream, ",\n  \"peaks\": [");
    for (int i = 0; i < report->n_peaks; i++) {
        const sarrus_bench_peak *peak = &report->peaks[i];
        fprintf(stream, "%s\n    {\"isa\": \"%s\", \"threads\": %d", i == 0 ? "" : ",", peak->isa->name, peak->n_threads);
        print_json_number(stream, "flops_per_second", peak->rate);
        fprintf(stream, "}");
    }
    fprintf(stream, "],\n  \"mechanisms\": [");
    for (int i = 0; i < report->n_mechanisms; i++) {
        fprintf(stream, "%s\n", i == 0 ? "" : ",");
        print_json_mechanism(stream, report, &report->mechanisms[i]);
    }
    fprintf(stream, "]}\n");
}
