/* The report of the benchmark of specialised kernels, for people and for programs. */
#include "bench/specialize/specialize.h"

#include <inttypes.h>
#include <math.h>

#include "edge/json.h"

#include "bench/measure/measure.h"

/* A number right-aligned in `width` columns with `n_digits` after the point, a dash for NaN. */
static void print_cell(FILE *stream, int width, int n_digits, double value) {
    if (isnan(value)) {
        fprintf(stream, " %*s", width, "-");
    } else {
        fprintf(stream, " %*.*f", width, n_digits, value);
    }
}

static double ratio(const sarrus_bench_subject *subject, const sarrus_bench_row *row, sarrus_bench_variant to) {
    return sarrus_bench_row_ratio(row, sarrus_bench_variant_row(subject, to));
}

static void print_gate(FILE *stream, const char *failure) {
    fprintf(stream, failure == NULL ? "  ok\n" : "  FAILED: %s\n", failure);
}

static void print_subject(FILE *stream, const sarrus_bench_subject *subject) {
    const sarrus_plan_sizes *sizes = &subject->mechanism.sizes;
    fprintf(stream, "\n%s: n %d, m %d, rank %d; %.0f flops a step, %.0f divisions an evaluation\n", subject->label, sizes->n,
            sizes->m, sizes->rank, sizes->flops_per_step, sizes->divisions_per_evaluation);
    fprintf(stream, "%-18s %9s %12s %8s %9s %9s %9s %9s %10s %10s  %s\n", "variant", "instances", "steps/s", "flops", "x generic",
            "x lapack", "% of peak", "revealing", "violation", "deviation", "gate");
    for (int i = 0; i < SARRUS_BENCH_N_VARIANTS; i++) {
        const sarrus_bench_row *row = sarrus_bench_variant_row(subject, (sarrus_bench_variant)i);
        if (row == NULL) {
            continue;
        }
        fprintf(stream, "%-18s %9" PRIu64 " %12.0f", sarrus_bench_variants[i], row->n_instances, row->rate);
        print_cell(stream, 8, 0, sarrus_bench_variant_flops(subject, (sarrus_bench_variant)i));
        print_cell(stream, 9, 2, ratio(subject, row, SARRUS_BENCH_GENERIC));
        print_cell(stream, 9, 1, ratio(subject, row, SARRUS_BENCH_LAPACK));
        print_cell(stream, 9, 1, 100.0 * sarrus_bench_variant_peak_fraction(subject, (sarrus_bench_variant)i));
        fprintf(stream, " %8.1f%% %10.1e %10.1e", 100.0 * row->rank_revealing_share, row->violation, row->deviation);
        print_gate(stream, row->failure);
    }
}

static void print_growth(FILE *stream, const sarrus_bench_specialize_report *report) {
    static const sarrus_bench_variant shown[] = {SARRUS_BENCH_GENERIC, SARRUS_BENCH_SPECIALIZED, SARRUS_BENCH_LAPACK};
    fprintf(stream, "\nN-four-bar, cost of an instance-step in ns over N:\n%6s %10s %12s %12s %14s %14s\n", "N", "flops", "generic",
            "specialised", "lapack", "specialised/N");
    for (int i = 0; i < report->n_subjects; i++) {
        const sarrus_bench_subject *subject = &report->subjects[i];
        if (subject->n_loops == 0) {
            continue;
        }
        double cost[3];
        for (int k = 0; k < 3; k++) {
            const sarrus_bench_row *row = sarrus_bench_variant_row(subject, shown[k]);
            cost[k] = row == NULL ? (double)NAN : 1e9 / row->rate;
        }
        fprintf(stream, "%6d %10.0f", subject->n_loops, subject->mechanism.sizes.flops_per_step);
        print_cell(stream, 12, 1, cost[0]);
        print_cell(stream, 12, 1, cost[1]);
        print_cell(stream, 14, 0, cost[2]);
        print_cell(stream, 14, 2, cost[1] / subject->n_loops);
        fprintf(stream, "\n");
    }
    for (int only_largest = 0; only_largest < 2; only_largest++) {
        fprintf(stream, "exponent of growth, %s:", only_largest ? "the two largest" : "all");
        for (int k = 0; k < 3; k++) {
            const double slope = sarrus_bench_growth(report, shown[k], only_largest == 1);
            fprintf(stream, "%s %s %.2f", k == 0 ? "" : ",", sarrus_bench_variants[shown[k]], slope);
        }
        fprintf(stream, "\n");
    }
}

