/* Scenarios of families of planar mechanisms that grow with n. */
#ifndef SARRUS_BENCH_PLAN_SCENARIOS_H
#define SARRUS_BENCH_PLAN_SCENARIOS_H

#include <stdio.h>

/* n bodies one behind the other, the first on ground: n degrees of freedom. */
void sarrus_bench_chain_write(FILE *out, int n);

/* n parallelograms in a row: 2n + 1 bodies, 1 degree of freedom. */
void sarrus_bench_ladder_write(FILE *out, int n);

/* n × n crossed pairs of bars, pinned together at their ends and to ground at one corner: 2 degrees of freedom. */
void sarrus_bench_lattice_write(FILE *out, int n);

/* A hub on an axle, n spokes on the hub, each pinned to the next: 1 degree of freedom. */
void sarrus_bench_wheel_write(FILE *out, int n);

/* n bodies, each on ground. */
void sarrus_bench_pendulums_write(FILE *out, int n);

/* One body on n pins: no degree of freedom. */
void sarrus_bench_pins_write(FILE *out, int n);

#endif
