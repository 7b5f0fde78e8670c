#include "cli/pinv_report.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "edge/json.h"
#include "sarrus/version.h"

static const char *const penrose_names[SARRUS_N_PENROSE] = {"AXA-A", "XAX-X", "(AX)'-AX", "(XA)'-XA"};
static const char *const penrose_keys[SARRUS_N_PENROSE] = {"axa", "xax", "ax", "xa"};
static const char least_squares_name[] = "A'(AX-B)", least_squares_key[] = "least_squares";

/* --- The tally ---------------------------------------------------------------------------------------------------------- */

sarrus_pinv_tally sarrus_pinv_tally_begin(const sarrus_pinv_work *work, uint64_t *n_of_rank) {
    return (sarrus_pinv_tally){.n_of_rank = n_of_rank,
                               .kept = (double)NAN,
                               .dropped = (double)NAN,
                               .flops = work->is_reported ? 0.0 : (double)NAN,
                               .residuals = sarrus_pinv_residuals_begin(work->taken.method, work->m, work->n, work->n_rhs)};
}

static bool is_finite(const double *x, size_t count) {
    bool is_good = true;
    for (size_t i = 0; i < count; ++i)
        is_good = is_good && isfinite(x[i]);
    return is_good;
}

/* The smaller and the larger; a NaN is not there. */
static double smaller(double a, double b) {
    return isnan(a) || b < a ? b : a;
}
static double larger(double a, double b) {
    return isnan(a) || b > a ? b : a;
}

static void matrix_add(const sarrus_pinv_work *work, const sarrus_pinv_batch *batch, uint64_t i, uint64_t i_first,
                       sarrus_pinv_tally *into) {
    const size_t m = (size_t)batch->m, n = (size_t)batch->n, n_rhs = (size_t)batch->n_rhs, n_x = n * (n_rhs > 0 ? n_rhs : m);
    const bool is_given = is_finite(batch->a + i * m * n, m * n) && (n_rhs == 0 || is_finite(batch->b + i * m * n_rhs, m * n_rhs));
    if (!is_given || !is_finite(batch->x + i * n_x, n_x)) {
        if (sarrus_pinv_tally_failed(into) == 0)
            into->i_failed = i_first + i;
        *(is_given ? &into->n_not_computed : &into->n_not_finite) += 1;
        return;
    }
    const int rank = batch->rank[i];
    ++into->n_of_rank[rank];
    if (rank > 0)
        into->kept = smaller(into->kept, batch->kept[i]);
    if (rank < (int)(m < n ? m : n))
        into->dropped = larger(into->dropped, batch->dropped[i]);
    if (work->is_reported)
        into->flops += sarrus_pinv_count_flops(&work->taken, batch->m, batch->n, batch->n_rhs, rank, batch->n_sweeps[i]);
}

sarrus_status sarrus_pinv_tally_add(sarrus_context *context, const sarrus_pinv_work *work, const sarrus_pinv_batch *batch,
                                    uint64_t i_first, int n_threads, sarrus_pinv_tally *into) {
    for (uint64_t i = 0; i < batch->n_matrices; ++i)
        matrix_add(work, batch, i, i_first, into);
    return work->is_reported ? sarrus_pinv_residuals_add(context, batch, i_first, n_threads, &into->residuals) : SARRUS_OK;
}

uint64_t sarrus_pinv_tally_failed(const sarrus_pinv_tally *tally) {
    return tally->n_not_finite + tally->n_not_computed;
}

static double rate_of(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally) {
    return tally->seconds_computing > 0.0 ? (double)work->n_matrices / tally->seconds_computing : (double)NAN;
}

/* --- For people --------------------------------------------------------------------------------------------------------- */

void sarrus_pinv_report_line(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    const uint64_t n_failed = sarrus_pinv_tally_failed(tally);
    fprintf(stream, "%s: ", work->output);
    if (work->n_rhs > 0)
        fprintf(stream, "A+ B, %d right side%s, of ", work->n_rhs, work->n_rhs == 1 ? "" : "s");
    else
        fprintf(stream, "A+ of ");
    fprintf(stream, "%" PRIu64 " matri%s of %dx%d", work->n_matrices, work->n_matrices == 1 ? "x" : "ces", work->m, work->n);
    if (n_failed > 0)
        fprintf(stream, ", %" PRIu64 " failed", n_failed);
    fprintf(stream, ", %.3g s\n", tally->seconds);
}

