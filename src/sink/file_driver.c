#include "sink/file_driver.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One metadata block that HDF5 wrote since the last flush. */
typedef struct pending_write {
    haddr_t address;
    size_t n_bytes;
    uint8_t *bytes;
    size_t order; /* of arrival: the later write of the same block wins */
    int rank;     /* of the commit: lower goes first */
} pending_write;

typedef struct driver_file {
    H5FD_t public_part; /* must be first: HDF5 sees only this */
    bool writable;
    dev_t device;
    ino_t inode;
    haddr_t end_allocated; /* what HDF5 thinks is in use */
    haddr_t end_logical;   /* of everything written, held back or dropped included */
    haddr_t end_physical;
    pending_write *pending; /* [n_pending] */
    size_t n_pending, pending_capacity;
    haddr_t *committed; /* [n_committed] addresses of metadata blocks on disk, ascending */
    size_t n_committed;
    sarrus_file_state *state;
} driver_file;

/* Travels in the file access property list. */
typedef struct driver_settings {
    sarrus_file_state *state;
} driver_settings;

static void remember_error(driver_file *file, int error) {
    if (file->state->write_error == 0) {
        file->state->write_error = error != 0 ? error : EIO;
    }
}

static bool is_dropping(const driver_file *file) {
    return file->state->write_error != 0 || file->state->is_abandoned;
}

/* Whether somebody has made the file shorter than we did. */
static bool is_cut(const driver_file *file) {
    struct stat about;
    return fstat(file->state->descriptor, &about) == 0 && (haddr_t)about.st_size < file->end_physical;
}

static void write_through(driver_file *file, haddr_t address, size_t n_bytes, const uint8_t *bytes) {
    while (n_bytes > 0 && !is_dropping(file)) {
        if (is_cut(file)) {
            file->state->is_cut = true;
            remember_error(file, EIO);
            return;
        }
        ssize_t n = pwrite(file->state->descriptor, bytes, n_bytes, (off_t)address);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            remember_error(file, n < 0 ? errno : ENOSPC);
            return;
        }
        address += (haddr_t)n;
        bytes += n;
        n_bytes -= (size_t)n;
        file->end_physical = address > file->end_physical ? address : file->end_physical;
    }
    if (file->state->n_bytes < file->end_physical) {
        file->state->n_bytes = file->end_physical;
    }
}

static int compare_address(const void *a, const void *b) {
    haddr_t x = *(const haddr_t *)a, y = *(const haddr_t *)b;
    return (x > y) - (x < y);
}

