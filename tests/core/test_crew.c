/* Threads that share work: each member once, on a thread of its own, whatever number can be had. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/crew.h"
#include "tests/support/sanitized.h"

enum { N_THREADS = 5, N_RUNS = 3000, N_PIECES = 1013 };

typedef struct tour {
    atomic_int n_calls[N_THREADS];
    pthread_t thread[N_THREADS];
    int n_members;
    int done[N_PIECES]; /* each by one member only: the thread sanitizer would see it */
} tour;

static void take_part(void *user, int i_member, int n_members) {
    tour *t = user;
    const sarrus_crew_share share = sarrus_crew_share_of(N_PIECES, i_member, n_members);
    atomic_fetch_add(&t->n_calls[i_member], 1);
    t->thread[i_member] = pthread_self();
    if (i_member == 0)
        t->n_members = n_members;
    for (uint64_t i = share.i_first; i < share.i_end; ++i)
        ++t->done[i];
}

static void every_member_runs_once(void **state) {
    (void)state;
    sarrus_crew *crew = NULL;
    assert_int_equal(sarrus_crew_create(NULL, N_THREADS, 0, &crew), SARRUS_OK);
    assert_int_equal(sarrus_crew_size(crew), N_THREADS);
    for (int n = 1; n <= N_THREADS + 1; ++n) {
        const int n_expected = n < N_THREADS ? n : N_THREADS;
        tour t;
        memset(&t, 0, sizeof t);
        sarrus_crew_run(crew, n, take_part, &t);
        assert_int_equal(t.n_members, n_expected);
        assert_true(pthread_equal(t.thread[0], pthread_self()));
        for (int i = 0; i < N_THREADS; ++i) {
            assert_int_equal(atomic_load(&t.n_calls[i]), i < n_expected);
            for (int k = 0; k < i && i < n_expected; ++k)
                assert_false(pthread_equal(t.thread[i], t.thread[k]));
        }
        for (int i = 0; i < N_PIECES; ++i)
            assert_int_equal(t.done[i], 1);
    }
    sarrus_crew_destroy(crew);
}

/* One piece of work after another, of members that change: what is behind shows to the next one. */
static void runs_follow_one_another(void **state) {
    (void)state;
    static tour t;
    sarrus_crew *crew = NULL;
    assert_int_equal(sarrus_crew_create(NULL, N_THREADS, 0, &crew), SARRUS_OK);
    for (int i = 0; i < N_RUNS; ++i)
        sarrus_crew_run(crew, 1 + i % N_THREADS, take_part, &t);
    for (int i = 0; i < N_PIECES; ++i)
        assert_int_equal(t.done[i], N_RUNS);
    sarrus_crew_destroy(crew);
}

/* What a child found: exit codes. */
enum { FOUND_ALL = 0, FOUND_REFUSED, FOUND_NO_FEWER, FOUND_NO_WARNING, FOUND_WRONG_WORK, FOUND_NO_LIMIT, FOUND_NO_PLACE };

static void *nothing_do(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Whether two more threads, of a writer and one that compresses, can be had beside the crew. */
static bool there_is_place(void) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t others[2];
    int n = 0;
    pthread_mutex_lock(&gate);
    while (n < 2 && pthread_create(&others[n], NULL, nothing_do, &gate) == 0)
        ++n;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n; ++i)
        pthread_join(others[i], NULL);
    return n == 2;
}

/* With 32 MB left no more than some stacks of threads can be had of 64. */
static int crew_without_room(void) {
    enum { MEGABYTES = 32 };
    FILE *sizes = fopen("/proc/self/statm", "r");
    unsigned long n_pages = 0;
    static tour t;
    sarrus_context *context = NULL;
    sarrus_crew *crew = NULL;
    if (!sizes || fscanf(sizes, "%lu", &n_pages) != 1 || sarrus_context_create(&context) != SARRUS_OK)
        return FOUND_NO_LIMIT;
    fclose(sizes);
    const rlim_t room = (rlim_t)n_pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)MEGABYTES << 20);
    if (setrlimit(RLIMIT_AS, &(struct rlimit){room, room}) != 0)
        return FOUND_NO_LIMIT;
    if (sarrus_crew_create(context, 64, SARRUS_CREW_WRITERS, &crew) != SARRUS_OK)
        return FOUND_REFUSED;
    if (sarrus_crew_size(crew) < 1 || sarrus_crew_size(crew) >= 64)
        return FOUND_NO_FEWER;
    if (!there_is_place())
        return FOUND_NO_PLACE;
    const sarrus_diagnostic *found = sarrus_context_diagnostic(context, 0);
    if (!found || found->severity != SARRUS_WARNING || !strstr(found->message, "of 64 threads could be started"))
        return FOUND_NO_WARNING;
    sarrus_crew_run(crew, N_THREADS, take_part, &t);
    for (int i = 0; i < N_PIECES; ++i)
        if (t.done[i] != 1)
            return FOUND_WRONG_WORK;
    sarrus_crew_destroy(crew);
    sarrus_context_destroy(context);
    return FOUND_ALL;
}

static void fewer_threads_do(void **state) {
    (void)state;
    if (IS_SANITIZED)
        skip(); /* a sanitizer's own memory is beyond any limit */
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(crew_without_room());
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), FOUND_ALL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_runs_once),
        cmocka_unit_test(runs_follow_one_another),
        cmocka_unit_test(fewer_threads_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
