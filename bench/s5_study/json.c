#include <string.h>

#include "edge/json.h"

#include "bench/s5_study/print.h"

static void write_formula(sarrus_json *json, const char *name, const sarrus_s5_formula *formula) {
    char text[96];
    sarrus_json_text(json, name, sarrus_s5_formula_text(formula, text, sizeof text));
}

static void write_count(sarrus_json *json, const sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    const sarrus_s5_count *count = &s->counts[i_equation];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "equation", printed->name);
    sarrus_json_number(json, "paper_table_1", sarrus_s5_formula_value(&printed->total, s->m, s->n));
    sarrus_json_number(json, "paper_lines", count->paper);
    sarrus_json_number(json, "executed", count->full);
    sarrus_json_number(json, "sarrus", count->sarrus);
    sarrus_json_number(json, "error_executed", s->errors[i_equation][0]);
    sarrus_json_number(json, "error_sarrus", s->errors[i_equation][1]);
    sarrus_json_open(json, "lines", '[');
    for (int i = 0; i < count->n_lines; i++) {
        const sarrus_s5_line *line = &count->lines[i];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "operation", line->name);
        sarrus_json_number(json, "paper", line->paper);
        sarrus_json_number(json, "executed", line->full);
        sarrus_json_number(json, "sarrus", line->sarrus);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    sarrus_json_close(json, '}');
}

static void write_flops(sarrus_json *json, const sarrus_s5_flops *flops) {
    sarrus_json_open(json, "formulas", '[');
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; i++) {
        const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i];
        const sarrus_s5_formula sum = sarrus_s5_formula_sum(printed);
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "equation", printed->name);
        write_formula(json, "table_1", &printed->total);
        write_formula(json, "sum_of_lines", &sum);
        sarrus_json_flag(json, "adds_up", memcmp(&sum, &printed->total, sizeof sum) == 0);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    sarrus_json_open(json, "systems", '[');
    for (int i = 0; i < flops->n_systems; i++) {
        const sarrus_s5_system *s = &flops->systems[i];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "name", s->name);
        sarrus_json_count(json, "m", (uint64_t)s->m);
        sarrus_json_count(json, "n", (uint64_t)s->n);
        sarrus_json_count(json, "rank", (uint64_t)s->rank);
        sarrus_json_number(json, "error_bound", s->bound);
        sarrus_json_text(json, "gate", s->has_failed ? "failed" : "ok");
        sarrus_json_open(json, "equations", '[');
        for (int k = 0; k < SARRUS_S5_N_EQUATIONS; k++)
            write_count(json, s, k);
        sarrus_json_close(json, ']');
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    sarrus_json_open(json, "methods", '[');
    for (int i = 0; i < SARRUS_S5_N_METHODS; i++) {
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "pinv", flops->methods[i].name);
        sarrus_json_number(json, "flops_formed", flops->methods[i].explicit_flops);
        sarrus_json_number(json, "flops_applied", flops->methods[i].apply_flops);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    sarrus_json_number(json, "auto_flops_per_evaluation", flops->plan.flops_per_evaluation);
}

static void write_run(sarrus_json *json, const sarrus_s5_run *run) {
    char text[SARRUS_S5_TEXT];
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[run->i_table];
    sarrus_json_text(json, "pinv", run->pinv);
    sarrus_json_text(json, "rank", run->rank);
    sarrus_json_text(json, "integrator", run->integrator);
    sarrus_json_count(json, "table", (uint64_t)table->number);
    sarrus_json_number(json, "tolerance", table->tolerance);
    sarrus_json_flag(json, "baumgarte", table->has_baumgarte);
    sarrus_json_number(json, "start_offset", run->offset);
    sarrus_json_text(json, "result", sarrus_s5_run_result(run, text));
    sarrus_json_text(json, "status", sarrus_instance_status_word(run->status));
    sarrus_json_number(json, "error_bound", run->bound);
    sarrus_json_number(json, "error_end", run->error_end);
    sarrus_json_number(json, "error_largest", run->error_largest);
    sarrus_json_number(json, "correct_until", run->correct_until);
    sarrus_json_number(json, "t_visible", run->t_visible);
    sarrus_json_number(json, "t_reached", run->t_reached);
    sarrus_json_number(json, "sum_psi2", run->sum_psi2);
    sarrus_json_number(json, "t_threshold", run->t_threshold);
    sarrus_json_number(json, "t_rank_change", run->t_rank);
    sarrus_json_number(json, "sigma_per_across", run->sigma_per_across);
    sarrus_json_number(json, "sigma_per_violation", run->sigma_per_violation);
    sarrus_json_count(json, "rank_changes", run->work.n_rank_changes);
    sarrus_json_count(json, "evaluations", run->work.n_evaluations);
    sarrus_json_count(json, "steps", run->work.n_steps);
    sarrus_json_count(json, "rejected", run->work.n_rejected);
    sarrus_json_number(json, "cpu_seconds", run->cpu);
    sarrus_json_number(json, "ratio_to_paper", run->ratio);
    sarrus_json_text(json, "gate", run->failure != NULL ? run->failure : run->is_gated ? "ok" : "none");
}

static void write_paper_row(sarrus_json *json, const sarrus_s5_run *run) {
    const sarrus_s5_paper_row *row = &sarrus_s5_paper_tables[run->i_table].rows[run->i_method];
    sarrus_json_open(json, "paper", '{');
    sarrus_json_text(json, "result", row->result);
    sarrus_json_number(json, "correct_until", row->correct_until);
    sarrus_json_number(json, "sum_psi2", row->sum_psi2);
    sarrus_json_number(json, "evaluations", row->n_evaluations);
    sarrus_json_number(json, "steps", row->n_steps);
    sarrus_json_number(json, "cpu_seconds", row->cpu);
    sarrus_json_close(json, '}');
}

static void write_traces(sarrus_json *json, const sarrus_s5_report *report) {
    static const char *const names[SARRUS_S5_N_TRACED] = {"t", "violation", "across", "largest", "kept", "redundant", "error"};
    sarrus_json_open(json, "traces", '[');
    for (int i = 0; i < report->n_traces; i++) {
        const sarrus_s5_trace *trace = &report->traces[i];
        sarrus_json_open(json, NULL, '{');
        write_run(json, &report->runs[report->i_traced[i]]);
        for (int k = 0; k < SARRUS_S5_N_TRACED; k++)
            sarrus_json_numbers(json, names[k], trace->at[k], trace->n);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

void sarrus_s5_print_json(FILE *stream, const sarrus_s5_report *report) {
    sarrus_json json;
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "s5-study");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_json_number(&json, "initial_angle", report->study.angle);
    if (report->has_flops)
        write_flops(&json, &report->flops);
    sarrus_json_open(&json, "runs", '[');
    for (int i = 0; i < report->n_runs; i++) {
        sarrus_json_open(&json, NULL, '{');
        write_run(&json, &report->runs[i]);
        write_paper_row(&json, &report->runs[i]);
        sarrus_json_close(&json, '}');
    }
    sarrus_json_close(&json, ']');
    if (report->has_traces)
        write_traces(&json, report);
    sarrus_json_close(&json, '}');
}
