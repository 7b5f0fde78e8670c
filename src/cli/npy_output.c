#include "cli/npy_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/report.h"
#include "sink/result_name.h"

static sarrus_status report(sarrus_context *context, sarrus_status status, const sarrus_npy_output *output, const char *message) {
    const sarrus_location location = {.file = output->path};
    return sarrus_report_at(context, SARRUS_ERROR, status, &location, "%s", message);
}

static sarrus_status report_error(sarrus_context *context, const sarrus_npy_output *output, int error) {
    const sarrus_location location = {.file = output->path};
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_IO, &location, "cannot be written: %s", strerrordesc_np(error));
}

/* Whether what stands at `target` begins as a .npy file does. */
static bool is_npy(const char *target) {
    unsigned char bytes[SARRUS_NPY_MAGIC_BYTES];
    const int descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t n = descriptor < 0 ? 0 : pread(descriptor, bytes, sizeof bytes, 0);
    if (descriptor >= 0)
        (void)close(descriptor);
    return n > 0 && sarrus_npy_is(bytes, (size_t)n);
}

/* Whether the file may take its name. */
static sarrus_status name_check(sarrus_context *context, const sarrus_npy_output *output) {
    struct stat about;
    if (stat(output->target, &about) != 0)
        return errno == ENOENT ? SARRUS_OK : report_error(context, output, errno);
    for (int i = 0; i < 2; ++i) {
        const sarrus_npy_input *input = output->inputs[i];
        if (input != NULL && about.st_dev == input->device && about.st_ino == input->node)
            return report(context, SARRUS_BAD_ARGUMENT, output,
                          "this is an input, and would be replaced; expected another name for the result");
    }
    if (S_ISDIR(about.st_mode))
        return report_error(context, output, EISDIR);
    if (!S_ISREG(about.st_mode))
        return report(context, SARRUS_IO, output, "cannot be written: not a regular file");
    if (faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS) != 0)
        return report_error(context, output, errno);
    if (about.st_size > 0 && !is_npy(output->target))
        return report(context, SARRUS_BAD_ARGUMENT, output,
                      "this file is no .npy file, and would be replaced; expected the name of a .npy file, or of none");
    return SARRUS_OK;
}

/* A file beside the target, with the permissions of what it will replace, or of any new file. */
static sarrus_status fresh_make(sarrus_context *context, sarrus_npy_output *output) {
    const char *slash = strrchr(output->target, '/');
    const int n_folder = slash == NULL ? 0 : (int)(slash - output->target) + 1;
    struct stat about;
    const mode_t mask = umask(0);
    (void)umask(mask);
    const mode_t mode = stat(output->target, &about) == 0 ? about.st_mode & 0777 : 0666 & ~mask;
    if (asprintf(&output->fresh, "%.*s.%s.new.XXXXXX", n_folder, output->target, output->target + n_folder) < 0) {
        output->fresh = NULL;
        return report(context, SARRUS_NO_MEMORY, output, "out of memory");
    }
    output->descriptor = mkostemp(output->fresh, O_CLOEXEC);
    if (output->descriptor < 0 || fchmod(output->descriptor, mode) != 0) {
        const int error = errno;
        if (output->descriptor < 0) {
            free(output->fresh);
            output->fresh = NULL;
        }
        return report_error(context, output, error);
    }
    return SARRUS_OK;
}

static sarrus_status bytes_write(sarrus_context *context, sarrus_npy_output *output, const void *bytes, size_t n_bytes) {
    for (size_t n_written = 0; n_written < n_bytes;) {
        const ssize_t n = write(output->descriptor, (const unsigned char *)bytes + n_written, n_bytes - n_written);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return report_error(context, output, errno);
        n_written += (size_t)n;
    }
    output->n_bytes += n_bytes;
    return SARRUS_OK;
}

/* Takes the room on the disk, so that one that is too full says so at once. Some file systems cannot. */
static sarrus_status room_take(sarrus_context *context, const sarrus_npy_output *output, uint64_t n_head, int n_dims,
                               const uint64_t *dims) {
    bool is_empty = false, is_good = true;
    uint64_t n_bytes = sizeof(double);
    for (int i = 0; i < n_dims; ++i)
        is_empty = is_empty || dims[i] == 0;
    for (int i = 0; i < n_dims && !is_empty; ++i)
        is_good = is_good && !__builtin_mul_overflow(n_bytes, dims[i], &n_bytes);
    n_bytes = is_empty ? 0 : n_bytes;
    is_good = is_good && !__builtin_add_overflow(n_bytes, n_head, &n_bytes) && n_bytes <= INT64_MAX;
    if (!is_good)
        return report_error(context, output, EFBIG);
    int error = EINTR;
    while (error == EINTR)
        error = fallocate(output->descriptor, 0, 0, (off_t)n_bytes) == 0 ? 0 : errno;
    return error == ENOSPC || error == EFBIG || error == EDQUOT ? report_error(context, output, error) : SARRUS_OK;
}

sarrus_status sarrus_npy_output_create(sarrus_context *context, const char *path, const sarrus_npy_input *const inputs[2],
                                       int n_dims, const uint64_t *dims, sarrus_npy_output *out) {
    unsigned char head[SARRUS_NPY_MADE_BYTES];
    *out = (sarrus_npy_output){.path = path, .descriptor = -1, .inputs = {inputs[0], inputs[1]}};
    out->target = sarrus_result_name_resolve(path);
    if (out->target == NULL)
        return report_error(context, out, errno);
    sarrus_status status = name_check(context, out);
    if (status == SARRUS_OK)
        status = fresh_make(context, out);
    const size_t n_head = sarrus_npy_header_make(n_dims, dims, head);
    if (status == SARRUS_OK)
        status = room_take(context, out, n_head, n_dims, dims);
    return status == SARRUS_OK ? bytes_write(context, out, head, n_head) : status;
}

sarrus_status sarrus_npy_output_write(sarrus_context *context, sarrus_npy_output *output, const double *numbers, uint64_t count) {
    return bytes_write(context, output, numbers, (size_t)count * sizeof *numbers);
}

/* A new name is on the disk when its folder is; some file systems do not know that. */
static sarrus_status folder_sync(sarrus_context *context, const sarrus_npy_output *output) {
    const char *slash = strrchr(output->target, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(output->target, (size_t)(slash - output->target) + 1);
    if (folder == NULL)
        return report(context, SARRUS_NO_MEMORY, output, "out of memory");
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = descriptor < 0 || fsync(descriptor) != 0 ? errno : 0;
    if (descriptor >= 0)
        (void)close(descriptor);
    free(folder);
    return error == 0 || error == EINVAL || error == EACCES ? SARRUS_OK : report_error(context, output, error);
}

sarrus_status sarrus_npy_output_publish(sarrus_context *context, sarrus_npy_output *output) {
    const sarrus_status status = name_check(context, output);
    if (status != SARRUS_OK)
        return status;
    if (ftruncate(output->descriptor, (off_t)output->n_bytes) != 0 || fsync(output->descriptor) != 0 ||
        rename(output->fresh, output->target) != 0)
        return report_error(context, output, errno);
    free(output->fresh);
    output->fresh = NULL;
    return folder_sync(context, output);
}

void sarrus_npy_output_close(sarrus_npy_output *output) {
    if (output->descriptor >= 0)
        (void)close(output->descriptor);
    if (output->fresh != NULL)
        (void)unlink(output->fresh);
    free(output->fresh);
    free(output->target);
    *output = (sarrus_npy_output){.descriptor = -1};
}
