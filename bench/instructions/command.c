/* `sarrus bench instructions`: what one step really executes, counted one instruction at a time.
 *
 * A child process advances one tile on one thread while its parent steps it by single instructions (ptrace) and sorts every
 * instruction by its encoding: so many multiply-adds, divisions, loads, stores. It needs no performance counters, which
 * virtual machines often hide, and the counts are exact and repeatable. The difference between advancing two steps and one
 * leaves the step alone. Set against the machine's ports the counts say what bounds the step. x86-64 Linux only. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sarrus/sarrus.h"

#include "core/report.h"
#include "edge/kernel_places.h"

#include "bench/benches.h"
#include "bench/measure/fma_peak.h"
#include "bench/instructions/instruction_class.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/report/sheet.h"

/* Where the program is loaded: the linker's symbol, so that addresses can be written relative to it. */
extern const char __executable_start[];

/* Intervals before the count: pages and caches are touched, and first steps in parts are over. */
enum { N_FIRST = 10 };

typedef struct options {
    bool json;
    const char *file;
    const char *pinv;
    const char *cache;     /* of specialised kernels; NULL: the generic ones */
    const char *addresses; /* NULL: not wanted */
    const sarrus_bench_isa *isa;
} options;

typedef struct subject {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_batch *batch;
} subject;

static sarrus_status subject_open(subject *self, const options *wanted) {
    const sarrus_override override = {"dynamics.pinv", wanted->pinv};
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    const sarrus_batch_options batch_options = {.backend = SARRUS_BACKEND_CPU,
                                                .isa = wanted->isa->name,
                                                .n_threads = 1,
                                                .specialize = wanted->cache == NULL ? SARRUS_SPECIALIZE_OFF : SARRUS_SPECIALIZE_ON,
                                                .cache_dir = wanted->cache,
                                                .compiler = places.compiler};
    sarrus_status status = sarrus_scenario_read_file(self->context, wanted->file, &override, 1, &self->model);
    status = status == SARRUS_OK ? sarrus_plan_create(self->context, self->model, &self->plan) : status;
    if (status == SARRUS_OK) {
        const uint64_t n_instances = (uint64_t)wanted->isa->n_lanes;
        status = sarrus_batch_create(self->context, self->plan, &batch_options, n_instances, NULL, &self->batch);
    }
    return status == SARRUS_OK ? sarrus_batch_advance(self->batch, N_FIRST) : status;
}

static void subject_close(subject *self) {
    sarrus_batch_destroy(self->batch);
    sarrus_plan_destroy(self->plan);
    sarrus_model_destroy(self->model);
}

/* The child's side: stop, one step, stop, two steps, stop. */
static void child_run(sarrus_batch *batch) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    int failed = sarrus_batch_advance(batch, 1) != SARRUS_OK;
    raise(SIGUSR1);
    failed += sarrus_batch_advance(batch, 2) != SARRUS_OK;
    raise(SIGUSR2);
    _exit(failed);
}

/* The bytes of the instruction at `address` of the child. */
static bool read_instruction(pid_t child, uint64_t address, uint8_t bytes[SARRUS_BENCH_INSTRUCTION_BYTES]) {
    for (size_t i = 0; i < SARRUS_BENCH_INSTRUCTION_BYTES; i += sizeof(long)) {
        errno = 0;
        const long word = ptrace(PTRACE_PEEKTEXT, child, (void *)(address + i), NULL);
        if (errno != 0)
            return false;
        memcpy(bytes + i, &word, sizeof word);
    }
    return true;
}

/* Steps the child until it raises `last`, counting into `counts`, and lists "address is_scalar" in `trace` unless NULL. False when
 * it ends or fails before. */
static bool count_until(pid_t child, int last, sarrus_bench_instruction_counts *counts, FILE *trace) {
    for (;;) {
        struct user_regs_struct registers;
        uint8_t bytes[SARRUS_BENCH_INSTRUCTION_BYTES] = {0};
        if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0 || !read_instruction(child, registers.rip, bytes))
            return false;
        const uint64_t n_scalar = counts->n_scalar;
        sarrus_bench_instruction_count(counts, bytes);
        if (trace != NULL) {
            fprintf(trace, "%" PRIx64 " %d\n", (uint64_t)registers.rip - (uint64_t)(uintptr_t)__executable_start,
                    counts->n_scalar > n_scalar);
        }
        int state = 0;
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &state, 0) != child || !WIFSTOPPED(state))
            return false;
        if (WSTOPSIG(state) == last)
            return true;
        if (WSTOPSIG(state) != SIGTRAP)
            return false;
    }
}

/* Counts of one step of one tile. */
static bool count_step(sarrus_batch *batch, FILE *trace, sarrus_bench_instruction_counts *out) {
    const pid_t child = fork();
    if (child == 0)
        child_run(batch);
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child || !WIFSTOPPED(state))
        return false;
    sarrus_bench_instruction_counts one = {.n_instructions = 0};
    sarrus_bench_instruction_counts two = {.n_instructions = 0};
    const bool is_done = count_until(child, SIGUSR1, &one, NULL) && count_until(child, SIGUSR2, &two, trace);
    kill(child, SIGKILL);
    waitpid(child, &state, 0);
    *out = sarrus_bench_instruction_difference(&two, &one);
    return is_done;
}

