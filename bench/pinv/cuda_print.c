/* The report of the pseudoinverse benchmark on a device, for people and for programs. */
#include "bench/pinv/cuda.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const makers[] = {"sarrus", "sarrus", "cusolver", "python"};

/* The row of the same matrices by cuSOLVER's SVD, or by torch; NULL when there is none. */
static const sarrus_bench_cuda_row *rival(const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row,
                                          const char *name) {
    for (int i = 0; i < report->n_rows; ++i) {
        const sarrus_bench_cuda_row *other = &report->rows[i];
        if (strcmp(other->name, name) == 0 && other->i_batch == row->i_batch && other->form == row->form)
            return other;
    }
    return NULL;
}

static double ratio(const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row, const char *name) {
    const sarrus_bench_cuda_row *other = rival(report, row, name);
    return other == NULL || other == row ? (double)NAN : row->rate / other->rate;
}

static void row_show(sarrus_sheet *sheet, const sarrus_bench_cuda_report *report, const sarrus_bench_cuda_row *row) {
    char size[16], gate[48] = "";
    snprintf(size, sizeof size, "%dx%d", row->side, row->side);
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "by", -8, "by", makers[row->maker]);
    sarrus_sheet_text(sheet, "method", -21, "name", row->name);
    sarrus_sheet_text(sheet, "how", -6, "variant", row->variant);
    sarrus_sheet_text(sheet, "form", -8, "form", sarrus_bench_form_names[row->form]);
    sarrus_sheet_text(sheet, "size", 5, NULL, size);
    sarrus_sheet_count(sheet, NULL, 0, "side", (uint64_t)row->side);
    sarrus_sheet_count(sheet, NULL, 0, "rank", (uint64_t)row->rank);
    sarrus_sheet_count(sheet, "matrices", 8, "matrices", row->n_matrices);
    sarrus_sheet_numbers(sheet, "samples", row->samples, row->n_samples);
    sarrus_sheet_number(sheet, "matrices/s", 11, "%.4g", "matrices_per_second", row->rate);
    sarrus_sheet_number(sheet, "sweeps", 7, "%.2f", "sweeps", row->n_sweeps);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "flops", row->flops);
    sarrus_sheet_number(sheet, "of peak", 7, "%.1f%%", "fraction_of_peak", row->peak_share);
    sarrus_sheet_number(sheet, "of copy", 7, "%.1f%%", "fraction_of_copy", row->memory_share);
    sarrus_sheet_number(sheet, "xgesvdj", 8, "%.2f", "ratio_to_gesvdj", ratio(report, row, "gesvdjBatched"));
    sarrus_sheet_number(sheet, "x torch", 8, "%.2f", "ratio_to_torch", ratio(report, row, "torch.linalg.pinv"));
    sarrus_sheet_number(sheet, "deviation", 9, "%.1e", "max_deviation", row->deviation);
    sarrus_sheet_number(sheet, "residual", 8, "%.2f", "max_residual", row->residual);
    sarrus_sheet_count(sheet, NULL, 0, "n_not_converged", row->n_not_converged);
    if (row->n_not_converged > 0)
        snprintf(gate, sizeof gate, ", %" PRIu64 " not converged", row->n_not_converged);
    sarrus_sheet_text(sheet, "gate", -6, "gate", row->fails ? "failed" : "ok");
    sarrus_sheet_text(sheet, "", 0, NULL, gate);
    sarrus_sheet_row_end(sheet);
}

void sarrus_bench_cuda_report_show(FILE *printed, FILE *written, const sarrus_bench_cuda_report *report) {
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, printed, written, "pinv");
    sarrus_bench_cuda_show(&sheet, &report->cuda);
    sarrus_json_number(&sheet.json, "residual_bound", sarrus_bench_residual_bound);
    sarrus_json_number(&sheet.json, "deviation_bound", sarrus_bench_pinv_deviation_bound);
    sarrus_json_text(&sheet.json, "cusolver", report->library);
    sarrus_json_text(&sheet.json, "python", report->peers);
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < report->n_rows; ++i)
        row_show(&sheet, report, &report->rows[i]);
    sarrus_sheet_table_end(&sheet);
    sarrus_sheet_note(&sheet, "\ncuSOLVER: %s\nPython: %s\n", report->library[0] != '\0' ? report->library : "all rows",
                      report->peers[0] != '\0' ? report->peers : "not asked");
    sarrus_sheet_note(
        &sheet,
        "how: a group of threads a matrix in shared memory, or a thread a matrix. of peak: counted additions and "
        "multiplications\nover measured multiply-adds. of copy: A in and X out over a measured copy. residual: largest of the "
        "four Penrose\nresiduals in n eps (at most %.0f for svd, jacobi, householder, varga). deviation from LAPACK (at most "
        "%.0e).\n",
        sarrus_bench_residual_bound, sarrus_bench_pinv_deviation_bound);
    sarrus_sheet_end(&sheet);
}
