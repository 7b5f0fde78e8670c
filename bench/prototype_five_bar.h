/* The yardstick of the specialised kernels: the five-bar parallelogram specialised by hand.
 *
 * A copy of the arithmetic on purpose, and the only one: it shows what somebody gets who writes C for this one mechanism and lets
 * the compiler unroll it. Absolute coordinates, eleven independent rows, S = J M⁻¹ Jᵀ by blocks, S = L D Lᵀ, RK4, one instance a
 * lane; no projection, no guards, no lane is ever frozen. Masses, inertias and points differ from instance to instance as in a
 * batch; all else is a constant of the compiler. */
#ifndef SARRUS_BENCH_PROTOTYPE_FIVE_BAR_H
#define SARRUS_BENCH_PROTOTYPE_FIVE_BAR_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SARRUS_PROTOTYPE_N_BODIES = 4, /* three cranks, the coupler */
    SARRUS_PROTOTYPE_N_ENDS = 9,   /* of joints on moving bodies: crank at ground ×3, crank at coupler ×3, coupler at crank ×3 */
    SARRUS_PROTOTYPE_N = 12,       /* x, y, θ of every body */
    SARRUS_PROTOTYPE_N_ROWS = 11,  /* of twelve the last is left out */
};

/* Dense: every entry of S and of the blocks of J is worked on, as the description of the prototype counts it. Sparse: zeros of S
 * (none fills in with the rows as they come) and unit columns of J are left out, the least that one gets without a better order. */
typedef enum sarrus_prototype_kind { SARRUS_PROTOTYPE_DENSE, SARRUS_PROTOTYPE_SPARSE } sarrus_prototype_kind;

typedef struct sarrus_prototype sarrus_prototype;

/* One instance. */
typedef struct sarrus_prototype_instance {
    double mass[SARRUS_PROTOTYPE_N_BODIES];    /* kg */
    double inertia[SARRUS_PROTOTYPE_N_BODIES]; /* kg m² */
    double point[SARRUS_PROTOTYPE_N_ENDS][2];  /* m, in the frame of the end's body */
    double bearing[3][2];                      /* m, of the cranks at the ground */
    double gravity[2];                         /* m/s² */
    double q[SARRUS_PROTOTYPE_N];              /* m | rad */
    double v[SARRUS_PROTOTYPE_N];              /* m/s | rad/s */
} sarrus_prototype_instance;

/* The parallelogram of scenarios/five_bar.yaml with its cranks at `angle` (rad) from the downward vertical, at rest. */
void sarrus_prototype_parallelogram(double angle, sarrus_prototype_instance *out);

/* n_instances copies of `instance`, advanced with steps of dt s on `n_threads` threads by the instruction set `isa` ("avx512",
 * "avx2", "baseline", which this processor must have). NULL when memory runs out or there is no such set. */
sarrus_prototype *sarrus_prototype_create(sarrus_prototype_kind kind, const char *isa, int n_threads, uint64_t n_instances,
                                          double dt, const sarrus_prototype_instance *instance);
void sarrus_prototype_destroy(sarrus_prototype *prototype);

/* Additions and multiplications of one step of one instance as gcc 12 emits them, sines and cosines apart as in the plan's own
 * count (prototype_five_bar_body.h has the account). */
double sarrus_prototype_flops_per_step(sarrus_prototype_kind kind);

/* Back to the instance it was made from. */
void sarrus_prototype_reset(sarrus_prototype *prototype);

/* False when a thread could not be started. */
bool sarrus_prototype_advance(sarrus_prototype *prototype, uint64_t n_steps);

/* q[12], v[12] of one instance, and its ‖Φ‖₂ over all twelve rows. */
void sarrus_prototype_state(const sarrus_prototype *prototype, uint64_t i_instance, double *q, double *v);
double sarrus_prototype_position_error(const sarrus_prototype *prototype, uint64_t i_instance);

#endif
