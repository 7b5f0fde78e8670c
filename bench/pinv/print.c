/* The report of the pseudoinverse benchmark. */
#include "bench/pinv/pinv.h"

#include <math.h>
#include <string.h>

#include "bench/measure/measure.h"
#include "bench/report/sheet.h"

enum { NAME_WIDTH = 24, LEAST_WIDTH = 7, MAX_FAILED_LINES = 24, MAX_NUMBER = 32 };

static const char *method_word(int i_method) {
    return sarrus_pinv_method_word(sarrus_bench_methods[i_method]);
}

/* --- Accuracy --------------------------------------------------------------------------------------------------------- */

/* Three digits where a number is of every day, an exponent where it is not. */
static const char *number_text(double value, char text[MAX_NUMBER]) {
    if (isnan(value) || value == 0.0)
        snprintf(text, MAX_NUMBER, "%s", isnan(value) ? "nan" : "0");
    else if (value >= 0.01 && value < 9999.5)
        snprintf(text, MAX_NUMBER, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
    else
        snprintf(text, MAX_NUMBER, "%.1e", value);
    return text;
}

/* The larger of the two forms; a NaN is the largest of all. */
static double of_both(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

static double shown_residual(const sarrus_bench_accuracy *forms) {
    return of_both(forms[0].residual, forms[1].residual);
}

static double shown_forward(const sarrus_bench_accuracy *forms) {
    return of_both(forms[0].forward_scaled, forms[1].forward_scaled);
}

/* Classes by methods, the worse of both forms. */
static void accuracy_table_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report,
                                double (*shown)(const sarrus_bench_accuracy *forms)) {
    sarrus_sheet_table(sheet, NULL);
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; ++i_class) {
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "", -NAME_WIDTH, NULL, sarrus_bench_classes[i_class].name);
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
            const int length = (int)strlen(method_word(i));
            char text[MAX_NUMBER];
            sarrus_sheet_text(sheet, method_word(i), length < LEAST_WIDTH ? LEAST_WIDTH : length, NULL,
                              number_text(shown(report->accuracy[i_class][i]), text));
        }
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

static void accuracy_write(sarrus_json *json, const sarrus_bench_pinv_report *report, int i_class, int i_method, int form) {
    static const char *const names[4] = {"axa", "xax", "ax", "xa"};
    const sarrus_bench_accuracy *found = &report->accuracy[i_class][i_method][form];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "method", method_word(i_method));
    sarrus_json_text(json, "form", sarrus_bench_form_names[form]);
    for (int k = 0; k < 4; ++k)
        sarrus_json_number(json, names[k], found->residuals[k]);
    sarrus_json_number(json, "residual", found->residual);
    sarrus_json_number(json, "forward", found->forward);
    sarrus_json_number(json, "forward_in_eps_kappa", found->forward_scaled);
    sarrus_json_count(json, "n_wrong_ranks", (uint64_t)found->n_wrong_ranks);
    const bool is_gated = sarrus_bench_classes[i_class].rank_is_defined && i_method < SARRUS_BENCH_N_GATED;
    sarrus_json_text(json, "gate", found->fails ? "failed" : is_gated ? "ok" : "none");
    sarrus_json_close(json, '}');
}

static void class_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report, int i_class) {
    const sarrus_bench_class *class = &sarrus_bench_classes[i_class];
    const bool is_relative = class->tolerance > 0.0;
    char rule[16];
    snprintf(rule, sizeof rule, is_relative ? "%.0e" : "auto", class->tolerance);
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "class", -NAME_WIDTH, "name", class->name);
    sarrus_sheet_text(sheet, "rank rule", 9, NULL, rule);
    sarrus_sheet_text(sheet, NULL, 0, "rank_method",
                      sarrus_rank_method_word(is_relative ? SARRUS_RANK_RELATIVE : SARRUS_RANK_AUTO));
    sarrus_sheet_number(sheet, NULL, 0, NULL, "rank_tolerance", class->tolerance);
    sarrus_sheet_flag(sheet, "rank_is_defined", class->rank_is_defined);
    sarrus_sheet_number(sheet, "kappa", 9, "%.1e", "kappa", report->condition[i_class]);
    sarrus_sheet_text(sheet, "what it is", 0, "text", class->text);
    sarrus_sheet_count(sheet, NULL, 0, "n_matrices", (uint64_t)report->accuracy[i_class][0][0].n_matrices);
    sarrus_json_open(&sheet->json, "rows", '[');
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS; ++i)
        accuracy_write(&sheet->json, report, i_class, i / SARRUS_BENCH_N_FORMS, i % SARRUS_BENCH_N_FORMS);
    sarrus_json_close(&sheet->json, ']');
    sarrus_sheet_row_end(sheet);
}

