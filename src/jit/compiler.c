#include "jit/compiler.h"
#include "core/monotonic.h"
#include "core/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where compilers leave what they say, in the folder of the compilation. */
static const char messages_name[] = "messages.txt";

enum { MAX_ARGUMENTS = 64, MAX_SEARCH = 1024, MAX_ENVIRONMENT = 3 };

static bool is_program(const char *path) {
    struct stat is;
    return stat(path, &is) == 0 && S_ISREG(is.st_mode) && access(path, X_OK) == 0;
}

bool sarrus_compiler_find(const char *name, char path[PATH_MAX], sarrus_fallback_reason *reason) {
    char folders[MAX_SEARCH];
    if (name == NULL)
        name = "cc";
    if (strchr(name, '/') != NULL) {
        /* It runs in another folder than ours. */
        char here[PATH_MAX] = "";
        const bool is_absolute = *name == '/' || getcwd(here, sizeof here) != NULL;
        const int length = snprintf(path, PATH_MAX, "%s%s%s", here, *name == '/' ? "" : "/", name);
        if (is_absolute && length < PATH_MAX && is_program(path))
            return true;
        return sarrus_fallback_reason_set(reason, "no C compiler (%s) was found", name);
    }
    const size_t length = confstr(_CS_PATH, folders, sizeof folders);
    if (length == 0 || length > sizeof folders)
        folders[0] = '\0';
    for (char *rest = folders, *folder = strsep(&rest, ":"); folder != NULL; folder = strsep(&rest, ":"))
        if (*folder == '/' && (size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && is_program(path))
            return true;
    return sarrus_fallback_reason_set(reason, "no C compiler (%s) was found", name);
}

void sarrus_compiler_identify(const char *path, sarrus_sha256 *hash) {
    char whole[PATH_MAX];
    struct stat is = {0};
    if (realpath(path, whole) == NULL || stat(whole, &is) != 0)
        whole[0] = '\0';
    const int64_t facts[] = {(int64_t)is.st_size, (int64_t)is.st_mtim.tv_sec, (int64_t)is.st_mtim.tv_nsec, (int64_t)is.st_ino,
                             (int64_t)is.st_dev};
    sarrus_sha256_add_part(hash, path, strlen(path));
    sarrus_sha256_add_part(hash, whole, strlen(whole));
    sarrus_sha256_add(hash, facts, sizeof facts);
}

static struct rlimit lowered(struct rlimit limit, rlim_t most) {
    return (struct rlimit){limit.rlim_cur < most ? limit.rlim_cur : most, limit.rlim_max < most ? limit.rlim_max : most};
}

/* What holds already and is lower goes on to hold. */
static void limit_set(pid_t process, const sarrus_compilation *compilation) {
    struct rlimit limit;
    if (prlimit(process, RLIMIT_AS, NULL, &limit) == 0) {
        limit = lowered(limit, compilation->max_bytes);
        (void)prlimit(process, RLIMIT_AS, &limit, NULL);
    }
    if (prlimit(process, RLIMIT_CPU, NULL, &limit) == 0) {
        limit = lowered(limit, (rlim_t)compilation->max_seconds + 1);
        (void)prlimit(process, RLIMIT_CPU, &limit, NULL);
    }
    if (prlimit(process, RLIMIT_FSIZE, NULL, &limit) == 0) {
        limit = lowered(limit, UINT64_C(256) << 20);
        (void)prlimit(process, RLIMIT_FSIZE, &limit, NULL);
    }
    limit = (struct rlimit){0, 0};
    (void)prlimit(process, RLIMIT_CORE, &limit, NULL);
}

/* posix_spawn knows no limits, so they are set on the running driver. What it starts later inherits them; what it may have started
 * before is listed by the kernel. */
static void limits_set(pid_t driver, const sarrus_compilation *compilation) {
    char name[64], children[256];
    limit_set(driver, compilation);
    (void)snprintf(name, sizeof name, "/proc/%ld/task/%ld/children", (long)driver, (long)driver);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    const ssize_t n = read(file, children, sizeof children - 1);
    (void)close(file);
    children[n > 0 ? n : 0] = '\0';
    for (char *rest = children, *end = NULL;; rest = end) {
        const long child = strtol(rest, &end, 10);
        if (end == rest || child <= 0)
            return;
        limit_set((pid_t)child, compilation);
    }
}

/* A pipe that nothing is ever written to: the compiler and all that it starts have its end for reading, and only this process has
 * that for writing. */
typedef struct lifeline {
    int theirs, ours;
} lifeline;

enum { LIFELINE = STDERR_FILENO + 1 }; /* its descriptor in the compiler */

/* The compilation goes on without one where there is none. */
static lifeline lifeline_make(void) {
    int ends[2] = {-1, -1};
    (void)pipe2(ends, O_CLOEXEC);
    return (lifeline){ends[0], ends[1]};
}

/* When this process ends, however it does, the kernel closes the last end for writing, and tells whoever is registered with the
 * other end of it by a signal of choice: the process group, which is killed. Our own copy of that end is not needed then. */
static void lifeline_tie(lifeline *line, pid_t group) {
    if (line->theirs < 0)
        return;
    if (fcntl(line->theirs, F_SETOWN, -group) == 0 && fcntl(line->theirs, F_SETSIG, SIGKILL) == 0)
        (void)fcntl(line->theirs, F_SETFL, O_ASYNC);
    (void)close(line->theirs);
    line->theirs = -1;
}

static void lifeline_cut(const lifeline *line) {
    if (line->theirs >= 0)
        (void)close(line->theirs);
    if (line->ours >= 0)
        (void)close(line->ours);
}

/* Its input is empty, its output a file, its folder ours, and no other descriptor of ours but the lifeline is open in it. */
static int actions_fill(posix_spawn_file_actions_t *actions, int folder, int messages, const lifeline *line) {
    int fault = posix_spawn_file_actions_addfchdir_np(actions, folder);
    if (fault == 0)
        fault = posix_spawn_file_actions_adddup2(actions, messages, STDERR_FILENO);
    if (fault == 0)
        fault = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
    if (fault == 0)
        fault = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (fault == 0 && line->theirs >= 0)
        fault = posix_spawn_file_actions_adddup2(actions, line->theirs, LIFELINE);
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 34)
    if (fault == 0)
        fault = posix_spawn_file_actions_addclosefrom_np(actions, line->theirs >= 0 ? LIFELINE + 1 : LIFELINE);
#endif
#endif
    return fault;
}