/* Seconds of one step of one tile on one thread, the median over repetitions. */
static double time_step(sarrus_batch *batch, sarrus_status *status) {
    enum { N_REPETITIONS = 9, N_STEPS = 100 };
    double seconds[N_REPETITIONS];
    double once = 0.0;
    for (int i = 0; *status == SARRUS_OK && i < N_REPETITIONS; ++i) {
        uint64_t n_calls = 0;
        const double t_start = sarrus_bench_now();
        do {
            *status = sarrus_batch_reset(batch);
            *status = *status == SARRUS_OK ? sarrus_batch_advance(batch, N_STEPS) : *status;
            n_calls++;
            once = sarrus_bench_now() - t_start;
        } while (*status == SARRUS_OK && once < 0.02);
        seconds[i] = once / (double)(n_calls * N_STEPS);
    }
    return sarrus_bench_median(seconds, N_REPETITIONS);
}

static void line_show(sarrus_sheet *sheet, const char *name, const char *key, uint64_t count, uint64_t n_instructions) {
    sarrus_sheet_note(sheet, "  %-34s %9" PRIu64 "  %5.1f%%\n", name, count, 100.0 * (double)count / (double)n_instructions);
    sarrus_json_count(&sheet->json, key, count);
}

/* Least cycles if one resource alone were the limit, on a core with two vector arithmetic ports, two loads, one 512-bit (else
 * two) stores and six instructions a cycle, as Intel's since Ice Lake; `divider` holds the cycles of the unit that divides. */
static void bounds_show(const sarrus_sheet *sheet, const sarrus_bench_instruction_counts *counts, const sarrus_bench_isa *isa) {
    const double n_flops = (double)(counts->n_fma + counts->n_add + counts->n_multiply);
    const double n_vector = n_flops + (double)counts->n_other_vector;
    const double divider = (double)counts->n_divide * 2.0 * isa->n_lanes + (double)counts->n_square_root * 3.0 * isa->n_lanes;
    const bool is_widest = isa->n_lanes == 8;
    const struct {
        const char *name;
        double cycles;
    } bounds[] = {
        {is_widest ? "vector arithmetic, 2 a cycle" : "vector arithmetic, 3 a cycle", n_vector / (is_widest ? 2.0 : 3.0)},
        {"of which flops, 2 a cycle", n_flops / 2.0},
        {"loads, 2 a cycle", (double)counts->n_load / 2.0},
        {"stores, 1 a cycle", (double)counts->n_store},
        {"front end, 6 instructions a cycle", (double)counts->n_instructions / 6.0},
        {"divider", divider},
    };
    for (int i = 0; i < (int)(sizeof bounds / sizeof bounds[0]); ++i)
        sarrus_sheet_note(sheet, "  %-34s %9.0f\n", bounds[i].name, bounds[i].cycles);
}

static void show(const options *wanted, const sarrus_plan_sizes *sizes, const sarrus_bench_instruction_counts *counts,
                 double cycles) {
    const struct {
        const char *name, *key;
        uint64_t count;
    } lines[] = {
        {"instructions", "instructions", counts->n_instructions},
        {"vector multiply-adds (FMA)", "fma", counts->n_fma},
        {"vector additions, subtractions", "add", counts->n_add},
        {"vector multiplications", "multiply", counts->n_multiply},
        {"vector divisions", "divide", counts->n_divide},
        {"vector square roots", "square_root", counts->n_square_root},
        {"other vector (logic, select, move)", "other_vector", counts->n_other_vector},
        {"vector memory operands read", "load", counts->n_load},
        {"vector memory operands written", "store", counts->n_store},
        {"scalar", "scalar", counts->n_scalar},
    };
    const char *kernels = wanted->cache == NULL ? "generic" : "specialised";
    const int n_lanes = wanted->isa->n_lanes;
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, wanted->json ? NULL : stdout, wanted->json ? stdout : NULL, "instructions");
    sarrus_sheet_note(&sheet, "%s, pinv %s, %s kernels, %s: one step of one tile of %d instances\n", wanted->file, wanted->pinv,
                      kernels, wanted->isa->name, n_lanes);
    sarrus_json_text(&sheet.json, "scenario", wanted->file);
    sarrus_json_text(&sheet.json, "pinv", wanted->pinv);
    sarrus_json_text(&sheet.json, "isa", wanted->isa->name);
    sarrus_json_text(&sheet.json, "kernels", kernels);
    for (int i = 0; i < (int)(sizeof lines / sizeof lines[0]); ++i)
        line_show(&sheet, lines[i].name, lines[i].key, lines[i].count, counts->n_instructions);
    sarrus_sheet_note(&sheet, "flops per instance: %.0f executed, %.0f counted by the plan\n", counts->n_flops / n_lanes,
                      sizes->flops_per_step);
    sarrus_json_number(&sheet.json, "flops_executed", counts->n_flops / n_lanes);
    sarrus_json_number(&sheet.json, "flops_counted", sizes->flops_per_step);
    sarrus_json_number(&sheet.json, "cycles", cycles);
    sarrus_sheet_note(&sheet, "cycles of one step of one tile of %d: %.0f measured; at least\n", n_lanes, cycles);
    bounds_show(&sheet, counts, wanted->isa);
    sarrus_sheet_end(&sheet);
}

