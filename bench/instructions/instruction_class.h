/* Sorting x86-64 instructions by their encoding: only as far as counting vector arithmetic needs. */
#ifndef SARRUS_BENCH_INSTRUCTIONS_INSTRUCTION_CLASS_H
#define SARRUS_BENCH_INSTRUCTIONS_INSTRUCTION_CLASS_H

#include <stdint.h>

/* The longest instruction has 15 bytes. */
enum { SARRUS_BENCH_INSTRUCTION_BYTES = 16 };

/* Executed instructions by class. Arithmetic counts packed and scalar floating point alike; n_flops weighs each by its lanes. */
typedef struct sarrus_bench_instruction_counts {
    uint64_t n_instructions;
    uint64_t n_fma, n_add, n_multiply, n_divide, n_square_root;
    uint64_t n_other_vector;  /* logic, compare, select, shuffle, convert, moves between registers */
    uint64_t n_load, n_store; /* vector instructions with a memory operand, whatever else they do */
    uint64_t n_scalar;        /* everything that is not a vector instruction */
    double n_flops;           /* additions and multiplications of all lanes; an FMA is two */
} sarrus_bench_instruction_counts;

/* Adds the instruction that begins at bytes[0]. */
void sarrus_bench_instruction_count(sarrus_bench_instruction_counts *counts, const uint8_t bytes[SARRUS_BENCH_INSTRUCTION_BYTES]);

/* Term by term: left − right. */
sarrus_bench_instruction_counts sarrus_bench_instruction_difference(const sarrus_bench_instruction_counts *left,
                                                                    const sarrus_bench_instruction_counts *right);

#endif
