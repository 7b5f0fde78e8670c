/* A scenario that a test runs into a result file, and a look into that file. Included after cmocka. */
#ifndef TESTS_STUDY_RESULT_FIXTURE_H
#define TESTS_STUDY_RESULT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hdf5.h>

#include "sarrus/sarrus.h"

typedef struct fixture {
    sarrus_context *context;
    sarrus_model *model; /* the test's to read */
    char path[64];       /* of the result file: its own for every process */
} fixture;

/* NULL on failure; *state is set in any case. */
static inline fixture *fixture_create(void **state, const char *name) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (f == NULL || sarrus_context_create(&f->context) != SARRUS_OK)
        return NULL;
    snprintf(f->path, sizeof f->path, "test_study_%s_%ld.h5", name, (long)getpid());
    return f;
}

static int teardown(void **state) {
    fixture *f = *state;
    remove(f->path);
    sarrus_model_destroy(f->model);
    sarrus_context_destroy(f->context);
    free(f);
    return 0;
}

/* Reads a dataset, or all of one, as doubles; the number of them. */
static size_t doubles_read(const char *path, const char *dataset, size_t n_max, double *out) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(data);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    assert_true(n >= 0 && (size_t)n <= n_max);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return (size_t)n;
}

#endif