/* The kernels that are wanted, or a refusal: the generic ones would be counted. */
static sarrus_status kernels_check(const options *wanted, const subject *self) {
    sarrus_specialization found;
    sarrus_batch_specialization(self->batch, &found);
    if (wanted->cache == NULL || found.state == SARRUS_SPECIALIZATION_READY)
        return SARRUS_OK;
    return sarrus_report(self->context, SARRUS_UNSUPPORTED, "no specialised kernels: %s", found.note);
}

/* Two intervals less one are one step where each is one. A method may choose its steps, or take the first ones in parts. Asked
 * before the count, which takes a while, and after it, when the batch does what the child has done. */
static sarrus_status steps_check(const subject *self) {
    enum { N_CHILD = 3 };
    sarrus_instance_statistics before, after;
    sarrus_status status = sarrus_batch_statistics(self->batch, 0, &before);
    status = status == SARRUS_OK ? sarrus_batch_advance(self->batch, N_CHILD) : status;
    status = status == SARRUS_OK ? sarrus_batch_statistics(self->batch, 0, &after) : status;
    if (status != SARRUS_OK || (after.n_steps - before.n_steps == N_CHILD && after.n_rejected == before.n_rejected))
        return status;
    return sarrus_report(
        self->context, SARRUS_UNSUPPORTED,
        "the steps that are counted are not those of the grid; expected a method of fixed steps, as rk4, and steps "
        "short enough to be taken whole");
}

/* Counts one step, listing the addresses where they are wanted. */
static sarrus_status count(const options *wanted, const subject *self, sarrus_bench_instruction_counts *out) {
    FILE *trace = wanted->addresses == NULL ? NULL : fopen(wanted->addresses, "w");
    if (wanted->addresses != NULL && trace == NULL)
        return sarrus_report(self->context, SARRUS_IO, "cannot write '%s': %s", wanted->addresses, strerror(errno));
    const bool is_counted = count_step(self->batch, trace, out);
    const bool is_written = trace == NULL || fclose(trace) == 0;
    if (!is_counted)
        return sarrus_report(self->context, SARRUS_UNSUPPORTED, "the child could not be counted (is ptrace allowed here?)");
    return is_written ? SARRUS_OK : sarrus_report(self->context, SARRUS_IO, "cannot write '%s'", wanted->addresses);
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    const options *wanted = user;
    subject self = {.context = context};
    sarrus_plan_sizes sizes;
    sarrus_bench_instruction_counts counts = {.n_instructions = 0};
    (void)n_failures;
    sarrus_status status = subject_open(&self, wanted);
    status = status == SARRUS_OK ? kernels_check(wanted, &self) : status;
    status = status == SARRUS_OK ? steps_check(&self) : status;
    status = status == SARRUS_OK ? count(wanted, &self, &counts) : status;
    status = status == SARRUS_OK ? steps_check(&self) : status;
    if (status == SARRUS_OK) {
        /* Two multiply-adds a cycle: the measured peak is also the clock. Without FMA it is not, and the widest set stands in. */
        const sarrus_bench_isa *clock_isa = wanted->isa->n_lanes > 2 ? wanted->isa : sarrus_bench_isa_find(NULL);
        const double clock = sarrus_bench_fma_peak(clock_isa, 1, 0.1) / (4.0 * clock_isa->n_lanes);
        const double cycles = time_step(self.batch, &status) * clock;
        sarrus_plan_sizes_get(self.plan, &sizes);
        if (status == SARRUS_OK)
            show(wanted, &sizes, &counts, cycles);
    }
    subject_close(&self);
    return status;
}

int sarrus_bench_instructions(int argc, char **argv) {
    options o = {.pinv = "auto"};
    const char *isa = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/five_bar.yaml", sarrus_bench_scenarios_folder(NULL));
    o.file = path;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"isa", "NAME", "avx512, avx2 or baseline (default: the widest here)", .text = &isa},
        {"pinv", "NAME", "auto (default), svd or lapack", .text = &o.pinv},
        {"scenario", "FILE", "default: five_bar.yaml", .text = &o.file},
        {"specialize", "DIR", "with kernels compiled for the mechanism, which DIR keeps (default: the generic ones)",
         .text = &o.cache},
        {"addresses", "FILE", "writes the address of every instruction of two steps, which by_function.py sums by function",
         .text = &o.addresses},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    if (code >= 0)
        return code;
    o.isa = sarrus_bench_isa_find(isa);
    if (o.isa == NULL)
        return sarrus_bench_value_refuse("instructions", "isa", isa, "avx512, avx2 or baseline, as far as the processor has it");
    return sarrus_bench_carry_out("instructions", NULL, work, &o);
}
