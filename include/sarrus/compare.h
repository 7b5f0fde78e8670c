/* Formulations of the equations of motion and pseudoinverse methods on the same states of one mechanism: the comparison that S2
 * misses. */
#ifndef SARRUS_COMPARE_H
#define SARRUS_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "sarrus/context.h"
#include "sarrus/method.h"
#include "sarrus/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How. Zero-initialize and set `size`; 0 and NULL mean the default. */
typedef struct sarrus_compare_options {
    size_t size;
    int n_states;     /* of each of the three kinds; 0: 64, or as many as 256 MiB hold of a large mechanism */
    uint64_t seed;    /* of the random states */
    int rank_methods; /* 1: with every rank rule; 0: with the automatic one */
    double seconds;   /* that one row may take to be timed on; 0: 0.02 */
    const char *isa;  /* as in sarrus_batch_options */
    const volatile int32_t *stop;
    void (*progress)(void *user, int n_rows_done, int n_rows); /* before each row; NULL: nobody is told */
    void *user;
} sarrus_compare_options;

typedef enum sarrus_compare_verdict {
    SARRUS_COMPARE_OK = 0, /* right on all consistent states: `acceleration` and `force` within `tolerance` times the condition */
    SARRUS_COMPARE_REFUSED = 1, /* has no meaning here: see `reason` */
    SARRUS_COMPARE_FAILED = 2,  /* wrong or without an answer on some states */
} sarrus_compare_verdict;

/* One combination. Differences are the largest over the consistent states, relative; NaN of what was refused. */
typedef struct sarrus_compare_row {
    sarrus_formulation formulation;
    sarrus_pinv_method pinv;
    sarrus_rank_method rank;
    sarrus_compare_verdict verdict;
    char reason[200];    /* "" of ok */
    double acceleration; /* ‖Δa‖ / (‖a‖ + ‖a − M⁻¹F‖), angles times the size of the mechanism */
    double force;        /* ‖Δ(Jᵀλ)‖ / (‖Jᵀλ‖ + ‖F‖), torques by that size */
    double reaction; /* of the multipliers that are unique, of joints and constraints: |Δλ| / (max |λ| + max |F|); NaN: none is */
    double
        inconsistent;   /* the first, on states that violate the constraints by 1e-6 of the size and of the speed; NaN: not tried */
    double flops;       /* additions and multiplications of an acceleration, the mean over the motion; NaN: not counted */
    double nanoseconds; /* of one thread for one instance, in full tiles of lanes; forces and rows as the formulation needs them */
    int n_states;       /* consistent states that it was tried on */
    int n_wrong;        /* of these with a wrong answer, or none */
} sarrus_compare_row;

/* What is known of the states (S1, result 3). */
typedef struct sarrus_compare_states {
    int n, m;                   /* speeds, rows */
    int n_trajectory, n_random; /* consistent states: of the nominal motion; drawn and assembled */
    int n_inconsistent;         /* the random ones, moved off the constraints */
    int rank_least, rank_most;  /* of J */
    int n_doubtful; /* consistent states in which the rank of J is in doubt, near a change point: nobody is judged by them */
    int n_unique_a, n_unique_lambda;        /* consistent states in which a, and all of λ, are determined */
    int n_unique_multipliers;               /* multipliers of m that are determined in the first state */
    double condition_least, condition_most; /* σ₁/σ_r of J M^{-1/2}, of J where M is not definite */
    double tolerance;                       /* times the condition of a state: what a row may differ by there */
} sarrus_compare_states;

typedef struct sarrus_comparison sarrus_comparison;

/* Tries every formulation with every pseudoinverse on states along the motion of the nominal instance, on random assembled ones (of
 * drawn parameters, where the scenario has some) and on these moved off the constraints. Differences are those from the row that
 * comes closest to a solution with extended precision. Runs on the CPU. `options` may be NULL. Errors: those of sarrus_plan_create;
 * UNSUPPORTED: a mechanism without constraints, or too large; BAD_ARGUMENT, NO_BACKEND (isa), NO_MEMORY, INTERRUPTED. `*out` is
 * the caller's; the model must outlive the call. */
SARRUS_MUST_USE sarrus_status sarrus_compare(sarrus_context *context, const sarrus_model *model,
                                             const sarrus_compare_options *options, sarrus_comparison **out);
void sarrus_comparison_destroy(sarrus_comparison *comparison);

void sarrus_comparison_states(const sarrus_comparison *comparison, sarrus_compare_states *out);

/* Rows i = 0 … sarrus_comparison_n_rows − 1: by formulation, then pseudoinverse, then rank rule, in the order of their tables.
 * sarrus_comparison_reference is the row that differences are from, −1 of NULL. BAD_ARGUMENT: there is no such row. */
int sarrus_comparison_n_rows(const sarrus_comparison *comparison);
int sarrus_comparison_reference(const sarrus_comparison *comparison);
sarrus_status sarrus_comparison_row(const sarrus_comparison *comparison, int i, sarrus_compare_row *out);

/* What S5 counts for one acceleration with m rows and n speeds: Table 1 (Table 6 is Table 1 at three m, n), and the sum of the
 * equation's own table, 2 to 5. Every product of the printed formula, by full matrices, no multipliers. */
typedef struct sarrus_compare_paper {
    const char *equation; /* "(31)"; "": S5 has no such formulation, and the numbers are NaN. Static */
    double table_1, lines;
} sarrus_compare_paper;
sarrus_compare_paper sarrus_compare_paper_of(sarrus_formulation formulation, int m, int n);

/* "ok", "refused", "failed". */
const char *sarrus_compare_verdict_word(sarrus_compare_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
