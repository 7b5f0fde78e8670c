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

#include "edge/exit_code.h"
#include "edge/diagnostics.h"

#include "bench/benches.h"
#include "bench/measure/fma_peak.h"
#include "bench/instructions/instruction_class.h"
#include "bench/measure/measure.h"

static const char usage[] =
    "usage: sarrus bench instructions [--json] [--isa NAME] [--pinv NAME] [--scenario FILE] [--specialize DIR] [--addresses FILE]\n"
    "  --isa NAME        avx512, avx2 or baseline (default: the widest here)\n"
    "  --pinv NAME       auto (default), svd or lapack\n"
    "  --scenario FILE   default: five_bar.yaml\n"
    "  --specialize DIR  with kernels compiled for the mechanism, which DIR keeps (default: the generic ones)\n"
    "  --addresses FILE  writes the address of every instruction of two steps; bench/instructions/by_function.py sums them by "
    "function\n";

/* Where the program is loaded: the linker's symbol, so that addresses can be written relative to it. */
extern const char __executable_start[];

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
    const sarrus_batch_options batch_options = {.backend = SARRUS_BACKEND_CPU,
                                                .isa = wanted->isa->name,
                                                .n_threads = 1,
                                                .specialize = wanted->cache == NULL ? SARRUS_SPECIALIZE_OFF : SARRUS_SPECIALIZE_ON,
                                                .cache_dir = wanted->cache};
    sarrus_status status = sarrus_context_create(&self->context);
    status = status == SARRUS_OK ? sarrus_scenario_read_file(self->context, wanted->file, &override, 1, &self->model) : status;
    status = status == SARRUS_OK ? sarrus_plan_create(self->context, self->model, &self->plan) : status;
    if (status == SARRUS_OK) {
        const uint64_t n_instances = (uint64_t)wanted->isa->n_lanes;
        status = sarrus_batch_create(self->context, self->plan, &batch_options, n_instances, NULL, &self->batch);
    }
    /* Pages and caches are touched before the count. */
    return status == SARRUS_OK ? sarrus_batch_advance(self->batch, 2) : status;
}

static void subject_close(subject *self) {
    if (self->context != NULL) {
        sarrus_diagnostics_print(self->context, stderr);
    }
    sarrus_batch_destroy(self->batch);
    sarrus_plan_destroy(self->plan);
    sarrus_model_destroy(self->model);
    sarrus_context_destroy(self->context);
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
        if (errno != 0) {
            return false;
        }
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
        if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0 || !read_instruction(child, registers.rip, bytes)) {
            return false;
        }
        const uint64_t n_scalar = counts->n_scalar;
        sarrus_bench_instruction_count(counts, bytes);
        if (trace != NULL) {
            fprintf(trace, "%" PRIx64 " %d\n", (uint64_t)registers.rip - (uint64_t)(uintptr_t)__executable_start,
                    counts->n_scalar > n_scalar);
        }
        int state = 0;
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &state, 0) != child || !WIFSTOPPED(state)) {
            return false;
        }
        if (WSTOPSIG(state) == last) {
            return true;
        }
        if (WSTOPSIG(state) != SIGTRAP) {
            return false;
        }
    }
}