static void wrong_ranks_show(const sarrus_sheet *sheet, const sarrus_bench_pinv_report *report) {
    int n_lines = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; ++i_class) {
        int n_wrong = 0;
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
            const sarrus_bench_accuracy *forms = report->accuracy[i_class][i];
            if (forms[0].n_wrong_ranks + forms[1].n_wrong_ranks == 0)
                continue;
            if (n_wrong++ == 0) {
                sarrus_sheet_note(sheet, n_lines++ == 0 ? "\nranks other than the reference's (of both forms' matrices):\n" : "");
                sarrus_sheet_note(sheet, "  %-*s", NAME_WIDTH - 2, sarrus_bench_classes[i_class].name);
            }
            sarrus_sheet_note(sheet, " %s %d/%d", method_word(i), forms[0].n_wrong_ranks + forms[1].n_wrong_ranks,
                              forms[0].n_matrices + forms[1].n_matrices);
        }
        sarrus_sheet_note(sheet, n_wrong > 0 ? "\n" : "");
    }
}

static void failed_accuracy_show(const sarrus_sheet *sheet, const sarrus_bench_pinv_report *report) {
    int n_failed = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; ++i_class) {
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS; ++i) {
            const int i_method = i / SARRUS_BENCH_N_FORMS, form = i % SARRUS_BENCH_N_FORMS;
            const sarrus_bench_accuracy *found = &report->accuracy[i_class][i_method][form];
            n_failed += found->fails;
            if (found->fails && n_failed <= MAX_FAILED_LINES)
                sarrus_sheet_note(sheet, "FAILED: %s, %s, %s: residual %.3g, %d wrong ranks\n", sarrus_bench_classes[i_class].name,
                                  method_word(i_method), sarrus_bench_form_names[form], found->residual, found->n_wrong_ranks);
        }
    }
    if (n_failed > MAX_FAILED_LINES)
        sarrus_sheet_note(sheet, "FAILED: %d more\n", n_failed - MAX_FAILED_LINES);
}

static void accuracy_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report) {
    const bool is_there = report->options->with_accuracy;
    if (is_there) {
        sarrus_sheet_note(sheet,
                          "largest residual of the four Penrose conditions, in units of max(m, n) eps, the worse of both forms\n");
        accuracy_table_show(sheet, report, shown_residual);
        sarrus_sheet_note(sheet,
                          "\nforward error |X - A+|/|A+| against 50 digits, in units of eps kappa, the worse of both forms\n");
        accuracy_table_show(sheet, report, shown_forward);
        sarrus_sheet_note(sheet, "\n");
    }
    sarrus_sheet_table(sheet, "accuracy");
    for (int i = 0; i < SARRUS_BENCH_N_CLASSES && is_there; ++i)
        class_show(sheet, report, i);
    sarrus_sheet_table_end(sheet);
    if (!is_there)
        return;
    wrong_ranks_show(sheet, report);
    sarrus_sheet_note(
        sheet,
        "\ngate: svd, jacobi, householder and varga at most %.0f and of the right rank wherever the rank is well defined "
        "(all classes\nbut 'held 11' and 'Hilbert 12'). kappa: largest over smallest counted singular value.\n",
        sarrus_bench_residual_bound);
    failed_accuracy_show(sheet, report);
}

/* --- Speed ------------------------------------------------------------------------------------------------------------ */

