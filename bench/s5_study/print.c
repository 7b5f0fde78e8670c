#include "bench/s5_study/print.h"

#include <math.h>
#include <string.h>

/* A number in `width` columns after a space, a dash for NaN. */
static void print_cell(FILE *stream, const char *format, int width, double value) {
    if (isnan(value)) {
        fprintf(stream, " %*s", width, "-");
    } else {
        fputc(' ', stream);
        fprintf(stream, format, width, value);
    }
}

static void print_whole(FILE *stream, int width, double value) {
    print_cell(stream, "%*.0f", width, value);
}

/* --- Tables 1 to 6 -------------------------------------------------------------------------------------------------------- */

static void print_count(FILE *stream, const sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_count *count = &s->counts[i_equation];
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    fprintf(stream, "\nTable %d, equation %s, %s (m = %d, n = %d, r = %d)\n", printed->i_table, printed->name, s->name, s->m, s->n,
            s->rank);
    fprintf(stream, "%-44s %10s %10s %10s\n", "operation", "paper", "executed", "sarrus");
    for (int i = 0; i < count->n_lines; i++) {
        const sarrus_s5_line *line = &count->lines[i];
        fprintf(stream, "%-44s", line->name);
        print_whole(stream, 10, line->paper);
        print_whole(stream, 10, line->full);
        print_whole(stream, 10, line->sarrus);
        fputc('\n', stream);
    }
    fprintf(stream, "%-44s %10.0f %10.0f %10.0f\n", "sum", count->paper, count->full, count->sarrus);
}

static void print_totals(FILE *stream, const sarrus_s5_flops *flops) {
    char text[96];
    fprintf(stream, "\nTables 1 and 6: what the paper prints, and whether it adds up\n");
    fprintf(stream, "%-30s %-46s %s\n", "equation", "Table 1", "sum of the equation's own table (2 to 5)");
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; i++) {
        const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i];
        const sarrus_s5_formula sum = sarrus_s5_formula_sum(printed);
        fprintf(stream, "%-30s %-46s ", printed->name, sarrus_s5_formula_text(&printed->total, text, sizeof text));
        const bool is_equal = memcmp(&sum, &printed->total, sizeof sum) == 0;
        fprintf(stream, "%s\n", is_equal ? "the same" : sarrus_s5_formula_text(&sum, text, sizeof text));
    }
    fprintf(stream, "\n%-30s %5s %5s %10s %10s %10s %10s %10s\n", "equation", "m", "n", "Table 6", "Table 1", "lines", "executed",
            "sarrus");
    for (int i_equation = 0; i_equation < SARRUS_S5_N_EQUATIONS; i_equation++) {
        const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
        for (int i = 0; i < flops->n_systems; i++) {
            const sarrus_s5_system *s = &flops->systems[i];
            const sarrus_s5_count *count = &s->counts[i_equation];
            double table_6 = (double)NAN;
            for (int k = 0; k < SARRUS_S5_N_SHAPES; k++) {
                if (sarrus_s5_shapes[k][0] == s->m && sarrus_s5_shapes[k][1] == s->n)
                    table_6 = printed->totals[k];
            }
            if (!s->is_counted)
                continue;
            fprintf(stream, "%-30s %5d %5d", printed->name, s->m, s->n);
            print_whole(stream, 10, table_6);
            print_whole(stream, 10, sarrus_s5_formula_value(&printed->total, s->m, s->n));
            fprintf(stream, " %10.0f %10.0f %10.0f\n", count->paper, count->full, count->sarrus);
        }
    }
}

static void print_gate(FILE *stream, const sarrus_s5_flops *flops) {
    fprintf(stream, "\nlargest |a - a of the saddle system|, full products / as Sarrus does it\n");
    fprintf(stream, "%-46s %19s %19s %19s %19s %9s\n", "system", "(31)", "(43)", "(35)", "(41)", "bound");
    for (int i = 0; i < flops->n_systems; i++) {
        const sarrus_s5_system *s = &flops->systems[i];
        fprintf(stream, "%-46s", s->name);
        for (int k = 0; k < SARRUS_S5_N_EQUATIONS; k++) {
            print_cell(stream, "%*.1e", 9, s->errors[k][0]);
            print_cell(stream, "%*.1e", 9, s->errors[k][1]);
        }
        fprintf(stream, " %9.1e  %s\n", s->bound, s->has_failed ? "FAILED" : "ok");
    }
}

