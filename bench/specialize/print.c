/* The report of the benchmark of specialised kernels, for people and for programs. */
#include "bench/specialize/specialize.h"

#include <inttypes.h>
#include <math.h>

#include "bench/measure/measure.h"
#include "bench/report/sheet.h"

static double ratio(const sarrus_bench_subject *subject, const sarrus_bench_row *row, sarrus_bench_variant to) {
    return sarrus_bench_row_ratio(row, sarrus_bench_variant_row(subject, to));
}

static void row_show(sarrus_sheet *sheet, const sarrus_bench_subject *subject, sarrus_bench_variant variant) {
    const sarrus_bench_row *row = sarrus_bench_variant_row(subject, variant);
    if (row == NULL)
        return;
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "variant", -12, "variant", sarrus_bench_variants[variant]);
    sarrus_sheet_count(sheet, "instances", 9, "instances", row->n_instances);
    sarrus_sheet_count(sheet, NULL, 0, "steps_between_resets", row->n_steps);
    sarrus_sheet_numbers(sheet, "repetitions", row->rates, row->n_repetitions);
    sarrus_sheet_number(sheet, "steps/s", 12, "%.0f", "instance_steps_per_second", row->rate);
    sarrus_sheet_number(sheet, "flops", 8, "%.0f", "flops_per_step", sarrus_bench_variant_flops(subject, variant));
    sarrus_sheet_number(sheet, "x generic", 9, "%.2f", "ratio_to_generic", ratio(subject, row, SARRUS_BENCH_GENERIC));
    sarrus_sheet_number(sheet, "x lapack", 9, "%.1f", "ratio_to_lapack", ratio(subject, row, SARRUS_BENCH_LAPACK));
    sarrus_sheet_number(sheet, "of peak", 9, "%.1f%%", "fraction_of_peak", sarrus_bench_variant_peak_fraction(subject, variant));
    sarrus_sheet_number(sheet, "revealing", 9, "%.1f%%", "rank_revealing_share", row->rank_revealing_share);
    sarrus_sheet_number(sheet, "violation", 10, "%.1e", "max_position_error", row->violation);
    sarrus_sheet_number(sheet, "deviation", 10, "%.1e", "max_deviation", row->deviation);
    sarrus_sheet_gate(sheet, row->failure);
    sarrus_sheet_row_end(sheet);
}

/* How long it takes until the kernels are there: in JSON the mechanism's `start`, on paper a table of its own. */
static void start_write(sarrus_json *json, const sarrus_bench_start *start) {
    sarrus_json_open(json, "start", '{');
    sarrus_json_number(json, "compile_seconds", start->compile);
    sarrus_json_number(json, "empty_cache_seconds", start->first);
    sarrus_json_number(json, "from_cache_seconds", start->from_cache);
    sarrus_json_number(json, "generic_seconds", start->generic);
    sarrus_json_text(json, "note", start->note);
    sarrus_json_text(json, "gate", start->failure == NULL ? "ok" : start->failure);
    sarrus_json_close(json, '}');
}

/* In JSON every mechanism; on paper those whose rates have a table. */
static void subject_show(sarrus_sheet *sheet, const sarrus_bench_subject *subject) {
    const sarrus_plan_sizes *sizes = &subject->mechanism.sizes;
    FILE *printed = sheet->printed;
    sarrus_json_open(&sheet->json, NULL, '{');
    sarrus_json_text(&sheet->json, "name", subject->label);
    sarrus_json_count(&sheet->json, "n_loops", (uint64_t)subject->n_loops);
    sarrus_json_count(&sheet->json, "n", (uint64_t)sizes->n);
    sarrus_json_count(&sheet->json, "rank", (uint64_t)sizes->rank);
    sarrus_json_number(&sheet->json, "flops_per_step", sizes->flops_per_step);
    if (!subject->is_in_table)
        sheet->printed = NULL;
    sarrus_sheet_note(sheet, "\n%s: n %d, m %d, rank %d; %.0f flops a step, %.0f divisions an evaluation\n", subject->label,
                      sizes->n, sizes->m, sizes->rank, sizes->flops_per_step, sizes->divisions_per_evaluation);
    sarrus_sheet_table(sheet, "rows");
    for (int i = 0; i < SARRUS_BENCH_N_VARIANTS; ++i)
        row_show(sheet, subject, (sarrus_bench_variant)i);
    sarrus_sheet_table_end(sheet);
    sheet->printed = printed;
    start_write(&sheet->json, &subject->start);
    sarrus_json_close(&sheet->json, '}');
}