static int compare_block(const void *a, const void *b) {
    const pending_write *x = a, *y = b;
    if (x->address != y->address) {
        return x->address < y->address ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_rank(const void *a, const void *b) {
    const pending_write *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return compare_block(a, b);
}

/* Ranks of a commit. Nothing on disk refers to a new block yet, so it may go first; the superblock must cover the new blocks
 * before anything refers to them; a B-tree node may lose entries to a new sibling only after its parent knows the sibling;
 * object headers and heaps refer to B-trees, never the other way round. */
enum { RANK_NEW = 0, RANK_SUPERBLOCK = 1, RANK_TREE_ROOT = 2, RANK_TREE_LEAF = 2 + 255, RANK_REST = 2 + 256 };

static int commit_rank(const driver_file *file, const pending_write *block) {
    if (block->address == 0) {
        return RANK_SUPERBLOCK;
    }
    if (file->n_committed == 0 ||
        bsearch(&block->address, file->committed, file->n_committed, sizeof(haddr_t), compare_address) == NULL) {
        return RANK_NEW;
    }
    if (block->n_bytes > 5 && memcmp(block->bytes, "TREE", 4) == 0) { /* byte 4: node type, byte 5: level, 0 for a leaf */
        return RANK_TREE_LEAF - block->bytes[5];
    }
    return RANK_REST;
}

/* Drops all but the last write of each block, so that the rest are one a block; frees what was dropped. */
static void keep_last_writes(driver_file *file) {
    qsort(file->pending, file->n_pending, sizeof *file->pending, compare_block);
    size_t n = 0;
    for (size_t i = 0; i < file->n_pending; ++i) {
        if (i + 1 < file->n_pending && file->pending[i + 1].address == file->pending[i].address &&
            file->pending[i + 1].n_bytes >= file->pending[i].n_bytes) {
            free(file->pending[i].bytes);
        } else {
            file->pending[n++] = file->pending[i];
        }
    }
    file->n_pending = n;
}

/* Adds the addresses of the pending blocks to the committed ones. */
static bool remember_committed(driver_file *file) {
    haddr_t *all = realloc(file->committed, (file->n_committed + file->n_pending) * sizeof *all);
    if (all == NULL) {
        return false;
    }
    file->committed = all;
    for (size_t i = 0; i < file->n_pending; ++i) {
        all[file->n_committed + i] = file->pending[i].address;
    }
    qsort(all, file->n_committed + file->n_pending, sizeof *all, compare_address);
    size_t n = 0;
    for (size_t i = 0; i < file->n_committed + file->n_pending; ++i) {
        if (n == 0 || all[i] != all[n - 1]) {
            all[n++] = all[i];
        }
    }
    file->n_committed = n;
    return true;
}

static void extend_to_allocated(driver_file *file) {
    if (!is_dropping(file) && file->end_physical < file->end_allocated) {
        if (ftruncate(file->state->descriptor, (off_t)file->end_allocated) != 0) {
            remember_error(file, errno);
            return;
        }
        file->end_physical = file->end_allocated;
        file->state->n_bytes = file->end_physical;
    }
}

static void commit(driver_file *file) {
    if (file->n_pending == 0) {
        return;
    }
    keep_last_writes(file);
    for (size_t i = 0; i < file->n_pending; ++i) {
        file->pending[i].rank = commit_rank(file, &file->pending[i]);
    }
    qsort(file->pending, file->n_pending, sizeof *file->pending, compare_rank);
    if (!remember_committed(file)) {
        remember_error(file, ENOMEM);
    }
    for (size_t i = 0; i < file->n_pending; ++i) {
        pending_write *block = &file->pending[i];
        if (block->rank >= RANK_SUPERBLOCK) {
            extend_to_allocated(file); /* the superblock says how long the file is at least */
        }
        write_through(file, block->address, block->n_bytes, block->bytes);
        free(block->bytes);
    }
    file->n_pending = 0;
}

static void hold_back(driver_file *file, haddr_t address, size_t n_bytes, const void *bytes) {
    if (file->n_pending == file->pending_capacity) {
        size_t capacity = file->pending_capacity > 0 ? 2 * file->pending_capacity : 64;
        pending_write *grown = realloc(file->pending, capacity * sizeof *grown);
        if (grown == NULL) {
            remember_error(file, ENOMEM);
            return;
        }
        file->pending = grown;
        file->pending_capacity = capacity;
    }
    uint8_t *copy = malloc(n_bytes > 0 ? n_bytes : 1);
    if (copy == NULL) {
        remember_error(file, ENOMEM);
        return;
    }
    memcpy(copy, bytes, n_bytes);
    file->pending[file->n_pending] =
        (pending_write){.address = address, .n_bytes = n_bytes, .bytes = copy, .order = file->n_pending};
    ++file->n_pending;
}

/* The name means nothing here: the descriptor is open. HDF5 opens twice, the second time to empty the file. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) {
    (void)name;
    (void)maxaddr;
    const driver_settings *settings = H5Pget_driver_info(fapl);
    if (settings == NULL) {
        return NULL;
    }
    struct stat about;
    const int descriptor = settings->state->descriptor;
    const bool is_usable = ((flags & H5F_ACC_TRUNC) == 0 || ftruncate(descriptor, 0) == 0) && fstat(descriptor, &about) == 0;
    driver_file *file = is_usable ? calloc(1, sizeof *file) : NULL;
    if (file == NULL) {
        return NULL;
    }
    file->writable = (flags & H5F_ACC_RDWR) != 0;
    file->device = about.st_dev;
    file->inode = about.st_ino;
    file->end_physical = (haddr_t)about.st_size;
    file->end_logical = file->end_physical;
    file->state = settings->state;
    return &file->public_part;
}

static herr_t driver_close(H5FD_t *public_part) {
    driver_file *file = (driver_file *)public_part;
    for (size_t i = 0; i < file->n_pending; ++i) {
        free(file->pending[i].bytes);
    }
    free(file->pending);
    free(file->committed);
    free(file);
    return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
    const driver_file *x = (const driver_file *)a, *y = (const driver_file *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static herr_t driver_query(const H5FD_t *public_part, unsigned long *flags) {
    (void)public_part;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *public_part, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file *)public_part)->end_allocated;
}

static herr_t driver_set_eoa(H5FD_t *public_part, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((driver_file *)public_part)->end_allocated = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *public_part, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file *)public_part)->end_logical;
}

/* Copies the part of a held-back block that falls into the bytes read. */
static void overlay(const pending_write *block, haddr_t address, size_t n_bytes, uint8_t *bytes) {
    haddr_t from = block->address > address ? block->address : address;
    haddr_t block_end = block->address + block->n_bytes, end = address + n_bytes;
    haddr_t to = block_end < end ? block_end : end;
    if (from < to) {
        memcpy(bytes + (from - address), block->bytes + (from - block->address), (size_t)(to - from));
    }
}

static herr_t driver_read(H5FD_t *public_part, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t n_bytes, void *buffer) {
    (void)type;
    (void)dxpl;
    driver_file *file = (driver_file *)public_part;
    uint8_t *bytes = buffer;
    size_t n_read = 0;
    while (n_read < n_bytes) {
        ssize_t n = pread(file->state->descriptor, bytes + n_read, n_bytes - n_read, (off_t)(address + n_read));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) { /* past the end: zeros, as HDF5's own drivers give */
            memset(bytes + n_read, 0, n_bytes - n_read);
            break;
        }
        n_read += (size_t)n;
    }
    for (size_t i = 0; i < file->n_pending; ++i) {
        overlay(&file->pending[i], address, n_bytes, bytes);
    }
    return 0;
}

static herr_t driver_write(H5FD_t *public_part, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t n_bytes, const void *buffer) {
    (void)dxpl;
    driver_file *file = (driver_file *)public_part;
    if (address + n_bytes > file->end_logical) {
        file->end_logical = address + n_bytes;
    }
    if (type == H5FD_MEM_DRAW) {
        write_through(file, address, n_bytes, buffer);
    } else if (!is_dropping(file)) {
        hold_back(file, address, n_bytes, buffer);
    }
    return 0;
}

static herr_t driver_flush(H5FD_t *public_part, hid_t dxpl, hbool_t closing) {
    (void)dxpl;
    (void)closing;
    commit((driver_file *)public_part);
    return 0;
}

static herr_t driver_truncate(H5FD_t *public_part, hid_t dxpl, hbool_t closing) {
    (void)dxpl;
    (void)closing;
    driver_file *file = (driver_file *)public_part;
    file->end_logical = file->end_allocated;
    if (file->writable) {
        extend_to_allocated(file); /* never shortened: what lies past the end is harmless, a shorter file would not be */
    }
    return 0;
}

hid_t sarrus_file_driver_set(hid_t fapl, sarrus_file_state *state) {
    const H5FD_class_t description = {
#ifdef H5FD_CLASS_VERSION /* HDF5 1.14 and later refuse a driver without them; the number is one of those that nobody has booked */
        .version = H5FD_CLASS_VERSION,
        .value = 9301,
#endif
        .name = "sarrus",
        .maxaddr = ((haddr_t)1 << 62) - 1,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(driver_settings),
        .open = driver_open,
        .close = driver_close,
        .cmp = driver_compare,
        .query = driver_query,
        .get_eoa = driver_get_eoa,
        .set_eoa = driver_set_eoa,
        .get_eof = driver_get_eof,
        .read = driver_read,
        .write = driver_write,
        .flush = driver_flush,
        .truncate = driver_truncate,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    hid_t driver = H5FDregister(&description);
    const driver_settings settings = {.state = state};
    if (driver >= 0 && H5Pset_driver(fapl, driver, &settings) < 0) {
        H5FDunregister(driver);
        return -1;
    }
    return driver;
}