/* Rules that compare with the largest size, or with what is no share of it. */
static void rule_print(const sarrus_pinv_work *work, FILE *stream) {
    const sarrus_rank_method rule = work->taken.rank_method;
    if (work->taken.method == SARRUS_PINV_TRUNCATED) {
        fprintf(stream, "  rank       %d, as it was told\n", work->max_rank);
        return;
    }
    fprintf(stream, "  rank rule  %s: ", sarrus_rank_method_word(rule));
    if (rule == SARRUS_RANK_ABSOLUTE)
        fprintf(stream, "x > %.3g", work->taken.rank_tolerance);
    else if (rule == SARRUS_RANK_GAP)
        fprintf(stream, "down to the first x that is followed by one not above %.3g x", work->taken.rank_tolerance);
    else
        fprintf(stream, "x > %.3g x1", work->taken.rank_tolerance);
    if (work->max_rank > 0)
        fprintf(stream, ", at most %d", work->max_rank);
    fprintf(stream, "\n");
}

static void ranks_print(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    const int most = work->m < work->n ? work->m : work->n;
    for (int rank = most; rank >= 0; --rank)
        if (tally->n_of_rank[rank] > 0)
            fprintf(stream, "  rank %-5d %" PRIu64 " matri%s\n", rank, tally->n_of_rank[rank],
                    tally->n_of_rank[rank] == 1 ? "x" : "ces");
    fprintf(stream, "  sizes      ");
    if (isnan(tally->kept))
        fprintf(stream, "none kept");
    else
        fprintf(stream, "smallest kept %.3g", tally->kept);
    if (isnan(tally->dropped))
        fprintf(stream, ", none dropped\n");
    else
        fprintf(stream, ", largest dropped %.3g\n", tally->dropped);
}

static void residuals_print(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    const sarrus_pinv_residuals *residuals = &tally->residuals;
    const double unit = (work->m > work->n ? work->m : work->n) * DBL_EPSILON;
    if (residuals->n_looked == 0)
        return;
    fprintf(stream, "\n  %-10s %9s  %13s  %s\n", "residual", "largest", "max(m,n) eps", "in matrix");
    for (int i = 0; i < residuals->n; ++i)
        fprintf(stream, "  %-10s %9.2e  %13.3g  %" PRIu64 "\n", residuals->n == 1 ? least_squares_name : penrose_names[i],
                residuals->worst[i], residuals->worst[i] / unit, residuals->i_worst[i]);
    if (work->taken.method == SARRUS_PINV_TIKHONOV)
        fprintf(stream, "  no bound: tikhonov is no pseudoinverse\n\n");
    else if (isnan(residuals->bound))
        fprintf(stream, "  no bound: %s loses digits with the condition\n\n", sarrus_pinv_method_word(work->taken.method));
    else
        fprintf(stream, "  at most    %9.2e  %13.3g  and 4 sqrt(max(m,n)) dropped/|A|; beyond it: %" PRIu64 "\n\n",
                residuals->bound, residuals->bound / unit, residuals->n_beyond);
}

void sarrus_pinv_report_table(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    const uint64_t n_good = work->n_matrices - sarrus_pinv_tally_failed(tally);
    sarrus_pinv_report_line(work, tally, stream);
    fprintf(stream, "  method     %s%s: %s\n", sarrus_pinv_method_word(work->taken.method),
            work->asked.method == SARRUS_PINV_AUTO ? " (auto)" : "", sarrus_pinv_method_text(work->taken.method));
    rule_print(work, stream);
    ranks_print(work, tally, stream);
    if (sarrus_pinv_tally_failed(tally) > 0)
        fprintf(stream, "  failed     %" PRIu64 " not finite, %" PRIu64 " not computed; the first is matrix %" PRIu64 "\n",
                tally->n_not_finite, tally->n_not_computed, tally->i_failed);
    residuals_print(work, tally, stream);
    if (isnan(tally->flops))
        fprintf(stream, "  flops      not counted for %s\n", sarrus_pinv_method_word(work->taken.method));
    else
        fprintf(stream, "  flops      %.4g, %.6g a matrix\n", tally->flops, n_good > 0 ? tally->flops / (double)n_good : 0.0);
    fprintf(stream, "  time       %.3g s computing", tally->seconds_computing);
    if (work->n_matrices > 0)
        fprintf(stream, ": %.4g matrices/s", rate_of(work, tally));
    fprintf(stream, "; %.3g s in all\n", tally->seconds);
}

void sarrus_pinv_report_warn(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    if (tally->n_not_finite > 0)
        fprintf(stream, "sarrus: warning: a NaN or an infinity in %" PRIu64 " of %" PRIu64 " matrices%s; their results are NaN\n",
                tally->n_not_finite, work->n_matrices, work->n_rhs > 0 ? " or right sides" : "");
    if (tally->n_not_computed > 0)
        fprintf(stream, "sarrus: warning: %" PRIu64 " of %" PRIu64 " results are beyond the range of a double\n",
                tally->n_not_computed, work->n_matrices);
    if (sarrus_pinv_tally_failed(tally) > 0)
        fprintf(stream, "                 the first is matrix %" PRIu64 "\n", tally->i_failed);
}

