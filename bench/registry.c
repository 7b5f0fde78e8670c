/* What `sarrus bench` offers. */
#include "edge/bench.h"

#include <stddef.h>

#include "bench/benches.h"

const sarrus_bench sarrus_benches[] = {
    {"step", NULL, "instance-steps a second by pseudoinverse, instruction set and threads, against the peak", sarrus_bench_step},
    {"instructions", NULL, "what one step executes, instruction by instruction, and what bounds it", sarrus_bench_instructions},
    {"specialize", NULL, "kernels with the plan as constants against the generic ones and lapack", sarrus_bench_specialize},
    {"s5-study", "defalco",
     "pseudoinverse methods inside the equations of motion: operations, and twenty seconds of a redundant linkage",
     sarrus_bench_s5_study},
    {"stabilisation", NULL, "what holds the constraints: nothing, Baumgarte's terms, projection; by integrator",
     sarrus_bench_stabilisation},
    {"change-points", NULL, "mechanisms all but singular twice a turn, by asymmetry and method, against motions in 57 digits",
     sarrus_bench_change_points},
    {"pinv", NULL, "every pseudoinverse method: accuracy against 50 digits, speed against LAPACK and NumPy", sarrus_bench_pinv},
    {"plan", NULL, "planning chains, ladders, lattices, wheels, pendulums and pins of three sizes: time, memory, growth",
     sarrus_bench_plan},
    {"sink", NULL, "writing and compressing result files", sarrus_bench_sink},
    {"output", NULL, "what observing and writing the result cost the main job, of its processor time", sarrus_bench_output},
};

const int sarrus_n_benches = sizeof sarrus_benches / sizeof sarrus_benches[0];
