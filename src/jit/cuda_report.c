#include "jit/cuda_report.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A multiprocessor of compute capability 8.0 or 9.0: four parts, each with a quarter of the registers; a warp gets them in units of
 * eight a thread. */
enum { WARP = 32, N_PARTS = 4, PART_REGISTERS = 16384, REGISTER_UNIT = 8, MOST_WARPS = 64, MOST_BLOCKS = 32 };

/* Two warps a block, as the generic kernels: there is nothing that the warps of a block share, and small blocks spread small
 * batches over all multiprocessors. The blocks allow 255, 168, 128 and 80 registers: 8, 12, 16 and 24 warps. Fewer blocks allow no
 * more registers, since an instruction cannot name them; more than 24 warps would not leave the 32 doubles that one body needs. */
const sarrus_cuda_bounds sarrus_cuda_bounds_tried[SARRUS_N_CUDA_BOUNDS] = {{64, 4}, {64, 6}, {64, 8}, {64, 12}};

/* The number that stands before `words`, between `from` and `end`; −1 when there is none. */
static int32_t number_before(const char *from, const char *end, const char *words) {
    const char *at = strstr(from, words);
    if (at == NULL || at >= end)
        return -1;
    int32_t value = 0, unit = 1;
    for (; at > from && at[-1] >= '0' && at[-1] <= '9' && unit <= 100000000; unit *= 10)
        value += (*--at - '0') * unit;
    return unit > 1 ? value : -1;
}

static const char *line_end(const char *from) {
    return from + strcspn(from, "\n");
}

/* Parts of the names of functions that hardly ever run: looks ahead to a change point and what holds rows in doubt apart, the SVD
 * for a state in which the rows have lost a direction, what a call begins with, and steps that are to be made in parts. */
static const char *const COLD[] = {
    "sarrus_look_",         "sarrus_open_noise",       "sarrus_passage_go",  "sarrus_passage_calls",  "sarrus_passage_end",
    "sarrus_reveal_",       "sarrus_correct_doubtful", "sarrus_doubt_",      "sarrus_row_apart",      "sarrus_row_weigh",
    "sarrus_lanes_product", "sarrus_standing_solve",   "sarrus_correct_svd", "sarrus_rank_solve_",    "sarrus_sweep_",
    "sarrus_rank_decide",   "sarrus_rank_limits",      "sarrus_rank_sort",   "sarrus_dense_rows",     "sarrus_unweight",
    "sarrus_verdict_begin", "sarrus_speeds_are_rough", "sarrus_fixed_begin", "sarrus_adaptive_begin", "sarrus_fixed_refuse",
    "sarrus_fixed_error",   "sarrus_fixed_spend"};

/* And of the one beside which all others hardly ever run, where there is one. */
static const char STRETCH[] = "sarrus_stretch_go";

static bool has_word(const char *from, const char *end, const char *word) {
    const char *at = strstr(from, word);
    return at != NULL && at < end;
}

static bool function_is_cold(const char *from, const char *end) {
    for (size_t i = 0; i < sizeof COLD / sizeof COLD[0]; ++i) {
        if (has_word(from, end, COLD[i]))
            return true;
    }
    return false;
}

/* Every function has two lines, its name and its numbers. Those that the kernel calls stand behind the kernel. */
static void spills_add(const char *from, const char *end, sarrus_cuda_report *out) {
    static const char head[] = "Function properties for ";
    for (const char *at = strstr(from, head); at != NULL && at < end; at = strstr(at, head)) {
        at += sizeof head - 1;
        const char *name_end = line_end(at);
        if (*name_end == '\0')
            return;
        const char *numbers_end = line_end(name_end + 1);
        const int32_t stores = number_before(name_end, numbers_end, " bytes spill stores");
        const int32_t loads = number_before(name_end, numbers_end, " bytes spill loads");
        if (has_word(at, name_end, STRETCH)) {
            out->has_stretches = true;
            out->n_spill_stores = stores > 0 ? stores : 0;
            out->n_spill_loads = loads > 0 ? loads : 0;
            return;
        }
        if (function_is_cold(at, name_end))
            continue;
        out->n_spill_stores += stores > 0 ? stores : 0;
        out->n_spill_loads += loads > 0 ? loads : 0;
    }
}