/* --- For programs ------------------------------------------------------------------------------------------------------- */

static void count_or_null(sarrus_json *json, const char *name, uint64_t value, bool is_there) {
    if (is_there)
        sarrus_json_count(json, name, value);
    else
        sarrus_json_null(json, name);
}

static void work_print_json(sarrus_json *json, const sarrus_pinv_work *work) {
    static const char *const backends[] = {"auto", "cpu", "cuda"};
    const bool is_truncated = work->taken.method == SARRUS_PINV_TRUNCATED;
    sarrus_json_text(json, "sarrus", sarrus_version());
    sarrus_json_text(json, "input", work->input);
    if (work->rhs != NULL)
        sarrus_json_text(json, "rhs", work->rhs);
    else
        sarrus_json_null(json, "rhs");
    sarrus_json_text(json, "output", work->output);
    sarrus_json_text(json, "backend", backends[work->taken.backend == SARRUS_BACKEND_AUTO ? 1 : work->taken.backend]);
    sarrus_json_text(json, "method", sarrus_pinv_method_word(work->taken.method));
    if (is_truncated)
        sarrus_json_null(json, "rank_rule");
    else
        sarrus_json_text(json, "rank_rule", sarrus_rank_method_word(work->taken.rank_method));
    sarrus_json_number(json, "tolerance", is_truncated ? (double)NAN : work->taken.rank_tolerance);
    count_or_null(json, "max_rank", (uint64_t)work->max_rank, work->max_rank > 0);
    sarrus_json_count(json, "m", (uint64_t)work->m);
    sarrus_json_count(json, "n", (uint64_t)work->n);
    count_or_null(json, "n_rhs", (uint64_t)work->n_rhs, work->n_rhs > 0);
    sarrus_json_count(json, "n_matrices", work->n_matrices);
}

static void residuals_print_json(sarrus_json *json, const sarrus_pinv_work *work, const sarrus_pinv_residuals *residuals) {
    sarrus_json_open(json, "residuals", '{');
    for (int i = 0; i < residuals->n; ++i) {
        sarrus_json_open(json, residuals->n == 1 ? least_squares_key : penrose_keys[i], '{');
        sarrus_json_number(json, "largest", residuals->n_looked > 0 ? residuals->worst[i] : (double)NAN);
        count_or_null(json, "matrix", residuals->i_worst[i], residuals->n_looked > 0);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, '}');
    sarrus_json_number(json, "residual_unit", (work->m > work->n ? work->m : work->n) * DBL_EPSILON);
    sarrus_json_number(json, "residual_bound", residuals->bound);
    count_or_null(json, "n_beyond_bound", residuals->n_beyond, !isnan(residuals->bound));
}

void sarrus_pinv_report_json(const sarrus_pinv_work *work, const sarrus_pinv_tally *tally, FILE *stream) {
    const uint64_t n_failed = sarrus_pinv_tally_failed(tally);
    const int most = work->m < work->n ? work->m : work->n;
    sarrus_json json;
    sarrus_json_begin(&json, stream);
    work_print_json(&json, work);
    sarrus_json_count(&json, "n_failed", n_failed);
    sarrus_json_count(&json, "n_not_finite", tally->n_not_finite);
    sarrus_json_count(&json, "n_not_computed", tally->n_not_computed);
    count_or_null(&json, "first_failed", tally->i_failed, n_failed > 0);
    sarrus_json_open(&json, "ranks", '[');
    for (int rank = 0; rank <= most; ++rank) {
        if (tally->n_of_rank[rank] == 0)
            continue;
        sarrus_json_open(&json, NULL, '{');
        sarrus_json_count(&json, "rank", (uint64_t)rank);
        sarrus_json_count(&json, "n_matrices", tally->n_of_rank[rank]);
        sarrus_json_close(&json, '}');
    }
    sarrus_json_close(&json, ']');
    sarrus_json_number(&json, "smallest_kept", tally->kept);
    sarrus_json_number(&json, "largest_dropped", tally->dropped);
    residuals_print_json(&json, work, &tally->residuals);
    sarrus_json_number(&json, "flops", tally->flops);
    sarrus_json_number(&json, "seconds_computing", tally->seconds_computing);
    sarrus_json_number(&json, "seconds", tally->seconds);
    sarrus_json_number(&json, "matrices_per_second", rate_of(work, tally));
    sarrus_json_close(&json, '}');
}