static void growth_show(sarrus_sheet *sheet, const sarrus_bench_specialize_report *report) {
    sarrus_sheet_note(sheet, "\nN-four-bar, cost of an instance-step in ns over N:\n");
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < report->n_subjects; ++i) {
        const sarrus_bench_subject *subject = &report->subjects[i];
        double cost[SARRUS_BENCH_N_VARIANTS];
        if (subject->n_loops == 0)
            continue;
        for (int k = 0; k < SARRUS_BENCH_N_VARIANTS; ++k) {
            const sarrus_bench_row *row = sarrus_bench_variant_row(subject, (sarrus_bench_variant)k);
            cost[k] = row == NULL ? (double)NAN : 1e9 / row->rate;
        }
        sarrus_sheet_row(sheet);
        sarrus_sheet_count(sheet, "N", 6, NULL, (uint64_t)subject->n_loops);
        sarrus_sheet_number(sheet, "flops", 10, "%.0f", NULL, subject->mechanism.sizes.flops_per_step);
        for (int k = 0; k < SARRUS_BENCH_N_VARIANTS; ++k)
            sarrus_sheet_number(sheet, sarrus_bench_variants[k], 12, "%.1f", NULL, cost[k]);
        sarrus_sheet_number(sheet, "specialised/N", 14, "%.2f", NULL, cost[SARRUS_BENCH_SPECIALIZED] / subject->n_loops);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
    sarrus_json_open(&sheet->json, "growth", '{');
    for (int only_largest = 0; only_largest < 2; ++only_largest) {
        sarrus_sheet_note(sheet, "exponent of growth, %s:", only_largest ? "the two largest" : "all");
        for (int k = 0; k < SARRUS_BENCH_N_VARIANTS; ++k) {
            const double slope = sarrus_bench_growth(report, (sarrus_bench_variant)k, only_largest == 1);
            sarrus_sheet_note(sheet, "%s %s %.2f", k == 0 ? "" : ",", sarrus_bench_variants[k], slope);
            if (!only_largest || k == SARRUS_BENCH_LAPACK)
                sarrus_json_number(&sheet->json, only_largest ? "lapack_two_largest" : sarrus_bench_variants[k], slope);
        }
        sarrus_sheet_note(sheet, "\n");
    }
    sarrus_json_close(&sheet->json, '}');
}

static void starts_show(sarrus_sheet *sheet, const sarrus_bench_specialize_report *report) {
    sarrus_sheet_note(sheet, "\nuntil the kernels are there (medians):\n");
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < report->n_subjects; ++i) {
        const sarrus_bench_start *start = &report->subjects[i].start;
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "mechanism", -32, NULL, report->subjects[i].label);
        sarrus_sheet_number(sheet, "compile, s", 10, "%.2f", NULL, start->compile);
        sarrus_sheet_number(sheet, "empty cache, s", 15, "%.2f", NULL, start->first);
        sarrus_sheet_number(sheet, "from cache, ms", 16, "%.2f", NULL, 1e3 * start->from_cache);
        sarrus_sheet_number(sheet, "generic, ms", 15, "%.2f", NULL, 1e3 * start->generic);
        if (start->is_unsupported)
            sarrus_sheet_text(sheet, " gate", 0, NULL, " generic only");
        else
            sarrus_sheet_gate(sheet, start->failure);
        sarrus_sheet_row_end(sheet);
        if (start->note[0] != '\0')
            sarrus_sheet_note(sheet, "    %s\n", start->note);
    }
    sarrus_sheet_table_end(sheet);
}

static void jobs_show(sarrus_sheet *sheet, const sarrus_bench_specialize_report *report) {
    if (report->n_job_repetitions > 0)
        sarrus_sheet_note(sheet,
                          "\nthe main job (five_bar_monte_carlo.yaml into a file, %" PRIu64 " instances, %s, medians of %d):\n",
                          report->jobs[0].summary.n_instances, report->jobs[0].summary.device, report->n_job_repetitions);
    sarrus_sheet_table(sheet, "main_job");
    for (int i = 0; report->n_job_repetitions > 0 && i < SARRUS_BENCH_N_JOBS; ++i) {
        const sarrus_bench_job *job = &report->jobs[i];
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "specialize", -22, "name", job->name);
        sarrus_sheet_numbers(sheet, "repetitions", job->seconds, report->n_job_repetitions);
        sarrus_sheet_number(sheet, "wall, s", 8, "%.3f", "wall_seconds", job->median);
        sarrus_sheet_number(sheet, "x best of both", 14, "%.3f", "ratio_to_best", job->to_best);
        sarrus_sheet_number(sheet, "steps specialised", 18, "%.1f%%", "step_share", job->step_share);
        sarrus_sheet_gate(sheet, job->failure);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

void sarrus_bench_specialize_show(const sarrus_bench_specialize_report *report) {
    const sarrus_bench_peak *peak = &report->step.peaks[0];
    const bool json = report->options->json;
    char processor[SARRUS_SHEET_PROCESSOR];
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, json ? NULL : stdout, json ? stdout : NULL, "specialize");
    sarrus_sheet_processor(&sheet, processor);
    sarrus_json_text(&sheet.json, "isa", peak->isa->name);
    sarrus_json_count(&sheet.json, "threads", (uint64_t)peak->n_threads);
    sarrus_json_number(&sheet.json, "peak_flops_per_second", peak->rate);
    sarrus_sheet_note(&sheet, "sarrus %s on %s, %d processors; %s, %d thread%s\nmeasured peak of multiply-adds: %.1f Gflop/s\n",
                      sarrus_version(), processor, sarrus_bench_n_processors(), peak->isa->name, peak->n_threads,
                      peak->n_threads == 1 ? "" : "s", 1e-9 * peak->rate);
    sarrus_json_open(&sheet.json, "mechanisms", '[');
    for (int i = 0; i < report->n_subjects; ++i)
        subject_show(&sheet, &report->subjects[i]);
    sarrus_json_close(&sheet.json, ']');
    growth_show(&sheet, report);
    starts_show(&sheet, report);
    jobs_show(&sheet, report);
    sarrus_sheet_note(
        &sheet,
        "\nsteps/s: instance-steps a second, medians of %d; ratios are medians over the repetitions. flops: counted additions "
        "and\nmultiplications of a step, sines and cosines apart. revealing: share of evaluations on the rank-revealing path. "
        "violation:\nlargest ||Phi|| (at most %.0e). deviation: largest difference of a coordinate from svd (at most %.0e). A "
        "specialised row\nmust have the generic row's very violation and deviation. x best of both: wall time over the shorter "
        "of `off` and `on`.\n",
        report->step_options.n_repetitions, sarrus_bench_violation_bound, sarrus_bench_deviation_bound);
    sarrus_sheet_end(&sheet);
}