static void print_starts(FILE *stream, const sarrus_bench_specialize_report *report) {
    fprintf(stream, "\nuntil the kernels are there (medians):\n%-32s %10s %15s %16s %15s\n", "mechanism", "compile, s",
            "empty cache, s", "from cache, ms", "generic, ms");
    for (int i = 0; i < report->n_subjects; i++) {
        const sarrus_bench_start *start = &report->subjects[i].start;
        fprintf(stream, "%-32s", report->subjects[i].label);
        print_cell(stream, 10, 2, start->compile);
        print_cell(stream, 15, 2, start->first);
        print_cell(stream, 16, 2, 1e3 * start->from_cache);
        print_cell(stream, 15, 2, 1e3 * start->generic);
        if (start->is_unsupported) {
            fprintf(stream, "  generic only\n");
        } else {
            print_gate(stream, start->failure);
        }
        if (start->note[0] != '\0') {
            fprintf(stream, "    %s\n", start->note);
        }
    }
}

static void print_jobs(FILE *stream, const sarrus_bench_specialize_report *report) {
    if (report->n_job_repetitions == 0) {
        return;
    }
    fprintf(stream, "\nthe main job (five_bar_monte_carlo.yaml into a file, %" PRIu64 " instances, %s, medians of %d):\n",
            report->jobs[0].summary.n_instances, report->jobs[0].summary.device, report->n_job_repetitions);
    fprintf(stream, "%-22s %8s %14s %18s\n", "specialize", "wall, s", "x best of both", "steps specialised");
    for (int i = 0; i < SARRUS_BENCH_N_JOBS; i++) {
        const sarrus_bench_job *job = &report->jobs[i];
        fprintf(stream, "%-22s %8.3f %14.3f %17.1f%%", job->name, job->median, job->to_best, 100.0 * job->step_share);
        print_gate(stream, job->failure);
    }
}

void sarrus_bench_specialize_print_table(FILE *stream, const sarrus_bench_specialize_report *report) {
    char processor[128];
    const sarrus_bench_peak *peak = &report->step.peaks[0];
    sarrus_bench_processor_name(processor, sizeof processor);
    fprintf(stream, "sarrus %s on %s, %d processors; %s, %d thread%s\n", sarrus_version(), processor, sarrus_bench_n_processors(),
            peak->isa->name, peak->n_threads, peak->n_threads == 1 ? "" : "s");
    fprintf(stream, "measured peak of multiply-adds: %.1f Gflop/s\n", 1e-9 * peak->rate);
    for (int i = 0; i < report->n_subjects; i++) {
        if (report->subjects[i].is_in_table) {
            print_subject(stream, &report->subjects[i]);
        }
    }
    print_growth(stream, report);
    print_starts(stream, report);
    print_jobs(stream, report);
    fprintf(
        stream,
        "\nsteps/s: instance-steps a second, medians of %d; ratios are medians over the repetitions. flops: counted additions and\n"
        "multiplications of a step, sines and cosines apart. revealing: share of evaluations on "
        "the\n"
        "rank-revealing path. violation: largest ||Phi||\n"
        "(at most %.0e). deviation: largest difference of a coordinate from svd (at most %.0e). A specialised row must have the\n"
        "generic row's very violation and deviation. x best of both: wall time over the shorter of `off` and `on`.\n",
        report->step_options.n_repetitions, sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
}

/* --- For programs ------------------------------------------------------------------------------------------------------------ */

static void write_gate(sarrus_json *json, const char *failure) {
    sarrus_json_text(json, "gate", failure == NULL ? "ok" : failure);
}

static void write_row(sarrus_json *json, const sarrus_bench_subject *subject, sarrus_bench_variant variant) {
    const sarrus_bench_row *row = sarrus_bench_variant_row(subject, variant);
    if (row == NULL) {
        return;
    }
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "variant", sarrus_bench_variants[variant]);
    sarrus_json_count(json, "instances", row->n_instances);
    sarrus_json_count(json, "steps_between_resets", row->n_steps);
    sarrus_json_numbers(json, "repetitions", row->rates, row->n_repetitions);
    sarrus_json_number(json, "instance_steps_per_second", row->rate);
    sarrus_json_number(json, "flops_per_step", sarrus_bench_variant_flops(subject, variant));
    sarrus_json_number(json, "ratio_to_generic", ratio(subject, row, SARRUS_BENCH_GENERIC));
    sarrus_json_number(json, "ratio_to_lapack", ratio(subject, row, SARRUS_BENCH_LAPACK));
    sarrus_json_number(json, "fraction_of_peak", sarrus_bench_variant_peak_fraction(subject, variant));
    sarrus_json_number(json, "rank_revealing_share", row->rank_revealing_share);
    sarrus_json_number(json, "max_position_error", row->violation);
    sarrus_json_number(json, "max_deviation", row->deviation);
    write_gate(json, row->failure);
    sarrus_json_close(json, '}');
}

