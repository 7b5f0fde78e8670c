/* What `sarrus bench` offers. */
#include "cli/bench.h"

#include "benches.h"

const sarrus_bench sarrus_benches[] = {
    {"step", "instance-steps a second by pseudoinverse, instruction set and threads, against the peak", sarrus_bench_step},
    {"instructions", "what one step executes, instruction by instruction, and what bounds it", sarrus_bench_instructions},
    {"specialize", "kernels with the plan as constants against the generic ones and lapack", sarrus_bench_specialize},
    {"defalco", "pseudoinverse methods inside the equations of motion: operations, and twenty seconds of a redundant linkage",
     sarrus_bench_defalco},
    {"stabilisation", "what holds the constraints: nothing, Baumgarte's terms, projection; by integrator",
     sarrus_bench_stabilisation},
    {"change-points", "mechanisms all but singular twice a turn, by asymmetry and method, against motions in 57 digits",
     sarrus_bench_change_points},
    {"pinv", "every pseudoinverse method: accuracy against 50 digits, speed against LAPACK and NumPy", sarrus_bench_pinv},
    {"plan", "planning chains, ladders, lattices, wheels, pendulums and pins of three sizes: time, memory, growth",
     sarrus_bench_plan},
    {"sink", "writing and compressing result files", sarrus_bench_sink},
};

const int sarrus_n_benches = sizeof sarrus_benches / sizeof sarrus_benches[0];
