/* The report of the pseudoinverse benchmark: tables for people. */
#include "bench/pinv/pinv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/measure/measure.h"

enum { NAME_WIDTH = 24, LEAST_WIDTH = 7, MAX_FAILED_LINES = 24 };

static int method_width(int i_method) {
    const int length = (int)strlen(sarrus_pinv_method_word(sarrus_bench_methods[i_method]));
    return length < LEAST_WIDTH ? LEAST_WIDTH : length;
}

/* Three digits where a number is of every day, an exponent where it is not. */
static void print_number(FILE *stream, int width, double value) {
    char text[32];
    if (isnan(value)) {
        snprintf(text, sizeof text, "nan");
    } else if (value == 0.0) {
        snprintf(text, sizeof text, "0");
    } else if (value >= 0.01 && value < 9999.5) {
        snprintf(text, sizeof text, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
    } else {
        snprintf(text, sizeof text, "%.1e", value);
    }
    fprintf(stream, " %*s", width, text);
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

static void print_accuracy_table(FILE *stream, const sarrus_bench_pinv_report *report,
                                 double (*shown)(const sarrus_bench_accuracy *forms)) {
    fprintf(stream, "%-*s", NAME_WIDTH, "");
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN; i++) {
        fprintf(stream, " %*s", method_width(i), sarrus_pinv_method_word(sarrus_bench_methods[i]));
    }
    fprintf(stream, "\n");
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; i_class++) {
        fprintf(stream, "%-*s", NAME_WIDTH, sarrus_bench_classes[i_class].name);
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; i++) {
            print_number(stream, method_width(i), shown(report->accuracy[i_class][i]));
        }
        fprintf(stream, "\n");
    }
}

static void print_class_notes(FILE *stream, const sarrus_bench_pinv_report *report) {
    fprintf(stream, "\n%-*s %9s %9s  %s\n", NAME_WIDTH, "class", "rank rule", "kappa", "what it is");
    for (int i = 0; i < SARRUS_BENCH_N_CLASSES; i++) {
        const sarrus_bench_class *class = &sarrus_bench_classes[i];
        char rule[16];
        snprintf(rule, sizeof rule, class->tolerance > 0.0 ? "%.0e" : "auto", class->tolerance);
        fprintf(stream, "%-*s %9s %9.1e  %s\n", NAME_WIDTH, class->name, rule, report->condition[i], class->text);
    }
}

static void print_wrong_ranks(FILE *stream, const sarrus_bench_pinv_report *report) {
    int n_lines = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; i_class++) {
        int n_wrong = 0;
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; i++) {
            const sarrus_bench_accuracy *forms = report->accuracy[i_class][i];
            if (forms[0].n_wrong_ranks + forms[1].n_wrong_ranks == 0) {
                continue;
            }
            if (n_wrong++ == 0) {
                fputs(n_lines++ == 0 ? "\nranks other than the reference's (of both forms' matrices):\n" : "", stream);
                fprintf(stream, "  %-*s", NAME_WIDTH - 2, sarrus_bench_classes[i_class].name);
            }
            fprintf(stream, " %s %d/%d", sarrus_pinv_method_word(sarrus_bench_methods[i]),
                    forms[0].n_wrong_ranks + forms[1].n_wrong_ranks, forms[0].n_matrices + forms[1].n_matrices);
        }
        fputs(n_wrong > 0 ? "\n" : "", stream);
    }
}

static void print_failed_accuracy(FILE *stream, const sarrus_bench_pinv_report *report) {
    int n_failed = 0;
    for (int i_class = 0; i_class < SARRUS_BENCH_N_CLASSES; i_class++) {
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS; i++) {
            const int i_method = i / SARRUS_BENCH_N_FORMS, form = i % SARRUS_BENCH_N_FORMS;
            const sarrus_bench_accuracy *found = &report->accuracy[i_class][i_method][form];
            n_failed += found->fails;
            if (found->fails && n_failed <= MAX_FAILED_LINES) {
                fprintf(stream, "FAILED: %s, %s, %s: residual %.3g, %d wrong ranks\n", sarrus_bench_classes[i_class].name,
                        sarrus_pinv_method_word(sarrus_bench_methods[i_method]), sarrus_bench_form_names[form], found->residual,
                        found->n_wrong_ranks);
            }
        }
    }
    if (n_failed > MAX_FAILED_LINES) {
        fprintf(stream, "FAILED: %d more\n", n_failed - MAX_FAILED_LINES);
    }
}