/* Matrices a second with three digits: 1.23M, 456k. */
static const char *rate_text(double rate, bool fails, char text[MAX_NUMBER]) {
    const double scale = rate >= 999500.0 ? 1e6 : rate >= 999.5 ? 1e3 : 1.0;
    const double shown = rate / scale;
    const int n_digits = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
    const char *unit = scale > 1e3 ? "M" : scale > 1.0 ? "k" : "";
    if (isnan(rate))
        return "-";
    snprintf(text, MAX_NUMBER, "%.*f%s%s", n_digits, shown, unit, fails ? "!" : "");
    return text;
}

static const char *row_name(const sarrus_bench_speed_row *row) {
    return row->is_peer ? sarrus_bench_peer_names[row->peer] : sarrus_pinv_method_word(row->method);
}

/* The maker number `i` of a form, methods first; false after the last. */
static bool maker_at(int i, sarrus_bench_form form, sarrus_bench_speed_row *like) {
    like->form = form;
    like->is_peer = i >= SARRUS_BENCH_N_SHOWN;
    if (!like->is_peer) {
        like->method = sarrus_bench_methods[i];
        return true;
    }
    const int peer = i - SARRUS_BENCH_N_SHOWN + (form == SARRUS_BENCH_APPLY ? SARRUS_BENCH_PEER_DGELSD : 0);
    like->peer = (sarrus_bench_peer)peer;
    return peer < (form == SARRUS_BENCH_APPLY ? SARRUS_BENCH_N_PEERS : SARRUS_BENCH_PEER_DGELSD);
}

/* One line: what a maker does in the columns' shapes, or batch sizes. */
static void maker_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report, sarrus_bench_speed_row *like,
                       const sarrus_bench_speed_row *const *columns, int n_columns) {
    const sarrus_bench_speed_row *found[SARRUS_BENCH_N_SPEED_SHAPES];
    int n_found = 0;
    for (int i = 0; i < n_columns; ++i) {
        like->side = columns[i]->side;
        like->rank = columns[i]->rank;
        like->n_matrices = columns[i]->n_matrices;
        found[i] = sarrus_bench_speed_find(report, like);
        n_found += found[i] != NULL;
    }
    if (n_found == 0)
        return;
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "", -13, NULL, row_name(like));
    for (int i = 0; i < n_columns; ++i) {
        char heading[32], text[MAX_NUMBER];
        snprintf(heading, sizeof heading, like->is_batch_size ? "%.0e" : "%.0f r%d",
                 like->is_batch_size ? (double)columns[i]->n_matrices : columns[i]->side, columns[i]->rank);
        sarrus_sheet_text(sheet, heading, 8, NULL, found[i] == NULL ? "-" : rate_text(found[i]->rate, found[i]->fails, text));
    }
    sarrus_sheet_row_end(sheet);
}

/* Rows: makers; columns: shapes, or batch sizes. */
static void rates_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report, sarrus_bench_form form, int n_threads,
                       bool is_batch) {
    const sarrus_bench_speed_row *columns[SARRUS_BENCH_N_SPEED_SHAPES];
    int n_columns = 0;
    for (int i = 0; i < report->n_rows && n_columns < SARRUS_BENCH_N_SPEED_SHAPES; ++i) {
        const sarrus_bench_speed_row *row = &report->rows[i];
        if (!row->is_peer && row->method == sarrus_bench_methods[0] && row->form == form && row->n_threads == n_threads &&
            row->is_batch_size == is_batch)
            columns[n_columns++] = row;
    }
    if (n_columns == 0)
        return;
    sarrus_sheet_note(sheet, "\n%s, %d thread%s, matrices a second by %s\n", sarrus_bench_form_names[form], n_threads,
                      n_threads == 1 ? "" : "s", is_batch ? "batch size (12x12, rank 11)" : "size and rank");
    sarrus_sheet_table(sheet, NULL);
    sarrus_bench_speed_row like = {.n_threads = n_threads, .is_batch_size = is_batch};
    for (int i = 0; maker_at(i, form, &like); ++i)
        maker_show(sheet, report, &like, columns, n_columns);
    sarrus_sheet_table_end(sheet);
}