/* A process group of its own, so that all of it can be killed, and so that a Ctrl-C does not reach it before us. */
static int attributes_fill(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int fault = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (fault == 0)
        fault = posix_spawnattr_setpgroup(attributes, 0);
    if (fault == 0)
        fault = posix_spawnattr_setsigmask(attributes, &none);
    return fault != 0 ? fault : posix_spawnattr_setsigdefault(attributes, &all);
}

static int process_start(const sarrus_compilation *compilation, int messages, const lifeline *line, pid_t *out) {
    char *argv[MAX_ARGUMENTS + 2] = {(char *)(uintptr_t)compilation->program};
    char path[PATH_MAX + MAX_SEARCH + 8], standard[MAX_SEARCH] = "";
    const char *slash = strrchr(compilation->program, '/');
    for (int i = 0; i < MAX_ARGUMENTS && compilation->arguments[i] != NULL; ++i)
        argv[i + 1] = (char *)(uintptr_t)compilation->arguments[i];
    (void)confstr(_CS_PATH, standard, sizeof standard);
    (void)snprintf(path, sizeof path, "PATH=%.*s:%s", (int)(slash != NULL ? slash - compilation->program : 0), compilation->program,
                   standard);
    char language[] = "LC_ALL=C", scratch[] = "TMPDIR=.";
    char *environment[MAX_ENVIRONMENT + 1] = {path, language, scratch, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int fault = posix_spawn_file_actions_init(&actions);
    if (fault != 0)
        return fault;
    fault = posix_spawnattr_init(&attributes);
    if (fault == 0) {
        fault = actions_fill(&actions, compilation->folder, messages, line);
        if (fault == 0)
            fault = attributes_fill(&attributes);
        if (fault == 0)
            fault = posix_spawn(out, compilation->program, &actions, &attributes, argv, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return fault;
}

typedef enum ending { ENDED, TOO_LONG, UNWANTED } ending;

static bool is_unwanted(const sarrus_compilation *compilation) {
    return atomic_load_explicit(compilation->is_unwanted, memory_order_relaxed) || sarrus_stop_is_asked(compilation->stop);
}

/* Waits for the process, looking every few ms whether it is still wanted. `*status` is 0 when somebody else has reaped it: the
 * application's own handler of children; the object then tells how it went. */
static ending process_wait(pid_t process, const sarrus_compilation *compilation, int *status) {
    const struct timespec pause = {0, 2000000};
    const double deadline = sarrus_monotonic_seconds() + compilation->max_seconds;
    ending how = ENDED;
    *status = 0;
    for (;;) {
        const pid_t ended = waitpid(process, status, how == ENDED ? WNOHANG : 0);
        if (ended == process || (ended < 0 && errno != EINTR))
            return how;
        if (how == ENDED && is_unwanted(compilation))
            how = UNWANTED;
        else if (how == ENDED && sarrus_monotonic_seconds() > deadline)
            how = TOO_LONG;
        if (how != ENDED)
            (void)kill(-process, SIGKILL);
        else
            (void)nanosleep(&pause, NULL);
    }
}

/* The first line with an error in it, else the first line. "the linker has failed" is skipped: the reason stands before it. */
static bool message_find(int messages, char line[160]) {
    char text[4096];
    const ssize_t n = pread(messages, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    const char *from = strstr(text, "error: ");
    while (from != NULL && from > text && from[-1] != '\n')
        --from;
    if (from == NULL || strncmp(from, "collect2", strlen("collect2")) == 0)
        from = text + strspn(text, " \n");
    (void)snprintf(line, 160, "%.*s", (int)strcspn(from, "\n"), from);
    return *line != '\0';
}

static bool ending_note(const sarrus_compilation *compilation, int status, int messages, sarrus_fallback_reason *reason) {
    char said[160];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (message_find(messages, said))
        return sarrus_fallback_reason_set(reason, "the C compiler (%s) failed: %s", compilation->program, said);
    if (WIFSIGNALED(status))
        return sarrus_fallback_reason_set(reason, "the C compiler (%s) was ended by signal %d", compilation->program,
                                          WTERMSIG(status));
    return sarrus_fallback_reason_set(reason, "the C compiler (%s) failed with exit code %d", compilation->program,
                                      WEXITSTATUS(status));
}

bool sarrus_compiler_run(const sarrus_compilation *compilation, sarrus_fallback_reason *reason) {
    pid_t process = -1;
    int status = 0;
    const int messages =
        openat(compilation->folder, messages_name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (messages < 0)
        return sarrus_fallback_reason_set(reason, "the cache folder cannot be written to: %s", strerror(errno));
    lifeline line = lifeline_make();
    const int fault = process_start(compilation, messages, &line, &process);
    bool good = false;
    if (fault != 0) {
        (void)sarrus_fallback_reason_set(reason, "the C compiler (%s) cannot be started: %s", compilation->program,
                                         strerror(fault));
    } else {
        lifeline_tie(&line, process);
        limits_set(process, compilation);
        const ending how = process_wait(process, compilation, &status);
        if (how == UNWANTED)
            (void)sarrus_fallback_reason_set(reason, "the compilation was called off");
        else if (how == TOO_LONG)
            (void)sarrus_fallback_reason_set(reason, "the C compiler (%s) took longer than %g s", compilation->program,
                                             compilation->max_seconds);
        else
            good = ending_note(compilation, status, messages, reason);
    }
    lifeline_cut(&line);
    (void)close(messages);
    return good;
}
