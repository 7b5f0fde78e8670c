/* Threads that share pieces of work, the caller's own among them. A run-time library that starts threads behind the scenes ends the
 * program when it cannot get one; a crew asks for its threads and makes do with fewer. */
#ifndef SARRUS_CORE_CREW_H
#define SARRUS_CORE_CREW_H

#include <signal.h>
#include <stdint.h>

#include "sarrus/context.h"

typedef struct sarrus_crew sarrus_crew;

/* Processors that this process may use, at least 1. */
int sarrus_processors(void);

/* The signals that a thread of ours blocks: those of the program go to its own threads. Signals of a crash (SIGSEGV and its like)
 * are not blocked, so that a handler of crashes still hears of them. */
void sarrus_thread_signals(sigset_t *blocked);

/* Threads that a run needs beside a crew, which it starts later: a writer, and some that compress for it. */
enum { SARRUS_CREW_WRITERS = 3 };

/* Starts n_wanted − 1 threads (n_wanted ≥ 1), or as many as can be had while n_left others (0 … 8) could be had too: a warning in
 * the context says how many these are and why. No signal is delivered to them. `*out` is the caller's. NO_MEMORY, which it reports.
 */
SARRUS_MUST_USE sarrus_status sarrus_crew_create(sarrus_context *context, int n_wanted, int n_left, sarrus_crew **out);

/* Ends the threads; NULL is allowed. */
void sarrus_crew_destroy(sarrus_crew *crew);

/* Threads, that of the caller included. */
int sarrus_crew_size(const sarrus_crew *crew);

/* What member i_member = 0 … n_members − 1 of those that share a piece of work does. */
typedef void sarrus_crew_work(void *user, int i_member, int n_members);

/* Calls `work` once for each of n_members members, which is cut to the size of the crew, each on a thread of its own, the first on
 * the caller's; returns when all have returned. Of one thread at a time, and not from within `work`. One member needs no crew. */
void sarrus_crew_run(sarrus_crew *crew, int n_members, sarrus_crew_work *work, void *user);

/* The share of member i_member in n pieces: i_first … i_end − 1. */
typedef struct sarrus_crew_share {
    uint64_t i_first, i_end;
} sarrus_crew_share;
sarrus_crew_share sarrus_crew_share_of(uint64_t n, int i_member, int n_members);

#endif