static void speed_row_show(sarrus_sheet *sheet, const sarrus_bench_speed_row *row) {
    const bool is_explicit = row->form == SARRUS_BENCH_EXPLICIT;
    char text[MAX_NUMBER];
    sarrus_sheet_row(sheet);
    sarrus_sheet_flag(sheet, "is_peer", row->is_peer);
    sarrus_sheet_text(sheet, "", -13, "name", row_name(row));
    sarrus_sheet_text(sheet, NULL, 0, "form", sarrus_bench_form_names[row->form]);
    sarrus_sheet_text(sheet, NULL, 0, "table", row->is_batch_size ? "batch sizes" : "shapes");
    sarrus_sheet_count(sheet, NULL, 0, "side", (uint64_t)row->side);
    sarrus_sheet_count(sheet, NULL, 0, "rank", (uint64_t)row->rank);
    sarrus_sheet_count(sheet, NULL, 0, "threads", (uint64_t)row->n_threads);
    sarrus_sheet_count(sheet, NULL, 0, "matrices", row->n_matrices);
    sarrus_sheet_numbers(sheet, "samples", row->samples, row->n_samples);
    sarrus_sheet_text(sheet, "1/s", 8, NULL, rate_text(row->rate, row->fails, text));
    sarrus_sheet_number(sheet, NULL, 0, NULL, "matrices_per_second", row->rate);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "sweeps", row->n_sweeps);
    sarrus_sheet_number(sheet, "flops", 8, "%.0f", "flops", row->flops);
    sarrus_sheet_number(sheet, "of peak", 8, "%.1f%%", "fraction_of_peak", row->peak_share);
    sarrus_sheet_number(sheet, is_explicit ? "x numpy" : NULL, 8, "%.1f", "ratio_to_numpy", row->to_numpy);
    sarrus_sheet_number(sheet, is_explicit ? "xdgesdd" : NULL, 8, "%.1f", "ratio_to_dgesdd", row->to_dgesdd);
    sarrus_sheet_number(sheet, is_explicit ? NULL : "xdgelsd", 8, "%.1f", "ratio_to_dgelsd", row->to_dgelsd);
    sarrus_sheet_number(sheet, is_explicit ? NULL : "xdgelsy", 8, "%.1f", "ratio_to_dgelsy", row->to_dgelsy);
    sarrus_sheet_number(sheet, "deviates", 9, "%.1e", "max_deviation", row->deviation);
    sarrus_sheet_text(sheet, NULL, 0, "gate", row->fails ? "failed" : "ok");
    sarrus_sheet_row_end(sheet);
}

/* The size of the five-bar, in detail. */
static void detail_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report, int i_threads, sarrus_bench_form form) {
    const int n_threads = report->options->thread_counts[i_threads];
    sarrus_sheet_note(sheet, "\n12x12, rank 11, %s, %d thread%s; peak of multiply-adds (%s) %.1f Gflop/s\n",
                      form == SARRUS_BENCH_EXPLICIT ? "explicit" : "apply, one right side", n_threads, n_threads == 1 ? "" : "s",
                      report->isa->name, 1e-9 * report->peaks[i_threads]);
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
        const sarrus_bench_speed_row like = {
            .side = 12, .rank = 11, .n_threads = n_threads, .method = sarrus_bench_methods[i], .form = form};
        const sarrus_bench_speed_row *row = sarrus_bench_speed_find(report, &like);
        if (row != NULL)
            speed_row_show(sheet, row);
    }
    sarrus_sheet_table_end(sheet);
}

