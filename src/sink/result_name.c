#include "sink/result_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hdf5_signature.h"
#include "sarrus/run.h"

enum { LINKS_MAX = 40, LOOKED_AT_BYTES = 65536 };

/* Where a link leads that stands at `path`; to be freed. */
static char *link_target(const char *path) {
    char to[PATH_MAX];
    const ssize_t n = readlink(path, to, sizeof to);
    const char *slash = strrchr(path, '/');
    char *target = NULL;
    if (n < 0 || n == (ssize_t)sizeof to) {
        errno = n < 0 ? errno : ENAMETOOLONG;
        return NULL;
    }
    const int n_folder = to[0] == '/' || slash == NULL ? 0 : (int)(slash - path) + 1;
    return asprintf(&target, "%.*s%.*s", n_folder, path, (int)n, to) < 0 ? NULL : target;
}

char *sarrus_result_name_resolve(const char *path) {
    char *name = strdup(path);
    struct stat about;
    for (int i = 0; name != NULL && lstat(name, &about) == 0 && S_ISLNK(about.st_mode); ++i) {
        char *target = i < LINKS_MAX ? link_target(name) : NULL;
        errno = i < LINKS_MAX ? errno : ELOOP;
        free(name);
        name = target;
    }
    return name;
}

/* The first and the last bytes of a file. */
typedef struct file_ends {
    size_t n_head, n_tail;
    char head[LOOKED_AT_BYTES], tail[LOOKED_AT_BYTES];
} file_ends;

static bool ends_read(const char *target, off_t n_bytes, file_ends *out) {
    const int descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const off_t tail = n_bytes > LOOKED_AT_BYTES ? n_bytes - LOOKED_AT_BYTES : 0;
    const ssize_t n_head = descriptor < 0 ? -1 : pread(descriptor, out->head, LOOKED_AT_BYTES, 0);
    const ssize_t n_tail = n_head < 0 ? -1 : pread(descriptor, out->tail, LOOKED_AT_BYTES, tail);
    const int error = errno;
    if (descriptor >= 0) {
        close(descriptor);
    }
    errno = error;
    out->n_head = n_head > 0 ? (size_t)n_head : 0;
    out->n_tail = n_tail > 0 ? (size_t)n_tail : 0;
    return n_tail >= 0;
}

static bool holds(const char *bytes, size_t n_bytes, const char *word) {
    return memmem(bytes, n_bytes, word, strlen(word)) != NULL;
}

/* Whether a line begins with the key that every scenario has. */
static bool is_scenario(const file_ends *ends) {
    const size_t n = strlen("sarrus:");
    return (ends->n_head >= n && memcmp(ends->head, "sarrus:", n) == 0) || holds(ends->head, ends->n_head, "\nsarrus:");
}

/* NULL when it is a result, or what else it is. */
static const char *foreign_kind(const file_ends *ends) {
    if (!sarrus_is_hdf5(ends->head, ends->n_head)) {
        return is_scenario(ends) ? "a scenario" : "not a result of Sarrus";
    }
    /* a result begins with its attributes; a program that added some to it may have moved them to its end */
    const bool is_ours = holds(ends->head, ends->n_head, "sarrus_format") || holds(ends->tail, ends->n_tail, "sarrus_format");
    return is_ours ? NULL : "an HDF5 file, but not a result of Sarrus";
}

static sarrus_status io_refuse(const char *reason, char *message, size_t n_bytes) {
    snprintf(message, n_bytes, "cannot be written: %s", reason);
    return SARRUS_IO;
}

/* As sarrus_result_name_check, of a regular file that is not empty. */
static sarrus_status content_check(const char *target, off_t size, char *message, size_t n_bytes) {
    file_ends *ends = malloc(sizeof *ends);
    if (ends == NULL) {
        snprintf(message, n_bytes, "out of memory");
        return SARRUS_NO_MEMORY;
    }
    sarrus_status status = SARRUS_OK;
    if (!ends_read(target, size, ends)) {
        status = io_refuse(strerrordesc_np(errno), message, n_bytes);
    } else if (foreign_kind(ends) != NULL) {
        snprintf(message, n_bytes, "this file is %s, and would be replaced; expected the name of a result file",
                 foreign_kind(ends));
        status = SARRUS_BAD_ARGUMENT;
    }
    free(ends);
    return status;
}

/* A result that cannot be read may be a complete one. */
static sarrus_status completeness_check(const char *target, char *message, size_t n_bytes) {
    sarrus_result_info info;
    const sarrus_status status = sarrus_result_info_read(NULL, target, &info);
    if (status == SARRUS_OK && !info.complete) {
        return SARRUS_OK;
    }
    snprintf(message, n_bytes, "%s, and is not to be replaced",
             status == SARRUS_OK ? "this file is a complete result" : "this file cannot be read");
    return SARRUS_BAD_ARGUMENT;
}

/* Whether files can be made in the folder of `target`. */
static sarrus_status folder_check(const char *target, char *message, size_t n_bytes) {
    const char *slash = strrchr(target, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(target, (size_t)(slash - target) + 1);
    if (folder == NULL) {
        snprintf(message, n_bytes, "out of memory");
        return SARRUS_NO_MEMORY;
    }
    const bool is_usable = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
    const int error = errno;
    free(folder);
    return is_usable ? SARRUS_OK : io_refuse(strerrordesc_np(error), message, n_bytes);
}

sarrus_status sarrus_result_name_check(const char *target, bool keeps_complete, char *message, size_t n_bytes) {
    struct stat about;
    if (stat(target, &about) != 0) {
        return errno == ENOENT ? folder_check(target, message, n_bytes) : io_refuse(strerrordesc_np(errno), message, n_bytes);
    }
    if (S_ISDIR(about.st_mode)) {
        return io_refuse(strerrordesc_np(EISDIR), message, n_bytes);
    }
    if (!S_ISREG(about.st_mode)) {
        return io_refuse("not a regular file", message, n_bytes);
    }
    if (faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) != 0) {
        return io_refuse(strerrordesc_np(errno), message, n_bytes);
    }
    sarrus_status status = folder_check(target, message, n_bytes);
    if (status == SARRUS_OK && about.st_size > 0) {
        status = content_check(target, about.st_size, message, n_bytes);
    }
    if (status == SARRUS_OK && about.st_size > 0 && keeps_complete) {
        status = completeness_check(target, message, n_bytes);
    }
    return status;
}