/* Counts of one step of one tile. */
static bool count_step(sarrus_batch *batch, FILE *trace, sarrus_bench_instruction_counts *out) {
    const pid_t child = fork();
    if (child == 0) {
        child_run(batch);
    }
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child || !WIFSTOPPED(state)) {
        return false;
    }
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
    for (int i = 0; *status == SARRUS_OK && i < N_REPETITIONS; i++) {
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

static void print_line(const char *name, uint64_t count, const sarrus_bench_instruction_counts *counts) {
    printf("  %-34s %9" PRIu64 "  %5.1f%%\n", name, count, 100.0 * (double)count / (double)counts->n_instructions);
}

/* Least cycles if one resource alone were the limit, on a core with two vector arithmetic ports, two loads, one 512-bit (else
 * two) stores and six instructions a cycle, as Intel's since Ice Lake; `divider` holds the cycles of the unit that divides. */
static void print_bounds(const sarrus_bench_instruction_counts *counts, const sarrus_bench_isa *isa, double cycles) {
    const double n_vector = (double)(counts->n_fma + counts->n_add + counts->n_multiply + counts->n_other_vector);
    const double divider = (double)counts->n_divide * 2.0 * isa->n_lanes + (double)counts->n_square_root * 3.0 * isa->n_lanes;
    printf("cycles of one step of one tile of %d: %.0f measured; at least\n", isa->n_lanes, cycles);
    if (isa->n_lanes == 8) {
        printf("  %-34s %9.0f\n", "vector arithmetic, 2 a cycle", n_vector / 2.0);
    } else {
        printf("  %-34s %9.0f\n", "vector arithmetic, 3 a cycle", n_vector / 3.0);
    }
    printf("  %-34s %9.0f\n", "of which flops, 2 a cycle", (double)(counts->n_fma + counts->n_add + counts->n_multiply) / 2.0);
    printf("  %-34s %9.0f\n", "loads, 2 a cycle", (double)counts->n_load / 2.0);
    printf("  %-34s %9.0f\n", "stores, 1 a cycle", (double)counts->n_store);
    printf("  %-34s %9.0f\n", "front end, 6 instructions a cycle", (double)counts->n_instructions / 6.0);
    printf("  %-34s %9.0f\n", "divider", divider);
}

static void print_table(const options *wanted, const sarrus_plan_sizes *sizes, const sarrus_bench_instruction_counts *counts,
                        double cycles) {
    printf("%s, pinv %s, %s kernels, %s: one step of one tile of %d instances\n", wanted->file, wanted->pinv,
           wanted->cache == NULL ? "generic" : "specialised", wanted->isa->name, wanted->isa->n_lanes);
    print_line("instructions", counts->n_instructions, counts);
    print_line("vector multiply-adds (FMA)", counts->n_fma, counts);
    print_line("vector additions, subtractions", counts->n_add, counts);
    print_line("vector multiplications", counts->n_multiply, counts);
    print_line("vector divisions", counts->n_divide, counts);
    print_line("vector square roots", counts->n_square_root, counts);
    print_line("other vector (logic, select, move)", counts->n_other_vector, counts);
    print_line("vector memory operands read", counts->n_load, counts);
    print_line("vector memory operands written", counts->n_store, counts);
    print_line("scalar", counts->n_scalar, counts);
    printf("flops per instance: %.0f executed, %.0f counted by the plan\n", counts->n_flops / wanted->isa->n_lanes,
           sizes->flops_per_step);
    print_bounds(counts, wanted->isa, cycles);
}

static void print_json(const options *wanted, const sarrus_plan_sizes *sizes, const sarrus_bench_instruction_counts *counts,
                       double cycles) {
    printf("{\"benchmark\": \"instructions\", \"scenario\": \"%s\", \"pinv\": \"%s\", \"isa\": \"%s\", \"kernels\": \"%s\"",
           wanted->file, wanted->pinv, wanted->isa->name, wanted->cache == NULL ? "generic" : "specialised");
    printf(", \"instructions\": %" PRIu64 ", \"fma\": %" PRIu64 ", \"add\": %" PRIu64 ", \"multiply\": %" PRIu64,
           counts->n_instructions, counts->n_fma, counts->n_add, counts->n_multiply);
    printf(", \"divide\": %" PRIu64 ", \"square_root\": %" PRIu64 ", \"other_vector\": %" PRIu64 ", \"load\": %" PRIu64,
           counts->n_divide, counts->n_square_root, counts->n_other_vector, counts->n_load);
    printf(", \"store\": %" PRIu64 ", \"scalar\": %" PRIu64
           ", \"flops_executed\": %.17g, \"flops_counted\": %.17g, \"cycles\": %.17g}\n",
           counts->n_store, counts->n_scalar, counts->n_flops / wanted->isa->n_lanes, sizes->flops_per_step, cycles);
}

static bool parse_options(int argc, char **argv, options *out) {
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--json") == 0) {
            out->json = true;
            continue;
        }
        bool is_known = value != NULL;
        if (is_known && strcmp(argv[i], "--scenario") == 0) {
            out->file = value;
        } else if (is_known && strcmp(argv[i], "--pinv") == 0) {
            out->pinv = value;
        } else if (is_known && strcmp(argv[i], "--specialize") == 0) {
            out->cache = value;
        } else if (is_known && strcmp(argv[i], "--addresses") == 0) {
            out->addresses = value;
        } else if (is_known && strcmp(argv[i], "--isa") == 0) {
            out->isa = sarrus_bench_isa_find(value);
            is_known = out->isa != NULL;
        } else {
            is_known = false;
        }
        if (!is_known) {
            fprintf(stderr, "sarrus bench instructions: '%s' is not understood, or not usable here\n%s", argv[i], usage);
            return false;
        }
        i++;
    }
    return true;
}

