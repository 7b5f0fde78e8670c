/* The system's C compiler as a child process: no shell, an environment of its own, bounded in time and memory. */
#ifndef SARRUS_JIT_COMPILER_H
#define SARRUS_JIT_COMPILER_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/fallback_reason.h"
#include "jit/sha256.h"

typedef struct sarrus_compilation {
    const char *program;            /* path of the compiler */
    const char *const *arguments;   /* those after its own name, ended by NULL */
    int folder;                     /* descriptor: where it runs, reads and writes */
    double max_seconds;             /* by the clock; then it is killed */
    uint64_t max_bytes;             /* of address space, for each of its processes */
    const atomic_bool *is_unwanted; /* set by another thread: it is killed soon */
    const volatile int32_t *stop;   /* as in sarrus_batch_options: the same */
} sarrus_compilation;

/* The path of a compiler given by a path or by a name that the system's standard path has (NULL: cc). */
bool sarrus_compiler_find(const char *name, char path[PATH_MAX], sarrus_fallback_reason *reason);

/* What tells this compiler from another, without running it: the file that the path leads to, its size and its time. */
void sarrus_compiler_identify(const char *path, sarrus_sha256 *hash);

/* Runs the compiler to its end and reaps it. False when it failed, with what it said in the reason. */
bool sarrus_compiler_run(const sarrus_compilation *compilation, sarrus_fallback_reason *reason);

#endif
