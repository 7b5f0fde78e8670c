/* The report of the pseudoinverse benchmark on a device, for people and for programs. */
#include "bench/pinv/cuda.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const makers[] = {"sarrus", "sarrus", "cusolver", "python"};

/* The row of the same matrices by cuSOLVER's SVD, or by torch; NULL when there is none. */
static const sarrus_bench_cuda_row *rival(const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row,
                                          const char *name) {
    for (int i = 0; i < report->n_rows; i++) {
        const sarrus_bench_cuda_row *other = &report->rows[i];
        if (strcmp(other->name, name) == 0 && other->i_batch == row->i_batch && other->form == row->form) {
            return other;
        }
    }
    return NULL;
}

static double ratio(const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row, const char *name) {
    const sarrus_bench_cuda_row *other = rival(report, row, name);
    return other == NULL || other == row ? (double)NAN : row->rate / other->rate;
}

static void print_cell(FILE *stream, int width, const char *format, double value) {
    char text[32] = "-";
    if (isfinite(value)) {
        snprintf(text, sizeof text, format, value);
    }
    fprintf(stream, " %*s", width, text);
}

void sarrus_bench_cuda_print_table(FILE *stream, const sarrus_bench_cuda_report *report) {
    sarrus_bench_cuda_print(stream, &report->cuda);
    fprintf(stream, "\n%-8s %-21s %-6s %-8s %5s %8s %11s %7s %7s %7s %8s %8s %9s  %s\n", "by", "method", "how", "form", "size",
            "matrices", "matrices/s", "sweeps", "of peak", "of copy", "xgesvdj", "x torch", "deviation", "residual, gate");
    for (int i = 0; i < report->n_rows; i++) {
        const sarrus_bench_cuda_row *row = &report->rows[i];
        char size[16];
        snprintf(size, sizeof size, "%dx%d", row->side, row->side);
        fprintf(stream, "%-8s %-21.21s %-6s %-8s %5s %8" PRIu64, makers[row->maker], row->name, row->variant,
                sarrus_bench_form_names[row->form], size, row->n_matrices);
        print_cell(stream, 11, "%.4g", row->rate);
        print_cell(stream, 7, "%.2f", row->n_sweeps > 0.0 ? row->n_sweeps : (double)NAN);
        print_cell(stream, 7, "%.1f%%", 100.0 * row->peak_share);
        print_cell(stream, 7, "%.1f%%", 100.0 * row->memory_share);
        print_cell(stream, 8, "%.2f", ratio(report, row, "gesvdjBatched"));
        print_cell(stream, 8, "%.2f", ratio(report, row, "torch.linalg.pinv"));
        fprintf(stream, " %9.1e ", row->deviation);
        print_cell(stream, 5, "%.2f", row->residual);
        fprintf(stream, " %s", row->fails ? "FAILED" : "ok");
        if (row->n_not_converged > 0) {
            fprintf(stream, ", %" PRIu64 " not converged", row->n_not_converged);
        }
        fputc('\n', stream);
    }
    fprintf(stream, "\ncuSOLVER: %s\nPython: %s\n", report->library[0] != '\0' ? report->library : "all rows",
            report->peers[0] != '\0' ? report->peers : "not asked");
    fprintf(
        stream,
        "how: a group of threads a matrix in shared memory, or a thread a matrix. of peak: counted additions and multiplications\n"
        "over measured multiply-adds. of copy: A in and X out over a measured copy. residual: largest of the four Penrose\n"
        "residuals in n eps (at most %.0f for svd, jacobi, householder, varga). deviation from LAPACK (at most %.0e).\n",
        sarrus_bench_residual_bound, sarrus_bench_pinv_deviation_bound);
}

static void row_write(sarrus_json *json, const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row) {
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "by", makers[row->maker]);
    sarrus_json_text(json, "name", row->name);
    sarrus_json_text(json, "variant", row->variant);
    sarrus_json_text(json, "form", sarrus_bench_form_names[row->form]);
    sarrus_json_count(json, "side", (uint64_t)row->side);
    sarrus_json_count(json, "rank", (uint64_t)row->rank);
    sarrus_json_count(json, "matrices", row->n_matrices);
    sarrus_json_numbers(json, "samples", row->samples, row->n_samples);
    sarrus_json_number(json, "matrices_per_second", row->rate);
    sarrus_json_number(json, "sweeps", row->n_sweeps);
    sarrus_json_number(json, "flops", row->flops);
    sarrus_json_number(json, "fraction_of_peak", row->peak_share);
    sarrus_json_number(json, "fraction_of_copy", row->memory_share);
    sarrus_json_number(json, "ratio_to_gesvdj", ratio(report, row, "gesvdjBatched"));
    sarrus_json_number(json, "ratio_to_torch", ratio(report, row, "torch.linalg.pinv"));
    sarrus_json_number(json, "max_residual", row->residual);
    sarrus_json_number(json, "max_deviation", row->deviation);
    sarrus_json_count(json, "n_not_converged", row->n_not_converged);
    sarrus_json_text(json, "gate", row->fails ? "failed" : "ok");
    sarrus_json_close(json, '}');
}

void sarrus_bench_cuda_print_json(FILE *stream, const sarrus_bench_cuda_report *report) {
    sarrus_json json;
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "pinv");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_bench_cuda_write(&json, &report->cuda);
    sarrus_json_number(&json, "residual_bound", sarrus_bench_residual_bound);
    sarrus_json_number(&json, "deviation_bound", sarrus_bench_pinv_deviation_bound);
    sarrus_json_text(&json, "cusolver", report->library);
    sarrus_json_text(&json, "python", report->peers);
    sarrus_json_open(&json, "rows", '[');
    for (int i = 0; i < report->n_rows; i++) {
        row_write(&json, report, &report->rows[i]);
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}
