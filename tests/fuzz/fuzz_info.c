/* HDF5 files that are none of ours, or not quite: datasets and attributes that a result file has are left out, or have another
 * type, shape or size, as the input says. Reading them must end with a status and a text, without a crash or a leak. The files
 * themselves are well formed: what damaged bytes do inside of HDF5 is no matter of ours. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>

#include "sarrus/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition) {
    if (!condition) {
        abort();
    }
}

/* The input, read byte by byte; 0 behind its end. */
typedef struct source {
    const uint8_t *data;
    size_t size, at;
} source;

static unsigned next(source *from) {
    return from->at < from->size ? from->data[from->at++] : 0;
}

/* A type, to be closed. */
static hid_t type_make(source *from) {
    static const unsigned n_kinds = 8;
    const unsigned kind = next(from) % n_kinds;
    if (kind == 6) {
        hid_t text = H5Tcopy(H5T_C_S1);
        must(text >= 0 && H5Tset_size(text, next(from) & 1 ? H5T_VARIABLE : 1 + next(from) % 64) >= 0);
        return text;
    }
    const hid_t types[] = {H5T_NATIVE_INT,    H5T_NATIVE_UINT64, H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT8,
                           H5T_NATIVE_USHORT, H5T_NATIVE_FLOAT,  H5T_NATIVE_INT,    H5T_STD_U64BE};
    return H5Tcopy(types[kind]);
}

static hid_t space_make(source *from) {
    const int n_dims = (int)(next(from) % 4);
    hsize_t dims[3];
    for (int i = 0; i < n_dims; ++i) {
        dims[i] = next(from) % 9;
    }
    return n_dims == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(n_dims, dims, NULL);
}

static void attribute_put(source *from, hid_t at, const char *name) {
    const unsigned how = next(from);
    if (how % 8 == 0 || H5Aexists(at, name) > 0) {
        return;
    }
    const int is_plain = how % 2 == 1;
    const int number = strcmp(name, "sarrus_format") == 0 ? 1 : (int)next(from);
    hid_t type = is_plain ? H5Tcopy(H5T_NATIVE_INT) : type_make(from), space = is_plain ? H5Screate(H5S_SCALAR) : space_make(from);
    hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0 && is_plain) {
        must(H5Awrite(attribute, type, &number) >= 0);
    }
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void dataset_put(source *from, hid_t file, const char *path) {
    if (next(from) % 8 == 0) {
        return;
    }
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t type = type_make(from), space = space_make(from);
    must(links >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0);
    hid_t dataset = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset >= 0) {
        attribute_put(from, dataset, "units");
        H5Dclose(dataset);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(links);
}

static void visit(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes, const char *units,
                  void *user) {
    (void)stored_bytes;
    must(path != NULL && type != NULL && units != NULL && n_dims >= 0 && (n_dims == 0 || dims != NULL));
    ++*(int *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const attributes[] = {"sarrus_format",  "complete", "seed",    "n_times_written",
                                             "sarrus_version", "created",  "backend", "device"};
    static const char *const datasets[] = {
        "instance/id",        "instance/status",   "time",    "coordinate", "events/rank/event_time",
        "events/rank/before", "events/rank/after", "state/q", "id"};
    char path[64];
    source from = {data, size, 0};
    sarrus_context *context = NULL;
    sarrus_result_info info;
    int n_visited = 0;
    snprintf(path, sizeof path, "/dev/shm/sarrus_fuzz_info_%ld.h5", (long)getpid());
    must(H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file >= 0 && sarrus_context_create(&context) == SARRUS_OK);
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; ++i) {
        attribute_put(&from, file, attributes[i]);
    }
    for (size_t i = 0; i < sizeof datasets / sizeof datasets[0]; ++i) {
        dataset_put(&from, file, datasets[i]);
    }
    must(H5Fclose(file) >= 0);
    const sarrus_status status = sarrus_result_info_read(context, path, &info);
    must((status == SARRUS_OK) == (sarrus_context_n_diagnostics(context) == 0));
    must(sarrus_result_visit(context, path, visit, &n_visited) == SARRUS_OK);
    sarrus_context_destroy(context);
    unlink(path);
    return 0;
}