static void print_accuracy(FILE *stream, const sarrus_bench_pinv_report *report) {
    fprintf(stream, "largest residual of the four Penrose conditions, in units of max(m, n) eps, the worse of both forms\n");
    print_accuracy_table(stream, report, shown_residual);
    fprintf(stream, "\nforward error |X - A+|/|A+| against 50 digits, in units of eps kappa, the worse of both forms\n");
    print_accuracy_table(stream, report, shown_forward);
    print_class_notes(stream, report);
    print_wrong_ranks(stream, report);
    fprintf(stream,
            "\ngate: svd, jacobi, householder and varga at most %.0f and of the right rank wherever the rank is well defined "
            "(all classes\nbut 'held 11' and 'Hilbert 12'). kappa: largest over smallest counted singular value.\n",
            sarrus_bench_residual_bound);
    print_failed_accuracy(stream, report);
}

/* --- Speed ------------------------------------------------------------------------------------------------------------ */

/* Matrices a second with three digits: 1.23M, 456k. */
static void print_rate(FILE *stream, int width, const sarrus_bench_speed_row *row) {
    char text[32];
    const double rate = row == NULL ? (double)NAN : row->rate;
    if (isnan(rate)) {
        snprintf(text, sizeof text, "-");
    } else {
        const double scale = rate >= 999500.0 ? 1e6 : rate >= 999.5 ? 1e3 : 1.0;
        const double shown = rate / scale;
        const int n_digits = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
        snprintf(text, sizeof text, "%.*f%s%s", n_digits, shown, scale > 1e3 ? "M" : scale > 1.0 ? "k" : "", row->fails ? "!" : "");
    }
    fprintf(stream, " %*s", width, text);
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

/* Rows: makers; columns: shapes, or batch sizes. */
static void print_rates(FILE *stream, const sarrus_bench_pinv_report *report, sarrus_bench_form form, int n_threads,
                        bool is_batch) {
    const sarrus_bench_speed_row *columns[SARRUS_BENCH_N_SPEED_SHAPES];
    int n_columns = 0;
    for (int i = 0; i < report->n_rows && n_columns < SARRUS_BENCH_N_SPEED_SHAPES; i++) {
        const sarrus_bench_speed_row *row = &report->rows[i];
        if (!row->is_peer && row->method == sarrus_bench_methods[0] && row->form == form && row->n_threads == n_threads &&
            row->is_batch_size == is_batch) {
            columns[n_columns++] = row;
        }
    }
    if (n_columns == 0) {
        return;
    }
    fprintf(stream, "\n%s, %d thread%s, matrices a second by %s\n%-13s", sarrus_bench_form_names[form], n_threads,
            n_threads == 1 ? "" : "s", is_batch ? "batch size (12x12, rank 11)" : "size and rank", "");
    for (int i = 0; i < n_columns; i++) {
        char text[32];
        snprintf(text, sizeof text, is_batch ? "%.0e" : "%.0f r%d", is_batch ? (double)columns[i]->n_matrices : columns[i]->side,
                 columns[i]->rank);
        fprintf(stream, " %8s", text);
    }
    fprintf(stream, "\n");
    sarrus_bench_speed_row like = {.n_threads = n_threads, .is_batch_size = is_batch};
    for (int i_maker = 0; maker_at(i_maker, form, &like); i_maker++) {
        const sarrus_bench_speed_row *found[SARRUS_BENCH_N_SPEED_SHAPES];
        int n_found = 0;
        for (int i = 0; i < n_columns; i++) {
            like.side = columns[i]->side;
            like.rank = columns[i]->rank;
            like.n_matrices = columns[i]->n_matrices;
            found[i] = sarrus_bench_speed_find(report, &like);
            n_found += found[i] != NULL;
        }
        if (n_found == 0) {
            continue;
        }
        fprintf(stream, "%-13s", row_name(&like));
        for (int i = 0; i < n_columns; i++) {
            print_rate(stream, 8, found[i]);
        }
        fprintf(stream, "\n");
    }
}

static void print_ratio(FILE *stream, double value) {
    char text[32] = "-";
    if (!isnan(value)) {
        snprintf(text, sizeof text, value < 99.95 ? "%.1f" : "%.0f", value);
    }
    fprintf(stream, " %7s", text);
}

static void print_half(FILE *stream, const sarrus_bench_speed_row *row) {
    print_rate(stream, 8, row);
    if (row == NULL) {
        fprintf(stream, "%42s", "");
        return;
    }
    if (isnan(row->flops)) {
        fprintf(stream, " %8s %7s", "-", "-");
    } else {
        fprintf(stream, " %8.0f %6.1f%%", row->flops, 100.0 * row->peak_share);
    }
    print_ratio(stream, row->form == SARRUS_BENCH_EXPLICIT ? row->to_numpy : row->to_dgelsd);
    print_ratio(stream, row->form == SARRUS_BENCH_EXPLICIT ? row->to_dgesdd : row->to_dgelsy);
    fprintf(stream, " %8.1e", row->deviation);
}

/* The size of the five-bar, in detail. */
static void print_detail(FILE *stream, const sarrus_bench_pinv_report *report, int i_threads) {
    const int n_threads = report->options->thread_counts[i_threads];
    fprintf(stream, "\n12x12, rank 11, %d thread%s; peak of multiply-adds (%s) %.1f Gflop/s\n%-13s %-50s  %s\n", n_threads,
            n_threads == 1 ? "" : "s", report->isa->name, 1e-9 * report->peaks[i_threads], "", "explicit", "apply, one right side");
    fprintf(stream, "%-13s %8s %8s %7s %7s %7s %8s  %8s %8s %7s %7s %7s %8s\n", "", "1/s", "flops", "of peak", "x numpy", "xdgesdd",
            "deviates", "1/s", "flops", "of peak", "xdgelsd", "xdgelsy", "deviates");
    sarrus_bench_speed_row like = {.side = 12, .rank = 11, .n_threads = n_threads};
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN; i++) {
        like.method = sarrus_bench_methods[i];
        like.form = SARRUS_BENCH_EXPLICIT;
        fprintf(stream, "%-13s", row_name(&like));
        print_half(stream, sarrus_bench_speed_find(report, &like));
        fprintf(stream, " ");
        like.form = SARRUS_BENCH_APPLY;
        print_half(stream, sarrus_bench_speed_find(report, &like));
        fprintf(stream, "\n");
    }
}

