#include "cli/result_look.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/confined.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "sarrus/run.h"
#include "sink/hdf5_error.h"
#include "sink/result_place.h"

typedef struct look {
    const char *path;
    bool is_silent;
} look;

static void ignore_dataset(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes,
                           const char *units, void *user) {
    (void)path;
    (void)n_dims;
    (void)dims;
    (void)type;
    (void)stored_bytes;
    (void)units;
    (void)user;
}

static int look_do(const void *user) {
    const look *of = user;
    sarrus_context *context = NULL;
    sarrus_result_info info;
    if (!sarrus_hdf5_start() || sarrus_context_create(&context) != SARRUS_OK)
        return SARRUS_EXIT_IO;
    sarrus_status status = sarrus_result_info_read(context, of->path, &info);
    if (status == SARRUS_OK)
        status = sarrus_result_visit(context, of->path, ignore_dataset, NULL);
    if (!of->is_silent)
        sarrus_failure_print(context, status, stderr);
    sarrus_context_destroy(context);
    return of->is_silent ? SARRUS_EXIT_DONE : sarrus_exit_code(status);
}

int sarrus_result_look(const char *path) {
    const look of = {path, false};
    return sarrus_confined_run(look_do, &of, path);
}

int sarrus_result_look_past(const char *path) {
    const look of = {path, true};
    return access(path, R_OK) == 0 ? sarrus_confined_run(look_do, &of, path) : SARRUS_EXIT_DONE;
}

int sarrus_result_look_left(const char *output) {
    static const char *const endings[] = {"", ".partial", ".partial~"};
    int code = SARRUS_EXIT_DONE;
    for (int i = 0; i < 3 && code == SARRUS_EXIT_DONE; ++i) {
        char *name = sarrus_result_place_name(output, "", endings[i]);
        code = name != NULL ? sarrus_result_look_past(name) : SARRUS_EXIT_DONE; /* without memory for it others will say so */
        free(name);
    }
    return code;
}
