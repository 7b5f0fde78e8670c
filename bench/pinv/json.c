/* The report of the pseudoinverse benchmark for programs. */
#include "bench/pinv/pinv.h"

#include "edge/json.h"

#include "bench/measure/measure.h"

static void accuracy_write(sarrus_json *json, const sarrus_bench_pinv_report *report, int i_class, int i_method, int form) {
    static const char *const names[4] = {"axa", "xax", "ax", "xa"};
    const sarrus_bench_accuracy *found = &report->accuracy[i_class][i_method][form];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "method", sarrus_pinv_method_word(sarrus_bench_methods[i_method]));
    sarrus_json_text(json, "form", sarrus_bench_form_names[form]);
    for (int k = 0; k < 4; k++) {
        sarrus_json_number(json, names[k], found->residuals[k]);
    }
    sarrus_json_number(json, "residual", found->residual);
    sarrus_json_number(json, "forward", found->forward);
    sarrus_json_number(json, "forward_in_eps_kappa", found->forward_scaled);
    sarrus_json_count(json, "n_wrong_ranks", (uint64_t)found->n_wrong_ranks);
    const bool is_gated = sarrus_bench_classes[i_class].rank_is_defined && i_method < SARRUS_BENCH_N_GATED;
    sarrus_json_text(json, "gate", found->fails ? "failed" : is_gated ? "ok" : "none");
    sarrus_json_close(json, '}');
}

static void class_write(sarrus_json *json, const sarrus_bench_pinv_report *report, int i_class) {
    const sarrus_bench_class *class = &sarrus_bench_classes[i_class];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "name", class->name);
    sarrus_json_text(json, "text", class->text);
    sarrus_json_text(json, "rank_method",
                     sarrus_rank_method_word(class->tolerance > 0.0 ? SARRUS_RANK_RELATIVE : SARRUS_RANK_AUTO));
    sarrus_json_number(json, "rank_tolerance", class->tolerance);
    sarrus_json_flag(json, "rank_is_defined", class->rank_is_defined);
    sarrus_json_number(json, "kappa", report->condition[i_class]);
    sarrus_json_count(json, "n_matrices", (uint64_t)report->accuracy[i_class][0][0].n_matrices);
    sarrus_json_open(json, "rows", '[');
    for (int i_method = 0; i_method < SARRUS_BENCH_N_SHOWN; i_method++) {
        for (int form = 0; form < SARRUS_BENCH_N_FORMS; form++) {
            accuracy_write(json, report, i_class, i_method, form);
        }
    }
    sarrus_json_close(json, ']');
    sarrus_json_close(json, '}');
}

static void speed_write(sarrus_json *json, const sarrus_bench_speed_row *row) {
    sarrus_json_open(json, NULL, '{');
    sarrus_json_flag(json, "is_peer", row->is_peer);
    sarrus_json_text(json, "name", row->is_peer ? sarrus_bench_peer_names[row->peer] : sarrus_pinv_method_word(row->method));
    sarrus_json_text(json, "form", sarrus_bench_form_names[row->form]);
    sarrus_json_text(json, "table", row->is_batch_size ? "batch sizes" : "shapes");
    sarrus_json_count(json, "side", (uint64_t)row->side);
    sarrus_json_count(json, "rank", (uint64_t)row->rank);
    sarrus_json_count(json, "threads", (uint64_t)row->n_threads);
    sarrus_json_count(json, "matrices", row->n_matrices);
    sarrus_json_numbers(json, "samples", row->samples, row->n_samples);
    sarrus_json_number(json, "matrices_per_second", row->rate);
    sarrus_json_number(json, "sweeps", row->n_sweeps);
    sarrus_json_number(json, "flops", row->flops);
    sarrus_json_number(json, "fraction_of_peak", row->peak_share);
    sarrus_json_number(json, "ratio_to_numpy", row->to_numpy);
    sarrus_json_number(json, "ratio_to_dgesdd", row->to_dgesdd);
    sarrus_json_number(json, "ratio_to_dgelsd", row->to_dgelsd);
    sarrus_json_number(json, "ratio_to_dgelsy", row->to_dgelsy);
    sarrus_json_number(json, "max_deviation", row->deviation);
    sarrus_json_text(json, "gate", row->fails ? "failed" : "ok");
    sarrus_json_close(json, '}');
}

static void peaks_write(sarrus_json *json, const sarrus_bench_pinv_report *report) {
    sarrus_json_open(json, "peaks", '[');
    for (int i = 0; i < report->options->n_thread_counts && report->options->with_speed; i++) {
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "isa", report->isa->name);
        sarrus_json_count(json, "threads", (uint64_t)report->options->thread_counts[i]);
        sarrus_json_number(json, "flops_per_second", report->peaks[i]);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

static void tiles_write(sarrus_json *json, const sarrus_bench_pinv_report *report) {
    sarrus_json_open(json, "tiles", '[');
    for (int i = 0; i < 2 * SARRUS_BENCH_N_SHOWN * SARRUS_BENCH_N_FORMS; i++) {
        const int i_method = i / 2 / SARRUS_BENCH_N_FORMS, form = i / 2 % SARRUS_BENCH_N_FORMS, is_alike = i % 2;
        const sarrus_bench_tile_rate *tile = &report->tiles[i_method][form][is_alike];
        if (tile->rate > 0.0) {
            sarrus_json_open(json, NULL, '{');
            sarrus_json_text(json, "method", sarrus_pinv_method_word(sarrus_bench_methods[i_method]));
            sarrus_json_text(json, "form", sarrus_bench_form_names[form]);
            sarrus_json_flag(json, "lanes_alike", is_alike == 1);
            sarrus_json_number(json, "matrices_per_second", tile->rate);
            sarrus_json_number(json, "flops", tile->flops);
            sarrus_json_number(json, "fraction_of_peak", tile->rate * tile->flops / report->tile_peak);
            sarrus_json_close(json, '}');
        }
    }
    sarrus_json_close(json, ']');
}

void sarrus_bench_pinv_print_json(FILE *stream, const sarrus_bench_pinv_report *report) {
    char processor[128];
    sarrus_json json;
    sarrus_bench_processor_name(processor, sizeof processor);
    sarrus_json_begin(&json, stream);
    sarrus_json_text(&json, "benchmark", "pinv");
    sarrus_json_text(&json, "version", sarrus_version());
    sarrus_json_text(&json, "processor", processor);
    sarrus_json_count(&json, "processors", (uint64_t)sarrus_bench_n_processors());
    sarrus_json_number(&json, "residual_bound", sarrus_bench_residual_bound);
    sarrus_json_number(&json, "deviation_bound", sarrus_bench_pinv_deviation_bound);
    sarrus_json_text(&json, "numpy", report->numpy);
    peaks_write(&json, report);
    tiles_write(&json, report);
    sarrus_json_open(&json, "accuracy", '[');
    for (int i = 0; i < SARRUS_BENCH_N_CLASSES && report->options->with_accuracy; i++) {
        class_write(&json, report, i);
    }
    sarrus_json_close(&json, ']');
    sarrus_json_open(&json, "speed", '[');
    for (int i = 0; i < report->n_rows; i++) {
        speed_write(&json, &report->rows[i]);
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}