void sarrus_s5_print_flops(FILE *stream, const sarrus_s5_flops *flops) {
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; i++)
        print_count(stream, &flops->systems[0], i);
    print_totals(stream, flops);
    fprintf(stream, "\nflops of D+ of the five-bar (12x12, rank 11), the paper's formula: %.0f\n%-14s %10s %10s\n",
            sarrus_golub_reinsch_flops(12, 12), "method", "D+ formed", "D+ y only");
    for (int i = 0; i < SARRUS_S5_N_METHODS; i++) {
        fprintf(stream, "%-14s", flops->methods[i].name);
        print_whole(stream, 10, flops->methods[i].explicit_flops);
        print_whole(stream, 10, flops->methods[i].apply_flops);
        fputc('\n', stream);
    }
    fprintf(
        stream,
        "one acceleration of the five-bar by pinv auto, everything included (rotations, forces, rows, sparse factor): %.0f flops, "
        "%.0f divisions\n",
        flops->plan.flops_per_evaluation, flops->plan.divisions_per_evaluation);
    print_gate(stream, flops);
    fprintf(
        stream,
        "\npaper: its formula. executed: counted while the line is done with full products, pseudoinverses by the paper's "
        "formula.\n"
        "sarrus: counted with M as a diagonal and right sides carried through householder; its own lines where it does not do the\n"
        "paper's. An addition, multiplication, division or square root is one, an FMA two.\n");
}

/* --- Tables 7 to 12 ------------------------------------------------------------------------------------------------------- */

static void print_paper_row(FILE *stream, const char *method, const sarrus_s5_paper_row *row) {
    fprintf(stream, "%-12s %-14s %-42s %9s %9s", method, "paper", row->result, "", "");
    print_cell(stream, "%*.1e", 9, row->sum_psi2);
    print_whole(stream, 10, row->n_evaluations);
    print_whole(stream, 10, row->n_steps);
    print_cell(stream, "%*.2f", 8, row->cpu);
    fputc('\n', stream);
}

static void print_run(FILE *stream, const sarrus_s5_run *run) {
    char text[SARRUS_S5_TEXT];
    fprintf(stream, "%-12s %-14s %-42s %9.1e %9.1e %9.1e %10llu %10llu %8.3f", run->pinv, run->integrator,
            sarrus_s5_run_result(run, text), run->error_end, run->error_largest, run->sum_psi2,
            (unsigned long long)run->work.n_evaluations, (unsigned long long)run->work.n_steps, run->cpu);
    print_cell(stream, "%*.5f", 8, run->ratio);
    fprintf(stream, "%s%s\n", run->failure != NULL ? "  FAILED: " : "", run->failure != NULL ? run->failure : "");
}

static bool is_of(const sarrus_s5_run *run, int i_table, const char *rank) {
    return run->i_table == i_table && strcmp(run->rank, rank) == 0 && run->offset == 0.0;
}

