#include "core/crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"

/* Looks at the next piece of work, or at the end of this one, before a thread goes to sleep: some 20 µs, about what it takes to
 * wake it. A batch that is stepped from outside comes back within that time. */
enum { N_LOOKS = 500 };

typedef struct crew_member {
    struct sarrus_crew *crew;
    int index;
    pthread_t thread;
} crew_member;

struct sarrus_crew {
    int n_threads; /* the caller's included */
    int n_looks;
    crew_member *members; /* [n_threads], the first unused */
    pthread_mutex_t mutex;
    pthread_cond_t for_members, for_caller;
    atomic_uint n_called; /* pieces of work so far; changed under the mutex */
    atomic_int n_busy;    /* of the threads, in the present one */
    /* guarded by the mutex: */
    bool is_over;
    int n_members;
    sarrus_crew_work *work;
    void *user;
};

int sarrus_processors(void) {
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? n : 1;
}

static void look_again(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* Waits for a piece of work after the n_seen-th; false when there will be none. The mutex is held on return. */
static bool work_await(sarrus_crew *crew, unsigned n_seen) {
    for (int i = 0; i < crew->n_looks && atomic_load_explicit(&crew->n_called, memory_order_relaxed) == n_seen; ++i)
        look_again();
    pthread_mutex_lock(&crew->mutex);
    while (!crew->is_over && atomic_load_explicit(&crew->n_called, memory_order_relaxed) == n_seen)
        pthread_cond_wait(&crew->for_members, &crew->mutex);
    return !crew->is_over;
}

static void *member_run(void *argument) {
    const crew_member *member = argument;
    sarrus_crew *crew = member->crew;
    unsigned n_seen = 0;
    while (work_await(crew, n_seen)) {
        sarrus_crew_work *work = crew->work;
        void *user = crew->user;
        const int n_members = crew->n_members;
        n_seen = atomic_load_explicit(&crew->n_called, memory_order_relaxed);
        pthread_mutex_unlock(&crew->mutex);
        if (member->index >= n_members)
            continue;
        work(user, member->index, n_members);
        if (atomic_fetch_sub_explicit(&crew->n_busy, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&crew->mutex);
            pthread_cond_signal(&crew->for_caller);
            pthread_mutex_unlock(&crew->mutex);
        }
    }
    pthread_mutex_unlock(&crew->mutex);
    return NULL;
}

void sarrus_thread_signals(sigset_t *blocked) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigfillset(blocked);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; ++i)
        sigdelset(blocked, crashes[i]);
}

static void *place_hold(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Starts as many of the threads as can be had while places for n_left others are held; returns why there are not more, 0 when all
 * are there. */
static int members_start(sarrus_crew *crew, int n_wanted, int n_left) {
    enum { MOST_LEFT = 8 };
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t held[MOST_LEFT];
    int n_held = 0;
    sigset_t blocked, before;
    int error = 0;
    sarrus_thread_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_mutex_lock(&gate);
    while (n_wanted > 1 && n_held < n_left && n_held < MOST_LEFT && pthread_create(&held[n_held], NULL, place_hold, &gate) == 0)
        ++n_held;
    while (error == 0 && crew->n_threads < n_wanted) {
        crew_member *member = &crew->members[crew->n_threads];
        *member = (crew_member){.crew = crew, .index = crew->n_threads};
        error = pthread_create(&member->thread, NULL, member_run, member);
        crew->n_threads += error == 0;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < n_held; ++i)
        pthread_join(held[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

sarrus_status sarrus_crew_create(sarrus_context *context, int n_wanted, int n_left, sarrus_crew **out) {
    sarrus_crew *crew = calloc(1, sizeof *crew);
    crew_member *members = crew != NULL ? calloc((size_t)n_wanted, sizeof *members) : NULL;
    if (members == NULL) {
        free(crew);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for %d threads", n_wanted);
    }
    crew->members = members;
    crew->n_threads = 1;
    crew->n_looks = n_wanted <= sarrus_processors() ? N_LOOKS : 0;
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->for_members, NULL);
    pthread_cond_init(&crew->for_caller, NULL);
    const int error = members_start(crew, n_wanted, n_left);
    if (error != 0) {
        (void)sarrus_report_at(context, SARRUS_WARNING, SARRUS_OK, NULL,
                               "only %d of %d threads could be started: %s; the results are the same, but take longer",
                               crew->n_threads, n_wanted, strerror(error));
    }
    *out = crew;
    return SARRUS_OK;
}

void sarrus_crew_destroy(sarrus_crew *crew) {
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->is_over = true;
    pthread_cond_broadcast(&crew->for_members);
    pthread_mutex_unlock(&crew->mutex);
    for (int i = 1; i < crew->n_threads; ++i)
        pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->for_members);
    pthread_cond_destroy(&crew->for_caller);
    pthread_mutex_destroy(&crew->mutex);
    free(crew->members);
    free(crew);
}

int sarrus_crew_size(const sarrus_crew *crew) {
    return crew->n_threads;
}

void sarrus_crew_run(sarrus_crew *crew, int n_members, sarrus_crew_work *work, void *user) {
    const int n = n_members > 1 && crew->n_threads < n_members ? crew->n_threads : n_members;
    if (n <= 1) {
        work(user, 0, 1);
        return;
    }
    atomic_store_explicit(&crew->n_busy, n - 1, memory_order_relaxed);
    pthread_mutex_lock(&crew->mutex);
    crew->work = work;
    crew->user = user;
    crew->n_members = n;
    atomic_fetch_add_explicit(&crew->n_called, 1, memory_order_relaxed);
    pthread_cond_broadcast(&crew->for_members);
    pthread_mutex_unlock(&crew->mutex);
    work(user, 0, n);
    for (int i = 0; i < crew->n_looks && atomic_load_explicit(&crew->n_busy, memory_order_acquire) > 0; ++i)
        look_again();
    if (atomic_load_explicit(&crew->n_busy, memory_order_acquire) == 0)
        return;
    pthread_mutex_lock(&crew->mutex);
    while (atomic_load_explicit(&crew->n_busy, memory_order_acquire) > 0)
        pthread_cond_wait(&crew->for_caller, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

sarrus_crew_share sarrus_crew_share_of(uint64_t n, int i_member, int n_members) {
    const uint64_t share = n / (uint64_t)n_members, rest = n % (uint64_t)n_members, i = (uint64_t)i_member;
    const uint64_t i_first = share * i + (i < rest ? i : rest);
    return (sarrus_crew_share){i_first, i_first + share + (i < rest ? 1 : 0)};
}