/* The methods without the way of a matrix into the lanes and back. */
static void tiles_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report) {
    if (report->options->with_speed)
        sarrus_sheet_note(
            sheet,
            "\n12x12, rank 11, 1 thread, tiles in cache (no packing); peak of multiply-adds %.1f Gflop/s; lanes alike: all\n"
            "hold nearly the same matrix, as instances of one mechanism do\n",
            1e-9 * report->tile_peak);
    sarrus_sheet_table(sheet, "tiles");
    for (int i = 0; i < 2 * SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS; ++i) {
        const int i_method = i / 2 / SARRUS_BENCH_N_FORMS, form = i / 2 % SARRUS_BENCH_N_FORMS, is_alike = i % 2;
        const sarrus_bench_tile_rate *tile = &report->tiles[i_method][form][is_alike];
        char text[MAX_NUMBER];
        if (!(tile->rate > 0.0))
            continue;
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "", -13, "method", method_word(i_method));
        sarrus_sheet_text(sheet, "form", -8, "form", sarrus_bench_form_names[form]);
        sarrus_sheet_text(sheet, "lanes", -6, NULL, is_alike ? "alike" : "differ");
        sarrus_sheet_flag(sheet, "lanes_alike", is_alike == 1);
        sarrus_sheet_text(sheet, "1/s", 8, NULL, rate_text(tile->rate, false, text));
        sarrus_sheet_number(sheet, NULL, 0, NULL, "matrices_per_second", tile->rate);
        sarrus_sheet_number(sheet, "flops", 8, "%.0f", "flops", tile->flops);
        sarrus_sheet_number(sheet, "of peak", 8, "%.1f%%", "fraction_of_peak", tile->rate * tile->flops / report->tile_peak);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

static void peaks_write(sarrus_json *json, const sarrus_bench_pinv_report *report) {
    sarrus_json_open(json, "peaks", '[');
    for (int i = 0; i < report->options->n_thread_counts && report->options->with_speed; ++i) {
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "isa", report->isa->name);
        sarrus_json_count(json, "threads", (uint64_t)report->options->thread_counts[i]);
        sarrus_json_number(json, "flops_per_second", report->peaks[i]);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

static void speed_show(sarrus_sheet *sheet, const sarrus_bench_pinv_report *report) {
    const sarrus_bench_pinv_options *options = report->options;
    for (int i = 0; i < options->n_thread_counts && options->with_speed; ++i) {
        for (int form = 0; form < SARRUS_BENCH_N_FORMS; ++form) {
            rates_show(sheet, report, (sarrus_bench_form)form, options->thread_counts[i], false);
            detail_show(sheet, report, i, (sarrus_bench_form)form);
        }
    }
    tiles_show(sheet, report);
    for (int form = 0; form < SARRUS_BENCH_N_FORMS && options->with_speed; ++form)
        rates_show(sheet, report, (sarrus_bench_form)form, options->thread_counts[0], true);
    FILE *printed = sheet->printed;
    sheet->printed = NULL; /* all rows, for programs */
    sarrus_sheet_table(sheet, "speed");
    for (int i = 0; i < report->n_rows; ++i)
        speed_row_show(sheet, &report->rows[i]);
    sarrus_sheet_table_end(sheet);
    sheet->printed = printed;
    if (options->with_speed)
        sarrus_sheet_note(
            sheet,
            "\nflops: counted additions and multiplications a matrix, without divisions and roots. deviates: largest difference "
            "from dgesdd\nrelative to it; above %.0e (tikhonov 1e-4) a row fails its gate, marked !. Ratios are medians of ratios "
            "of neighbours in time.\n",
            sarrus_bench_pinv_deviation_bound);
}

void sarrus_bench_pinv_show(FILE *printed, FILE *written, const sarrus_bench_pinv_report *report) {
    char processor[SARRUS_SHEET_PROCESSOR];
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, printed, written, "pinv");
    sarrus_sheet_processor(&sheet, processor);
    sarrus_sheet_note(&sheet, "%s, %d processors\n\n", processor, sarrus_bench_n_processors());
    sarrus_json_number(&sheet.json, "residual_bound", sarrus_bench_residual_bound);
    sarrus_json_number(&sheet.json, "deviation_bound", sarrus_bench_pinv_deviation_bound);
    sarrus_json_text(&sheet.json, "numpy", report->numpy);
    accuracy_show(&sheet, report);
    peaks_write(&sheet.json, report);
    if (report->options->with_speed)
        sarrus_sheet_note(&sheet, "\nspeed: medians of %d samples, matrices in memory; numpy: %s\n", report->options->n_repetitions,
                          report->numpy);
    speed_show(&sheet, report);
    sarrus_sheet_end(&sheet);
}