static void print_table(FILE *stream, const sarrus_s5_report *report, int i_table) {
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
    int n_runs = 0;
    for (int i = 0; i < report->n_runs; i++)
        n_runs += is_of(&report->runs[i], i_table, "auto");
    if (n_runs == 0)
        return;
    fprintf(stream, "\nTable %d: TOL %.0e, %s; rank auto\n", table->number, table->tolerance,
            table->has_baumgarte ? "Baumgarte alpha 1000, beta 100" : "no stabilisation");
    fprintf(stream, "%-12s %-14s %-42s %9s %9s %9s %10s %10s %8s %8s\n", "method", "integrator", "result", "angle end", "largest",
            "sum psi^2", "NFUNC", "NSTEPS", "CPU s", "ratio");
    for (int i_method = 0; i_method < SARRUS_S5_N_METHODS; i_method++) {
        bool is_new = true;
        for (int i = 0; i < report->n_runs; i++) {
            const sarrus_s5_run *run = &report->runs[i];
            if (!is_of(run, i_table, "auto") || run->i_method != i_method)
                continue;
            if (is_new)
                print_paper_row(stream, sarrus_s5_methods[i_method], &table->rows[i_method]);
            is_new = false;
            print_run(stream, run);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (table->footnotes[i] != NULL)
            fprintf(stream, "  %s\n", table->footnotes[i]);
    }
}

static void print_rule_run(FILE *stream, const sarrus_s5_run *run) {
    char text[SARRUS_S5_TEXT];
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[run->i_table];
    fprintf(stream, "%-9s %5d %7.0e %-4s %-12s %-14s %-42s", run->rank, table->number, table->tolerance,
            table->has_baumgarte ? "yes" : "no", run->pinv, run->integrator, sarrus_s5_run_result(run, text));
    print_cell(stream, "%*.2f", 6, run->t_visible);
    print_cell(stream, "%*.2f", 7, run->t_threshold);
    print_cell(stream, "%*.3f", 7, run->t_rank);
    fprintf(stream, " %7llu %9.1e %9.1e", (unsigned long long)run->work.n_rank_changes, run->error_largest, run->sum_psi2);
    print_cell(stream, "%*.3f", 6, run->sigma_per_across);
    print_cell(stream, "%*.3f", 6, run->sigma_per_violation);
    fprintf(stream, " %9llu %8.3f  %s\n", (unsigned long long)run->work.n_evaluations, run->cpu, table->rows[run->i_method].result);
}

/* The runs by other rules than the default from a start on the constraints, or all that start off them. */
static void print_rules(FILE *stream, const sarrus_s5_report *report, bool is_displaced) {
    bool is_new = true;
    for (int i = 0; i < report->n_runs; i++) {
        const sarrus_s5_run *run = &report->runs[i];
        if (is_displaced != (run->offset != 0.0) || (!is_displaced && strcmp(run->rank, "auto") == 0))
            continue;
        if (is_new) {
            fprintf(stream, "\n%s\n",
                    is_displaced ? "Started off the constraints: crank b turned by 300 TOL"
                                 : "Other rank rules, all 12 rows in view (relative: the paper's own, threshold TOL)");
            fprintf(stream, "%-9s %5s %7s %-4s %-12s %-14s %-42s %6s %7s %7s %7s %9s %9s %6s %6s %9s %8s  %s\n", "rule", "table",
                    "TOL", "Bg.", "method", "integrator", "result", "1e-2", "sigma s", "rank s", "changes", "angle", "sum psi^2",
                    "s/xi", "s/Phi", "NFUNC", "CPU s", "paper (adams-moulton)");
        }
        is_new = false;
        print_rule_run(stream, run);
    }
    if (!is_new)
        fprintf(
            stream,
            "1e-2: when the angle was first off by more than that, s. sigma s: when the redundant singular value of J M^-1/2 was "
            "first seen above TOL\ntimes the largest. rank s, changes: first change of the rank decision and their number. s/xi, "
            "s/Phi: median of that singular value over |xi|, largest "
            "over ||Phi|| (docs/rank.md).\n");
}

void sarrus_s5_print_runs(FILE *stream, const sarrus_s5_report *report) {
    for (int i = 0; i < SARRUS_S5_N_PAPER_TABLES; i++)
        print_table(stream, report, i);
    print_rules(stream, report, false);
    print_rules(stream, report, true);
    fprintf(stream, "\nangle: distance of the cranks from the closed-form pendulum, rad; a run is correct when it never passes "
                    "1e-3, 1e-5, 1e-7 at\n"
                    "TOL 1e-6, 1e-8, 1e-10. ratio: evaluations over the paper's (at most 0.01). Sum psi^2 at the end, or where the "
                    "run stopped.\n");
}