bool sarrus_cuda_report_read(const char *text, const char *kernel, sarrus_cuda_report *out) {
    static const char entry[] = "Compiling entry function '";
    const size_t length = strlen(kernel);
    *out = (sarrus_cuda_report){0};
    for (const char *at = strstr(text, entry); at != NULL; at = strstr(at, entry)) {
        at += sizeof entry - 1;
        if (strncmp(at, kernel, length) != 0 || at[length] != '\'')
            continue;
        const char *next = strstr(at, entry), *end = next != NULL ? next : at + strlen(at);
        out->n_registers = number_before(at, end, " registers");
        if (out->n_registers < 0)
            return false;
        out->n_stack_bytes = number_before(at, end, " bytes cumulative stack size");
        if (out->n_stack_bytes < 0)
            out->n_stack_bytes = number_before(at, end, " bytes stack frame");
        out->n_stack_bytes = out->n_stack_bytes > 0 ? out->n_stack_bytes : 0;
        out->n_shared_bytes = number_before(at, end, " bytes smem");
        out->n_shared_bytes = out->n_shared_bytes > 0 ? out->n_shared_bytes : 0;
        spills_add(at, end, out);
        return true;
    }
    return false;
}

int32_t sarrus_cuda_warps(const sarrus_cuda_report *report, const sarrus_cuda_bounds *bounds) {
    const int32_t units = (report->n_registers + REGISTER_UNIT - 1) / REGISTER_UNIT;
    const int32_t of_part = PART_REGISTERS / ((units > 0 ? units : 1) * REGISTER_UNIT * WARP);
    const int32_t warps = of_part * N_PARTS < MOST_WARPS ? of_part * N_PARTS : MOST_WARPS;
    const int32_t of_block = bounds->n_threads / WARP;
    const int32_t n_blocks = warps / of_block < MOST_BLOCKS ? warps / of_block : MOST_BLOCKS;
    return n_blocks * of_block;
}

/* Steps in stretches, in cycles that a quarter of a multiprocessor takes for one of a warp. Measured on an H200 (docs/cuda.md): a
 * warp by itself takes 5 cycles an instruction, and some 8 instructions a flop of an evaluation for all that a step does; more
 * warps hide one another's waiting. Every store to local memory goes on to the second-level cache: 256 bytes of a warp, of which
 * 5.3 pass in a cycle for every quarter. Of what is spilled at some place, 1.6 is stored in a step. */
static double stretch_use(const sarrus_cuda_report *report, double warps, double n_flops) {
    const double cycles_per_flop = 5.0 * 8.0, cycles_per_byte = 1.6 * 256.0 / 8.0 / 5.3;
    const double waiting = cycles_per_flop * n_flops / (warps / N_PARTS);
    return n_flops / (waiting + cycles_per_byte * (double)report->n_spill_stores);
}

/* Otherwise, use of the arithmetic by w warps, times what spilled registers leave of it.
 *
 * A multiprocessor starts 32 (8.0) or 64 (9.0) lanes of double precision in a cycle and a result is there after 8 or so, so 8 warps
 * with two independent operations each are just enough where nothing but arithmetic waits. Loads wait longer, 30 cycles and more.
 * w / (w + 4) rises as such queues do: 0.67 of 8 warps, 0.75 of 12, 0.8 of 16, 0.86 of 24. More warps must not cost more than that.
 *
 * A double that is stored or loaded takes a warp 2 cycles of the 128 bytes that a multiprocessor moves in one; a fused operation of
 * two flops half a cycle to a whole one. For every four flops the generated code moves a double anyway, and about 40 for each stage
 * of a step: what is spilled comes on top of that. The flops are those of an evaluation, and so are the spills. */
double sarrus_cuda_expected_use(const sarrus_cuda_report *report, const sarrus_cuda_bounds *bounds, double n_flops) {
    const double half_use = 4.0; /* warps */
    const double cycles_per_double = 2.0, doubles_per_flop = 0.25, doubles_per_stage = 40.0;
    const double cycles_per_flop = 0.5; /* of a warp */
    const double warps = sarrus_cuda_warps(report, bounds);
    if (report->has_stretches)
        return stretch_use(report, warps, n_flops);
    const double work = (cycles_per_flop + cycles_per_double * doubles_per_flop) * n_flops + cycles_per_double * doubles_per_stage;
    const double spills = cycles_per_double / sizeof(double) * ((double)report->n_spill_stores + (double)report->n_spill_loads);
    return warps / (warps + half_use) * work / (work + spills);
}

bool sarrus_cuda_bounds_would_bind(const sarrus_cuda_bounds *bounds, const sarrus_cuda_report *report) {
    const sarrus_cuda_bounds any = {bounds->n_threads, 1};
    return bounds->n_blocks * (bounds->n_threads / WARP) > sarrus_cuda_warps(report, &any);
}