static void write_subject(sarrus_json *json, const sarrus_bench_subject *subject) {
    const sarrus_bench_start *start = &subject->start;
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "name", subject->label);
    sarrus_json_count(json, "n_loops", (uint64_t)subject->n_loops);
    sarrus_json_count(json, "n", (uint64_t)subject->mechanism.sizes.n);
    sarrus_json_count(json, "rank", (uint64_t)subject->mechanism.sizes.rank);
    sarrus_json_number(json, "flops_per_step", subject->mechanism.sizes.flops_per_step);
    sarrus_json_open(json, "rows", '[');
    for (int i = 0; i < SARRUS_BENCH_N_VARIANTS; i++) {
        write_row(json, subject, (sarrus_bench_variant)i);
    }
    sarrus_json_close(json, ']');
    sarrus_json_open(json, "start", '{');
    sarrus_json_number(json, "compile_seconds", start->compile);
    sarrus_json_number(json, "empty_cache_seconds", start->first);
    sarrus_json_number(json, "from_cache_seconds", start->from_cache);
    sarrus_json_number(json, "generic_seconds", start->generic);
    sarrus_json_text(json, "note", start->note);
    write_gate(json, start->failure);
    sarrus_json_close(json, '}');
    sarrus_json_close(json, '}');
}

static void write_job(sarrus_json *json, const sarrus_bench_specialize_report *report, const sarrus_bench_job *job) {
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "name", job->name);
    sarrus_json_numbers(json, "repetitions", job->seconds, report->n_job_repetitions);
    sarrus_json_number(json, "wall_seconds", job->median);
    sarrus_json_number(json, "ratio_to_best", job->to_best);
    sarrus_json_number(json, "step_share", job->step_share);
    write_gate(json, job->failure);
    sarrus_json_close(json, '}');
}

static void write_growth(sarrus_json *json, const sarrus_bench_specialize_report *report) {
    sarrus_json_open(json, "growth", '{');
    sarrus_json_number(json, "generic", sarrus_bench_growth(report, SARRUS_BENCH_GENERIC, false));
    sarrus_json_number(json, "specialised", sarrus_bench_growth(report, SARRUS_BENCH_SPECIALIZED, false));
    sarrus_json_number(json, "lapack", sarrus_bench_growth(report, SARRUS_BENCH_LAPACK, false));
    sarrus_json_number(json, "lapack_two_largest", sarrus_bench_growth(report, SARRUS_BENCH_LAPACK, true));
    sarrus_json_close(json, '}');
}

void sarrus_bench_specialize_print_json(FILE *stream, const sarrus_bench_specialize_report *report) {
    char processor[128];
    const sarrus_bench_peak *peak = &report->step.peaks[0];
    sarrus_json json;
    sarrus_bench_processor_name(processor, sizeof processor);
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "specialize");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_json_text(&json, "processor", processor);
    sarrus_json_count(&json, "processors", (uint64_t)sarrus_bench_n_processors());
    sarrus_json_text(&json, "isa", peak->isa->name);
    sarrus_json_count(&json, "threads", (uint64_t)peak->n_threads);
    sarrus_json_number(&json, "peak_flops_per_second", peak->rate);
    sarrus_json_open(&json, "mechanisms", '[');
    for (int i = 0; i < report->n_subjects; i++) {
        write_subject(&json, &report->subjects[i]);
    }
    sarrus_json_close(&json, ']');
    write_growth(&json, report);
    sarrus_json_open(&json, "main_job", '[');
    for (int i = 0; report->n_job_repetitions > 0 && i < SARRUS_BENCH_N_JOBS; i++) {
        write_job(&json, report, &report->jobs[i]);
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}