/* The methods without the way of a matrix into the lanes and back. */
static void print_tiles(FILE *stream, const sarrus_bench_pinv_report *report) {
    fprintf(
        stream,
        "\n12x12, rank 11, 1 thread, tiles in cache (no packing); peak of multiply-adds %.1f Gflop/s; of peak, and the same where\n"
        "all lanes hold nearly the same matrix, as instances of one mechanism do\n%-13s %36s  %36s\n%-13s",
        1e-9 * report->tile_peak, "", "explicit", "apply, one right side", "");
    for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
        fprintf(stream, " %8s %8s %8s %9s ", "1/s", "flops", "of peak", "alike");
    }
    fprintf(stream, "\n");
    for (int i = 0; i < SARRUS_BENCH_N_SHOWN; i++) {
        if (!(report->tiles[i][0][0].rate > 0.0)) {
            continue;
        }
        fprintf(stream, "%-13s", sarrus_pinv_method_word(sarrus_bench_methods[i]));
        for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
            const sarrus_bench_tile_rate *tile = report->tiles[i][form];
            const sarrus_bench_speed_row row = {.rate = tile[0].rate};
            print_rate(stream, 8, &row);
            fprintf(stream, " %8.0f %7.1f%% %8.1f%% ", tile[0].flops, 100.0 * tile[0].rate * tile[0].flops / report->tile_peak,
                    100.0 * tile[1].rate * tile[1].flops / report->tile_peak);
        }
        fprintf(stream, "\n");
    }
}

static void print_speed(FILE *stream, const sarrus_bench_pinv_report *report) {
    fprintf(stream, "\nspeed: medians of %d samples, matrices in memory; numpy: %s\n", report->options->n_repetitions,
            report->numpy);
    for (int i = 0; i < report->options->n_thread_counts; i++) {
        for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
            print_rates(stream, report, (sarrus_bench_form)form, report->options->thread_counts[i], false);
        }
        print_detail(stream, report, i);
    }
    print_tiles(stream, report);
    for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
        print_rates(stream, report, (sarrus_bench_form)form, report->options->thread_counts[0], true);
    }
    fprintf(
        stream,
        "\nflops: counted additions and multiplications a matrix, without divisions and roots. deviates: largest difference from "
        "dgesdd\n"
        "relative to it; above %.0e (tikhonov 1e-4) a row fails its gate, marked !. Ratios are medians of ratios of neighbours in "
        "time.\n",
        sarrus_bench_pinv_deviation_bound);
}

void sarrus_bench_pinv_print_table(FILE *stream, const sarrus_bench_pinv_report *report) {
    char processor[128];
    sarrus_bench_processor_name(processor, sizeof processor);
    fprintf(stream, "%s, %d processors\n\n", processor, sarrus_bench_n_processors());
    if (report->options->with_accuracy) {
        print_accuracy(stream, report);
    }
    if (report->options->with_speed) {
        print_speed(stream, report);
    }
}