/* False, with the reason on stderr, when specialised kernels are wanted and not there: the generic ones would be counted. */
static bool has_kernels(const options *wanted, const subject *self) {
    sarrus_specialization found;
    sarrus_batch_specialization(self->batch, &found);
    const bool is_there = wanted->cache == NULL || found.state == SARRUS_SPECIALIZATION_READY;
    if (!is_there) {
        fprintf(stderr, "sarrus bench instructions: error: no specialised kernels: %s\n", found.note);
    }
    return is_there;
}

/* Counts and times the subject and prints; the exit code. */
static int measure(const options *wanted, const subject *self) {
    if (!has_kernels(wanted, self)) {
        return SARRUS_EXIT_SOME_FAILED;
    }
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(self->plan, &sizes);
    FILE *trace = wanted->addresses == NULL ? NULL : fopen(wanted->addresses, "w");
    if (wanted->addresses != NULL && trace == NULL) {
        fprintf(stderr, "sarrus bench instructions: error: cannot write '%s': %s\n", wanted->addresses, strerror(errno));
        return SARRUS_EXIT_IO;
    }
    sarrus_bench_instruction_counts counts = {.n_instructions = 0};
    const bool is_counted = count_step(self->batch, trace, &counts);
    if (trace != NULL && fclose(trace) != 0) {
        return SARRUS_EXIT_IO;
    }
    /* Two multiply-adds a cycle: the measured peak is also the clock. Without FMA it is not, and the widest set stands in. */
    const sarrus_bench_isa *clock_isa = wanted->isa->n_lanes > 2 ? wanted->isa : sarrus_bench_isa_find(NULL);
    const double clock = sarrus_bench_fma_peak(clock_isa, 1, 0.1) / (4.0 * clock_isa->n_lanes);
    sarrus_status status = SARRUS_OK;
    const double cycles = time_step(self->batch, &status) * clock;
    if (!is_counted || status != SARRUS_OK) {
        fprintf(stderr, "sarrus bench instructions: error: the child could not be counted (is ptrace allowed here?)\n");
        return SARRUS_EXIT_SOME_FAILED;
    }
    (wanted->json ? print_json : print_table)(wanted, &sizes, &counts, cycles);
    return SARRUS_EXIT_DONE;
}

int sarrus_bench_instructions(int argc, char **argv) {
    options wanted = {.pinv = "auto", .isa = sarrus_bench_isa_find(NULL)};
    char path[1024];
    snprintf(path, sizeof path, "%s/five_bar.yaml", sarrus_bench_scenarios_folder(NULL));
    wanted.file = path;
    if (sarrus_bench_help_is_asked(argc, argv, usage))
        return SARRUS_EXIT_DONE;
    if (!parse_options(argc, argv, &wanted)) {
        return SARRUS_EXIT_BAD_INPUT;
    }
    subject self = {NULL, NULL, NULL, NULL};
    const sarrus_status status = subject_open(&self, &wanted);
    int exit_code = sarrus_exit_code(status);
    if (status == SARRUS_OK) {
        exit_code = measure(&wanted, &self);
    } else {
        fprintf(stderr, "sarrus bench instructions: error: %s\n", sarrus_status_text(status));
    }
    subject_close(&self);
    return exit_code;
}
