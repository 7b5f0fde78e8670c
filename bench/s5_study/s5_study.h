/* The study of S5 (pseudoinverse methods inside the Udwadia-Kalaba equations): its nouns, as the computing files fill them and
 * the printing files show them. */
#ifndef SARRUS_BENCH_S5_STUDY_H
#define SARRUS_BENCH_S5_STUDY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sarrus/sarrus.h"
#include "study/s5_tables.h"

#include "bench/s5_study/dense.h"

/* --- Tables 1 to 6: floating-point operations of one acceleration --------------------------------------------------------- */

enum {
    SARRUS_S5_MAX_LINES = 20,
    SARRUS_S5_MAX_SYSTEMS = 12,
    SARRUS_S5_N_METHODS = 5,
};

/* "12 mn2 + 4 m2n"; returns `text`. */
const char *sarrus_s5_formula_text(const sarrus_s5_formula *formula, char *text, size_t n_bytes);

/* One operation: by the paper's formula, counted with full products, counted as Sarrus does it; NaN: not part of it. */
typedef struct sarrus_s5_line {
    const char *name;
    double paper, full, sarrus;
} sarrus_s5_line;

typedef struct sarrus_s5_count {
    int n_lines;
    sarrus_s5_line lines[SARRUS_S5_MAX_LINES];
    double paper, full, sarrus; /* sums */
} sarrus_s5_count;

/* M a + Jᵀλ = F, J a = γ at one state, and what the equations make of it. */
typedef struct sarrus_s5_system {
    char name[64];
    int m, n, rank;
    bool is_singular;       /* M is: (31) and (35) do not exist */
    sarrus_dense mass;      /* [n] the diagonal of M */
    sarrus_dense full_mass; /* [n][n] */
    bool is_diagonal;       /* full_mass is diag(mass) */
    sarrus_dense jacobian, force, gamma;
    sarrus_s5_count counts[SARRUS_S5_N_EQUATIONS];
    double errors[SARRUS_S5_N_EQUATIONS][2]; /* largest |a − a of the saddle system|, full and as Sarrus does it; NaN: none */
    double bound;                            /* of the errors */
    bool is_counted;                         /* shown in the tables */
    bool has_failed;
} sarrus_s5_system;

/* Flops of one pseudoinverse of the five-bar's D, by method. */
typedef struct sarrus_s5_method_count {
    const char *name;
    double explicit_flops, apply_flops;
} sarrus_s5_method_count;

typedef struct sarrus_s5_flops {
    int n_systems;
    sarrus_s5_system systems[SARRUS_S5_MAX_SYSTEMS];
    sarrus_s5_method_count methods[SARRUS_S5_N_METHODS];
    sarrus_plan_sizes plan; /* of the five-bar with pinv auto */
} sarrus_s5_flops;

/* Evaluates and counts everything; `scenario` is the five-bar's file. */
SARRUS_MUST_USE sarrus_status sarrus_s5_flops_measure(sarrus_context *context, const char *scenario, sarrus_s5_flops *out);
int sarrus_s5_flops_failures(const sarrus_s5_flops *flops);

#endif
