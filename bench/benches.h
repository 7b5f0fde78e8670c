/* One function per benchmark, each in command.c of the folder of its name. argv[0] is the benchmark's name, options follow; the
 * return value is the program's exit code (edge/exit_code.h), where 1 says that a row failed its correctness gate. */
#ifndef SARRUS_BENCH_BENCHES_H
#define SARRUS_BENCH_BENCHES_H

int sarrus_bench_step(int argc, char **argv);
int sarrus_bench_instructions(int argc, char **argv);
int sarrus_bench_specialize(int argc, char **argv);
int sarrus_bench_s5_study(int argc, char **argv);
int sarrus_bench_stabilisation(int argc, char **argv);
int sarrus_bench_pinv(int argc, char **argv);
int sarrus_bench_change_points(int argc, char **argv);
int sarrus_bench_plan(int argc, char **argv);
int sarrus_bench_sink(int argc, char **argv);
int sarrus_bench_output(int argc, char **argv);

#endif
