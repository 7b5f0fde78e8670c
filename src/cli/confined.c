#include "cli/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edge/exit_code.h"
#include "cli/crash.h"

/* Far more than any result takes: s of a processor, s on the clock, and bytes beyond what the program has already. */
enum { PROCESSOR_SECONDS = 10, CLOCK_SECONDS = 30 };
static const rlim_t more_bytes = (rlim_t)1 << 30;

/* Bytes of private memory that the process has asked for; 0 when the system does not tell. */
static rlim_t data_bytes(void) {
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && sscanf(line, "VmData: %llu", &kilobytes) != 1)
        kilobytes = 0;
    if (file != NULL)
        (void)fclose(file);
    return (rlim_t)kilobytes << 10;
}

static void limit_set(__rlimit_resource_t resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    (void)setrlimit(resource, &limit);
}

/* Never returns. `output` becomes stdout. */
static _Noreturn void work_do(sarrus_confined_work work, const void *user, int output) {
    const rlim_t now = data_bytes();
    sarrus_crashes_leave();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit_set(RLIMIT_CORE, 0);
    limit_set(RLIMIT_CPU, PROCESSOR_SECONDS);
    if (now > 0)
        limit_set(RLIMIT_DATA, now + more_bytes);
    (void)alarm(CLOCK_SECONDS);
    if (dup2(output, STDOUT_FILENO) < 0)
        _exit(SARRUS_EXIT_IO);
    const int code = work(user);
    _exit(fflush(stdout) == 0 ? code : SARRUS_EXIT_IO);
}

static int failure_print(const char *path, const char *what) {
    fprintf(stderr, "sarrus: error: %s: %s\n", path, what);
    return SARRUS_EXIT_IO;
}

static int end_judge(const char *path, int how) {
    if (WIFEXITED(how) && WEXITSTATUS(how) <= SARRUS_EXIT_IO && WEXITSTATUS(how) != SARRUS_EXIT_SOME_FAILED)
        return WEXITSTATUS(how);
    const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGXCPU || number == SIGALRM)
        return failure_print(path,
                             "the file is damaged, or too slow to read: no answer after 10 s of processor time, or 30 s in all");
    return failure_print(path, "the file is damaged: the HDF5 library crashed on it");
}

/* All that comes out of a pipe until its other end is closed, and how much; to be freed. NULL without memory. */
static char *pipe_read(int end, size_t *n_bytes) {
    size_t capacity = 0;
    char *bytes = NULL;
    *n_bytes = 0;
    for (;;) {
        if (*n_bytes == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1 << 14;
            char *grown = realloc(bytes, capacity);
            if (grown == NULL) {
                free(bytes);
                return NULL;
            }
            bytes = grown;
        }
        const ssize_t n = read(end, bytes + *n_bytes, capacity - *n_bytes);
        if (n == 0 || (n < 0 && errno != EINTR))
            return bytes;
        *n_bytes += n > 0 ? (size_t)n : 0;
    }
}

static void pipe_close(const int ends[2]) {
    for (int i = 0; i < 2; ++i)
        if (ends[i] >= 0)
            (void)close(ends[i]);
}

int sarrus_confined_run(sarrus_confined_work work, const void *user, const char *path) {
    int ends[2] = {-1, -1}, how = 0;
    (void)fflush(NULL); /* or the child would print it again */
    const pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        work_do(work, user, ends[1]);
    if (child < 0) {
        fprintf(stderr, "sarrus: error: %s: cannot be read in a process of its own: %s\n", path, strerror(errno));
        pipe_close(ends);
        return SARRUS_EXIT_IO;
    }
    (void)close(ends[1]);
    ends[1] = -1;
    size_t n_bytes = 0;
    char *bytes = pipe_read(ends[0], &n_bytes);
    pipe_close(ends); /* without memory for it, whoever writes on ends of that */
    pid_t ended = -1;
    do
        ended = waitpid(child, &how, 0);
    while (ended < 0 && errno == EINTR);
    int code = bytes == NULL || ended != child ? failure_print(path, "out of memory") : end_judge(path, how);
    if (bytes != NULL && code == SARRUS_EXIT_DONE)
        (void)fwrite(bytes, 1, n_bytes, stdout); /* main looks for errors of the stream */
    free(bytes);
    return code;
}
