/* .h5, .hdf5: three contiguous datasets: indptr (int64, n + 1), indices (int32), distances (float64).
 *
 * libhdf5 copes badly with a full disk: a file whose last flush fails stays open inside it and is flushed again at
 * exit. So the library only lays the file out, in memory: a sparse memfd in which it allocates the datasets without
 * filling them. Their offsets are asked for, its few pages of structure are copied into the real file, and the arrays
 * are written at their offsets by us, where every error is seen.
 */
#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/save/format.h"

enum { INDPTR, INDICES, DISTANCES };

/* Superblock, one group and three object headers take some 3 KiB. */
#define STRUCTURE_BYTES 65536u

static eb_code open_parts(eb_saver *saver, eb_status *status)
{
    static const int64_t first_offset;
    eb_code failed = EB_OK;
    unsigned parts = saver->distances ? 3 : 2;
    for (unsigned part = INDPTR; part < parts && !failed; part++)
        failed = eb_save_open_part(saver, part, status);
    return !failed ? eb_save_write(saver, saver->part[INDPTR], &first_offset, sizeof first_offset, status) : failed;
}

static eb_code write_rows(eb_saver *saver, const eb_neighbours *batch, size_t begin, size_t end, eb_status *status)
{
    uint64_t first = batch->offsets[begin];
    size_t entries = (size_t)(batch->offsets[end] - first);
    eb_code failed = eb_save_row_ends(saver, saver->part[INDPTR], batch, begin, end, status);
    if (!failed)
        failed = eb_save_write(saver, saver->part[INDICES], batch->columns + first, entries * sizeof *batch->columns,
                               status);
    if (!failed && batch->distances)
        failed = eb_save_write(saver, saver->part[DISTANCES], batch->distances + first,
                               entries * sizeof *batch->distances, status);
    return failed;
}

/* ---- the layout ---- */

typedef struct layout {
    haddr_t offset[EB_SAVE_PARTS];
    unsigned datasets;
} layout;

/* Creates one dataset with its space allocated and not written; false on failure. */
static bool add_dataset(hid_t file, const char *name, hid_t type, hsize_t length, haddr_t *offset)
{
    bool good = false;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && how >= 0 && H5Pset_layout(how, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0) {
        hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        if (dataset >= 0) {
            *offset = H5Dget_offset(dataset);
            good = *offset != HADDR_UNDEF;
            good = H5Dclose(dataset) >= 0 && good;
        }
    }
    if (how >= 0)
        (void)H5Pclose(how);
    if (space >= 0)
        (void)H5Sclose(space);
    return good;
}

/* Opens the memfd by its name in /proc. The stdio driver does that; the usual one would resolve the link to a name that
 * does not exist. */
static hid_t create_in(int memory)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", memory);
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = how >= 0 && H5Pset_fapl_stdio(how) >= 0 ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, how) : -1;
    if (how >= 0)
        (void)H5Pclose(how);
    return file;
}

static bool lay_out(int memory, const eb_saver *saver, layout *out)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* the library prints its errors otherwise */
    hid_t file = create_in(memory);
    if (file < 0)
        return false;
    out->datasets = saver->distances ? 3 : 2;
    bool good =
        add_dataset(file, "indptr", H5T_STD_I64LE, (hsize_t)saver->n + 1, &out->offset[INDPTR]) &&
        add_dataset(file, "indices", H5T_STD_I32LE, saver->entries, &out->offset[INDICES]) &&
        (!saver->distances || add_dataset(file, "distances", H5T_IEEE_F64LE, saver->entries, &out->offset[DISTANCES]));
    return H5Fclose(file) >= 0 && good;
}

/* ---- the file ---- */

/* Copies what the library wrote; what it only allocated is a hole in the memfd and stays one here until written. */
static eb_code copy_structure(eb_saver *saver, int skeleton, eb_status *status)
{
    unsigned char page[4096];
    eb_code failed = EB_OK;
    for (off_t at = 0; !failed && (at = lseek(skeleton, at, SEEK_DATA)) >= 0;) {
        ssize_t count = pread(skeleton, page, sizeof page, at);
        if (count <= 0)
            break;
        failed = eb_save_seek(saver, saver->file, (uint64_t)at, status);
        if (!failed)
            failed = eb_save_write(saver, saver->file, page, (size_t)count, status);
        at += count;
    }
    return failed;
}

static uint64_t array_bytes(const eb_saver *saver)
{
    return (saver->n + (uint64_t)1) * sizeof(int64_t) +
           saver->entries * (sizeof(int32_t) + (saver->distances ? sizeof(double) : 0));
}

/* A file that may not grow so far (a limit of the process or of the file system) is found out before the library meets
 * the same limit. The space itself is claimed as the arrays are written. */
static eb_code check_size(eb_saver *saver, eb_status *status)
{
    uint64_t most = array_bytes(saver) + STRUCTURE_BYTES;
    if (ftruncate(fileno(saver->file), (off_t)most) != 0 || ftruncate(fileno(saver->file), 0) != 0)
        return eb_save_fail(saver, errno, status);
    return EB_OK;
}

static eb_code write_file(eb_saver *saver, int skeleton, eb_status *status)
{
    layout where = {.datasets = 0};
    struct stat about;
    if (!lay_out(skeleton, saver, &where))
        return eb_fail(status, EB_IO, "%s: libhdf5 cannot lay out a file of %llu entries", saver->path,
                       (unsigned long long)saver->entries);
    if (fstat(skeleton, &about) != 0)
        return eb_save_fail(saver, errno, status);
    eb_code failed = copy_structure(saver, skeleton, status);
    for (unsigned part = 0; part < where.datasets && !failed; part++) {
        failed = eb_save_seek(saver, saver->file, where.offset[part], status);
        if (!failed)
            failed = eb_save_append_part(saver, part, status);
    }
    if (!failed && (fflush(saver->file) != 0 || ftruncate(fileno(saver->file), about.st_size) != 0))
        failed = eb_save_fail(saver, errno, status);
    return failed;
}

static eb_code complete(eb_saver *saver, eb_status *status)
{
    EB_TRY(check_size(saver, status));
    int skeleton = memfd_create("epsbench-hdf5", MFD_CLOEXEC);
    if (skeleton < 0)
        return eb_save_fail(saver, errno, status);
    eb_code failed = write_file(saver, skeleton, status);
    (void)close(skeleton);
    return failed;
}

const eb_save_format eb_save_h5 = {.extension = ".h5", .begin = open_parts, .rows = write_rows, .end = complete};
const eb_save_format eb_save_hdf5 = {.extension = ".hdf5", .begin = open_parts, .rows = write_rows, .end = complete};
